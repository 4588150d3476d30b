"""Tree searches: their parts against slow ones, and what the players do with them."""

from __future__ import annotations

import os
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Game, Observation, Rules, make_player, play, play_duel
from seabattle.compiled.rules_tables import board_of
from seabattle.dealing.uniform import deal_games, layout_for
from seabattle.errors import PlayerError
from seabattle.experiment.play import play_batch
from seabattle.layout import Layout
from seabattle.players import SearchPlayer, player_info
from seabattle.search import layout_search, search_player
from seabattle.search.guessed_outcomes_kernels import GUESSED_OUTCOMES
from seabattle.search.information_sets_kernels import INFORMATION_SETS, RANDOM
from seabattle.search.layout_search import layouts_at, sample_posterior
from seabattle.search.search_player import NO_LAYOUTS, SearchPosition, TreeSearchPlayer
from seabattle.search.simulation_kernels import (
    SIMULATION,
    SampledLayouts,
    SearchKernels,
    begin,
    merge_roots,
)
from seabattle.search.tree_kernels import (
    ACTION,
    COMPARED,
    FIRST,
    Tree,
    child,
    children,
    get_link,
    highest,
    large_tree,
)
from seabattle.solver import make_problem, player_value, solve
from seabattle.testing import check_player
from tests.oracle import all_layouts, layouts_left, neighbour_chances, replay, valid_ship_cells

MINI, THESIS, CLASSIC = (Rules.from_text(name) for name in ("mini", "thesis", "classic"))
REFERENCE = Rules(10, 10, (5, 4, 3, 2), "none", "hit-miss")
"""The game of the reference implementation of POMCP."""
LITTLE_MEMORY = 2**20
"""Bytes: a limit that searches reach quickly."""

FAST = {
    "mcts": "mcts:iterations=3",
    "ismcts": "ismcts:iterations=60",
    "pomcp": "pomcp:iterations=30,particles=40",
    "branch-mcts": "branch-mcts:branch=3,nodes=300",
}
SOME_RULES = (
    MINI,
    Rules.from_text("trio"),
    *(Rules(6, 5, (3, 2, 2, 1), "any", answers) for answers in ("sunk", "sunk-named", "named")),
    Rules(5, 7, (3, 2, 1), "corners", "sunk"),
    Rules(2, 2, (1,)),
    Rules(2, 9, (6, 1), "none", "named"),
)


# T's validation function ------------------------------------------------------------------


def new_simulation(rules: Rules) -> Any:
    """A simulation at the start of a game."""
    from seabattle.compiled.knowledge import clear, new_knowledge
    from seabattle.search import simulation_kernels

    knowledge, simulations = new_knowledge(), np.zeros(1, dtype=simulation_kernels.SIMULATION)
    clear(board_of(rules), knowledge)
    simulation_kernels.begin(board_of(rules), knowledge, simulations[0])
    return simulations[0]


def valid_cells(rules: Rules, hits: frozenset[int]) -> int:
    from seabattle.search import guessed_outcomes_kernels, simulation_kernels

    simulation = new_simulation(rules)
    for cell in hits:
        simulation_kernels.set_bit(simulation.end_bits, cell)
    return int(guessed_outcomes_kernels.valid_cells(board_of(rules), simulation))


@pytest.mark.parametrize(
    ("cells", "valid"),
    [
        ("A1 A3 C2 D5 E1", 0),  # T figure 3.2: nothing but single cells
        ("A1 A2 A3 C5 E1", 3),  # T figure 3.3: one ship in order
        ("A1 A2 A3 E4 E5", 5),
        ("A1 B1 C1 E4 E5", 5),
        ("A1 A2 E4 E5 C1", 2),  # the fleet has one ship of two
        ("A1 A2 A3 B3 C3", 0),  # bent
        ("A1 A2 A3 B4 C4", 0),  # they meet at a corner
        ("A1 A2 A3 A4 A5", 0),  # too long
    ],
)
def test_validation_counts_the_cells_of_ships_in_order(cells: str, valid: int) -> None:
    hits = frozenset(map(MINI.cell, cells.split()))
    assert valid_cells(MINI, hits) == valid
    assert valid_ship_cells(5, 5, (3, 2), "none", hits) == valid


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_validation_agrees_with_the_slow_one(data: st.DataObject) -> None:
    contact = data.draw(st.sampled_from(("any", "corners", "none")))
    rows, columns = data.draw(st.tuples(st.integers(3, 12), st.integers(3, 12)))
    rules = Rules(rows, columns, (3, 2, 2, 1), contact, "hit-miss")
    hits = data.draw(st.frozensets(st.integers(0, rules.cells - 1), max_size=rules.cells))
    expected = valid_ship_cells(rows, columns, rules.fleet, contact, hits)
    assert valid_cells(rules, hits) == expected


def test_random_games_drawn_in_one_go_are_those_played_shot_by_shot() -> None:
    """The mean reward of rollouts on the empty board, against a plain simulation."""
    from seabattle.search import guessed_outcomes_kernels
    from seabattle.search.tree_kernels import new_tree

    rng = np.random.default_rng(0)
    slow = []
    for _ in range(4000):
        hits, shots = set(), 0
        for cell in rng.permutation(25):
            shots += 1
            if rng.random() < 0.5:
                hits.add(int(cell))
            if len(hits) == 5:
                break
        valid = valid_ship_cells(5, 5, (3, 2), "none", frozenset(hits))
        slow.append(valid / 5 * max(0.0, 1 - (shots - 5) / 15))
    board, simulation = board_of(MINI), new_simulation(MINI)
    state, parameters, tree = np.array([1], dtype=np.uint64), np.zeros(2), new_tree(1)
    fast = [
        guessed_outcomes_kernels.rollout(board, simulation, tree, NO_LAYOUTS, parameters, state)
        for _ in range(20_000)
    ]
    error = np.std(slow) / len(slow) ** 0.5 + np.std(fast) / len(fast) ** 0.5
    assert abs(np.mean(fast) - np.mean(slow)) < 4 * error


# P's estimate -----------------------------------------------------------------------------


@given(st.integers(0, 2**31), st.floats(0, 0.8))
@settings(deadline=None, max_examples=60)
def test_neighbour_probabilities_agree_with_the_slow_ones(seed: int, known: float) -> None:
    from seabattle.search import branch_kernels

    rules = Rules.from_text("patrol size=6x7")
    rng = np.random.default_rng(seed)
    game = Game(layout_for(rules, seed, 0))
    for cell in np.flatnonzero(rng.random(rules.cells) < known):
        if not game.finished:
            game.fire(int(cell))
    position = SearchPosition.of(Observation(rules, game.shots))
    paths = np.zeros(1, dtype=branch_kernels.SEARCH_PATH)
    board = board_of(rules)
    branch_kernels.begin_path(board, position.knowledge, branch_kernels.NEIGHBOURS, paths[0])
    branch_kernels.from_neighbours(board, paths[0])
    seen = Observation(rules, game.shots)
    slow = neighbour_chances(6, 7, rules.ship_cells, seen.hits, seen.misses)
    for cell, chance in slow.items():
        assert paths[0].chance[cell] == pytest.approx(chance)


P_TABLE = [
    (5, 10, 1.5), (5, 10, 1.3), (6, 20, 1.6), (6, 20, 1.4),
    (7, 25, 1.8), (7, 25, 1.6), (8, 30, 2.0), (8, 30, 1.8), (10, 30, 1.3),
]  # fmt: skip


@pytest.mark.parametrize(("size", "branch", "decay"), P_TABLE)
def test_every_row_of_ps_table_finishes(size: int, branch: int, decay: float) -> None:
    player = make_player(f"branch-mcts:branch={branch},decay={decay},nodes=20000")
    assert isinstance(player, SearchPlayer)
    rules = Rules.from_text(f"patrol size={size}")
    report = player.report(Observation(rules), np.random.default_rng(0))
    assert report.simulations <= 20_000 + branch * size**2
    record = play(f"branch-mcts:branch={branch},decay={decay},nodes=2000", rules, seed=1)
    assert record.shots[-1].answer.hit


@pytest.mark.parametrize("estimate", ["neighbours", "density", "exact"])
@pytest.mark.parametrize("outcomes", ["drawn", "both"])
def test_branch_mcts_with_any_estimate_finishes_a_ship(estimate: str, outcomes: str) -> None:
    """One ship of two cells, hit once, with a single cell left beside it."""
    rules = Rules.from_text("patrol size=5 fleet=2")
    name = f"branch-mcts:branch=3,nodes=3000,estimate={estimate},outcomes={outcomes}"
    seen = Observation.from_text("C3 hit, C2 miss, B3 miss, D3 miss", rules)
    cell = make_player(name).choose(seen, np.random.default_rng(0))
    # Weighing placements, `density` is less sure of it than the others.
    assert cell == rules.cell("C4") or estimate == "density"
    assert play(name, rules, seed=2).shots[-1].answer.hit


# Minimax ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["3x3 fleet=2", "3x3 fleet=3", "2x4 fleet=2,2"])
def test_minimax_finds_what_the_solver_proves_for_the_worst_case(rules: str) -> None:
    chosen = Rules.from_text(f"{rules} contact=any answers=hit-miss")
    proven = solve(chosen, worst=True).expected_shots
    for settings_ in ("pruning=none", "pruning=alpha-beta", "pruning=alpha-beta,threads=3"):
        player = make_player(f"minimax:{settings_}")
        report = player.report(Observation(chosen), np.random.default_rng(0))
        assert -np.nanmax(report.values) == proven
        value = player_value(settings_, player, make_problem(chosen))
        assert value.most == proven


def test_minimax_refuses_what_it_cannot_finish() -> None:
    with pytest.raises(PlayerError, match="at most 12 cells, not 25"):
        make_player("minimax").check_rules(Rules.from_text("mini"))
    small = Rules.from_text("3x4 fleet=2 contact=any answers=hit-miss")
    with pytest.raises(PlayerError, match="at most 9 cells, not 12"):
        make_player("minimax:pruning=none").check_rules(small)
    with pytest.raises(PlayerError, match="more than 1,000 positions"):
        make_player("minimax:nodes=1000").choose(Observation(small), np.random.default_rng(0))
    with pytest.raises(PlayerError, match="needs hit-miss answers"):
        make_player("minimax").check_rules(Rules.from_text("3x3 fleet=2 answers=sunk"))


# Drawing layouts --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules",
    [
        Rules(4, 4, (3, 2), "any", "hit-miss"),
        Rules(4, 4, (2, 2, 1), "any", "sunk"),
        Rules(4, 5, (3, 2), "corners", "sunk-named"),
        Rules(4, 5, (2, 2), "none", "named"),
    ],
)
def test_layouts_are_drawn_uniformly_from_those_that_agree(rules: Rules) -> None:
    """Chi-square against the brute-force posterior, after some shots at a random layout."""
    rng = np.random.default_rng(5)
    for game_number in range(4):
        game = Game(layout_for(rules, 3, game_number))
        for cell in rng.permutation(rules.cells)[: 3 + 2 * game_number]:
            if not game.finished:
                game.fire(int(cell))
        seen = Observation(rules, game.shots)
        cells = tuple(shot.cell for shot in seen.shots)
        truth = tuple(frozenset(ship) for ship in game.layout.ship_cells)
        told = list(replay(truth, cells, rules.answers))
        everything = all_layouts(rules.rows, rules.columns, rules.fleet, rules.contact)
        left = layouts_left(everything, cells, told, rules.answers)
        board = board_of(rules)
        draws = 60 * len(left)
        drawn = sample_posterior(SearchPosition.of(seen), draws, np.array([7], dtype=np.uint64))
        counts = Counter(
            tuple(frozenset(map(int, board.cover[p, : board.length[p]])) for p in layout)
            for layout in drawn
        )
        assert set(counts) <= set(left)
        square = sum((counts[layout] - 60) ** 2 / 60 for layout in left)
        freedom = len(left) - 1
        assert square <= freedom + 5 * (2 * max(freedom, 1)) ** 0.5


def test_a_time_limit_that_does_not_bind_changes_nothing() -> None:
    """E's third setting: with it, the same layouts are drawn, in chunks."""
    seen = Observation.from_text("C3 hit, C4 miss", MINI)
    reports = [
        make_player(f"ismcts:iterations=1200,determinization_seconds={limit}").report(
            seen, np.random.default_rng(4)
        )
        for limit in (0, 10, 1e-12)
    ]
    assert np.array_equal(reports[0].visits, reports[1].visits)
    # One that binds leaves the first chunk of layouts, which are used again.
    assert reports[2].simulations == 1200
    assert not np.array_equal(reports[0].visits, reports[2].visits)


# Players ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAST.values(), ids=FAST)
def test_searches_are_lawful(name: str) -> None:
    check_player(name, SOME_RULES, games=1)


@pytest.mark.parametrize("name", FAST.values(), ids=FAST)
def test_searches_finish_on_the_largest_board(name: str) -> None:
    rules = Rules(16, 16, (7, 5, 4, 3, 3, 2), "any", "sunk-named")
    record = play(name, rules, seed=1)
    fired = [shot.cell for shot in record.shots]
    assert len(set(fired)) == len(fired)
    assert set(record.layout.ship_at) <= set(fired) <= set(range(rules.cells))
    assert fired[-1] in record.layout.ship_at


@pytest.mark.parametrize("form", ["leaf", "root", "tree"])
@pytest.mark.parametrize("name", FAST.values(), ids=FAST)
def test_threads_are_lawful_and_leaf_and_root_are_repeatable(name: str, form: str) -> None:
    player = make_player(f"{name},threads=2,parallel={form}")
    assert isinstance(player, SearchPlayer)
    seen = Observation.from_text("C3 hit, C4 miss", MINI)
    for seed in range(8):
        first, second = (player.report(seen, np.random.default_rng(seed)) for _ in range(2))
        assert first.suggestion in seen.unknown
        assert first.simulations == second.simulations
        if form != "tree":
            assert first.suggestion == second.suggestion
            assert np.array_equal(first.visits, second.visits)
            assert np.array_equal(first.values, second.values, equal_nan=True)


def grown_by_threads(
    kernels: SearchKernels,
    parameters: list[float],
    sampled: SampledLayouts,
    each: int = 40_000,
    threads: int = 3,
) -> tuple[Tree, Any]:
    """A tree on `thesis` that some threads have grown, and their simulations."""
    position, board, tree = (
        SearchPosition.of(Observation(THESIS)),
        board_of(THESIS),
        large_tree(4_000_000),
    )
    simulations = np.zeros(threads, dtype=SIMULATION)
    for simulation in simulations:
        begin(board, position.knowledge, simulation)

    def work(thread: int) -> None:
        rng = np.array([thread], dtype=np.uint64)
        kernels.grow(board, simulations, thread, tree, sampled, np.array(parameters), each, rng)

    with ThreadPoolExecutor(len(simulations)) as pool:
        list(pool.map(work, range(len(simulations))))
    assert simulations["own_visits"][:, 0].tolist() == [each] * threads
    assert simulations["own_visits"][:, 1:].sum() == threads * each
    assert simulations["own_rewards"][:, 1:].sum() == pytest.approx(
        simulations["own_rewards"][:, 0].sum()
    )
    # The threads have merged their counts on the way, and do so once more.
    merged = (simulations["root_visits"][:, 0] > simulations["own_visits"][:, 0]).any()
    assert merged == (threads > 1)
    merge_roots(simulations, simulations[0])
    for what in ("visits", "rewards"):
        everyone = simulations[f"own_{what}"].sum(axis=0)
        assert simulations[f"root_{what}"][0] == pytest.approx(everyone)
    return tree, simulations


def slots_below(tree: Tree, node: int, most: int) -> list[int]:
    return [child(tree, node, k) for k in range(children(tree, node, most))]


def test_threads_that_share_a_tree_lose_no_visit() -> None:
    """Every simulation through a node continues to one of its children, except the first."""
    tree, simulations = grown_by_threads(GUESSED_OUTCOMES, [0, 0, 0], NO_LAYOUTS)
    visits, rewards = simulations["own_visits"].sum(axis=0), simulations["own_rewards"].sum(axis=0)
    deeper = 0
    for number, node in enumerate(slots_below(tree, 0, 200)):
        below = slots_below(tree, node, 198)
        assert len({get_link(tree, slot, ACTION) for slot in below}) == len(below)
        # Threads that have not met yet may each take themselves to be the first.
        assert 1 <= visits[1 + number] - tree.visits[below].sum() <= 3
        assert -1e-6 <= rewards[1 + number] - tree.rewards[below].sum() <= 3
        for slot in below:
            if get_link(tree, slot, FIRST) > 0:
                assert tree.visits[slot] - tree.visits[slots_below(tree, slot, 196)].sum() == 1
                deeper += 1
    assert deeper > 10_000


@pytest.mark.parametrize("threads", [1, 3])
def test_means_and_widths_of_compared_children_follow_their_counts(threads: int) -> None:
    tree, simulations = grown_by_threads(
        GUESSED_OUTCOMES, [0, 0, 0], NO_LAYOUTS, 120_000 // threads, threads
    )
    compared, stale = 0, 0
    for node in slots_below(tree, 0, 200):
        if get_link(tree, node, COMPARED) == 0:
            continue
        below = np.array(slots_below(tree, node, 198))
        compared += below.size
        # A thread may read counts of which another has just written only one.
        means, widths = tree.rewards[below] / tree.visits[below], tree.visits[below] ** -0.5
        stale += np.count_nonzero(~np.isclose(tree.means[below], means, rtol=1e-5, atol=1e-6))
        stale += np.count_nonzero(~np.isclose(tree.widths[below], widths, rtol=1e-5))
    assert compared > 5_000
    assert stale <= (0 if threads == 1 else compared // 100)
    for name in ("means", "widths"):
        at_root = simulations[f"root_{name}"][0][1:201]
        visits, rewards = (simulations[f"root_{what}"][0][1:201] for what in ("visits", "rewards"))
        expected = rewards / visits if name == "means" else visits**-0.5
        assert at_root == pytest.approx(expected, rel=1e-5)


def test_the_highest_bound_is_found_and_ties_are_broken_evenly() -> None:
    rng, state = np.random.default_rng(3), np.array([7], dtype=np.uint64)
    for count in (1, 2, 7, 8, 9, 64, 200):
        for _ in range(20):
            bounds = rng.choice(np.linspace(0, 1e5, 40), count).astype(np.float32)
            assert bounds[highest(bounds, state)] == bounds.max()
    tied = np.array([3, 1, 3, 0, 2, 3], dtype=np.float32)
    chosen = [highest(tied, state) for _ in range(3000)]
    assert set(chosen) == {0, 2, 5}
    # 1,000 of each are expected; six standard errors are 155.
    assert all(abs(chosen.count(k) - 1000) < 155 for k in (0, 2, 5))


def test_threads_that_share_a_tree_of_answers_lose_no_visit() -> None:
    """Every simulation through a cell continues below the answer, except the first."""
    sampled = layouts_at(
        SearchPosition.of(Observation(THESIS)), 2000, [np.array([1], dtype=np.uint64)]
    )
    tree, simulations = grown_by_threads(INFORMATION_SETS, [0.05, RANDOM, 0, 0], sampled)
    visits = simulations["own_visits"].sum(axis=0)
    deeper = 0

    def beyond(cell: int, counted: float, most: int) -> list[int]:
        """The cells below the answers to a shot; each answer had one visit more than they."""
        answers = [get_link(tree, cell, FIRST) + answer for answer in range(2)]
        seen = [answer for answer in answers if get_link(tree, answer, ACTION) > 0]
        cells = [slot for answer in seen for slot in slots_below(tree, answer, most)]
        assert counted - tree.visits[cells].sum() == len(seen)
        return cells

    for number, node in enumerate(slots_below(tree, 0, 100)):
        for slot in beyond(node, visits[1 + number], 99):
            deeper += len(beyond(slot, tree.visits[slot], 98))
    assert deeper > 10_000


def test_threads_that_share_a_tree_with_a_prior_lose_no_visit() -> None:
    sampled = layouts_at(
        SearchPosition.of(Observation(THESIS)), 500, [np.array([1], dtype=np.uint64)]
    )
    tree, simulations = grown_by_threads(INFORMATION_SETS, [0.5, RANDOM, 1, 1], sampled, 10_000)
    visits = simulations["own_visits"].sum(axis=0)
    laid = 0
    for number, node in enumerate(slots_below(tree, 0, 100)):
        start = get_link(tree, node, FIRST)
        if start == 0:
            continue
        answers = [start, start + 1]
        assert visits[1 + number] == tree.visits[answers].sum()
        for answer in answers:
            cells = slots_below(tree, answer, 99)
            if cells:
                assert {get_link(tree, slot, ACTION) for slot in cells} < set(range(100))
                assert len(cells) == 99
                assert tree.visits[answer] - tree.visits[cells].sum() == 1
                laid += 1
    assert laid > 100


@pytest.mark.parametrize("form", ["leaf", "root", "tree"])
def test_threads_search_from_any_seed(form: str) -> None:
    player = make_player(f"mcts:iterations=3,threads=2,parallel={form}")
    assert isinstance(player, TreeSearchPlayer)
    for seed in (0, 1, 2**63 - 1, 2**63, 2**64 - 1, *range(5, 25)):
        state = np.array([seed], dtype=np.uint64)
        assert player.run(SearchPosition.of(Observation(MINI)), state).simulations >= 150


@pytest.mark.parametrize("name", FAST)
def test_more_threads_than_cores_are_allowed_and_noted(name: str) -> None:
    threads = (os.cpu_count() or 1) + 1
    player = make_player(f"{FAST[name]},threads={threads}")
    assert isinstance(player, SearchPlayer)
    seen = Observation.from_text("C3 hit", MINI)
    report = player.report(seen, np.random.default_rng(0))
    assert report.suggestion in seen.unknown
    assert f"{threads} threads share" in report.note


@pytest.mark.parametrize("name", FAST)
def test_games_in_one_compiled_call_are_those_played_move_by_move(name: str) -> None:
    check_batch(FAST[name])


@pytest.mark.parametrize(
    ("parameters", "all_valid", "cruiser_valid"),
    [
        ("reward=classic", 1.0, 3 / 5),
        ("reward=classic,found=ships", 1.0, 1 / 2),
        ("reward=ships-squared", 1.0, (3 / 5) ** 2),
        ("reward=ships-squared,found=ships", 1.0, (1 / 2) ** 2),
        # one simulated shot instead of five: 1 - (1 - 5) / 15
        ("reward=classic,shots=simulated", 19 / 15, 19 / 15 * 3 / 5),
    ],
)
def test_the_reward_of_mcts_counts_what_it_is_told_to(parameters, all_valid, cruiser_valid):
    # One more hit ends the game: E4 completes the ship of 2, C3 leaves only the ship of 3 valid.
    seen = Observation.from_text("A1 hit, A2 hit, A3 hit, E5 hit", MINI)
    player = make_player(f"mcts:iterations=5,select=hits,final=mean,{parameters}")
    values = player.report(seen, np.random.default_rng(1)).values
    assert values[MINI.cell("E4")] == pytest.approx(all_valid)
    assert values[MINI.cell("C3")] == pytest.approx(cruiser_valid)


@pytest.mark.parametrize("name", ["ismcts", "pomcp"])
def test_games_go_on_where_the_quick_sampler_gives_up(name, monkeypatch) -> None:
    monkeypatch.setattr(layout_search, "tries_for", lambda _: 8)
    check_batch(f"{name}:iterations=20")


def check_batch(name: str) -> None:
    player = make_player(name)
    assert isinstance(player, TreeSearchPlayer)
    placements = deal_games(MINI, 1, range(4))
    seeds = np.arange(4, dtype=np.uint64)
    shots, fired = player.play_games(MINI, placements, seeds)
    slow_shots, slow_fired = TreeSearchPlayer.play_games(player, MINI, placements, seeds)
    assert shots.tolist() == slow_shots.tolist()
    for game, count in enumerate(shots):
        assert fired[game, :count].tolist() == slow_fired[game, :count].tolist()


STRONG = {
    "mcts": "mcts:iterations=100,reward=full-ships",
    "ismcts": "ismcts:iterations=2000",
    "pomcp": "pomcp:iterations=400,particles=200",
}


@pytest.mark.parametrize("name", STRONG.values(), ids=STRONG)
@pytest.mark.parametrize(
    ("text", "best"),
    [
        # Four hits: the ship of three is complete, and only one cell ends the other.
        ("A1 hit, A2 hit, A3 hit, E5 hit, E4 miss", "D5"),
        # One of two pairs is a part of the ship of three, and not the lower one.
        ("A1 hit, A2 hit, E4 hit, E5 hit, E3 miss", "A3"),
    ],
)
def test_a_certain_hit_is_taken(name: str, text: str, best: str) -> None:
    player = make_player(name)
    seen = Observation.from_text(text, MINI)
    assert player.choose(seen, np.random.default_rng(0)) == MINI.cell(best)


@pytest.mark.parametrize("name", FAST.values(), ids=FAST)
def test_the_last_cell_is_shot_at(name: str) -> None:
    layout = Layout.from_text("cruiser A1 across, destroyer E4 across", MINI)
    game = Game(layout)
    for cell in range(MINI.cells - 1):
        game.fire(cell)
    seen = Observation(MINI, game.shots)
    assert make_player(name).choose(seen, np.random.default_rng(0)) == MINI.cells - 1


@pytest.mark.parametrize("name", FAST.values(), ids=FAST)
def test_a_report_tells_what_was_tried(name: str) -> None:
    player = make_player(name)
    assert isinstance(player, SearchPlayer)
    seen = Observation.from_text("C3 hit, A1 miss", MINI)
    report = player.report(seen, np.random.default_rng(2))
    again = make_player(name).choose(seen, np.random.default_rng(2))
    assert report.suggestion == again
    assert report.visits.shape == report.values.shape == (MINI.cells,)
    tried = np.flatnonzero(report.visits)
    assert set(tried.tolist()) <= set(seen.unknown)
    assert np.isfinite(report.values[tried]).all()
    assert np.isnan(np.delete(report.values, tried)).all()


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("form", ["threads=1", "threads=2,parallel=leaf", "threads=2"])
def test_a_time_budget_ends_the_search(name: str, form: str) -> None:
    player = make_player(f"{name}:seconds=0.01,{form}")
    assert isinstance(player, SearchPlayer)
    report = player.report(Observation(MINI), np.random.default_rng(0))
    assert report.simulations > 0
    assert report.suggestion in range(MINI.cells)


@pytest.mark.parametrize("rollout", ["random", "density", "greedy"])
@pytest.mark.parametrize("answers", ["hit-miss", "sunk", "sunk-named", "named"])
def test_every_rollout_of_pomcp_knows_every_answer(rollout: str, answers: str) -> None:
    rules = Rules(6, 6, (3, 2, 2), "any", answers)
    player = make_player(f"pomcp:iterations=20,particles=30,rollout={rollout}")
    shots = play_batch(player, rules, 2, range(20)).shots
    assert shots.min() >= rules.ship_cells
    # A random shooter needs 7 × 37 / 8 = 32.4; these means are 18.0 to 20.7, errors below 1.
    assert shots.mean() < 25


@pytest.mark.parametrize("count", [1, 7, 100])
def test_ismcts_takes_few_or_many_determinizations(count: int) -> None:
    name = f"ismcts:iterations=50,determinizations={count}"
    check_batch(name)
    record = play(name, "trio", seed=1)
    assert record.replay(len(record.shots)).finished


def test_ismcts_beats_random_on_es_boards() -> None:
    """E's games: random play moves first."""
    for rules, name in (("trio", "ismcts:iterations=200"), ("classic", "ismcts:iterations=100")):
        games = [play_duel("random", name, rules, seed=seed) for seed in range(4)]
        assert sum(game.replay(len(game.cells)).winner == 1 for game in games) >= 3


@pytest.mark.parametrize(
    "bad",
    [
        "mcts:iterations=0",
        "mcts:iterations=-5",
        "mcts:seconds=-1",
        "mcts:seconds=inf",
        "mcts:threads=0",
        "mcts:reward=squared",
        "mcts:select=misses",
        "mcts:found=cells",
        "mcts:shots=none",
        "mcts:parallel=branch",
        "ismcts:iterations=0",
        "ismcts:determinizations=-1",
        "ismcts:exploration=-1",
        "pomcp:iterations=0",
        "pomcp:particles=0",
        "pomcp:particles=100000000",
        "pomcp:rollout=best",
        "pomcp:exploration=nan",
        "branch-mcts:branch=0",
        "branch-mcts:decay=0.5",
        "branch-mcts:nodes=0",
        "branch-mcts:iterations=0",
    ],
)
def test_invalid_parameters_are_refused(bad: str) -> None:
    player, parameter, _ = re.split("[:=]", bad)
    with pytest.raises(PlayerError, match=f"{parameter}.*'{player}'"):
        make_player(bad)


@pytest.mark.parametrize("name", ["mcts", "ismcts", "pomcp"])
def test_a_search_beyond_the_memory_limit_is_refused_with_the_estimate(name: str) -> None:
    player = make_player(f"{name}:iterations=100000000")
    with pytest.raises(PlayerError, match=r"about [\d,.]+ GiB, .* limit is 2 GiB"):
        player.choose(Observation(THESIS), np.random.default_rng(0))
    if name == "mcts":
        with pytest.raises(PlayerError, match="GiB"):
            play_batch(player, THESIS, 1, range(1))


@pytest.mark.parametrize("form", ["root", "tree"])
@pytest.mark.parametrize("name", ["mcts", "ismcts", "pomcp"])
def test_the_largest_search_below_the_memory_limit_is_run_and_keeps_to_it(
    name: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_player, "MEMORY_LIMIT", LITTLE_MEMORY)
    taken: list[int] = []

    def counted(slots: int) -> Tree:
        tree = large_tree(slots)
        parts = (part for part in tree if isinstance(part, np.ndarray))
        taken.append(sum(part.nbytes for part in parts if part.base is None))
        return tree

    monkeypatch.setattr(search_player, "large_tree", counted)

    def refusal(iterations: int) -> str:
        player = make_player(f"{name}:iterations={iterations},threads=2,parallel={form}")
        taken.clear()
        try:
            player.choose(Observation(MINI), np.random.default_rng(0))
        except PlayerError as error:
            return str(error)
        return ""

    few, many = 1, 2**14
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if refusal(middle) else (middle, many)
    assert refusal(few) == ""
    assert 0.9 * LITTLE_MEMORY < sum(taken) <= LITTLE_MEMORY
    assert "GiB" in refusal(many)
    assert taken == []


def test_searches_are_left_out_of_the_leaderboard() -> None:
    assert all(player_info(name).slow for name in FAST)


FIGURES = [
    # rules, player, games, mean, tolerance (4 standard errors), where it comes from
    (MINI, "mcts:iterations=100", 60, 12.2, 1.3),  # T table 4.2 has 12.38 for 500
    (MINI, "mcts:iterations=100,reward=full-ships", 60, 11.6, 1.2),  # T table 4.3: 11.97
    (REFERENCE, "pomcp:iterations=60,particles=150", 40, 38.5, 3.7),  # exact greedy: 37.9
]


@pytest.mark.parametrize(("rules", "name", "games", "mean", "tolerance"), FIGURES)
def test_searches_need_about_as_many_shots_as_published(
    rules: Rules, name: str, games: int, mean: float, tolerance: float
) -> None:
    batch = play_batch(make_player(name), rules, 1, range(games))
    assert abs(batch.shots.mean() - mean) < tolerance
