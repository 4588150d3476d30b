"""Salvos wherever a program plays: environments, agents, engines and data sets, by brute force.

The expected games come from `tests.oracle`; everybody fires at the cells of a random order.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from seabattle import Rules, make_player, play, play_duel
from seabattle.dealing import deal_games, layout_of
from seabattle.errors import DatasetError
from seabattle.experiment.play import play_batch
from seabattle.layout import Layout
from tests import oracle
from tests.conftest import Run

FAULTY = f"exec:{sys.executable} {Path(__file__).parent / 'engine' / 'faulty_engine.py'}"
RULES = [
    Rules(5, 5, (3, 2, 1), "any", "sunk", salvo="ships"),
    Rules(4, 5, (2, 2), "none", "hit-miss", "rounds", salvo="ships"),
    Rules(5, 4, (3, 1), "corners", "named", salvo=3),
    Rules(4, 4, (2, 1), "any", "sunk-named", "rounds", salvo=7),
]
Turn = tuple[tuple[int, ...], tuple[oracle.Told, ...]]


def plain(layout: Layout) -> oracle.Layout:
    return tuple(
        frozenset(cell for cell, ship in layout.ship_at.items() if ship == number)
        for number in range(len(layout.rules.fleet))
    )


def alone(layout: Layout, order: list[int]) -> list[Turn]:
    """The turns of one shooter who fires at these cells until every ship is sunk."""
    rules, ships = layout.rules, plain(layout)
    told = list(oracle.replay(ships, tuple(order), rules.answers))
    turns: list[Turn] = []
    fired = 0
    while not all(run <= set(order[:fired]) for run in ships):
        sunk = sum(each[0] == "sunk" for each in told[:fired])
        size = len(ships) - sunk if rules.salvo == "ships" else int(rules.salvo)
        after = min(fired + size, rules.cells)
        turns.append((tuple(order[fired:after]), tuple(told[fired:after])))
        fired = after
    return turns


def shown(turn: Turn, rules: Rules) -> str:
    """A turn as the agents are told it."""
    texts = []
    for cell, (word, *ship) in zip(*turn, strict=True):
        named = f" {rules.ship_names[int(str(ship[0]))]}" if ship else ""
        texts.append(f"{rules.cell_name(cell)} {word}{named}")
    return ", ".join(texts)


def known_after(turns: list[Turn], rules: Rules) -> tuple[set[int], set[int]]:
    """The cells known to be missed and hit."""
    answered = [pair for turn in turns for pair in zip(*turn, strict=True)]
    missed = {cell for cell, told in answered if told[0] == "miss"}
    return missed, {cell for cell, _ in answered} - missed


@pytest.mark.parametrize("rules", RULES, ids=Rules.to_text)
def test_the_environments_answer_a_salvo_as_a_whole(rules: Rules) -> None:
    """Step by step: what is known, what may be chosen, and when the game ends."""
    pytest.importorskip("gymnasium")
    from seabattle.envs import BattleshipEnv, BattleshipVectorEnv

    games = 3
    layouts = [layout_of(rules, row) for row in deal_games(rules, 5, range(games))]
    orders = [np.random.default_rng(k).permutation(rules.cells).tolist() for k in range(games)]
    expected = [alone(layout, order) for layout, order in zip(layouts, orders, strict=True)]
    many = BattleshipVectorEnv(games, rules=rules)
    many.reset(seed=1, options={"layouts": layouts})
    lengths = [sum(len(cells) for cells, _ in turns) for turns in expected]
    seen = []
    for number in range(min(lengths)):
        seen.append(many.step(np.array([order[number] for order in orders])))
    for game in range(games):
        env = BattleshipEnv(rules)
        env.reset(seed=1, options={"layout": layouts[game]})
        turns, step = expected[game], 0
        for done, (cells, _) in enumerate(turns):
            for place, cell in enumerate(cells):
                planes, _, terminated, truncated, info = env.step(cell)
                whole = place == len(cells) - 1
                missed, hit = known_after(turns[: done + whole], rules)
                assert set(np.flatnonzero(planes[0])) == missed
                assert set(np.flatnonzero(planes[1])) == hit
                assert terminated == (whole and done == len(turns) - 1)
                assert not truncated
                if not terminated:
                    left = set(orders[game][step + 1 :])
                    assert set(np.flatnonzero(info["action_mask"])) == left
                if step < len(seen):
                    together = seen[step]
                    assert (together[0][game] == planes).all()
                    assert together[2][game] == terminated
                    assert (together[4]["action_mask"][game] == info["action_mask"]).all()
                step += 1
        assert step == lengths[game]
        assert env.knowledge.finished or rules.answers == "hit-miss"
    many.close()


def test_a_cell_of_the_salvo_cannot_be_chosen_again_in_the_environment() -> None:
    pytest.importorskip("gymnasium")
    from seabattle.envs import BattleshipEnv

    env = BattleshipEnv(Rules(4, 4, (2, 1), salvo=3))
    env.reset(seed=1)
    env.step(5)
    _, _, _, _, info = env.step(5)
    assert info["wasted"] == 1
    assert not info["action_mask"][5]


@pytest.mark.parametrize("rules", RULES, ids=Rules.to_text)
@pytest.mark.parametrize("seed", range(3))
def test_the_pettingzoo_game_follows_the_rules_of_two(rules: Rules, seed: int) -> None:
    pytest.importorskip("pettingzoo")
    from seabattle.envs import duel as duel_env

    fleets = [layout_of(rules, row) for row in deal_games(rules, seed, range(2))]
    orders = [np.random.default_rng([seed, k]).permutation(rules.cells).tolist() for k in (0, 1)]
    history, winner = oracle.salvo_duel(
        (plain(fleets[0]), plain(fleets[1])),
        (tuple(orders[0]), tuple(orders[1])),
        rules.cells,
        rules.answers,
        rules.turns,
        rules.salvo,
    )
    env = duel_env.raw_env(rules)
    env.reset(seed=seed, options={"layouts": fleets})
    known: tuple[list[Turn], list[Turn]] = ([], [])
    for side, cells, told in history:
        for cell in cells:
            assert not any(env.terminations.values())
            assert env.agent_selection == f"player_{side}"
            missed, hit = known_after(known[side], rules)
            planes = env.observe(f"player_{side}")
            assert set(np.flatnonzero(planes[0])) == missed
            assert set(np.flatnonzero(planes[1])) == hit
            env.step(cell)
        known[side].append((cells, told))
    assert all(env.terminations.values())
    rewards = [env.rewards[f"player_{side}"] for side in (0, 1)]
    expected = [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == 0 else [-1.0, 1.0]
    assert rewards == expected


@pytest.mark.parametrize("rules", RULES, ids=Rules.to_text)
def test_an_agent_alone_is_told_its_salvos(rules: Rules) -> None:
    from seabattle.agents.agent_games import AgentGames

    games = AgentGames(seed=4)
    started = games.start(rules.to_text())
    number = str(started.facts["game"])
    layout = games._games[number].game.layout  # type: ignore[union-attr]
    order = np.random.default_rng(2).permutation(rules.cells).tolist()
    for cells, told in alone(layout, order):
        names = [rules.cell_name(cell) for cell in cells]
        if len(names) > 1:
            wrong = games.shoot(number, " ".join(names[:-1]))
            assert f"This turn has {len(names)} shots, not {len(names) - 1}." in wrong.text
            twice = games.shoot(number, " ".join([*names[:-1], names[0]]))
            assert "is in the salvo twice" in twice.text
        answer = games.shoot(number, ", ".join(names))
        assert answer.text.startswith(f"{shown((cells, told), rules)}.")
    assert answer.facts["stage"] == "over"


@pytest.mark.parametrize("rules", RULES, ids=Rules.to_text)
@pytest.mark.parametrize("first", ["me", "them"])
def test_an_agent_and_its_opponent_take_turns_in_salvos(rules: Rules, first: str) -> None:
    from seabattle.agents.agent_games import AgentGames

    games = AgentGames(seed=4)
    number = str(games.start(rules.to_text(), opponent="in-order", first=first).facts["game"])
    told = [games.place(number, "random").text]
    game = games._games[number]
    own = 0 if first == "me" else 1
    fleets = [game.duel.targets[1 - side].layout for side in (0, 1)]  # type: ignore[union-attr]
    order = np.random.default_rng(7).permutation(rules.cells).tolist()
    orders = [tuple(order), tuple(range(rules.cells))]
    history, winner = oracle.salvo_duel(
        (plain(fleets[0]), plain(fleets[1])),
        (orders[own], orders[1 - own]),
        rules.cells,
        rules.answers,
        rules.turns,
        rules.salvo,
    )
    for side, cells, answers in history:
        text = shown((cells, answers), rules)
        if side == own:
            told.append(games.shoot(number, " ".join(map(rules.cell_name, cells))).text)
            assert f"You: {text}." in told[-1]
        else:
            assert f"in-order: {text}." in told[-1]
    ending = "it is drawn" if winner is None else "you win" if winner == own else "in-order wins"
    assert f"The game is over: {ending}." in told[-1]


@pytest.mark.parametrize("rules", RULES, ids=Rules.to_text)
def test_an_engine_is_asked_for_whole_salvos(rules: Rules) -> None:
    """It shoots in reading order, so each game is that order to the end of the last salvo."""
    player = make_player(f"{FAULTY} good 100000,games=3")
    batch = play_batch(player, rules, 3, range(4))
    assert not player.take_faults()  # type: ignore[attr-defined]
    for row in range(4):
        turns = alone(layout_of(rules, batch.placements[row]), list(range(rules.cells)))
        fired = [cell for cells, _ in turns for cell in cells]
        assert batch.fired[row, : batch.shots[row]].tolist() == fired


@pytest.mark.parametrize("out", ["games.parquet", "seabattle/salvo-v0"])
@pytest.mark.parametrize("more", [(), ("--opponent", "even")])
def test_data_sets_of_salvos_are_exported_and_checked(
    out: str, more: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("minari")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    words = ("--rules", "mini", "--salvo", "3", "--player", "random", "--games", 3, *more)
    code, _, err = run("dataset", "export", out, *words)
    assert code == 0, err
    code, told, err = run("dataset", "check", out)
    assert code == 0, err
    assert "3 games" in told
    assert "salvo=3" in told
    code, _, err = run("dataset", "check", out, "--rules", "mini")
    assert code == 2
    assert "salvo=3" in err
    code, _, err = run(
        "dataset", "export", "duels.parquet", *words[:2], "--salvo", "ships", "--opponent", "even"
    )
    assert code == 2
    assert "use a fixed salvo" in err


@pytest.mark.parametrize("rules", RULES, ids=Rules.to_text)
def test_data_sets_of_salvos_are_the_games(rules: Rules) -> None:
    """Every shot stands in its episode with its answer, and the sides give the duel back."""
    pytest.importorskip("pyarrow")
    from seabattle.dataset.duels import check_duels, duel_episodes
    from seabattle.dataset.episodes import episodes_of

    record = play("random", rules, seed=3)
    (episode,) = episodes_of([record], rules, "shots", False)
    assert episode.actions.tolist() == [shot.cell for shot in record.shots]
    duels = [play_duel("even", "random", rules, seed=seed) for seed in range(3)]
    if rules.salvo == "ships":  # what a side fires depends on the other side
        with pytest.raises(DatasetError, match="use a fixed salvo"):
            list(duel_episodes(duels, rules))
        return
    for duel in duels:
        sides = list(duel_episodes([duel], rules))
        shots = sorted(
            (int(move), int(cell))
            for side in sides
            if side.duel
            for move, cell in zip(side.duel.moves, side.actions, strict=True)
        )
        assert [cell for _, cell in shots] == list(duel.cells)
        assert check_duels(iter(sides), rules, "shots", False) == (1, len(duel.cells))
