"""The source documents beside our games: their numbers, ours, and what is said of both."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
import pytest

from seabattle import Observation, Rules, compare
from seabattle.errors import ExperimentError
from seabattle.experiment import PlayerResult
from seabattle.experiment.results_log import InMemoryLog
from seabattle.players import (
    SOURCES,
    SOURCES_PAGE,
    player_info,
    register,
    temporary_registry,
)
from seabattle.report.reproduction import (
    markdown_of,
    page_of,
    summary_of,
    text_of,
    write_figures,
)
from seabattle.reproduce import (
    DOCUMENTS,
    EXHIBITS,
    Effort,
    Exhibit,
    ExhibitResult,
    Row,
    RowResult,
    exhibit,
    reproduce,
)
from seabattle.reproduce.exhibits import Costs, peak
from seabattle.reproduce.source_results import COUNT, DUEL, HISTOGRAM, HUMAN, KILLED, MEANS, T_GAME
from seabattle.reproduce.verdicts import (
    AGREES,
    DIFFERS,
    IMPOSSIBLE,
    NOTHING,
    STRICT,
    UNDECIDED,
    UNEXPLAINED,
    Verdict,
    difference,
    distinct_verdicts,
    joint_verdicts,
    verdicts,
)
from tests.oracle import all_layouts

SMALL = Effort(games=60, seconds=1.0)


@pytest.fixture(scope="module")
def results():
    log = InMemoryLog()
    names = ("T-4.5", "T-fig-4.6", "E-1", "E-fig-7", "L-density", "R-1", "R-3")
    rows = (Row("Nobody", "nobody", 40.0), Row("Even", "even", 50.0))
    missing = Exhibit("T-4.99", "A player that is not there", MEANS, "thesis", 100, rows)
    memory = exhibit("E-fig-8")
    memory = replace(memory, rows=memory.rows[-2:])  # each row starts a process
    exhibits = (*map(exhibit, names), memory, missing)
    return [reproduce(each, SMALL, log) for each in exhibits]


def test_every_table_and_figure_about_play_is_there():
    wanted = [f"T-4.{k}" for k in range(1, 9)] + [f"T-fig-4.{k}" for k in range(1, 13)]
    wanted += ["E-1", "E-fig-6", "E-fig-7", "E-fig-8", "L-density", "L-cnn", "L-policy-gradient"]
    wanted += [f"R-{k}" for k in range(1, 7)] + ["P-table", "P-plot-1", "P-plot-2", "P-plot-3"]
    assert set(wanted) <= set(EXHIBITS)
    wanted += ["T-2.1", "E-ismcts-settings", "L-traditional", "P-minimax"]
    wanted += [f"T-fig-2.{k}" for k in range(9, 14)] + ["E-fig-3", "E-fig-4", "R-seek"]
    assert set(wanted) <= set(EXHIBITS)
    for each in EXHIBITS.values():
        assert (each.kind == HUMAN) == (not each.rows)
        assert Rules.from_text(each.rules)
        for row in each.rows:
            assert (
                row.mean
                or row.peak
                or row.claim
                or row.heat
                or each.kind in ("runtime", "memory", COUNT)
            )
            assert not row.rules or Rules.from_text(row.rules)


def test_every_document_is_described_on_the_page_about_the_sources():
    page = (Path(__file__).parents[2] / SOURCES_PAGE).read_text(encoding="utf-8")
    assert list(DOCUMENTS) == list(SOURCES)
    for letter, document in DOCUMENTS.items():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| **{letter}**")]
        _, _, name, authors, title, year, *_ = (cell.strip() for cell in line.split("|"))
        assert name == SOURCES[letter]
        assert authors == (document.authors.replace(" and ", ", ") or "not stated")
        assert title == f"*{document.title}*"
        assert year.startswith(str(document.year or "not stated"))


def test_the_runs_of_p_are_summed_up_as_in_its_table():
    first, second, third = EXHIBITS["P-table"].rows[:3]
    assert (first.mean, first.seconds, first.won) == (15.0, 6.4, (4, 5))
    assert first.winning_shots == 16.25  # 11, 20, 18 and 16
    assert (second.player, third.player) == (
        "branch-mcts:branch=10,decay=1.5,threads=5",
        "branch-mcts:branch=10,decay=1.5,threads=10",
    )
    killed = [row for row in EXHIBITS["P-table"].rows if row.claim == KILLED]
    assert len(killed) == 5


def test_a_table_is_played_under_its_documents_rules_on_the_layouts_of_the_seed(results):
    one = results[0]
    assert {found.rules.name for found in one.rows} == {"thesis"}
    even = next(found for found in one.rows if found.row.player == "even")
    assert even.ours is not None
    assert even.ours.shots == compare(["even"], "thesis", 60, 1).players[0].shots


@pytest.fixture
def without_cnn_and_branch_mcts():
    """A registry in which the tests can take these names."""
    with temporary_registry(without=["branch-mcts", "cnn"]):
        yield


class Slow:
    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        time.sleep(0.002)
        return observation.unknown[0]


@pytest.mark.usefixtures("without_cnn_and_branch_mcts")
def test_rows_of_an_unknown_player_are_missing_until_it_is_registered():
    before = reproduce(exhibit("L-cnn"), SMALL)
    assert not before.played
    assert before.rows[0].missing == "not available in this version (cnn)"
    assert "CNN: not available in this version" in text_of(before)
    register("cnn")(Slow)
    after = reproduce(exhibit("L-cnn"), SMALL)
    assert not after.missing
    assert after.rows[0].ours is not None


@pytest.mark.usefixtures("without_cnn_and_branch_mcts")
def test_a_player_that_lacks_its_model_is_missing_too():
    def untrained():
        raise FileNotFoundError("no model")

    register("cnn")(untrained)
    assert "not available here: no model" in reproduce(exhibit("L-cnn"), SMALL).rows[0].missing


@pytest.mark.usefixtures("without_cnn_and_branch_mcts")
def test_slow_rows_end_when_their_time_is_up():
    register("cnn")(Slow)
    found = reproduce(exhibit("L-cnn"), Effort(games=500, seconds=0.5)).rows[0]
    assert 1 <= found.games < 20
    found = reproduce(exhibit("L-cnn"), Effort(games=500, seconds=0.1, least=23)).rows[0]
    assert found.games == 23


@pytest.mark.usefixtures("without_cnn_and_branch_mcts")
def test_games_of_two_count_wins_against_random():
    even = player_info("even").make

    def branch(branch: int = 10, decay: float = 1.5, threads: int = 1):
        return even()

    register("branch-mcts")(branch)
    result = reproduce(exhibit("P-table"), Effort(games=100, seconds=1))
    assert result.exhibit.kind == DUEL
    for found in result.rows:
        assert found.duels is not None
        assert found.duels.games == found.games == 100
        assert found.duels.won > 60
        assert len(found.duels.winning_shots) == found.duels.won
    assert all("Wins" in verdict.text for verdict in verdicts(result))
    assert all("% of the board" in verdict.text for verdict in verdicts(result))
    # Games that random won ended before our fleet was found, as P counts them.
    for found in result.rows:
        lost = found.duels.games - found.duels.won
        assert sum(found.duels.moves) <= sum(found.ours.shots)
        assert (sum(found.duels.moves) < sum(found.ours.shots)) == (lost > 0)
    assert "killed" in text_of(result)
    assert all(len(line) <= 80 for line in text_of(result).splitlines())
    assert "P-table" in page_of([result], "x")


def test_a_difference_is_judged_by_the_games_on_both_sides_and_by_their_number():
    def judged(mean, games, **more):
        return difference(Row("Row", "random", 50.0, **more), 1000, mean, 10.0, games)

    assert judged(50.3, 10_000).kind == AGREES
    assert 3.0 < STRICT < 4.0
    borderline = judged(50.9, 10_000)  # 2.7 standard errors
    assert borderline.kind == AGREES
    assert borderline.unclear
    assert borderline.text.startswith("No clear difference (+0.90 shots, 2.7 standard errors; ")
    tested = judged(52.0, 10_000, why="it counts otherwise")
    assert tested.kind == DIFFERS
    assert "6.0 standard errors) because it counts otherwise." in tested.text
    unknown = judged(52.0, 10_000, tried="final=mean changes nothing.")
    assert unknown.kind == UNEXPLAINED
    assert unknown.text.endswith("(+2.00 shots, 6.0 standard errors). final=mean changes nothing.")
    assert judged(50.3, 900).kind == UNDECIDED
    assert "3 games are too few to judge" in judged(70.0, 3).text


@pytest.mark.parametrize(("mean", "agrees"), [(95.389, True), (93.8, False)])
def test_the_exact_mean_of_random_play_agrees_and_ts_sample_does_not(mean, agrees):
    # the exact value of random play, and what T has for 200 games
    ours = compare(["random"], "thesis", 5000, 1).players[0]
    told = difference(Row("Random", "random", mean), 200, ours.mean, ours.sd, 5000)
    assert (told.kind == AGREES) == agrees


def test_the_numbers_of_t_are_counted_exactly():
    table = exhibit("T-2.1")
    small = replace(table, rows=tuple(row for row in table.rows if not row.rules))
    result = reproduce(small, SMALL)
    assert [verdict.kind for verdict in verdicts(result)] == [AGREES] * 6
    assert "51,894,833,760,000" in text_of(result)


def test_the_heat_maps_of_t_are_exact_probabilities(tmp_path):
    maps = [reproduce(exhibit(f"T-fig-2.{number}"), SMALL) for number in (9, 10, 13)]
    kinds = [[verdict.kind for verdict in verdicts(each)] for each in maps]
    assert kinds == [[NOTHING], [NOTHING] * 3, [AGREES] * 3]
    assert maps[1].rows[0].belief.layouts == 524  # the first of T's twelve maps has no shots
    assert [len(exhibit(f"T-fig-2.{number}").rows) for number in range(10, 14)] == [3] * 4
    last = maps[2]
    wrong = replace(last.rows[0], row=replace(last.rows[0].row, heat=(0.4,) * 25))
    (told,) = verdicts(replace(last, rows=(wrong,)))
    assert told.kind == UNEXPLAINED
    assert write_figures(maps, tmp_path / "figures") == {each.exhibit.name for each in maps}
    assert page_of(maps, "x").count("<svg") >= 7
    assert all(len(line) <= 80 for each in maps for line in text_of(each).splitlines())


def test_ts_game_is_the_only_order_of_its_shots_that_follows_the_heat_map():
    rules = Rules.from_text("mini")
    layouts = [frozenset().union(*each) for each in all_layouts(5, 5, (3, 2), "none")]
    shots = Observation.from_text(T_GAME, rules).shots
    answers = {shot.cell: shot.answer.hit for shot in shots}
    orders = []

    def follow(order, left):
        if len(order) == len(shots):
            orders.append(order)
            return
        counts = {
            cell: sum(cell in each for each in left) for cell in range(25) if cell not in order
        }
        best = [cell for cell in answers if counts.get(cell) == max(counts.values())]
        for cell in best:
            follow([*order, cell], [each for each in left if (cell in each) == answers[cell]])

    follow([], layouts)
    in_text = [shot.cell for shot in shots]
    orders = [order for order in orders if order[-3:] == in_text[-3:]]  # X in T's figure 2.13
    assert sorted(orders) == sorted([in_text, [in_text[1], in_text[0], *in_text[2:]]])


def test_settings_are_compared_with_the_largest_on_their_board():
    rows = tuple(Row(f"5×5, {name}", name, claim="x") for name in ("random", "human-like", "even"))
    table = Exhibit("E-x", "Settings", DUEL, "mini", 1, rows, by_settings=True, quantity="moves")
    result = reproduce(table, Effort(games=200, seconds=5))
    times = [
        replace(found, processor_seconds=seconds)
        for found, seconds in zip(result.rows, (1.0, 2.0, 3.0), strict=True)
    ]
    result = replace(result, rows=tuple(times))
    assert [verdict.kind for verdict in verdicts(result)] == [AGREES, AGREES, ""]
    best_first = replace(result, rows=result.rows[::-1])
    assert [verdict.kind for verdict in verdicts(best_first)] == [UNEXPLAINED, UNEXPLAINED, ""]
    slow = replace(result.rows[0], processor_seconds=10.0)
    told = verdicts(replace(result, rows=(slow, *result.rows[1:])))[0]
    assert told.kind == UNEXPLAINED
    assert "not faster" in told.text
    tested = replace(slow, row=replace(slow.row, why="its positions are harder"))
    told = verdicts(replace(result, rows=(tested, *result.rows[1:])))[0]
    assert told.kind == DIFFERS
    assert "because its positions are harder." in told.text
    assert page_of([result], "x").count("processor seconds per move") == 1


def test_minimax_plays_as_well_with_two_threads():
    table = exhibit("P-minimax")
    result = reproduce(replace(table, rows=table.rows[:2]), Effort(3, 0.01, least=3))
    one, two = result.rows
    assert one.ours.shots == two.ours.shots
    assert {verdict.kind for verdict in verdicts(result)} == {NOTHING}


def test_ts_columns_are_beside_ours():
    row = Row(
        "MCTS", "even", 12.38, base="random", improvement=0.03, iterations=500,
        total_iterations=234_380, seconds_per_move=0.13, seconds_per_iteration=13.6e-6,
    )  # fmt: skip
    table = Exhibit("T-4.98", "Columns", MEANS, "mini", 20, (row,))
    result = reproduce(table, SMALL)
    (found,) = result.rows
    slow = [sum(2 * n * 500 for n in range(26 - m, 26)) for m in found.ours.shots]
    assert found.total_iterations == pytest.approx(sum(slow) / len(slow))
    fewest = found.rules.ship_cells
    assert found.base.mean - found.improvement * (found.base.mean - fewest) == pytest.approx(
        found.ours.mean
    )
    fewer = replace(found, base=replace(found.base, shots=found.base.shots[:20]))
    short = replace(found, ours=replace(found.ours, shots=found.ours.shots[:20]))
    assert fewer.improvement == short.improvement  # over the same games
    assert "(doc. 234,380)" in text_of(result)
    assert "(doc. 14 µs)" in text_of(result)


def test_the_improvement_is_the_one_that_all_percentages_of_t_are():
    base = {row.iterations: row.mean for row in exhibit("T-4.2").rows}
    rows = [*exhibit("T-4.3").rows, *exhibit("T-4.4").rows]
    for row in rows:
        share = (base[row.iterations] - row.mean) / (base[row.iterations] - 5)
        assert row.improvement == int(1000 * share) / 1000  # T cuts after one decimal
    assert len(rows) == 10


def test_the_time_of_a_search_per_move_is_there_without_a_figure_in_the_document():
    rows = tuple(
        Row(name, "even", 50.0, iterations=500, seconds_per_move=theirs)
        for name, theirs in (("Some", None), ("Best", 4.8))
    )
    result = reproduce(Exhibit("T-4.97", "Times", MEANS, "thesis", 20, rows), SMALL)
    some, best = markdown_of([result], "x").splitlines()[-2:]
    assert "µs |" in some
    assert "(doc. 4.8 s) |" in best


def _games(row: Row, shots: Sequence[float], rules: str = "named") -> RowResult:
    """A row with these shots as our games."""
    ours = PlayerResult(row.player, tuple(map(int, shots)), 1e-6, None)
    return RowResult(row, Rules.from_text(rules), ours)


def _told(kind: str, games: int, *found: RowResult, name: str = "R-9") -> list[Verdict]:
    table = Exhibit(name, "x", kind, "named", games, tuple(each.row for each in found))
    return verdicts(ExhibitResult(table, found, SMALL, 0.0))


def test_a_peak_agrees_if_samples_as_small_as_the_documents_peak_there():
    row = Row("Row", "random", peak="~50", peak_range=(48, 52), spread=(45, 65))
    rng = np.random.default_rng(1)
    near, far = rng.normal(53, 8, 5000).round(), rng.normal(75, 8, 5000).round()
    agrees, differs = _told(HISTOGRAM, 100, _games(row, near), _games(row, far))
    assert agrees.kind == AGREES
    assert differs.kind == UNEXPLAINED
    assert "as do 0 of 50 samples of 100 of ours" in differs.text
    # A curve that is far wider than the document's differs, even if it peaks in the same place.
    wide = np.concatenate([near[:2000], rng.uniform(1, 100, 3000).round()])
    rng.shuffle(wide)
    assert _told(HISTOGRAM, 100, _games(row, wide))[0].kind == UNEXPLAINED
    assert _told(HISTOGRAM, 100, _games(row, near[:900]))[0].kind == UNDECIDED


def test_a_share_that_differs_makes_the_row_differ():
    row = Row("Row", "random", 50.0, share=(50, 50, 0.7))
    half = [49, 50, 51, 50] * 500
    (told,) = _told(HISTOGRAM, 1000, _games(row, half))
    assert told.kind == UNEXPLAINED
    assert "50% of our games take 50 shots" in told.text
    assert "The mean: Agrees" in told.text
    assert _told(HISTOGRAM, 1000, _games(replace(row, share=(50, 50, 0.5)), half))[0].kind == AGREES
    # T says it of figure 4.9 alone.
    shared = [each for each in EXHIBITS.values() for row in each.rows if row.share]
    assert [each.name for each in shared] == ["T-fig-4.9", "T-fig-4.12"]


def test_rows_on_the_same_layouts_are_compared_as_a_whole():
    rng = np.random.default_rng(1)
    layouts = rng.normal(0, 5, 400)  # what rows on the same layouts have in common
    layouts -= layouts.mean()

    def judged(below: float) -> Verdict:
        results = []
        for name in ("T-4.6", "T-4.7", "T-4.8"):
            rows = exhibit(name).rows
            found = tuple(
                _games(
                    row,
                    (row.mean - below + layouts + rng.normal(0, 1, 400)).round().clip(17, 100),
                    "thesis",
                )
                for row in rows
            )
            results.append(ExhibitResult(exhibit(name), found, SMALL, 0.0))
        (told,) = joint_verdicts(results).values()
        assert f"- MCTS on 10×10 (T-4.6 to T-4.8): {told.text}" in markdown_of(results, "x")
        assert escape(told.text) in page_of(results, "x")
        return told

    # Twelve rows on one side are no evidence if all have the same bad luck with the layouts.
    together = judged(0.7)
    assert together.kind == AGREES
    assert "12 of them below" in together.text
    assert judged(3.0).kind == UNEXPLAINED
    assert joint_verdicts([]) == {}


def test_a_row_that_exhibits_share_is_counted_once():
    names = ("T-4.1", "T-fig-4.1", "T-fig-4.6", "R-1", "T-fig-2.13")
    log = InMemoryLog()
    results = [
        reproduce(replace(each, rows=each.rows[-2:]), SMALL, log) for each in map(exhibit, names)
    ]
    found = distinct_verdicts(results)
    # Even, Heat-map; Random; Human-like (Even is there); people; two maps
    assert len(found) == 2 + 1 + 1 + 1 + 2
    assert sum(verdict.kind == IMPOSSIBLE for verdict in found) == 1
    assert "cannot be played again: 1" in summary_of(results)


def test_a_runtime_names_the_place_that_the_document_names_otherwise():
    rows = (Row("Random", "random", place="fastest"), Row("PHLP", "phlp", place="slowest"))
    games = (250, 500, 1000)
    costs = [Costs(games, tuple(k * n for n in games), 1000) for k in (1e-6, 2e-6)]
    table = Exhibit("E-fig-6", "x", "runtime", "classic", 2500, rows)

    def told(*order: Costs) -> list[Verdict]:
        rules = Rules.from_text("classic")
        found = [RowResult(row, rules, costs=each) for row, each in zip(rows, order, strict=True)]
        return verdicts(ExhibitResult(table, tuple(found), SMALL, 0.0))

    assert [each.kind for each in told(*costs)] == [AGREES, AGREES]
    assert told(*costs)[1].text.endswith("; slowest, 2.00 times the fastest.")
    assert [each.kind for each in told(*costs[::-1])] == [UNEXPLAINED, UNEXPLAINED]


def test_a_histogram_has_all_games_of_each_row(tmp_path):
    rows = (Row("Long", "random", 50.0), Row("Short", "even", 50.0))
    found = (_games(rows[0], [40, 50] * 100), _games(rows[1], [30] * 20))
    table = Exhibit("T-fig-4.96", "x", HISTOGRAM, "named", 100, rows)
    result = ExhibitResult(table, found, SMALL, 0.0)
    write_figures([result], tmp_path / "figures")
    drawn = (tmp_path / "figures/T-fig-4.96.svg").read_text(encoding="utf-8")
    assert "20 to 200 games each" in drawn
    assert "Long: mean 45.00" in drawn


def test_the_histograms_of_l_have_as_many_games_as_in_the_document():
    for name in ("L-density", "L-cnn", "L-policy-gradient", "L-traditional"):
        assert exhibit(name).most == exhibit(name).games == 8000
    short = replace(exhibit("L-density"), most=30)
    assert reproduce(short, SMALL).rows[0].games == 30


def test_the_maps_of_players_show_what_the_documents_say(tmp_path):
    maps = [reproduce(exhibit(name), SMALL) for name in ("E-fig-3", "E-fig-4", "R-seek")]
    kinds = [[verdict.kind for verdict in verdicts(each)] for each in maps]
    assert kinds == [[AGREES], [NOTHING], [AGREES, NOTHING]]
    wrong = replace(maps[0].rows[0], row=replace(maps[0].rows[0].row, lowest="A1 A2"))
    (told,) = verdicts(replace(maps[0], rows=(wrong,)))
    assert told.kind == UNEXPLAINED
    assert "A1, A2, A3" in told.text
    assert write_figures(maps, tmp_path / "figures") == {"E-fig-3", "E-fig-4", "R-seek"}
    assert page_of(maps, "x").count("<svg") >= 3


def test_the_peak_is_where_most_games_lie():
    assert peak((3, 4, 10, 11, 12, 12, 13, 14, 30)) == (10, 14)
    assert peak((7,)) == (3, 7)


def test_text_fits_80_columns_and_has_a_sentence_on_each_row(results):
    for result in results:
        text = text_of(result)
        assert all(len(line) <= 80 for line in text.splitlines()), text
        for found, verdict in zip(result.rows, verdicts(result), strict=False):
            assert bool(verdict.text) == (not found.missing)
    (about_people,) = (each for each in results if each.exhibit.name == "R-1")
    assert "Cannot be played again by a command" in " ".join(text_of(about_people).split())


def test_the_page_is_one_file_with_every_exhibit(results, tmp_path):
    page = page_of(results, "seabattle reproduce --all")
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!#)', page)
    for result in results:
        assert f'id="{result.exhibit.name}"' in page
    figures = write_figures(results, tmp_path / "figures")
    assert {"T-4.5", "T-fig-4.6", "E-fig-7"} <= figures
    text = markdown_of(results, "seabattle reproduce --all", figures)
    assert text.count("### ") == len(results)
    for target in re.findall(r"\((figures/.*?)\)", text):
        assert (tmp_path / target).exists()


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 360)])
def test_the_page_is_readable_in_both_themes(browser, results, tmp_path, scheme, width):
    path = tmp_path / "index.html"
    path.write_text(page_of(results, "seabattle reproduce"))
    page = browser.new_page(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=False
    )
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("T-4.5: Heuristics on the 10×10 board", "R-1: Games won and lost against people"):
        assert page.get_by_role("heading", name=name).is_visible()
    assert page.get_by_role("img", name="Greedy: our mean").is_visible()
    assert page.get_by_role("img", name=re.compile("Even: mean after")).is_visible()
    page.close()


def test_reproduce_lists_plays_and_writes(run, tmp_path):
    code, out, _ = run("reproduce")
    assert code == 0
    assert all(name in out for name in EXHIBITS)
    assert "needs human opponents" in out
    assert all(document.title in " ".join(out.split()) for document in DOCUMENTS.values())
    assert out.endswith("Sources: docs/sources.md\n")
    code, out, err = run("reproduce", "t-4.5", "--games", 50, "--out", tmp_path)
    assert code == 0
    assert "93.8" in out
    assert out.endswith("Sources: docs/sources.md\n")
    assert "T-4.5: Even" in err
    assert (tmp_path / "index.html").exists()
    assert "seabattle reproduce t-4.5 --games 50 --seed 1" in (tmp_path / "results.md").read_text()
    code, out, _ = run("reproduce", "T-4.5", "--games", 50, "--json")
    (value,) = json.loads(out)["exhibits"]
    assert [row["document"]["mean"] for row in value["rows"]] == [93.8, 61.3, 58.35]
    assert all(row["games"] == 50 for row in value["rows"])
    code, out, _ = run("reproduce", "T-4.5", "--games", 1, "--json")
    assert code == 0
    assert json.loads(out)["exhibits"][0]["rows"][0]["ci95"] == [None, None]


def test_a_reproduction_can_be_kept_in_a_store(run, tmp_path):
    store = ("--store", tmp_path / "games.sqlite")
    _, first, _ = run("reproduce", "T-4.5", "T-fig-4.7", "--games", 50, "--json", *store)
    _, again, _ = run("reproduce", "T-4.5", "T-fig-4.7", "--games", 50, "--json", *store)
    means = [
        [row["mean"] for each in json.loads(told)["exhibits"] for row in each["rows"]]
        for told in (first, again)
    ]
    assert means[0] == means[1]
    assert "reproduction" in run("runs", "list", *store)[1]
    told = " ".join(run("runs", "show", 1, *store)[1].split())
    assert "thesis: 10×10" in told
    assert "mini: 5×5" in told
    stored = json.loads(run("runs", "show", 1, *store, "--json")[1])
    assert sorted(series["mean"] for series in stored["result"]["series"]) == sorted(means[0])


def test_an_unknown_table_is_refused_with_the_known_ones(run):
    with pytest.raises(ExperimentError, match=r"T-4\.1"):
        exhibit("T-9.9")
    code, _, err = run("reproduce", "E-9")
    assert code == 2
    assert "Unknown table 'E-9'" in err
    assert run("reproduce", "E-1", "--games", 0)[0] == 2
