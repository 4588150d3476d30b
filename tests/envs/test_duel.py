"""The environment of the two-sided game: placing, shooting, and what stays hidden."""

from __future__ import annotations

import copy
import importlib
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, seed_test
from pettingzoo.test.seed_test import parallel_seed_test

from seabattle import Game, Layout, Observation, Rules, random_layout
from seabattle.envs import duel
from seabattle.envs.duel import AGENTS
from seabattle.errors import EnvError, FleetDoesNotFit, MissingPart
from seabattle.game import Duel
from seabattle.learn.encoding import planes_of
from seabattle.rules import CONTACTS, PRESETS
from tests import oracle
from tests.strategies import small_rules

FULL = "5x5 fleet=2,2,2,2,2,2,2,2,2,2,2,2"
"""twelve ships on 25 cells: most ways to begin leave no room for the last"""


@pytest.mark.parametrize("preset", PRESETS)
def test_the_checkers_of_pettingzoo_pass(preset: str) -> None:
    api_test(duel.env(rules=preset))
    seed_test(lambda: duel.env(rules=preset))
    parallel_api_test(duel.parallel_env(rules=preset))
    parallel_seed_test(lambda: duel.parallel_env(rules=preset))


def test_games_end_after_max_cycles() -> None:
    max_cycles_test(duel)


def choose(game: Any, rng: np.random.Generator) -> int:
    """A random action that is allowed."""
    mask = game.infos[game.agent_selection]["action_mask"]
    return int(rng.choice(np.flatnonzero(mask)))


@st.composite
def crowded(draw: st.DrawFn) -> Rules:
    """Small boards with little room, or none."""
    rows, columns = draw(st.integers(2, 4)), draw(st.integers(2, 3))
    longest = max(rows, columns)
    fleet = draw(st.lists(st.integers(1, longest), min_size=1, max_size=4))
    assume(sum(fleet) <= rows * columns)
    return Rules(rows, columns, tuple(fleet), draw(st.sampled_from(CONTACTS)))


@settings(deadline=None, max_examples=25)
@given(crowded(), st.integers(0, 2**32))
def test_a_ship_may_lie_where_the_rest_of_the_fleet_finds_room(rules: Rules, seed: int) -> None:
    """What the masks allow is what the list of all layouts allows, ship after ship."""
    layouts = oracle.all_layouts(rules.rows, rules.columns, rules.fleet, rules.contact)
    game = duel.raw_env(rules)
    if not layouts:
        with pytest.raises(FleetDoesNotFit):
            game.reset(seed=seed)
        return
    game.reset(seed=seed)
    rng = np.random.default_rng(seed)
    placed: list[tuple[frozenset[int], ...]] = [(), ()]
    for ship, length in enumerate(rules.fleet):
        for side, agent in enumerate(AGENTS):
            mask = game.infos[agent]["action_mask"]
            lies: dict[frozenset[int], int] = {}
            for action in map(int, np.flatnonzero(mask)):
                cell, step = action % rules.cells, (1, rules.columns)[action // rules.cells]
                lies[frozenset(cell + k * step for k in range(length))] = action
            assert len(lies) == mask.sum()
            possible = {each[ship] for each in layouts if each[:ship] == placed[side]}
            assert set(lies) == possible
            chosen = sorted(lies, key=sorted)[int(rng.integers(len(lies)))]
            placed[side] += (chosen,)
            game.step(lies[chosen])
            own = np.zeros(rules.cells, dtype=np.int8)
            own[sorted(frozenset().union(*placed[side]))] = 1
            seen = game.observe(agent).reshape(-1, rules.cells)[3 + len(rules.fleet) :]
            np.testing.assert_array_equal(seen[0], own)
            assert not seen[1:3].any()
            assert seen[3:, 0].tolist() == [int(k > ship) for k in range(len(rules.fleet))]


@pytest.mark.parametrize("seed", range(4))
def test_placing_never_ends_in_a_fleet_that_does_not_fit(seed: int) -> None:
    game, rng = duel.raw_env(FULL), np.random.default_rng(seed)
    game.reset(seed=seed)
    for _ in range(2 * 12 + 10):
        game.step(choose(game, rng))
    assert not any(game.terminations.values())
    assert game.observe(AGENTS[0])[3 + 12].sum() == 24


@settings(deadline=None, max_examples=40)
@given(small_rules(), st.integers(0, 2**32))
def test_the_environment_plays_the_game_of_two(rules: Rules, seed: int) -> None:
    """The same layouts and shots in a plain `Duel`: turns, answers, ends and rewards agree."""
    rng = np.random.default_rng(seed)
    layouts = random_layout(rules, rng), random_layout(rules, rng)
    game, truth = duel.raw_env(rules), Duel(*layouts)
    game.reset(options={"layouts": layouts})
    ships = len(rules.fleet)
    while (side := truth.to_move) is not None:
        assert game.agent_selection == AGENTS[side]
        assert not any(game.terminations.values())
        cell = choose(game, rng)
        truth.fire(cell)
        game.step(cell)
        for number, agent in enumerate(AGENTS):
            told = Observation(rules, truth.targets[number].shots)
            suffered = Observation(rules, truth.targets[1 - number].shots)
            planes = game.observe(agent).reshape(-1, rules.cells)
            np.testing.assert_array_equal(
                planes[: 3 + ships], planes_of(told).reshape(-1, rules.cells)
            )
            assert set(np.flatnonzero(planes[3 + ships])) == set(layouts[number].ship_at)
            assert set(np.flatnonzero(planes[4 + ships])) == suffered.misses
            assert set(np.flatnonzero(planes[5 + ships])) == suffered.hits
            if not truth.finished:
                mask = game.infos[agent]["action_mask"]
                assert tuple(np.flatnonzero(mask)) == told.unknown
    assert all(game.terminations.values())
    expected = {None: (0, 0), 0: (1, -1), 1: (-1, 1)}[truth.winner]
    assert tuple(game.rewards[agent] for agent in AGENTS) == expected
    for agent in game.agent_iter():
        assert not game.infos[agent]["action_mask"].any()
        game.step(None)
    assert not game.agents


def test_a_round_in_which_both_finish_is_a_draw() -> None:
    rules = PRESETS["mini"]
    layout = Layout.from_text("cruiser A1 across, destroyer C1 across", rules)
    game = duel.raw_env(rules)
    game.reset(options={"layouts": [layout, layout.to_text()]})
    for cell in layout.ship_at:
        for _ in AGENTS:
            game.step(cell)
    assert all(game.terminations.values())
    assert game.rewards == {"player_0": 0, "player_1": 0}


@settings(deadline=None, max_examples=60)
@given(small_rules(), st.integers(0, 2**32))
def test_what_an_agent_sees_is_the_same_whatever_is_hidden(rules: Rules, seed: int) -> None:
    """Two games that differ in where `player_1` put its ships, shot at only where that makes
    no difference to the answers: `player_0` is shown exactly the same in both."""
    rng = np.random.default_rng(seed)
    own, one, other = (random_layout(rules, rng) for _ in range(3))
    games = []
    for hidden in (one, other):
        game = duel.raw_env(rules)
        game.reset(seed=1, options={"layouts": [own, hidden]})
        games.append(game)
    answers = Game(one), Game(other)
    cells = [int(cell) for cell in rng.permutation(rules.cells)]
    theirs = iter(rng.permutation(rules.cells))
    while cells and games[0].agents and not games[0].terminations[AGENTS[0]]:
        if games[0].agent_selection == AGENTS[1]:
            action = int(next(theirs))
        else:
            action = cells.pop()
            if (action in one.ship_at) != (action in other.ship_at):
                continue
            if answers[0].fire(action) != answers[1].fire(action):
                break
        for game in games:
            game.step(action)
        assert games[0].agent_selection == games[1].agent_selection
        views = [(game.observe(AGENTS[0]), game.infos[AGENTS[0]]) for game in games]
        np.testing.assert_array_equal(views[0][0], views[1][0])
        np.testing.assert_array_equal(views[0][1]["action_mask"], views[1][1]["action_mask"])
        assert views[0][1]["illegal"] == views[1][1]["illegal"]
        assert games[0].rewards == games[1].rewards


def test_placing_shows_the_other_side_nothing() -> None:
    rng = np.random.default_rng(1)
    seen = []
    for _ in range(2):
        game = duel.raw_env("classic")
        game.reset(seed=7)
        views = []
        for _ in range(5):
            views.append(game.observe(AGENTS[0]))
            game.step(int(np.flatnonzero(game.infos[AGENTS[0]]["action_mask"])[0]))
            game.step(choose(game, rng))
        seen.append(np.stack(views))
    np.testing.assert_array_equal(*seen)


def test_an_action_that_is_not_allowed_costs_and_another_is_played() -> None:
    game = duel.raw_env("mini", illegal_reward=-0.25)
    game.reset(seed=1)
    for action in (49, 49, 10**6, -1):
        agent = game.agent_selection
        allowed = game.infos[agent]["action_mask"].copy()
        assert not 0 <= action < 50 or not allowed[action]
        before = game.observe(agent)
        game.step(action)
        assert game.rewards[agent] == -0.25
        assert (game.observe(agent) != before).any()
    assert [game.infos[agent]["illegal"] for agent in AGENTS] == [2, 2]
    # The fleets of mini are placed; from here on it is shots that are not allowed.
    for action in (49, 30):
        game.step(action)
    shots = [game.observe(agent)[:2].sum() for agent in AGENTS]
    assert shots == [1, 1]


def test_unmasked_agents_still_come_to_an_end() -> None:
    game, rng = duel.raw_env("classic"), np.random.default_rng(2)
    game.reset(seed=3)
    steps = 0
    while not any(game.terminations.values()):
        game.step(int(rng.integers(200)))
        steps += 1
    assert steps <= 2 * 105


@pytest.mark.parametrize(
    "change",
    ["turns=alternate", "turns=rounds", "turns=again", "salvo=ships", "turns=rounds salvo=3"],
)
def test_parallel_play_is_the_same_game_as_play_in_turns(change: str) -> None:
    """Every cycle has one shot of each whose turn it is, `player_0` first; one cell of a salvo
    where turns are salvos."""
    rules = Rules.from_text(f"mini answers=sunk {change}")
    rng = np.random.default_rng(5)
    for seed in range(6):
        both = duel.parallel_env(rules, placement=False)
        _, infos = both.reset(seed=seed)
        alone = duel.raw_env(rules, placement=False)
        alone.reset(seed=seed)
        while both.agents:
            actions = {
                agent: int(rng.choice(np.flatnonzero(infos[agent]["action_mask"])))
                for agent in both.agents
            }
            _, rewards, terminated, truncated, infos = both.step(actions)
            for agent in AGENTS:
                if alone.agent_selection == agent and not alone.terminations[agent]:
                    alone.step(actions[agent])
            assert terminated == alone.terminations
            assert not any(truncated.values())
            for agent in AGENTS:
                np.testing.assert_array_equal(both.game.observe(agent), alone.observe(agent))
        assert rewards == alone.rewards


def test_a_cell_chosen_twice_in_a_salvo_is_illegal() -> None:
    """It is replaced like any illegal action, and the salvo is still answered as a whole."""
    game = duel.raw_env("mini", salvo=3, placement=False, illegal_reward=-0.5)
    game.reset(seed=1)
    for action in (7, 7):
        assert game.agent_selection == "player_0"
        game.step(action)
    assert game.rewards == {"player_0": -0.5, "player_1": 0.0}
    assert game.infos["player_0"]["illegal"] == 1
    assert game.infos["player_0"]["action_mask"][: game.rules.cells].sum() == 23
    assert not game.observe("player_0")[:2].any()
    game.step(choose(game, np.random.default_rng(1)))
    assert game.agent_selection == "player_1"
    assert game.observe("player_0")[:2].sum() == 3


def test_a_copy_is_played_on_independently() -> None:
    game = duel.raw_env("mini")
    game.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(8):
        game.step(choose(game, rng))
    other = copy.deepcopy(game)
    before = [game.observe(agent) for agent in AGENTS]
    actions = []
    for _ in range(6):
        actions.append(choose(other, rng))
        other.step(actions[-1])
    np.testing.assert_array_equal([game.observe(agent) for agent in AGENTS], before)
    for action in actions:
        game.step(action)
    for agent in AGENTS:
        np.testing.assert_array_equal(game.observe(agent), other.observe(agent))


def test_random_fleets_are_dealt_where_nobody_places() -> None:
    game = duel.raw_env("mini", placement=False)
    layouts: Counter[bytes] = Counter()
    for seed in range(30):
        game.reset(seed=seed)
        for agent in AGENTS:
            planes = game.observe(agent)
            assert planes[5].sum() == 5
            layouts[planes[5].tobytes()] += 1
    assert len(layouts) > 40


def test_both_boards_are_rendered() -> None:
    layout = Layout.from_text("cruiser A1 across, destroyer C1 across", PRESETS["mini"])
    game = duel.env(rules="mini", render_mode="ansi")
    game.reset(options={"layouts": [layout, layout]})
    for cell in ("A1", "E5", "C1", "C1", "C2", "A1"):
        game.step(PRESETS["mini"].cell(cell))
    assert game.render().splitlines() == [
        "   1 2 3 4 5        1 2 3 4 5",
        "A  X 3 3 . .     A  X 3 3 . .",
        "B  . . . . .     B  . . . . .",
        "C  X 2 . . .     C  # # . . .",
        "D  . . . . .     D  . . . . .",
        "E  . . . . o     E  . . . . .",
    ]
    pixels = duel.parallel_env("mini", render_mode="rgb_array")
    pixels.reset(seed=1)
    assert pixels.render().shape == (120, 264, 3)
    silent = duel.raw_env("mini")
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None


def test_mistakes_are_explained() -> None:
    with pytest.raises(EnvError, match="ansi"):
        duel.env(render_mode="human")
    with pytest.raises(EnvError, match="max_cycles"):
        duel.env(max_cycles=0)
    game = duel.raw_env("mini")
    with pytest.raises(EnvError, match="2 layouts here, not 1"):
        game.reset(options={"layouts": ["cruiser A1 across, destroyer C1 across"]})


def test_a_missing_pettingzoo_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "seabattle.envs.duel")
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(MissingPart, match=r"seabattle\[envs\]"):
        importlib.import_module("seabattle.envs.duel")
