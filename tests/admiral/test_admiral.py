"""`admiral`: lawful under every rule set, pure, and each stage does what it says."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from seabattle import Observation, Rules, compare, make_player
from seabattle.admiral.choice_kernels import choose
from seabattle.admiral.player import NO_TREES, play_weighted_density
from seabattle.admiral.rollout_kernels import learn_shots, new_rollout_memory, roll_out
from seabattle.admiral.weighted_density_kernels import (
    HITS,
    new_density,
    score_cells,
    score_of,
    weigh_changed,
)
from seabattle.admiral.weights import Base, Weights, fitting_weights, read_weights, shipped_weights
from seabattle.belief import infer
from seabattle.belief.sampling import sample_layouts
from seabattle.compiled.board_tables import CONTACT_ANY, CONTACT_NONE
from seabattle.compiled.knowledge import (
    CLOSED,
    MISSED,
    OPEN,
    UNKNOWN,
    fire,
    lay,
    new_knowledge,
    tell,
)
from seabattle.compiled.rules_tables import board_of
from seabattle.dealing import place_games
from seabattle.errors import PlayerError, SeabattleError
from seabattle.experiment.advantage import layouts_that_agree, shots_from
from seabattle.players.batch_play import play_move_by_move
from seabattle.players.optimal import is_solved_at_once
from seabattle.testing import VARIETY, check_player
from tests.belief.small_positions import layouts_left, positions
from tests.strategies import observations


@pytest.mark.parametrize("effort", ["quick", "normal"])
def test_it_is_lawful_under_every_rule_set(effort: str) -> None:
    quickly_counted = [rules for rules in VARIETY if rules.cells <= 36]
    check_player(f"admiral:effort={effort}", quickly_counted, games=1)
    if effort == "quick":
        check_player("admiral", ["classic"], games=1)


def touches(board, cell: int, ship) -> bool:
    """Whether a cell is so near a ship that `contact` forbids another ship there."""
    if board.contact == CONTACT_ANY:
        return False
    row, column = divmod(cell, board.columns)
    parts = [divmod(part, board.columns) for part in ship]
    steps = {(abs(row - down), abs(column - across)) for down, across in parts}
    near = {(0, 1), (1, 0)} | ({(1, 1)} if board.contact == CONTACT_NONE else set())
    return not near.isdisjoint(steps)


def total_by_definition(board, knowledge, weights: Weights, cell: int) -> int:
    """The weight over a cell, placement by placement."""
    settings, total = weights.settings(), 0
    for ship in range(board.ships):
        if not knowledge.afloat[ship]:
            continue
        for placement in range(board.first[ship], board.last[ship]):
            cells = board.cover[placement, : board.length[placement]]
            status = knowledge.status[cells]
            struck = np.flatnonzero(np.isin(knowledge.status[: board.cells], (OPEN, CLOSED)))
            beside = [each for each in struck if each not in cells and touches(board, each, cells)]
            if cell in cells and not np.isin(status, (MISSED, CLOSED)).any() and not beside:
                hits = int((status == OPEN).sum())
                total += int(settings[HITS * len(cells) + hits])
    return total


@settings(max_examples=40, deadline=None)
@given(observations())
def test_scores_are_what_the_definition_says(observation: Observation) -> None:
    rules, weights = observation.rules, shipped_weights(Rules.from_text("classic"))
    assert weights is not None
    board, knowledge = board_of(rules), new_knowledge()
    density = new_density()
    learn_shots(board, knowledge, weights.settings(), density, *observation.arrays)
    score_cells(board, knowledge, weights.settings(), density)
    totals = {
        divmod(cell, rules.columns): total_by_definition(board, knowledge, weights, cell)
        for cell in observation.unknown
    }
    hunting = knowledge.open_hits == 0
    beside, diagonal, beyond = weights.hunting if hunting else weights.targeting
    for (row, column), total in totals.items():
        expected = float(total)
        for (down, right), fraction in {
            **dict.fromkeys([(0, 1), (0, -1), (1, 0), (-1, 0)], beside),
            **dict.fromkeys([(1, 1), (1, -1), (-1, 1), (-1, -1)], diagonal),
            **dict.fromkeys([(0, 2), (0, -2), (2, 0), (-2, 0)], beyond),
        }.items():
            expected += fraction * totals.get((row + down, column + right), 0)
        if hunting:
            ring = min(row, column, rules.rows - 1 - row, rules.columns - 1 - column)
            expected *= weights.rings[min(ring, len(weights.rings) - 1)]
            expected *= weights.even if (row + column) % 2 == 0 else 1
        cell = row * rules.columns + column
        found = score_of(board, knowledge, density, cell)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-3)


@settings(max_examples=40, deadline=None)
@given(observations())
def test_totals_shot_by_shot_are_those_computed_at_once(observation: Observation) -> None:
    board, weights = board_of(observation.rules), shipped_weights(Rules.from_text("classic"))
    values, cells, answers = weights.settings(), *observation.arrays
    knowledge, density = new_knowledge(), new_density()
    learn_shots(board, knowledge, values, density, cells[:0], answers[:0])
    for cell, answer in zip(cells.tolist(), answers.tolist(), strict=True):
        tell(board, knowledge, cell, answer)
        weigh_changed(board, knowledge, values, density, cell, answer)
    at_once = new_density()
    learn_shots(board, knowledge, values, at_once, cells, answers)
    unknown = knowledge.status[: board.cells] == UNKNOWN
    assert (density.unknown[: board.cells] == unknown).all()
    for name in ("totals", "ships", "hits"):
        assert (getattr(density, name) == getattr(at_once, name)).all(), name


@pytest.mark.parametrize("preset", ["classic", "russian"])
@pytest.mark.parametrize("name", ["admiral", "admiral:layouts=0", "admiral:layouts=1000"])
def test_one_move_is_the_same_as_in_whole_games(name: str, preset: str) -> None:
    rules, player = Rules.from_text(preset), make_player(name)
    placements, seeds = place_games(rules, 5, range(2)), np.zeros(2, dtype=np.uint64)
    shots, fired = player.play_games(rules, placements, seeds)

    def choose_one(cells, answers, rng) -> int:
        observation = Observation.from_arrays(rules, cells, answers)
        return player.choose(observation, np.random.default_rng(1))

    again, same = play_move_by_move(rules, placements, seeds, choose_one)
    assert again.tolist() == shots.tolist()
    assert same.tolist() == fired.tolist()


def test_rules_without_weights_borrow_those_of_similar_rules() -> None:
    classic, named, russian = (
        shipped_weights(Rules.from_text(each)) for each in ("classic", "named", "russian")
    )
    borrowed = {
        "classic size=8": classic,
        "named size=9x11": named,
        # Far too many layouts to count, whatever the answers say.
        "16x16 fleet=5,5,4,4,3,3,2,2,2,2 contact=none answers=sunk": russian,
        "16x16 fleet=5,5,4,4,3,3,2,2,2,2 contact=any answers=sunk": classic,
        # Counting is better, or fast and as good.
        "blind": None,
        "thesis": None,
        "classic contact=none": None,
        "classic size=4 fleet=3,2": None,
        "16x16 fleet=5,4,3,3,2 contact=any answers=hit-miss": None,
    }
    for text, weights in borrowed.items():
        expected = None if weights is None else replace(weights, opening=())
        if expected and "fleet" in text:  # costs are those of one fleet
            expected = replace(expected, costs={})
        assert fitting_weights(Rules.from_text(text)) == expected, text
    assert fitting_weights(Rules()) == classic


def test_trees_decide_the_end_of_a_game_where_sinking_is_not_named() -> None:
    rules = Rules.from_text("russian")
    placements, seeds = place_games(rules, 2, range(1)), np.zeros(1, dtype=np.uint64)
    player = make_player("admiral")
    shots, fired = player.play_games(rules, placements, seeds)
    before = int(shots[0]) - 2
    answers = answers_of(rules, placements[0], fired[0, :before])
    observation = Observation.from_arrays(rules, fired[0, :before], answers)
    report = player.report(observation, np.random.default_rng(1))
    assert report.note.startswith("Trees decided")


def test_no_shot_is_next_to_a_hit_where_ships_may_not_touch() -> None:
    rules = Rules.from_text("russian")
    placements, seeds = place_games(rules, 4, range(50)), np.zeros(50, dtype=np.uint64)
    shots, fired = make_player("admiral").play_games(rules, placements, seeds)
    for layout, number, cells in zip(placements, shots, fired, strict=True):
        answers = answers_of(rules, layout, cells[:number])
        struck: set[tuple[int, int]] = set()
        for cell, answer in zip(cells[:number], answers, strict=True):
            row, column = divmod(int(cell), rules.columns)
            assert not struck & {(row + a, column + b) for a in (-1, 1) for b in (-1, 1)}
            if answer:
                struck.add((row, column))


@pytest.mark.parametrize("name", ["admiral", "admiral:layouts=0"])
def test_games_go_on_from_a_position(name: str) -> None:
    rules, player = Rules.from_text("classic"), make_player(name)
    placements, seeds = place_games(rules, 6, range(1)), np.zeros(1, dtype=np.uint64)
    shots, fired = player.play_games(rules, placements, seeds)
    answers = answers_of(rules, placements[0], fired[0, : shots[0]])
    for shot in (0, 12, int(shots[0]) - 1):
        before = Observation.from_arrays(rules, fired[0, :shot], answers[:shot])
        left = player.play_from(before, int(fired[0, shot]), placements)
        assert left.tolist() == [shots[0] - shot]
    assert make_player("admiral:effort=deep").play_from(before, 0, placements) is None


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(positions(), st.data())
def test_the_shots_expected_are_the_mean_over_all_layouts(
    observation: Observation, data: st.DataObject
) -> None:
    rng = np.random.default_rng(0)
    assume(not observation.finished and layouts_left(observation))
    player, plain = make_player("admiral:layouts=0"), make_player("exact:ties=isolated")
    cells = [plain.choose(observation, rng), data.draw(st.sampled_from(observation.unknown))]
    expected = player.expected_shots(observation, cells)
    layouts = layouts_that_agree(observation, 10**6, rng)
    assume(len(layouts) <= 300)
    for cell, mean in zip(cells, expected, strict=True):
        shots = shots_from(plain, observation, cell, layouts, rng)
        assert mean == pytest.approx(shots.mean(), abs=1e-9)


def test_its_base_by_counting_is_exact_with_isolated_ties() -> None:
    rules = Rules.from_text("6x6 fleet=3,2,2 contact=any answers=hit-miss turns=alternate")
    placements, seeds = place_games(rules, 6, range(12)), np.zeros(12, dtype=np.uint64)
    shots, _ = make_player("admiral:layouts=0").play_games(rules, placements, seeds)
    expected, _ = make_player("exact:ties=isolated").play_games(rules, placements, seeds)
    assert shots.tolist() == expected.tolist()


def test_trees_are_larger_where_exact_counting_is_the_base() -> None:
    rules, budget = Rules.from_text("classic"), make_player("admiral:effort=normal").budget
    base = shipped_weights(rules).base(rules)
    assert budget.most_layouts(None) > budget.most_layouts(base)
    limited = make_player("admiral:effort=normal,layouts=500").budget
    assert limited.most_layouts(None) == limited.most_layouts(base) == 500
    listed = (
        "E5 hit, E6 hit, E7 hit, E8 hit, E9 hit, B2 hit, B3 hit, B4 hit, H2 hit, H3 hit, H4 hit"
    )
    listed += ", A1 miss, E4 miss, E10 miss, H5 miss, H1 miss"
    observation = Observation.from_text(listed, Rules.from_text("blind"))
    note = make_player("admiral:effort=normal").report(observation, np.random.default_rng(0)).note
    layouts = infer(observation).layouts
    assert 16_000 < layouts <= 64_000
    assert note == f"Trees decided, on all {layouts:,} layouts that are left."


def test_the_shots_expected_are_those_of_exact_counting_alone() -> None:
    start = Observation(Rules.from_text("5x5 fleet=3,2 contact=any answers=hit-miss"))
    assert make_player("admiral").expected_shots(start, (0,)) is None
    for cells in ((25,), (-1,), (0, 0, 30)):
        with pytest.raises(PlayerError, match="not been shot at"):
            make_player("admiral:layouts=0").expected_shots(start, cells)
    base = make_player("admiral:layouts=0")
    assert base.expected_shots(Observation(Rules.from_text("classic")), (0,)) is None
    assert base.expected_shots(Observation(Rules.from_text("blind")), (0,)) is None
    salvo = Rules.from_text("5x5 fleet=3,2 contact=any answers=hit-miss salvo=2")
    assert base.expected_shots(Observation(salvo), (0,)) is None


def test_it_beats_the_best_heuristic_on_classic() -> None:
    found = compare(["admiral:effort=quick", "density:ties=first"], "classic", games=4000, seed=9)
    assert found.paired[0].ci95[1] < 0


@settings(max_examples=20, deadline=None)
@given(observations(), st.integers(0, 2**32))
def test_it_shoots_where_a_ship_may_be(observation: Observation, seed: int) -> None:
    if observation.finished:
        return
    report = make_player("admiral:effort=normal").report(observation, np.random.default_rng(seed))
    assert report.suggestion in observation.unknown
    assert infer(observation).probability.ravel()[report.suggestion] > 0
    assert np.nanmax(report.values) == report.values[report.suggestion]
    assert report.note.startswith(("Trees decided", "The base decided", "The solution"))
    again = make_player("admiral:effort=normal").choose(observation, np.random.default_rng(seed))
    assert again == report.suggestion


def test_it_is_optimal_where_the_board_is_solved_at_once() -> None:
    # `optimal` is checked against proven values in tests/solver.
    found = compare(["admiral", "optimal"], "mini", games=20, seed=3)
    assert found.players[0].shots == found.players[1].shots


def test_only_boards_that_are_solved_at_once_are_solved() -> None:
    assert is_solved_at_once(Rules.from_text("mini"))
    for large in ("classic", "trio", "5x5 fleet=3,2 contact=none answers=named", "mini salvo=2"):
        assert not is_solved_at_once(Rules.from_text(large))


def test_trees_begin_as_soon_as_few_layouts_are_left() -> None:
    # 14,692 layouts, but the simple upper bound of their number is 85 million: without tuned
    # weights, listing is tried all the same.
    observation = Observation.from_text(
        "E5 miss, F6 hit, G6 hit, H6 miss, E6 miss, F7 hit, G7 hit, G5 hit, F5 miss, F8 hit, "
        "F9 miss, G8 miss, G4 hit, G3 hit, D3 miss, C4 miss, G2 miss, D7 miss, C8 miss, B5 miss, "
        "I3 hit, I4 miss, H3 hit, F3 hit",
        Rules.from_text("blind"),
    )
    report = make_player("admiral:effort=normal").report(observation, np.random.default_rng(1))
    assert report.note == "Trees decided, on all 14,692 layouts that are left."


def answers_of(rules: Rules, placements, cells):
    board = board_of(rules)
    ship_at, left = np.empty(rules.cells, np.int16), np.empty(len(rules.fleet), np.int64)
    lay(board, placements, ship_at, left)
    return np.array([fire(board, ship_at, left, int(cell)) for cell in cells])


@settings(max_examples=30, deadline=None)
@given(observations(), st.integers(0, 2**32), st.booleans())
def test_rollouts_play_each_layout_to_its_end(
    observation: Observation, seed: int, costed: bool
) -> None:
    rules, weights = observation.rules, shipped_weights(Rules.from_text("classic"))
    weights = replace(weights, opening=(), costs=weights.costs if costed else {})
    board, values = board_of(rules), weights.settings()
    if not (observation.unknown and infer(observation).layouts):
        return
    placements = sample_layouts(observation, 25, np.random.default_rng(seed))
    root, density = new_knowledge(), new_density()
    learn_shots(board, root, values, density, *observation.arrays)
    if root.hits == board.ship_cells:
        return
    cell = choose(board, root, values, density)
    memory, result = new_rollout_memory(board, 25), np.zeros(25, dtype=np.int32)
    roll_out(board, root, values, density, memory, placements, cell, result)
    base = Base(values, np.empty(0, dtype=np.int16))
    shots, _ = play_weighted_density(
        rules, base, NO_TREES, placements, observation.arrays, int(cell)
    )
    assert (result + len(observation.shots)).tolist() == shots.tolist()
    assert int((root.status[: rules.cells] == UNKNOWN).sum()) == len(observation.unknown)


def test_a_deep_move_compares_cells_on_sampled_layouts() -> None:
    rules = Rules.from_text("classic")
    observation = Observation.from_text(
        "E5 miss, F6 miss, D6 miss, C3 miss, H8 miss, G3 miss, B8 miss, I5 miss", rules
    )
    player = make_player("admiral:seconds=0.15")
    report = player.report(observation, np.random.default_rng(1))
    assert "600 sampled layouts" in report.note
    assert report.errors is not None
    assert (report.visits > 0).sum() == 8
    assert report.values[report.suggestion] >= 0
    after_a_hit = Observation.from_text(observation.to_text() + ", C8 hit", rules)
    report = player.report(after_a_hit, np.random.default_rng(1))
    assert report.note == "The base decided: the highest score of the tuned density."


def test_an_opening_is_played_until_a_shot_hits(tmp_path) -> None:
    rules, opening = Rules.from_text("classic"), ("B3", "H8", "E5")
    weights = replace(shipped_weights(rules), opening=opening)
    placements = place_games(rules, 1, range(200))
    _, fired = play_weighted_density(rules, weights.base(rules), NO_TREES, placements)
    without = replace(weights, opening=()).base(rules)
    followed = 0
    for row, cells in zip(placements, fired, strict=True):
        told = answers_of(rules, row, cells[:4])
        misses = int(np.argmax(np.append(told[:3], 1) > 0))
        played = min(misses + 1, 3)
        assert [rules.cell_name(int(cell)) for cell in cells[:played]] == list(opening[:played])
        after = cells[:played].copy(), told[:played].copy()
        _, usual = play_weighted_density(rules, without, NO_TREES, row[None], after)
        assert usual[0, played] == cells[played]
        followed += misses == 3
    assert followed > 50
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(weights.to_json()))
    player = make_player(f"admiral:weights={file}")
    report = player.report(Observation.from_text("B3 miss", rules), np.random.default_rng(1))
    assert rules.cell_name(report.suggestion) == "H8"
    assert "opening" in report.note
    elsewhere = Observation.from_text("B4 miss", rules)
    assert "opening" not in player.report(elsewhere, np.random.default_rng(1)).note
    with pytest.raises(SeabattleError, match="H8"):
        player.choose(
            Observation.from_text("", Rules.from_text("6x6 fleet=3,2")), np.random.default_rng(1)
        )


def test_weights_are_read_and_refused(tmp_path) -> None:
    weights = shipped_weights(Rules.from_text("classic"))
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(weights.to_json()))
    assert read_weights(file) == weights
    make_player(f"admiral:weights={file}")
    twice = json.dumps({**weights.to_json(), "opening": ["B3", "B3"]})
    for bad in ("", "[]", "{}", "nonsense", json.dumps({**weights.to_json(), "even": -1}), twice):
        file.write_text(bad)
        with pytest.raises(SeabattleError, match="weights"):
            make_player(f"admiral:weights={file}")
    with pytest.raises(SeabattleError, match="not a file of admiral's weights"):
        read_weights(tmp_path / "nowhere.json")
    with pytest.raises(PlayerError, match="seconds of 'admiral'"):
        make_player("admiral:seconds=-1")
    for name in ("layouts", "greedy"):
        with pytest.raises(PlayerError, match=f"{name} of 'admiral'"):
            make_player(f"admiral:{name}=-1")
    assert shipped_weights(Rules.from_text("6x6 fleet=3,2")) is None
