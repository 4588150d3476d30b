"""Sampled layouts agree with the observation and come up as often as they should."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.belief import sampling
from seabattle.belief.frontier import frontier_marginals
from seabattle.belief.sampling import Samples, draw_layouts, sample_layouts
from seabattle.compiled.rules_tables import board_of
from seabattle.dealing.placement_numbers import layout_of
from seabattle.errors import ImpossibleObservation
from seabattle.game import Game
from seabattle.layout import Layout
from seabattle.observation import Observation
from seabattle.rules import PRESETS, Rules
from tests.belief.small_positions import layouts_left, positions

METHODS = ("rejection", "paths", "chain")


def drawn_by(method: str, observation: Observation, count: int, seed: int = 1) -> Samples:
    """Samples of one method, whatever would have been chosen."""
    with pytest.MonkeyPatch.context() as patch:
        if method != "rejection":
            patch.setattr(sampling, "PILOT", 0)
        if method == "chain":
            patch.setattr(sampling, "MOST_SECONDS", 0.0)
            patch.setattr(sampling, "TRIES_WITHOUT_DIAGRAM", 0)
        if method == "rejection":
            patch.setattr(sampling, "PILOT", 2_000_000)
        samples = draw_layouts(observation, count, np.random.default_rng(seed))
    assert samples.method == method
    return samples


def covers(rules: Rules, placements: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """(ships, cells) how often each ship covers each cell."""
    board = board_of(rules)
    counts = np.zeros((board.ships, board.cells))
    for ship, length in enumerate(rules.fleet):
        np.add.at(counts[ship], board.cover[placements[:, ship], :length].astype(np.int64), 1)
    return counts / len(placements)


@settings(deadline=None, max_examples=60)
@given(positions(), st.sampled_from(METHODS))
def test_every_sample_would_have_given_the_same_answers(
    observation: Observation, method: str
) -> None:
    left = set(layouts_left(observation))
    if not left:
        with pytest.raises(ImpossibleObservation):
            sample_layouts(observation, 5, np.random.default_rng(0))
        return
    for row in drawn_by(method, observation, 5).placements:
        layout = layout_of(observation.rules, row)
        assert tuple(map(frozenset, layout.ship_cells)) in left


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("rules", "shots"),
    [
        (Rules(4, 4, (3, 2), "none", "hit-miss"), ""),
        (Rules(4, 4, (2, 2, 1), "any", "hit-miss"), "B2 hit, B3 hit, D4 hit, A1 miss"),
        (Rules(3, 5, (3, 2, 1), "any", "sunk"), "B2 hit, B3 sunk, C5 miss"),
        (Rules(5, 3, (2, 2, 1, 1), "corners", "sunk-named"), "C2 hit, E1 miss"),
    ],
)
def test_all_layouts_come_up_equally_often(rules: Rules, shots: str, method: str) -> None:
    """Chi-square over all layouts; the bound is five standard deviations of its law."""
    observation = Observation.from_text(shots, rules)
    kinds = dict.fromkeys(layouts_left(observation), 0)
    count = 40 * len(kinds)
    for row in drawn_by(method, observation, count).placements:
        kinds[tuple(map(frozenset, layout_of(rules, row).ship_cells))] += 1
    expected = count / len(kinds)
    statistic = sum((seen - expected) ** 2 / expected for seen in kinds.values())
    freedom = len(kinds) - 1
    assert abs(statistic - freedom) < 5 * np.sqrt(2 * freedom)


THESIS = "E5 hit, E6 hit, C2 miss, H8 hit, A9 miss, J1 miss, G3 miss, B7 miss"
RUSSIAN = "E5 sunk, C2 hit, H8 hit, A9 miss, J1 miss, G3 miss, B7 miss, I4 miss"
CLASSIC = "E5 hit, E6 hit, E7 sunk cruiser, C2 hit, A9 miss, J1 miss, G3 miss"


@pytest.mark.parametrize(
    ("preset", "shots", "method"),
    [
        ("thesis", THESIS, "rejection"),
        ("thesis", THESIS, "paths"),
        ("russian", RUSSIAN, "paths"),
        ("russian", RUSSIAN, "chain"),
        ("classic", CLASSIC, "rejection"),
        ("classic", CLASSIC, "paths"),
        ("classic", CLASSIC, "chain"),
    ],
)
def test_samples_meet_the_exact_marginals(preset: str, shots: str, method: str) -> None:
    """Every cell within 5 standard errors; those of a chain are taken three times as large."""
    rules = PRESETS[preset]
    empty = ", ".join(
        f"{row}{column} miss"
        for row in "ABJ"
        for column in range(1, 11)
        if f"{row}{column}" not in shots
    )
    observation = Observation.from_text(f"{shots}, {empty}", rules)
    count = 4_000
    exact = frontier_marginals(observation)
    chance = np.array(exact.cell_totals, dtype=float).sum(axis=0) / exact.labelled
    found = covers(rules, drawn_by(method, observation, count).placements).sum(axis=0)
    error = np.sqrt(chance * (1 - chance) / count)
    assert (abs(found - chance) <= 5 * error * (3 if method == "chain" else 1) + 1e-9).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_prior_makes_some_layouts_more_likely(method: str) -> None:
    rules = Rules(4, 4, (3, 2), "none", "hit-miss")
    observation = Observation.from_text("B2 hit", rules)
    board = board_of(rules)
    prior = np.random.default_rng(5).integers(0, 4, (board.ships, board.placements)) * 1.0
    exact = frontier_marginals(observation, prior)
    chance = np.array(exact.cell_totals) / exact.labelled
    count = 20_000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "PILOT", 10_000_000 if method == "rejection" else 0)
        if method == "chain":
            patch.setattr(sampling, "MOST_SECONDS", 0.0)
            patch.setattr(sampling, "TRIES_WITHOUT_DIAGRAM", 0)
        samples = draw_layouts(observation, count, np.random.default_rng(2), prior)
    assert samples.method == method
    error = np.sqrt(chance * (1 - chance) / count)
    wider = 3 if method == "chain" else 1
    assert (abs(covers(rules, samples.placements) - chance) <= 5 * wider * error + 1e-9).all()


def test_the_same_generator_gives_the_same_samples() -> None:
    observation = Observation.from_text("E5 hit, F6 miss", PRESETS["classic"])
    once, again = (sample_layouts(observation, 50, np.random.default_rng(9)) for _ in range(2))
    assert np.array_equal(once, again)


def test_no_position_of_a_whole_game_stalls() -> None:
    rules = PRESETS["russian"]
    rng = np.random.default_rng(4)
    text = (
        "battleship A1 across, cruiser C1 across, submarine C5 down, destroyer A7 across, "
        "destroyer-2 E1 across, destroyer-3 H8 down, boat A10 across, boat-2 C9 across, "
        "boat-3 J1 across, boat-4 G3 across"
    )
    game = Game(Layout.from_text(text, rules))
    for number, cell in enumerate(rng.permutation(rules.cells)):
        if game.finished:
            break
        game.fire(int(cell))
        if number % 9 == 8 and number > 20:
            observation = Observation(rules, game.shots)
            samples = draw_layouts(observation, 20, rng)
            assert samples.independent
            times = np.rint(20 * covers(rules, samples.placements).sum(axis=0))
            assert all(times[cell] == 20 for cell in observation.hits)
            assert all(times[cell] == 0 for cell in observation.misses)


def test_contradictions_are_an_error() -> None:
    rules = Rules(3, 3, (2,), "any", "hit-miss")
    for shots in ("A1 hit, C3 hit", "A1 hit, A2 hit, A3 hit"):
        with pytest.raises(ImpossibleObservation):
            sample_layouts(Observation.from_text(shots, rules), 3, np.random.default_rng(0))
