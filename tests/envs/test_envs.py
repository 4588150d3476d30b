"""The one-sided environments: what they show, what they reward, and how they end."""

from __future__ import annotations

import copy
import importlib
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Game, Layout, Observation, Rules, make_player, random_layout
from seabattle.dealing.uniform import layout_for
from seabattle.envs import REWARDS, BattleshipEnv, BattleshipVectorEnv
from seabattle.errors import EnvError, LayoutError, MissingPart, RulesError, SeabattleError
from seabattle.learn.encoding import planes_of
from seabattle.rules import PRESETS
from tests import oracle
from tests.strategies import games, small_rules

ID = "seabattle/Battleship-v0"
TIGHT = "5x5 fleet=2,2,2,2,2,2,2,2,2,2,2,2"
"""random placements fit so rarely that layouts are dealt outside of compiled code"""


def slow_planes(observation: Observation) -> np.ndarray:
    """The planes by the oracle, cell by cell."""
    rules = observation.rules
    told = []
    for shot in observation.shots:
        answer = shot.answer
        word = "sunk" if answer.sunk else "hit" if answer.hit else "miss"
        told.append((shot.cell, (word,) if answer.ship is None else (word, answer.ship)))
    sunk, afloat = oracle.known_sunk(rules.rows, rules.columns, rules.fleet, rules.answers, told)
    planes = np.zeros((3 + len(rules.fleet), rules.rows, rules.columns), dtype=np.int8)
    for row in range(rules.rows):
        for column in range(rules.columns):
            cell = row * rules.columns + column
            planes[0, row, column] = cell in observation.misses
            planes[1, row, column] = cell in observation.hits
            planes[2, row, column] = cell in sunk
            planes[3:, row, column] = afloat
    return planes


def slow_reward(design: str, before: Observation, hit: bool, fired: int) -> float:
    """What the `fired`-th shot of a game earns."""
    rules = before.rules
    cells_left = rules.ship_cells - len(before.hits)
    chance = cells_left / len(before.unknown)
    if design == "shots":
        return -1
    if design == "hits":
        return 1 if hit else -1
    if design == "advantage":
        return (1 if hit else -1) - (chance * 1 + (1 - chance) * -1)
    if not hit or cells_left > 1:
        return 0
    spare = rules.cells - 2 * rules.ship_cells
    if spare <= 0:
        spare = max(rules.cells - rules.ship_cells, 1)
    return max(0, 1 - (fired - rules.ship_cells) / spare)


@settings(deadline=None, max_examples=150)
@given(games())
def test_planes_show_what_the_oracle_deduces(game: Game) -> None:
    observation = Observation(game.rules, game.shots)
    np.testing.assert_array_equal(planes_of(observation), slow_planes(observation))


@pytest.mark.parametrize("preset", PRESETS)
def test_planes_of_every_preset(preset: str) -> None:
    rng = np.random.default_rng(3)
    game = Game(random_layout(PRESETS[preset], rng))
    for cell in rng.permutation(game.rules.cells)[:60]:
        if not game.finished:
            game.fire(int(cell))
    observation = Observation(game.rules, game.shots)
    np.testing.assert_array_equal(planes_of(observation), slow_planes(observation))


@settings(deadline=None, max_examples=60)
@given(small_rules(), st.sampled_from(REWARDS), st.integers(0, 2**32), st.data())
def test_both_environments_play_the_game(
    rules: Rules, design: str, seed: int, data: st.DataObject
) -> None:
    """The same layout and the same shots, some of them not allowed: the single environment,
    the vector one and a plain game agree on everything."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rules, rng)
    limit = data.draw(st.sampled_from([None, 1, 7, rules.cells]))
    game = Game(layout)
    single = BattleshipEnv(rules, reward=design, max_steps=limit)
    vector = BattleshipVectorEnv(2, rules, reward=design, max_steps=limit)
    planes, info = single.reset(options={"layout": layout})
    all_planes, infos = vector.reset(options={"layouts": [layout.to_text(), layout]})
    fired = wasted = 0
    while True:
        observation = Observation(rules, game.shots)
        over = game.finished or fired == limit
        mask = [over or cell in observation.unknown for cell in range(rules.cells)]
        for shown, told in ((planes, info), *((all_planes[i], at(infos, i)) for i in (0, 1))):
            np.testing.assert_array_equal(shown, slow_planes(observation))
            np.testing.assert_array_equal(told["action_mask"], mask)
            assert (told["shots"], told["wasted"]) == (fired, wasted)
        np.testing.assert_array_equal(single.action_masks(), mask)
        np.testing.assert_array_equal(vector.action_mask[1], mask)
        assert single.knowledge == vector.knowledge(1) == observation
        if over:
            break
        cell = int(rng.integers(-1, rules.cells + 1))
        fired += 1
        hit = False
        if cell in observation.unknown:
            hit = game.fire(cell).hit
        else:
            wasted += 1
        expected = slow_reward(design, observation, hit, fired)
        planes, reward, terminated, truncated, info = single.step(cell)
        all_planes, rewards, ends, cuts, infos = vector.step(np.array([cell, cell]))
        assert reward == rewards[0] == rewards[1] == pytest.approx(expected)
        assert terminated == ends[0] == ends[1] == game.finished
        assert truncated == cuts[0] == cuts[1] == (not game.finished and fired == limit)
    with pytest.raises(EnvError, match="reset"):
        single.step(0)


def at(infos: dict[str, Any], index: int) -> dict[str, Any]:
    return {key: value[index] for key, value in infos.items()}


@pytest.mark.parametrize("rules", ["classic", "russian", "mini", TIGHT])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_games_are_those_of_the_seed_on_any_number_of_threads(rules: str, threads: int) -> None:
    chosen = Rules.from_text(rules)
    env = BattleshipVectorEnv(3, rules, threads=threads)
    numbers, ended = [0, 1, 2], [False] * 3
    planes, _ = env.reset(seed=11)
    shots: list[list[int]] = [[], [], []]
    while max(numbers) < 9:
        actions = env.sample_actions()
        planes, rewards, terminated, _, infos = env.step(actions)
        for index in range(3):
            if ended[index]:
                numbers[index] += 3
                shots[index] = []
                assert rewards[index] == 0
                assert infos["shots"][index] == 0
                assert not planes[index, :3].any()
                assert planes[index, 3:].all()
            else:
                shots[index].append(int(actions[index]))
            ended[index] = bool(terminated[index])
            if ended[index]:
                game = Game(layout_for(chosen, 11, numbers[index]))
                for cell in shots[index]:
                    game.fire(cell)
                assert game.finished
    env.close()


def test_a_seed_repeats_everything_whatever_the_threads() -> None:
    seen = []
    for threads in (1, 2, 2):
        env = BattleshipVectorEnv(64, "classic", threads=threads)
        env.reset(seed=5)
        seen.append([env.step(env.sample_actions()) for _ in range(150)])
        env.close()
    assert any(step[2].any() for step in seen[0])
    for one, *others in zip(*seen, strict=True):
        for other in others:
            assert gymnasium.utils.env_checker.data_equivalence(one, other, exact=True)


def test_reset_without_a_seed_takes_the_next_layouts() -> None:
    rules = PRESETS["mini"]
    env = BattleshipVectorEnv(2, rules)
    env.reset(seed=3)
    env.reset()
    truths = [env.knowledge(0), env.knowledge(1)]
    assert truths == [Observation(rules)] * 2
    for number in (2, 3):
        for cell in layout_for(rules, 3, number).ship_at:
            _, _, terminated, _, _ = env.step(np.array([cell, cell]))
        assert terminated[number - 2]
        env.reset(seed=3)
        env.reset()
    single = BattleshipEnv(rules)
    single.reset(seed=3)
    single.reset()
    for cell in layout_for(rules, 3, 1).ship_at:
        _, _, done, _, _ = single.step(cell)
    assert done


def test_some_games_can_be_reset_while_others_go_on() -> None:
    env = BattleshipVectorEnv(3, "mini")
    env.reset(seed=3)
    before = env.step(np.array([7, 8, 9]))[0]
    after, infos = env.reset(options={"reset_mask": np.array([False, True, False])})
    np.testing.assert_array_equal(after[[0, 2]], before[[0, 2]])
    assert not after[1, :3].any()
    assert infos["shots"].tolist() == [1, 0, 1]


def test_without_copies_the_same_arrays_come_back() -> None:
    for copied in (True, False):
        env = BattleshipVectorEnv(4, "mini", copy=copied)
        first, infos = env.reset(seed=1)
        second, _, _, _, later = env.step(env.sample_actions())
        assert np.shares_memory(first, second) is not copied
        assert np.shares_memory(infos["action_mask"], later["action_mask"]) is not copied
        assert first[:, :2].any() != copied


def test_random_actions_are_uniform_over_the_cells_that_may_be_shot_at() -> None:
    env = BattleshipVectorEnv(3000, "mini", threads=1)
    env.reset(seed=2)
    for cell in (0, 7, 24):
        env.step(np.full(3000, cell))
    counts = np.bincount(env.sample_actions(), minlength=25)
    assert not counts[[0, 7, 24]].any()
    expected = 3000 / 22
    # 21 degrees of freedom: a value above 46.8 has a chance of 0.001.
    assert ((counts[counts > 0] - expected) ** 2 / expected).sum() < 46.8


def test_a_shot_that_is_not_allowed_is_wasted_and_nothing_else() -> None:
    env = BattleshipVectorEnv(4, "classic", reward="hits")
    env.reset(seed=1)
    before = env.step(np.array([3, 3, 3, 3]))[0]
    after, rewards, terminated, truncated, infos = env.step(np.array([3, -1, 100, 2**62]))
    np.testing.assert_array_equal(before, after)
    assert rewards.tolist() == [-1] * 4
    assert infos["wasted"].tolist() == [1] * 4
    assert infos["shots"].tolist() == [2] * 4
    assert not (terminated | truncated).any()


def test_the_sum_of_rewards_says_how_long_a_game_took() -> None:
    rules = PRESETS["classic"]
    for design in REWARDS:
        env = BattleshipEnv(rules, reward=design)
        env.reset(seed=4)
        total, done = 0.0, False
        for cell in range(rules.cells):
            if not done:
                _, reward, done, _, info = env.step(cell)
                total += reward
        shots = info["shots"]
        if design == "shots":
            assert total == -shots
        elif design == "hits":
            assert total == 17 - (shots - 17)
        elif design == "finish":
            assert total == pytest.approx(max(0, 1 - (shots - 17) / 66))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("design", REWARDS)
def test_the_environment_checker_of_gymnasium_passes(preset: str, design: str) -> None:
    check_env(gymnasium.make(ID, rules=preset, reward=design).unwrapped)


def test_the_environment_is_registered_under_its_name() -> None:
    env = gymnasium.make(f"seabattle.envs:{ID}", rules="mini", size="4x6", contact="any")
    assert env.unwrapped.rules == PRESETS["mini"].override(size="4x6", contact="any")  # type: ignore[attr-defined]
    _, info = env.reset(seed=1)
    assert env.action_space.sample(info["action_mask"]) in env.action_space
    vector = gymnasium.make_vec(ID, num_envs=5, rules="mini", reward="finish")
    assert isinstance(vector, BattleshipVectorEnv)
    assert vector.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    planes, infos = vector.reset(seed=1)
    assert planes in vector.observation_space
    assert infos["action_mask"].shape == (5, 25)
    assert vector.sample_actions() in vector.action_space


def test_the_wrappers_of_gymnasium_fit() -> None:
    env = gymnasium.wrappers.FlattenObservation(gymnasium.make(ID, rules="mini"))
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.wrappers.TimeLimit(env, 4))
    planes, _ = env.reset(seed=1)
    assert planes.shape == (125,)
    for cell in range(4):
        *_, truncated, info = env.step(cell)
    assert truncated
    assert info["episode"]["r"] == -4

    vector = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        BattleshipVectorEnv(3, "mini", max_steps=4)
    )
    vector.reset(seed=1)
    for cell in range(4):
        *_, truncations, infos = vector.step(np.full(3, cell))
    assert truncations.all()
    assert infos["episode"]["l"].tolist() == [4, 4, 4]
    listed = gymnasium.wrappers.vector.DictInfoToList(BattleshipVectorEnv(3, "mini"))
    _, each = listed.reset(seed=1)
    assert [info["shots"] for info in each] == [0, 0, 0]


def test_the_board_is_rendered_as_the_shooter_sees_it() -> None:
    layout = Layout.from_text("cruiser A1 across, destroyer C1 down", PRESETS["mini"])
    for mode in ("ansi", "rgb_array"):
        env = BattleshipEnv("mini", answers="sunk", render_mode=mode)
        env.reset(options={"layout": Layout(env.rules, layout.ships)})
        empty = env.render()
        for cell in ("E5", "A1", "C1", "D1"):
            env.step(env.rules.cell(cell))
        shown = env.render()
        if mode == "ansi":
            assert str(shown).splitlines() == [
                "   1 2 3 4 5",
                "A  X . . . .",
                "B  . . . . .",
                "C  # . . . .",
                "D  #<. . . .",
                "E  . . . . o",
            ]
        else:
            assert isinstance(shown, np.ndarray)
            assert isinstance(empty, np.ndarray)
            changed = (shown != empty).any(axis=2).reshape(5, 24, 5, 24).any(axis=(1, 3))
            assert changed.tolist() == [
                [True, False, False, False, False],
                [False] * 5,
                [True, False, False, False, False],
                [True, False, False, False, False],
                [False, False, False, False, True],
            ]


def test_a_copy_is_played_on_independently() -> None:
    """For searches that try actions out: neither game touches the other."""
    env = BattleshipEnv("classic")
    env.reset(seed=1)
    for cell in range(40):
        env.step(cell)
    other = copy.deepcopy(env)
    ahead = [other.step(cell) for cell in range(40, 70)]
    assert len(env.knowledge.shots) == 40
    behind = [env.step(cell) for cell in range(40, 70)]
    for one, two in zip(ahead, behind, strict=True):
        assert gymnasium.utils.env_checker.data_equivalence(one, two, exact=True)


def test_rendering_without_a_mode_warns() -> None:
    env = BattleshipEnv("mini")
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_players_of_the_package_can_play_the_environment() -> None:
    env, rng = BattleshipEnv("mini", reward="shots"), np.random.default_rng(1)
    player = make_player("density")
    env.reset(seed=1)
    done = False
    while not done:
        _, _, done, _, info = env.step(player.choose(env.knowledge, rng))
    assert 5 <= info["shots"] <= 20


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: BattleshipEnv("clasic"), RulesError, "classic"),
        (lambda: BattleshipEnv(reward="hit"), EnvError, "'hits'"),
        (lambda: BattleshipEnv(render_mode="human"), EnvError, "ansi"),
        (lambda: BattleshipEnv(board=9), RulesError, "size"),
        (lambda: BattleshipEnv(max_steps=0), EnvError, "max_steps"),
        (lambda: BattleshipVectorEnv(0), EnvError, "num_envs must be 1 or more"),
        (lambda: BattleshipVectorEnv(2, threads=0), EnvError, "threads must be 1 or more"),
        (lambda: BattleshipVectorEnv(2, render_mode="ansi"), EnvError, "BattleshipEnv"),
        (lambda: BattleshipEnv().step(0), EnvError, "reset"),
        (lambda: BattleshipVectorEnv(2).step(np.zeros(2, dtype=int)), EnvError, "reset"),
        (lambda: BattleshipVectorEnv(2).sample_actions(), EnvError, "reset"),
        (lambda: BattleshipEnv("2x2 fleet=2,2 contact=none").reset(), RulesError, "not fit"),
    ],
)
def test_mistakes_are_explained(make: Any, error: type[SeabattleError], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


def test_invalid_reset_options_are_explained() -> None:
    env = BattleshipVectorEnv(2, "mini")
    good = layout_for(PRESETS["mini"], 1, 1)
    other = layout_for(PRESETS["trio"], 1, 1)
    with pytest.raises(EnvError, match="first reset"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(seed=1)
    with pytest.raises(EnvError, match="booleans"):
        env.reset(options={"reset_mask": np.array([False, False])})
    with pytest.raises(EnvError, match="2 layouts here, not 1"):
        env.reset(options={"layouts": [good]})
    with pytest.raises(EnvError, match="under the environment's rules"):
        env.reset(options={"layouts": [good, other]})
    with pytest.raises(LayoutError):
        env.reset(options={"layouts": ["cruiser A1 across", good]})
    with pytest.raises(EnvError, match="shape"):
        env.step(np.zeros((2, 1), dtype=int))
    with pytest.raises(EnvError, match="float64"):
        env.step(np.zeros(2))


def test_a_missing_gymnasium_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("seabattle.envs")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(MissingPart, match=r"seabattle\[envs\]"):
        importlib.import_module("seabattle.envs")
