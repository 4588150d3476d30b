"""An observation leaves exactly the layouts that would have given the same answers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.belief import count_layouts, enumeration, frontier, infer
from seabattle.dealing.uniform import layout_for, random_layout
from seabattle.errors import (
    EngineError,
    FleetDoesNotFit,
    ImpossibleObservation,
    PriorError,
    TooLarge,
)
from seabattle.game import Game
from seabattle.layout import Layout
from seabattle.observation import Observation
from seabattle.rules import ANSWERS, CONTACTS, Rules
from seabattle.shots import Answer, Shot
from tests import oracle
from tests.belief.small_positions import SMALL, answers_told, layouts_left

COUNTS = Path(__file__).parents[1] / "counts"

MORE = [
    (4, 4, (3, 2)),
    (4, 4, (2, 2, 1)),
    (2, 6, (3, 1, 1)),
    (4, 3, (2, 1, 1, 1)),
    (4, 4, (3, 2, 2)),
]


def play_some(rules: Rules, rng: np.random.Generator, shots: int) -> Observation:
    """Random shots, drawn towards hits half of the time so that ships get sunk."""
    game = Game(random_layout(rules, rng))
    cells = rng.permutation(rules.cells)
    towards = sorted(cells, key=lambda cell: cell not in game.layout.ship_at)
    order = towards if rng.random() < 0.5 else list(cells)
    order = [order[k] for k in sorted(range(len(order)), key=lambda k: k + 4 * rng.random())]
    for cell in order[:shots]:
        if not game.finished:
            game.fire(int(cell))
    return Observation(rules, game.shots)


def agrees_with_oracle(observation: Observation, engine: str = "enumeration") -> None:
    rules = observation.rules
    left = layouts_left(observation)
    belief = infer(observation, engine=engine)
    assert belief.method == "exact"
    assert belief.layouts == oracle.distinct(left, answers_told(observation))
    expected = np.array(oracle.chances(left, rules.cells), dtype=float)
    shape = (len(rules.fleet), rules.rows, rules.columns)
    np.testing.assert_allclose(belief.per_ship, expected.reshape(shape), atol=1e-12)
    np.testing.assert_allclose(
        belief.probability, expected.sum(axis=0).reshape(rules.rows, rules.columns), atol=1e-12
    )
    assert belief.probability.sum() == pytest.approx(rules.ship_cells, abs=1e-9)


@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize("answers", ANSWERS)
def test_thousands_of_small_positions_agree_with_brute_force(contact: str, answers: str) -> None:
    rng = np.random.default_rng([CONTACTS.index(contact), ANSWERS.index(answers)])
    for rows, columns, fleet in SMALL + MORE:
        rules = Rules(rows, columns, fleet, contact, answers)
        if not oracle.all_layouts(rows, columns, rules.fleet, contact):
            with pytest.raises(FleetDoesNotFit):
                infer(Observation(rules))
            continue
        for _ in range(16):
            agrees_with_oracle(play_some(rules, rng, int(rng.integers(0, rules.cells + 1))))


@settings(deadline=None, max_examples=60)
@given(
    rows=st.integers(2, 4),
    columns=st.integers(2, 5),
    fleet=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    contact=st.sampled_from(CONTACTS),
    answers=st.sampled_from(ANSWERS),
    seed=st.integers(0, 2**32),
)
def test_any_small_position_agrees_with_brute_force(
    rows: int, columns: int, fleet: list[int], contact: str, answers: str, seed: int
) -> None:
    if max(fleet) > max(rows, columns) or sum(fleet) > rows * columns:
        return
    rules = Rules(rows, columns, tuple(fleet), contact, answers)
    if not oracle.all_layouts(rows, columns, rules.fleet, contact):
        return
    rng = np.random.default_rng(seed)
    agrees_with_oracle(play_some(rules, rng, int(rng.integers(0, rules.cells + 1))))


@settings(deadline=None, max_examples=150)
@given(
    rules=st.sampled_from(
        [Rules(3, 3, (2, 1), contact, answers) for contact in CONTACTS for answers in ANSWERS]
        + [Rules(3, 4, (2, 2), contact, answers) for contact in CONTACTS for answers in ANSWERS]
    ),
    seed=st.integers(0, 2**32),
)
def test_the_first_impossible_shot_is_named(rules: Rules, seed: int) -> None:
    """Answers made up at random are soon contradictory, and the error says where."""
    rng = np.random.default_rng(seed)
    shots: list[Shot] = []
    for cell in rng.permutation(rules.cells):
        told = [Answer(hit=False), Answer(hit=False)]
        ships = range(len(rules.fleet))
        match rules.answers:
            case "hit-miss":
                told += [Answer(hit=True)]
            case "sunk":
                told += [Answer(hit=True), Answer(hit=True, sunk=True)]
            case "sunk-named":
                told += [Answer(hit=True)]
                told += [Answer(hit=True, sunk=True, ship=ship) for ship in ships]
            case _:
                told += [Answer(hit=True, ship=ship) for ship in ships]
                told += [Answer(hit=True, sunk=True, ship=ship) for ship in ships]
        shot = Shot(int(cell), told[int(rng.integers(len(told)))])
        try:
            Observation(rules, (*shots, shot))
        except ValueError:
            continue
        shots.append(shot)
    observation = Observation(rules, tuple(shots))
    first = next(
        (
            count
            for count in range(1, len(shots) + 1)
            if not layouts_left(Observation(rules, tuple(shots[:count])))
        ),
        None,
    )
    if first is None:
        agrees_with_oracle(observation)
        return
    assert count_layouts(observation) == 0
    with pytest.raises(ImpossibleObservation, match=rf"\(shot {first}\)") as error:
        infer(observation)
    assert repr(shots[first - 1].to_text(rules)) in str(error.value)


def test_a_contradiction_reads_well() -> None:
    observation = Observation.from_text("E5 miss, E6 hit, F6 sunk cruiser", Rules())
    with pytest.raises(ImpossibleObservation) as error:
        infer(observation)
    assert str(error.value) == (
        "No layout agrees with the shots: 'F6 sunk cruiser' (shot 3) contradicts those before it."
    )


def test_the_order_of_the_shots_matters() -> None:
    """Sunk at the middle: which of its neighbours came before says where the ship lies."""
    rules = Rules(5, 5, (2, 2), "any", "sunk")
    before = Observation.from_text("C2 hit, C3 sunk, C4 hit", rules)
    after = Observation.from_text("C2 hit, C4 hit, C3 sunk", rules)
    for observation in (before, after):
        agrees_with_oracle(observation)
    assert infer(before).layouts != infer(after).layouts


@pytest.mark.parametrize(
    "known", json.loads((COUNTS / "layouts.json").read_text()), ids=lambda known: known["rules"]
)
def test_known_numbers_of_layouts(known: dict[str, object]) -> None:
    rules = Rules.from_text(str(known["rules"]))
    observation = Observation.from_text(str(known["shots"]), rules)
    assert count_layouts(observation, engine="enumeration") == known["layouts"]


def test_the_known_prior_of_the_classic_board() -> None:
    for known in json.loads((COUNTS / "prior.json").read_text()):
        rules = Rules.from_text(known["rules"])
        belief = infer(Observation(rules), engine="enumeration")
        chance = belief.probability.ravel()[rules.cell(known["cell"])]
        assert round(chance, known["digits"]) == known["probability"]


@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize("size", ["4x4", "3x5"])
def test_a_symmetric_position_has_a_symmetric_belief(contact: str, size: str) -> None:
    """Positions that symmetries leave alone take a shorter way; it must not show."""
    rules = Rules.from_text(f"{size} fleet=3,2,2 contact={contact} answers=sunk")
    for shots in (
        "",
        "A1 miss",
        "A1 miss, A2 miss",
        "A1 miss, B2 miss, C3 miss",
        "B1 miss, B4 miss",
    ):
        agrees_with_oracle(Observation.from_text(shots, rules))


@settings(deadline=None, max_examples=60)
@given(
    contact=st.sampled_from(CONTACTS),
    answers=st.sampled_from(ANSWERS),
    fleet=st.sampled_from([(2,), (3, 2), (2, 2), (2, 2, 1), (2, 1, 1)]),
    alike=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_a_prior_weighs_layouts(
    contact: str, answers: str, fleet: tuple[int, ...], alike: bool, seed: int
) -> None:
    rules = Rules(4, 3, fleet, contact, answers)
    rng = np.random.default_rng(seed)
    observation = play_some(rules, rng, int(rng.integers(0, 9)))

    def weight(ship: int, cells: tuple[int, ...]) -> int:
        return (7 * sum(cells) + (0 if alike else 3 * ship)) % 5

    left, weights = [], []
    for layout in layouts_left(observation):
        product = Fraction(1)
        for ship, run in enumerate(layout):
            product *= weight(ship, tuple(sorted(run)))
        if product:
            left.append(layout)
            weights.append(product)
    if not left:
        with pytest.raises(ImpossibleObservation):
            infer(observation, engine="enumeration", prior=weight)
        return
    belief = infer(observation, engine="enumeration", prior=weight)
    expected = np.array(oracle.chances(left, rules.cells, weights), dtype=float)
    np.testing.assert_allclose(belief.per_ship, expected.reshape(belief.per_ship.shape), atol=1e-12)
    assert belief.probability.sum() == pytest.approx(rules.ship_cells, abs=1e-9)


def test_a_prior_of_ones_changes_nothing() -> None:
    observation = Observation.from_text("E5 miss, E6 hit, F6 hit", Rules())
    plain = infer(observation)
    weighed = infer(observation, prior=lambda *_: 2.0)
    np.testing.assert_allclose(weighed.probability, plain.probability, atol=1e-12)


def test_an_invalid_prior_is_refused() -> None:
    observation = Observation(Rules.from_text("mini"))
    with pytest.raises(PriorError, match="0 or more"):
        infer(observation, prior=lambda *_: -1.0)
    with pytest.raises(PriorError, match="2 ships and 70 placements"):
        infer(observation, prior=np.ones((2, 3)))


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(EngineError, match="enumeration"):
        infer(Observation(Rules()), engine="oracle")


@pytest.mark.parametrize("preset", ["classic", "blind", "thesis", "russian"])
def test_both_engines_agree_on_the_full_board(preset: str) -> None:
    rules = Rules.from_text(preset)
    rng = np.random.default_rng(8)
    for number in range(3):
        game = Game(layout_for(rules, 8, number))
        for cell in rng.permutation(rules.cells)[:45]:
            if not game.finished:
                game.fire(int(cell))
        observation = Observation(rules, game.shots)
        walked = infer(observation, engine="enumeration")
        swept = infer(observation, engine="frontier")
        assert walked.layouts == swept.layouts
        np.testing.assert_allclose(walked.per_ship, swept.per_ship, atol=1e-12)


def test_samples_replace_the_exact_belief_when_there_is_no_time() -> None:
    rules = Rules.from_text("8x8 fleet=4,3,3,2 contact=any answers=sunk-named")
    observation = Observation.from_text("C3 hit, C4 hit, F6 miss", rules)
    exact = infer(observation)
    drawn = infer(observation, seconds=1e-6, rng=np.random.default_rng(3))
    assert (exact.method, drawn.method) == ("exact", "sampled")
    assert drawn.layouts is None
    assert drawn.standard_error is not None
    assert 0 < drawn.standard_error <= 0.005
    assert abs(drawn.probability - exact.probability).max() < 5 * drawn.standard_error
    assert drawn.probability.sum() == pytest.approx(rules.ship_cells)
    assert drawn.bits is None
    few = infer(observation, engine="samples", samples=400, rng=np.random.default_rng(3))
    assert few.standard_error == pytest.approx(5 * drawn.standard_error, rel=0.1)


def test_sampling_also_names_an_impossible_shot() -> None:
    observation = Observation.from_text("A1 hit, B2 hit", Rules.from_text("mini"))
    with pytest.raises(ImpossibleObservation, match=r"'B2 hit' \(shot 2\)"):
        infer(observation, engine="samples")


def test_a_finished_game_is_known() -> None:
    rules = Rules()
    layout = layout_for(rules, 1, 1)
    game = Game(layout)
    for cell in sorted(layout.ship_at):
        game.fire(cell)
    belief = infer(Observation(rules, game.shots))
    assert belief.layouts is not None
    assert belief.layouts >= 1
    assert set(np.flatnonzero(belief.probability)) == set(layout.ship_at)
    assert belief.probability.sum() == rules.ship_cells


@pytest.mark.parametrize("preset", ["classic", "blind", "thesis", "named", "patrol", "trio"])
def test_probabilities_sum_to_the_ship_cells_through_whole_games(preset: str) -> None:
    rules = Rules.from_text(preset)
    rng = np.random.default_rng(5)
    game = Game(random_layout(rules, rng))
    cells = [int(cell) for cell in rng.permutation(rules.cells)]
    shots = 0
    while not game.finished:
        game.fire(cells.pop())
        shots += 1
        if shots < rules.cells // 4 or shots % 5:
            continue
        belief = infer(Observation(rules, game.shots), engine="enumeration")
        assert belief.probability.sum() == pytest.approx(rules.ship_cells, abs=1e-9)
        chances = belief.probability.ravel()
        assert all(chances[cell] > 0 for cell in game.layout.ship_at)
        if not game.finished:
            assert belief.suggestion in Observation(rules, game.shots).unknown


def test_a_large_board_and_a_large_fleet_of_which_much_is_known() -> None:
    """More than 128 cells, and more slots than fit in one word."""
    rules = Rules.from_text("16x16 fleet=6,5,4,3,2,1 contact=none answers=named")
    layout = layout_for(rules, 3, 3)
    game = Game(layout)
    for cells in layout.ship_cells:
        for cell in cells[:-1] or cells:
            game.fire(cell)
    belief = infer(Observation(rules, game.shots), engine="enumeration")
    assert belief.layouts is not None
    assert belief.layouts >= 1
    assert all(belief.probability.ravel()[cell] > 0 for cell in layout.ship_at)
    assert belief.probability.sum() == pytest.approx(rules.ship_cells, abs=1e-9)


def test_information_adds_up() -> None:
    belief = infer(Observation.from_text("C3 hit", Rules.from_text("mini")))
    assert belief.bits is not None
    assert belief.bits_left is not None
    assert belief.bits + belief.bits_left == pytest.approx(np.log2(524))
    certain = Layout.from_text("cruiser A1 across, destroyer C1 across", belief.rules)
    game = Game(certain)
    for cell in sorted(certain.ship_at):
        game.fire(cell)
    assert infer(Observation(belief.rules, game.shots)).bits_left == 0


CROWDED = Rules(16, 16, (4, 4, 3, 3, 3, 2, 2, 2, 2), "any", "hit-miss")
"""far more layouts than can be enumerated"""


def test_enumeration_refuses_what_takes_too_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "MOST_STEPS", 10_000)
    with pytest.raises(TooLarge, match="use the frontier engine"):
        infer(Observation(CROWDED), engine="enumeration")
    assert infer(Observation(Rules(4, 4, (2,))), engine="enumeration").layouts == 24


def test_samples_replace_a_count_that_does_not_fit_into_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_large(*_: object) -> None:
        raise TooLarge("no memory")

    monkeypatch.setattr(frontier, "frontier_cost", lambda *_: 0.001)
    monkeypatch.setattr(frontier, "frontier_marginals", too_large)
    belief = infer(Observation(CROWDED), seconds=0.01, samples=200, rng=np.random.default_rng(1))
    assert (belief.method, belief.layouts) == ("sampled", None)
    with pytest.raises(TooLarge, match="no memory"):
        infer(Observation(CROWDED))


def test_a_limit_holds_with_a_prior_too() -> None:
    """With weights, the empty board takes half a minute to enumerate."""
    belief = infer(Observation(Rules.of("classic")), prior=lambda *_: 1.0, seconds=0.5)
    assert belief.method == "sampled"
    assert belief.probability[0, 0] == pytest.approx(0.0800, abs=0.015)
    assert belief.probability[4, 4] == pytest.approx(0.2136, abs=0.02)


def test_layouts_are_counted_by_an_exact_engine_only() -> None:
    with pytest.raises(EngineError, match="enumeration, frontier"):
        count_layouts(Observation(Rules.from_text("mini")), engine="samples")


def test_a_board_without_unknown_cells_has_no_suggestion() -> None:
    rules = Rules(2, 2, (1,))
    shots = Observation.from_text("A1 miss, A2 miss, B1 miss, B2 sunk boat", rules)
    assert infer(shots).suggestion is None
