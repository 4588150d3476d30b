"""The equilibrium of small boards: checked by other methods, resumable, hard to fool."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.compiled.sealed_arrays import read_sealed, write_sealed
from seabattle.equilibrium import DoubleOracle, equilibrium
from seabattle.equilibrium.double_oracle import kinds_of
from seabattle.equilibrium.exploitability import exploit_placer, exploit_player
from seabattle.equilibrium.linear_program import solve_matrix_game
from seabattle.equilibrium.position_graph import PositionGraph
from seabattle.errors import SolveError, TooLarge
from seabattle.players import make_player
from seabattle.rules import Rules
from seabattle.solver import make_problem, solve
from seabattle.solver.best_response import BestResponse
from tests.equilibrium.hiding_by_hand import bounds_by_fictitious_play, value_by_linear_program

SMALL = [
    (3, 3, (2,), "any", "hit-miss"),
    (2, 3, (2, 1), "any", "hit-miss"),
    (2, 4, (2, 2), "none", "sunk"),
    (2, 3, (2, 1), "any", "named"),
    (2, 4, (2, 1), "corners", "sunk-named"),
    (2, 3, (2, 2), "any", "sunk"),
    (2, 3, (2, 2), "any", "sunk-named"),
]


def rules_of(board: tuple[int, int, tuple[int, ...], str, str]) -> Rules:
    rows, columns, fleet, contact, answers = board
    return Rules(rows, columns, fleet, contact, answers)  # type: ignore[arg-type]


@pytest.mark.parametrize("board", SMALL, ids=str)
def test_the_value_is_that_of_one_linear_program_over_all_that_can_be_known(board) -> None:
    solution = equilibrium(rules_of(board))
    assert solution.exploitability <= 1e-6
    assert solution.value == pytest.approx(value_by_linear_program(board), abs=2e-6)


def test_fictitious_play_closes_in_on_the_same_value() -> None:
    board = (2, 3, (2, 1), "any", "hit-miss")
    lower, upper = bounds_by_fictitious_play(board, 100)
    assert upper - lower < 0.25
    assert lower - 1e-6 <= equilibrium(rules_of(board)).value <= upper + 1e-6


@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_a_response_is_best_for_its_weights(data) -> None:
    """Against a plain recursion over all layouts, for any weights, zeros included."""
    board = data.draw(st.sampled_from(SMALL))
    problem = make_problem(rules_of(board))
    rows = len(problem.ships)
    weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=rows, max_size=rows)))
    if not weights.any():
        weights[0] = 1
    response = BestResponse(problem).find(weights)
    misses = response.strategy.shots - problem.rules.ship_cells
    assert response.least == misses @ weights == _least_misses(problem, weights)
    again = BestResponse(problem).replay(response.strategy.moves)
    assert (again.shots == response.strategy.shots).all()


def _least_misses(problem, weights) -> int:
    seen: dict[tuple[frozenset[int], int], int] = {}

    def least(rows: frozenset[int], hits: int, fired: int) -> int:
        if len({int(problem.mask[row]) for row in rows}) <= 1:
            return 0
        if (rows, hits) not in seen:
            best = 10**9
            for cell in range(problem.rules.cells):
                if fired >> cell & 1 or not any(problem.ship_at[row, cell] >= 0 for row in rows):
                    continue
                parts: dict[object, set[int]] = {}
                for row in rows:
                    parts.setdefault(_answer(problem, row, hits, cell), set()).add(row)
                cost = sum(int(weights[row]) for row in parts.get("miss", ()))
                for answer, part in parts.items():
                    struck = 0 if answer == "miss" else 1 << cell
                    cost += least(frozenset(part), hits | struck, fired | 1 << cell)
                best = min(best, cost)
            seen[rows, hits] = best
        return seen[rows, hits]

    return least(frozenset(int(row) for row in np.flatnonzero(weights)), 0, 0)


def _answer(problem, row: int, hits: int, cell: int) -> object:
    ship = int(problem.ship_at[row, cell])
    if ship < 0:
        return "miss"
    sunk = int(problem.ships[row, ship]) & ~hits == 1 << cell
    match problem.rules.answers:
        case "hit-miss":
            return "hit"
        case "sunk":
            return sunk
        case "sunk-named":
            return ship if sunk else "hit"
        case _:
            return ship


@pytest.mark.parametrize("board", SMALL, ids=str)
def test_a_graph_mixes_all_that_its_trees_do(board) -> None:
    """The shooter's mixture is as good as any mixture of the trees or better, the hider's is
    answered best by a strategy in the graph, and both are what the program was told."""
    problem = make_problem(rules_of(board))
    kinds = kinds_of(problem)
    size = np.bincount(kinds)
    responses = BestResponse(problem, symmetric=True)
    graph = PositionGraph(problem, responses.tables, kinds)
    rng = np.random.default_rng(1)
    costs = []
    for _ in range(4):
        tree = responses.find(rng.integers(0, 9, len(size))[kinds]).strategy
        graph.add(tree.moves)
        assert graph.add(tree.moves) == 0
        misses = tree.shots - problem.rules.ship_cells
        costs.append(np.bincount(kinds, misses) / size)
    mixed = graph.solve()
    trees = solve_matrix_game(np.array(costs))
    assert mixed.misses.max() <= (trees.rows @ np.array(costs)).max() + 1e-9
    assert mixed.misses.max() == pytest.approx(graph.least_misses(mixed.hider), abs=1e-9)
    assert mixed.misses @ mixed.hider == pytest.approx(mixed.misses.max(), abs=1e-9)
    assert graph.first_shots(mixed.flow).sum() == pytest.approx(1)


def test_a_single_tree_costs_in_the_graph_what_it_costs_on_every_layout() -> None:
    for board in SMALL:
        problem = make_problem(rules_of(board))
        kinds = kinds_of(problem)
        responses = BestResponse(problem, symmetric=True)
        tree = responses.find(problem.weight).strategy
        graph = PositionGraph(problem, responses.tables, kinds)
        graph.add(tree.moves)
        misses = np.bincount(kinds, tree.shots - problem.rules.ship_cells) / np.bincount(kinds)
        for kind, expected in enumerate(misses):
            hider = np.eye(len(misses))[kind]
            assert graph.least_misses(hider) <= expected + 1e-9
        uniform = problem.weight / problem.weight.sum()
        weights = np.bincount(kinds, uniform)
        assert graph.least_misses(weights) == pytest.approx(misses @ weights)


def test_a_hint_of_what_is_reached_changes_nothing() -> None:
    problem = make_problem(rules_of((2, 4, (2, 2), "none", "sunk")))
    weights = np.random.default_rng(0).integers(1, 9, len(problem.mask))
    best = BestResponse(problem).find(weights)
    for hint in (best.least, best.least + 5, best.least - 1, 0):
        again = BestResponse(problem).find(weights, at_most=hint)
        assert again.least == best.least
        assert (again.strategy.shots - problem.rules.ship_cells) @ weights == best.least


def test_a_uniform_hider_is_answered_by_optimal_play() -> None:
    rules = "4x4 fleet=3,2 contact=none answers=hit-miss"
    problem = make_problem(Rules.from_text(rules))
    assert exploit_placer(problem, "uniform").shots == pytest.approx(solve(rules).expected_shots)


def test_nobody_does_better_than_the_equilibrium() -> None:
    solution = equilibrium("3x3 fleet=2,1 answers=hit-miss")
    known = exploit_placer(solution.problem, "edges")
    assert known.shots - known.half_width < solution.value
    hunted = exploit_player(solution.problem, "exact", make_player("exact"))
    assert hunted.shots >= solution.value - 1e-6


def test_mixtures_are_probabilities_and_symmetric() -> None:
    solution = equilibrium("3x3 fleet=2,1 answers=hit-miss")
    assert solution.hider.sum() == pytest.approx(1)
    assert 0 < solution.mixed < solution.positions
    assert solution.hidden_at().sum() == pytest.approx(3)
    assert solution.first_shots().sum() == pytest.approx(1)
    assert np.allclose(solution.hidden_at(), solution.hidden_at().T)
    kinds = kinds_of(solution.problem)
    for kind in range(kinds.max() + 1):
        assert np.ptp(solution.hider[kinds == kind]) < 1e-12


def test_work_is_resumed_and_a_file_cannot_claim_what_is_not_so(tmp_path) -> None:
    rules = Rules.from_text("3x3 fleet=2,1 answers=hit-miss")
    state = tmp_path / "state.npz"
    first = DoubleOracle(rules)
    for _ in range(3):
        first.step()
    first.save(state)
    second = DoubleOracle(rules)
    second.load(state)
    assert [tree.moves.tobytes() for tree in second.strategies][:3] == [
        tree.moves.tobytes() for tree in first.strategies
    ]
    assert second.lower >= first.lower - 1e-9
    assert second.run().exploitability <= 1e-6

    other = DoubleOracle(Rules.from_text("3x3 fleet=2 answers=hit-miss"))
    with pytest.raises(SolveError, match="belongs to the rules"):
        other.load(state)
    whole = state.read_bytes()
    state.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SolveError, match="is not a state"):
        DoubleOracle(rules).load(state)
    state.write_bytes(whole)
    parts = read_sealed(state)
    for name, wrong in (
        ("moves", parts["moves"] * 0),
        ("hider", parts["hider"] * 2),
        ("lengths", parts["lengths"] + 1),
    ):
        with state.open("w+b") as file:
            write_sealed(file, {**parts, name: wrong})
        with pytest.raises(SolveError, match="is not a state"):
            DoubleOracle(rules).load(state)


def test_two_processes_on_one_state_lose_nothing(tmp_path) -> None:
    rules = Rules.from_text("3x3 fleet=2,1 answers=hit-miss")
    state = tmp_path / "state.npz"
    one, other = DoubleOracle(rules), DoubleOracle(rules)
    for _ in range(3):
        one.step()
    other.step()
    other._respond(np.eye(len(other._size))[0], None)  # one of its own
    found = {tree.moves.tobytes() for each in (one, other) for tree in each.strategies}
    assert len(found) > len(one.strategies)
    one.save(state)
    other.save(state)
    third = DoubleOracle(rules)
    third.load(state)
    assert {tree.moves.tobytes() for tree in third.strategies} >= found
    assert one.run(state=state).exploitability <= 1e-6

    foreign = DoubleOracle(Rules.from_text("3x3 fleet=2 answers=hit-miss"))
    foreign.step()
    whole = state.read_bytes()
    with pytest.raises(SolveError, match="belongs to the rules"):
        foreign.save(state)
    assert state.read_bytes() == whole


def test_boards_that_are_too_large_are_refused_with_the_estimate() -> None:
    with pytest.raises(TooLarge, match=r"524 layouts needs about 0\.1 GB, and the limit is 0\.01"):
        DoubleOracle(Rules.from_text("mini"), memory=0.01)
