"""`seabattle compare` and `seabattle leaderboard`: what they print, write and refuse."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import time

import openpyxl
import pytest

from seabattle import Comparison, compare
from seabattle.cli.experiments import separated
from seabattle.experiment.batches import BATCH_SECONDS
from seabattle.players import all_players, register, temporary_registry
from seabattle.players.network_player import NetworkPlayer
from seabattle.report import outputs


def test_compare_prints_a_table_and_the_paired_differences(run):
    code, out, err = run("compare", "random", "even", "--rules", "mini", "--games", 40)
    assert code == 0
    assert "mini: 5×5, fleet 3,2, contact none, answers hit-miss" in out
    assert "40 games each on the same layouts, seed 0" in out
    assert re.search(r"^random +\d+\.\d\d +\d\.\d\d", out, re.MULTILINE)
    assert re.search(r"random − even +\+\d+\.\d\d ±\d+\.\d\d  even is better", out)
    assert "random: 40 games played" in err


def test_compare_takes_rules_and_overrides(run):
    code, out, _ = run(
        *("compare", "random", "--rules", "classic", "--size", "4x6", "--fleet", "3,1"),
        *("--contact", "corners", "--answers", "named", "--games", 3),
    )
    assert code == 0
    assert "4×6, fleet 3,1, contact corners, answers named" in out


def test_json_is_one_object_and_nothing_else(run):
    code, out, err = run(
        *("compare", "even", "random", "--rules", "trio", "--games", 12, "--seed", 3, "--json")
    )
    assert code == 0
    assert err == ""
    value = json.loads(out)
    assert Comparison.from_json(value) == compare(["even", "random"], "trio", games=12, seed=3)


def test_csv_has_a_row_for_each_game(run, tmp_path):
    path = tmp_path / "games.csv"
    code, out, _ = run("compare", "even", "random", "--rules", "mini", "--games", 25, "--csv", path)
    assert code == 0
    assert str(path) in out
    with path.open(newline="") as file:
        header, *rows = list(csv.reader(file))
    assert header == ["game", "even", "random"]
    played = compare(["even", "random"], "mini", games=25)
    assert [[int(cell) for cell in row] for row in rows] == [
        [game, *shots]
        for game, shots in enumerate(zip(*(p.shots for p in played.players), strict=True))
    ]


def test_the_spreadsheet_reads_back_and_calculates_what_we_did(run, tmp_path):
    path = tmp_path / "results.xlsx"
    arguments = ("--rules", "mini", "--games", 25, "--xlsx", path)
    assert run("compare", "even", "random", "in-order", *arguments)[0] == 0
    result = compare(["even", "random", "in-order"], "mini", games=25)

    values = openpyxl.load_workbook(path, data_only=True)
    assert values.sheetnames == ["summary", "games", "paired"]
    summary = values["summary"].iter_rows(min_row=6, values_only=True)
    for row, player in zip(summary, result.players, strict=True):
        assert row[0] == player.name
        assert row[1:9] == pytest.approx(
            (
                player.mean,
                *player.ci95,
                player.sd,
                player.median,
                player.min,
                player.max,
                player.p95,
            )
        )
    games = list(values["games"].iter_rows(values_only=True))
    assert games[0] == ("game", "even", "random", "in-order")
    assert [row[2] for row in games[1:]] == list(result.players[1].shots)
    paired = list(values["paired"].iter_rows(min_row=2, values_only=True))
    assert [row[:2] for row in paired] == [(pair.a, pair.b) for pair in result.paired]

    formulas = openpyxl.load_workbook(path)
    assert formulas["summary"]["B6"].value == "=AVERAGE(games!$B$2:$B$26)"
    assert formulas["summary"]["G7"].value == "=MIN(games!$C$2:$C$26)"


def test_one_game_makes_every_file(run, tmp_path):
    out = tmp_path / "deep" / "out"
    arguments = ("--games", 1, "--rules", "mini", "--xlsx", tmp_path / "a.xlsx", "--out", out)
    code, _, err = run("compare", "even", "random", *arguments)
    assert (code, "Warning" in err) == (0, False)
    assert json.loads((out / "comparison.json").read_text())["players"][0]["ci95"] == [None, None]
    assert openpyxl.load_workbook(tmp_path / "a.xlsx").sheetnames == ["summary", "games", "paired"]
    assert len((out / "games.csv").read_text().splitlines()) == 2
    assert len(list(out.glob("*.png"))) == len(list(out.glob("*.svg"))) == 3


def test_a_folder_gets_the_table_the_data_and_the_plots(run, tmp_path):
    code, out, _ = run(
        *("compare", "random", "even", "--rules", "mini", "--games", 30, "--out", tmp_path)
    )
    assert code == 0
    assert f"Report page: {tmp_path / 'index.html'}" in out
    page = (tmp_path / "index.html").read_text()
    assert "<h1>Battleship comparison</h1>" in page
    assert "$ seabattle compare random even --rules mini --games 30 --seed 0" in page
    # The best is listed first, but the JSON keeps the order given.
    for ranked in (out, page, (tmp_path / "table.md").read_text()):
        assert ranked.index("even") < ranked.index("random") or ranked is page
    assert re.findall(r'<th scope="row"[^>]*>(\w+)</th>', page) == ["even", "random"]
    assert {path.name for path in tmp_path.iterdir()} == {
        "index.html",
        "table.md",
        "comparison.json",
        "games.csv",
        *(
            f"{plot}.{kind}"
            for plot in ("histogram", "finished", "running-mean")
            for kind in ("png", "svg")
        ),
    }
    for plot in tmp_path.glob("*.png"):
        assert plot.read_bytes().startswith(b"\x89PNG")
        assert plot.stat().st_size > 5000
    for plot in tmp_path.glob("*.svg"):
        drawn = plot.read_text()
        assert "even" in drawn
        assert "random" in drawn
        assert "mini: 5×5" in drawn
    data = json.loads((tmp_path / "comparison.json").read_text())
    assert Comparison.from_json(data).games == 30
    assert [player["name"] for player in data["players"]] == ["random", "even"]


class Stops:
    """Warms up so slowly that its first batch is one game; then somebody presses Ctrl-C."""

    games = 0

    def choose(self, observation, rng):
        Stops.games += not observation.shots
        if Stops.games == 1 and not observation.shots:
            time.sleep(BATCH_SECONDS)
        if Stops.games > 5:
            raise KeyboardInterrupt
        return observation.unknown[0]


@pytest.fixture
def stops(monkeypatch):
    monkeypatch.setattr(Stops, "games", 0)
    register("stops", summary="stops")(Stops)


def test_ctrl_c_prints_the_games_so_far_and_how_to_keep_them(run, stops):
    code, out, err = run("compare", "stops", "random", "--rules", "mini", "--games", 50)
    assert code == 130
    assert re.search(r"^Partial result.*^\d games?, seed 0$.*^stops +\d", out, re.M | re.S)
    assert "random" not in out  # it has no games yet
    assert re.search(r"seabattle: Stopped after \d of 50 games of stops\. With --store FILE", err)


def test_ctrl_c_prints_no_json(run, stops):
    code, out, err = run("compare", "stops", "--rules", "mini", "--games", 50, "--json")
    assert (code, out) == (130, "")
    assert "Stopped after " in err


def test_a_stopped_run_is_resumed_from_its_store(run, stops, tmp_path):
    arguments = ("compare", "random", "stops", "--rules", "mini", "--games", 20)
    store = ("--store", tmp_path / "games.sqlite")
    code, out, err = run(*arguments, *store)
    assert code == 130
    assert "The same command resumes from there." in err
    rows = re.findall(r"^(random|stops) ", out, re.M)
    assert sorted(rows) == ["random", "stops"]
    Stops.games = -100
    code, out, _ = run(*arguments, *store, "--json")
    assert code == 0
    again = Comparison.from_json(json.loads(out))
    Stops.games = -100
    assert again == Comparison.from_json(json.loads(run(*arguments, "--json")[1]))


def test_ctrl_c_stops_a_tournament_with_a_table(run, stops):
    code, out, err = run("tournament", "stops", "random", "--rules", "mini", "--games", 50)
    assert code == 130
    assert "With --store FILE" in err
    # The other side of these games has not been played, so there is nothing to show yet.
    assert out == ""


def test_players_may_be_separated_by_commas(run):
    code, out, _ = run(
        *("compare", "even,density:weight=3,random", "in-order", "--rules", "mini", "--games", 5),
        "--json",
    )
    assert code == 0
    names = [player["name"] for player in json.loads(out)["players"]]
    assert names == ["even", "density:weight=3", "random", "in-order"]


@pytest.mark.parametrize(
    ("typed", "players"),
    [
        (["density,even"], ["density", "even"]),
        (["density, even"], ["density", "even"]),
        (["mcts:iterations=5,select=hits"], ["mcts:iterations=5,select=hits"]),
        (["mcts:iterations=5,select=hits,even"], ["mcts:iterations=5,select=hits", "even"]),
        (["even@edges,random"], ["even@edges", "random"]),
        (["even,"], ["even"]),
        (["even,nobody"], ["even", "nobody"]),
        (["nobody:x=1,nothing"], ["nobody:x=1,nothing"]),
        (["cnn:model=a,b.onnx"], ["cnn:model=a,b.onnx"]),
        ([], []),
    ],
)
def test_a_comma_separates_players_and_parameters(typed, players):
    assert separated(typed) == players


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compare", "rndom"), "Did you mean 'random'"),
        (("compare", "random:x=1"), "has no parameters"),
        (("compare",), "PLAYER"),
        (("compare", "random", "random"), "given twice"),
        (("compare", "random", "--rules", "clasic"), "Did you mean 'classic'"),
        (("compare", "random", "--size", "0"), "2 to 16"),
        (("compare", "random", "--size", "-3"), "2 to 16"),
        (("compare", "random", "--size", "4", "--fleet", "5"), "does not fit"),
        (("compare", "random", "--size", "3", "--fleet", "3,3,3", "--contact", "none"), "not fit"),
        (("compare", "random", "--games", "0"), "games must be at least 1, not 0"),
        (("compare", "random", "--games", "many"), "--games"),
        (("compare", "random", "--jobs", "0"), "jobs must be at least 1, not 0"),
        (("compare", "random", "--seed", "-1"), "seed is a whole number from 0"),
        (("leaderboard", "--games", "-2"), "games must be at least 1"),
        (("leaderboard", "--jobs", "0"), "jobs must be at least 1, not 0"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("seabattle: ")
    assert err.count("\n") == 1
    assert words in err


@pytest.fixture
def no_games(monkeypatch):
    """Any game that is played is a failure."""

    def played(*_: object) -> None:
        pytest.fail("games were played before the place to write to was checked")

    monkeypatch.setattr("seabattle.experiment.batches.play_numbered", played)
    monkeypatch.setattr("seabattle.experiment.batches.warm_up", played)


@pytest.mark.parametrize("option", ["--out", "--csv", "--xlsx"])
@pytest.mark.parametrize("place", ["file/below", "missing-folder/below"])
def test_an_unwritable_path_is_refused_before_playing(run, no_games, tmp_path, option, place):
    (tmp_path / "file").write_text("in the way")
    if option == "--out" and place.startswith("missing"):
        (tmp_path / "missing-folder").symlink_to("/proc/none-such")
    code, out, err = run("compare", "random", option, tmp_path / place)
    assert (code, out) == (2, "")
    assert "Cannot write" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("option", ["--out", "--csv", "--xlsx"])
def test_a_folder_without_permission_is_refused_before_playing(run, no_games, tmp_path, option):
    tmp_path.chmod(0o500)
    code, _, err = run("compare", "random", option, tmp_path / "below")
    assert (code, "permission denied" in err) == (2, True)


def test_a_file_is_not_a_folder_and_a_folder_is_not_a_file(run, no_games, tmp_path):
    (tmp_path / "file").write_text("kept")
    for arguments in (("compare", "random"), ("leaderboard",)):
        code, _, err = run(*arguments, "--out", tmp_path / "file")
        assert (code, "it is a file; give a folder" in err) == (2, True)
    code, _, err = run("compare", "random", "--csv", tmp_path)
    assert (code, "it is a folder; give a file name" in err) == (2, True)
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize(
    ("option", "extra"), [("--out", "seabattle[plots]"), ("--xlsx", "seabattle[xlsx]")]
)
def test_a_missing_library_is_named_with_its_extra(
    run, no_games, tmp_path, monkeypatch, option, extra
):
    monkeypatch.setattr(outputs, "find_spec", lambda _: None)
    code, _, err = run("compare", "random", option, tmp_path / "x")
    assert code == 2
    assert f"pip install '{extra}'" in err


def test_a_spreadsheet_for_too_many_games_is_refused(run, no_games, tmp_path):
    code, _, err = run("compare", "random", "--games", 2_000_000, "--xlsx", tmp_path / "x.xlsx")
    assert (code, "holds at most 1,048,575 games" in err) == (2, True)


def test_the_leaderboard_ranks_every_ready_player(run, tmp_path):
    arguments = ("--games", 8, "--rules", "mini", "--jobs", 1, "--out", tmp_path)
    code, out, err = run("leaderboard", *arguments)
    assert code == 0, err
    rows = out.split("per game")[1].split("Paired")[0].splitlines()[1:]
    played = [row.split()[0] for row in rows if row]
    ready = {name for name, info in all_players().items() if not info.slow and not info.needs}
    learners = {name for name in ready if all_players()[name].learns}
    assert learners
    for name in learners:
        assert name not in played
        assert f"{name}: learns during a match" in " ".join(out.split())
    ready -= learners
    networks = {name for name in ready if isinstance(all_players()[name].make(), NetworkPlayer)}
    assert ready - networks <= set(played)
    for name in networks - set(played):
        assert re.search(rf"{name}: [^:]* cannot play 'mini'", " ".join(out.split()))
    page = (tmp_path / "index.html").read_text()
    assert "seabattle leaderboard --rules mini --games 8 --seed 0" in page
    assert all(name in page for name in played)
    assert Comparison.from_json(json.loads((tmp_path / "comparison.json").read_text())).games == 8


def test_players_that_are_slow_or_lack_something_are_left_out_with_the_reason(run, tmp_path):
    class Sloth:
        def choose(self, observation, rng):
            return observation.unknown[0]

    def untrained():
        raise RuntimeError("no model")

    arguments = ("leaderboard", "--games", 2, "--rules", "mini", "--jobs", 1, "--out", tmp_path)
    slow = [name for name, info in all_players().items() if info.slow]
    with temporary_registry(without=slow):
        register("sloth", slow=True, summary="slow and steady")(Sloth)
        register("untrained", needs="a trained model")(untrained)
        _, out, _ = run(*arguments)
        _, with_slow, _ = run(*arguments, "--slow")
    assert "sloth: slow; --slow includes it" in out
    assert "untrained: needs a trained model" in out
    assert "sloth: slow" not in with_slow
    assert "untrained: needs a trained model" in with_slow
    assert re.search(r"^sloth ", with_slow, re.MULTILINE)
    assert "slow and steady" in (tmp_path / "index.html").read_text()


def test_a_terminal_shows_bars_that_stay_out_of_the_result(run, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    code, out, err = run("compare", "even", "random", "--rules", "mini", "--games", 40)
    assert code == 0
    assert "40/40" in err
    assert "games played" not in err
    assert "even is better" in out
    code, out, err = run("compare", "even", "--rules", "mini", "--games", 5, "--json")
    assert (json.loads(out)["games"], err) == (5, "")
