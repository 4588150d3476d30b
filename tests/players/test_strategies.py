"""Strategies: all are lawful, shoot where their rule says, and score what was published."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Game, Observation, Rules, make_player
from seabattle.dealing.placement_numbers import layout_of
from seabattle.dealing.uniform import deal_games
from seabattle.experiment.play import play_batch
from seabattle.players import all_players
from seabattle.players.compiled_player import CompiledPlayer
from seabattle.testing import VARIETY, check_player

COMPILED = [name for name, info in all_players().items() if isinstance(info.make(), CompiledPlayer)]
DOCUMENTED = (
    "in-order", "random", "n-parity", "n-parity-hunt", "game-tree", "human-like", "even",
    "hlp", "ohlp", "phlp", "ophlp", "greedy", "density", "hunt-stack", "hunt-parity",
)  # fmt: skip


def test_every_rule_based_player_of_the_documents_is_there() -> None:
    assert set(DOCUMENTED) <= set(all_players())


@pytest.mark.parametrize("name", DOCUMENTED)
def test_players_are_lawful_under_all_rules(name: str) -> None:
    check_player(name, games=1)


@pytest.mark.parametrize("name", COMPILED)
@given(rules=st.sampled_from(VARIETY), seed=st.integers(0, 2**31))
@settings(deadline=None, max_examples=8)
def test_single_moves_and_whole_games_are_one_strategy(name: str, rules: Rules, seed: int) -> None:
    """The compiled game equals the one that `Game` and `choose` play move by move."""
    player = make_player(name)
    assert isinstance(player, CompiledPlayer)
    placements = deal_games(rules, seed, range(1))
    start = np.array([seed], dtype=np.uint64)
    shots, fired = player.play_games(rules, placements, start)
    game, state = Game(layout_of(rules, placements[0])), start.copy()
    while not game.finished:
        salvo: tuple[int, ...] = ()
        for _ in range(game.salvo):
            observation = Observation(rules, game.shots, salvo)
            salvo = (*salvo, player.choose_with(observation, state))
        game.fire_salvo(salvo)
    assert [shot.cell for shot in game.shots] == fired[0, : shots[0]].tolist()


FIGURES = [
    # rules, player, mean and where it comes from, tolerance: 4.5 standard errors of 4,000 games
    ("mini", "random", 5 * 26 / 6, 0.23),
    ("thesis", "random", 17 * 101 / 18, 0.35),
    ("mini", "human-like", 15.22, 0.3),  # T table 4.1
    ("mini", "even", 13.07, 0.25),
    ("classic", "random", 17 * 101 / 18, 0.35),
    ("classic", "ohlp", 60.19, 1.1),  # E table 1
    ("classic", "ophlp", 51.96, 0.7),
    ("classic", "greedy", 46.72, 0.7),
    ("blind", "density", 56.64, 0.7),  # L
    ("classic", "density:ties=first", 44.37, 0.65),  # best published heuristic
    ("named", "random", 14 * 101 / 15, 0.4),
]


@pytest.mark.parametrize(("rules", "name", "mean", "tolerance"), FIGURES)
def test_the_figures_of_the_documents_are_reproduced(
    rules: str, name: str, mean: float, tolerance: float
) -> None:
    batch = play_batch(make_player(name), Rules.from_text(rules), 11, range(4000))
    assert abs(batch.shots.mean() - mean) < tolerance


def test_games_are_a_function_of_their_number() -> None:
    player, rules = make_player("hlp"), Rules()
    whole = play_batch(player, rules, 2, range(100))
    part = play_batch(player, rules, 2, range(40, 60))
    assert whole.shots[40:60].tolist() == part.shots.tolist()
    for row, other in zip(whole.fired[40:60], part.fired, strict=True):
        assert row[:5].tolist() == other[:5].tolist()


def first_shots(name: str, rules: str, count: int, told: str = "miss") -> str:
    """The cells that a player chooses one after another when every answer is `told`."""
    chosen = Rules.from_text(rules)
    text = ""
    for _ in range(count):
        observation = Observation.from_text(text, chosen)
        cell = make_player(name).choose(observation, np.random.default_rng(0))
        text += f", {chosen.cell_name(cell)} {told}"
    return text.replace(f" {told}", "").lstrip(", ")


def test_n_parity_takes_every_nth_cell_of_the_ship_it_is_told_to_follow() -> None:
    assert first_shots("n-parity", "named fleet=5,4,3", 5) == "A3, A6, A9, B2, B5"
    assert first_shots("n-parity", "named", 6) == "A2, A4, A6, A8, A10, B2"
    assert first_shots("n-parity:ship=largest", "named", 4) == "A5, A10, B5, B10"
    diagonals = "n-parity:pattern=diagonals"
    assert first_shots(diagonals, "named fleet=5,4,3", 5) == "A3, A6, A9, B2, B5"
    assert first_shots(diagonals, "named", 6) == "A2, A4, A6, A8, A10, B1"


def choices(name: str, rules: str, shots: str) -> set[str]:
    """Every cell that a player may choose, over many seeds."""
    observation = Observation.from_text(shots, Rules.from_text(rules))
    choose = make_player(name).choose
    rngs = (np.random.default_rng(seed) for seed in range(600))
    return {observation.rules.cell_name(choose(observation, rng)) for rng in rngs}


@pytest.mark.parametrize("name", ["hlp", "phlp"])
def test_hlp_shoots_beside_the_hit_that_it_is_told_to(name: str) -> None:
    shots = "E5 hit, E6 hit"
    first, latest = {"E4", "D5", "F5"}, {"E7", "D6", "F6"}
    assert choices(name, "classic", shots) == latest
    assert choices(f"{name}:beside=first", "classic", shots) == first
    assert choices(f"{name}:beside=random", "classic", shots) == first | latest
    # A hit without unknown neighbours is passed over.
    surrounded = f"{shots}, E7 miss, D6 miss, F6 miss"
    assert choices(name, "classic", surrounded) == first


def test_even_hunts_on_its_half_and_spares_the_cells_around_a_finished_ship() -> None:
    """Every cell in turn is the random choice, over many seeds."""
    finished = "E5 hit, D5 miss, F5 miss, E4 miss, E6 hit, E7 miss"

    def hunted(name: str) -> set[str]:
        return choices(name, "thesis", finished)

    columns, colour = hunted("even"), hunted("even:pattern=checkerboard")
    assert {cell[1:] for cell in columns} == {"1", "3", "5", "7", "9"}
    around = {f"{row}{column}" for row in "DEF" for column in range(4, 8)}
    assert not around & columns
    assert not around & colour
    assert {"A1", "B2", "J10"} <= colour
    assert not {"A2", "J1"} & colour
    assert "D4" in hunted("even:pattern=checkerboard,spare=false")


def test_hunt_stack_tries_all_cells_around_every_hit_latest_first() -> None:
    rules = Rules.from_text("blind")
    shots = "E5 hit"
    for told in ("E6 hit", "E7 miss", "F6 miss", "D6 miss", "E4 miss", "F5 miss", "D5"):
        observation = Observation.from_text(shots, rules)
        cell = make_player("hunt-stack").choose(observation, np.random.default_rng(0))
        assert rules.cell_name(cell) == told.split()[0]
        shots += f", {told}"


def test_hunt_parity_widens_its_spacing_when_the_short_ships_are_sunk() -> None:
    rules = Rules.from_text("10x10 fleet=3,2 answers=sunk-named contact=any")

    def hunted(shots: str) -> set[int]:
        observation = Observation.from_text(shots, rules)
        choose = make_player("hunt-parity").choose
        cells = (choose(observation, np.random.default_rng(seed)) for seed in range(300))
        return {(cell // 10 + cell % 10) % 6 for cell in cells}

    assert hunted("") == {0, 2, 4}
    around = "A1 hit, A2 sunk destroyer, A3 miss, B2 miss, B1 miss"
    assert hunted(around) == {0, 3}


def test_in_order_shoots_in_reading_order() -> None:
    assert first_shots("in-order", "mini", 6) == "A1, A2, A3, A4, A5, B1"


def next_shot(player: str, rules: Rules, shots: str) -> str:
    observation = Observation.from_text(shots, rules)
    return rules.cell_name(make_player(player).choose(observation, np.random.default_rng(0)))


def test_n_parity_hunt_looks_up_down_left_right_and_follows_the_line() -> None:
    choose = partial(next_shot, "n-parity-hunt", Rules.from_text("named"))
    hits = "E5 hit carrier"
    assert choose(hits) == "D5"
    assert choose(f"{hits}, D5 miss") == "F5"
    assert choose(f"{hits}, D5 miss, F5 miss, E4 miss") == "E6"
    assert choose(f"{hits}, D5 miss, F5 miss, E4 miss, E6 hit carrier") == "E7"
    assert choose(f"{hits}, D5 hit destroyer") == "F5"


def test_human_like_targets_then_destroys_along_the_line() -> None:
    choose = partial(next_shot, "human-like", Rules.from_text("thesis"))
    assert choose("E5 hit") in {"D5", "F5", "E4", "E6"}
    assert choose("E5 hit, E6 hit") in {"E4", "E7"}
    assert choose("E5 hit, E6 hit, E7 miss") == "E4"
    assert choose("E5 hit, E6 hit, E7 hit, E8 miss") == "E4"
