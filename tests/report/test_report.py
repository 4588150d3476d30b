"""Reports: the commands, and the tables, files, plots and pages that they make."""

from __future__ import annotations

import csv
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import openpyxl
import pytest

from seabattle import Comparison, Rules, compare
from seabattle.experiment import PlayerResult
from seabattle.players import all_players, register, temporary_registry
from seabattle.players.network_player import NetworkPlayer
from seabattle.report import charts, outputs
from seabattle.report.comparison_table import WIDTH, markdown_table, text_table
from seabattle.report.formatting import duration, rules_line, signed
from seabattle.report.leaderboard import leaderboard_page


@pytest.fixture(scope="module")
def three() -> Comparison:
    return compare(["even", "random", "in-order"], "mini", games=60, seed=9)


def made_up(*names: str) -> Comparison:
    """Players with results that nobody played."""
    rules = Rules.from_text("classic")
    players = [
        PlayerResult(name, (40 + k, 50 + k, 61 + k, 100), 12.5**-k, 99.0)
        for k, name in enumerate(names)
    ]
    return Comparison(rules, 4, 0, tuple(players))


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


@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("density:x=1", "e" * 130, "random")])
def test_the_table_fits_80_columns_without_colour(names):
    text = text_table(made_up(*names))
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert "\x1b" not in text
    joined = text.replace("\n", "")
    assert all(name in joined for name in names)


def test_many_players_are_each_set_against_the_best():
    names = [f"p{k}" for k in range(8)]
    text = text_table(made_up(*names))
    assert text.count(" − p0 ") == 7
    assert "every pair" in text
    assert text_table(made_up(*names[:4])).count(" − ") == 6


def test_the_ranked_table_begins_with_the_fewest_shots(three):
    rows = text_table(three, ranked=True).splitlines()[4:7]
    means = [float(row.split()[1]) for row in rows]
    assert means == sorted(means)


def test_the_markdown_table_has_a_row_for_each_player_and_pair(three):
    lines = markdown_table(three).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + 3 + 2 + 3
    assert len({line.count("|") for line in rows[:5]}) == 1


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1.9e-6, "1.9 µs"), (4.2e-5, "42 µs"), (0.0123, "12 ms"), (3.44, "3.4 s"), (300, "5.0 min")],
)
def test_durations_are_told_in_fitting_units(seconds, words):
    assert duration(seconds) == words


def test_signs_and_missing_numbers_are_plain():
    assert (signed(0.314), signed(-2), signed(float("nan"))) == ("+0.31", "−2.00", "–")
    assert rules_line(Rules(3, 4, (2,))).startswith("3×4, fleet 2")


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


def test_names_with_commas_survive_csv(tmp_path):
    outputs.write_csv(made_up("p:a=1,b=2", "q"), tmp_path / "games.csv")
    with (tmp_path / "games.csv").open(newline="") as file:
        assert next(csv.reader(file)) == ["game", "p:a=1,b=2", "q"]


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


def test_a_folder_gets_the_table_the_data_and_the_plots(run, tmp_path):
    code, _, _ = run(
        *("compare", "even", "random", "--rules", "mini", "--games", 30, "--out", tmp_path)
    )
    assert code == 0
    assert {path.name for path in tmp_path.iterdir()} == {
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


def test_plots_are_the_same_again(three, tmp_path):
    from seabattle.report.plots import write_plots

    drawn = []
    for turn in ("one", "two"):
        (tmp_path / turn).mkdir()
        drawn.append([path.read_bytes() for path in write_plots(three, tmp_path / turn)])
    assert drawn[0] == drawn[1]


def test_every_player_of_a_large_comparison_looks_different():
    from seabattle.report.plots import look

    looks = [tuple(look(place).values()) for place in range(300)]
    assert len(set(looks)) == 300


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
def test_an_unwritable_place_is_refused_before_playing(run, no_games, tmp_path, option, place):
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


def test_a_file_is_no_folder_and_a_folder_is_no_file(run, no_games, tmp_path):
    (tmp_path / "file").write_text("kept")
    for arguments in (("compare", "random"), ("leaderboard",)):
        code, _, err = run(*arguments, "--out", tmp_path / "file")
        assert (code, "it is a file; give a folder" in err) == (2, True)
    code, _, err = run("compare", "random", "--csv", tmp_path)
    assert (code, "it is a folder; give a file name" in err) == (2, True)
    assert (tmp_path / "file").read_text() == "kept"


def test_checking_a_place_leaves_nothing_there(tmp_path):
    outputs.checked_file(tmp_path / "new.csv")
    outputs.checked_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []


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


def test_ticks_are_round_and_few():
    assert charts.ticks(16, 101) == [20, 40, 60, 80, 100]
    assert charts.ticks(4, 10) == [4, 5, 6, 7, 8, 9, 10]
    for low, high in ((0, 256), (3, 5), (17, 18), (99, 256)):
        for most in (4, 8):
            assert 1 <= len(charts.ticks(low, high, most)) <= most


class Page(HTMLParser):
    """The tags of a page, checked to be closed in order, and its text."""

    EMPTY = ("meta", "br", "path", "use", "!doctype")

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        given = dict(attributes)
        self.links += [given[name] for name in ("href", "src") if name in given]
        self.ids += [given["id"]] if "id" in given else []
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_page_is_one_file_without_scripts_that_tells_how_it_was_made(three):
    page = Page(leaderboard_page(three, all_players(), "seabattle leaderboard --games 60"))
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    for words in (
        "seabattle leaderboard --games 60",
        "the seed (9)",
        "mini: 5×5",
        "seabattle 0.",
        "T: Reinforcement Learning for the Game of Battleship",
        *(all_players()[player.name].summary for player in three.players),
    ):
        assert words in page.text
    for player in three.players:
        assert f"{player.ci95[0]:.2f} to {player.ci95[1]:.2f}" in page.text


def test_the_page_escapes_what_players_are_called():
    page = leaderboard_page(made_up("<b>&", "fine"), {}, "seabattle '<x>'")
    assert "<b>&<" not in page
    assert "&lt;b&gt;&amp;" in page
    Page(page)


def test_the_page_of_one_player_and_one_game_is_whole():
    Page(leaderboard_page(compare(["even"], "mini", games=1), all_players(), "x"))


def test_the_leaderboard_ranks_every_ready_player(run, tmp_path):
    arguments = ("--games", 8, "--rules", "mini", "--jobs", 1, "--out", tmp_path)
    code, out, _ = run("leaderboard", *arguments)
    assert code == 0
    rows = out.split("per game")[1].split("Paired")[0].splitlines()[1:]
    played = [row.split()[0] for row in rows if row]
    ready = {name for name, info in all_players().items() if not info.slow and not info.needs}
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


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 400, 1200])
def test_the_page_shows_every_player_at_any_width_in_both_themes(
    chromium, three: Comparison, tmp_path: Path, width: int, scheme: str
):
    if width == 320:  # drawings of few shots are the coarsest
        three = compare(["even", "random", "in-order"], "2x2 fleet=1", games=20)
    path = tmp_path / "index.html"
    path.write_text(leaderboard_page(three, all_players(), "seabattle leaderboard"))
    page = chromium.new_page(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=False
    )
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for player in three.players:
        assert page.get_by_role("rowheader", name=player.name, exact=True).is_visible()
        assert page.get_by_role("img", name=f"{player.name}: mean").is_visible()
        assert page.get_by_role("img", name=f"{player.name}: half").is_visible()
    paper, ink = page.evaluate(
        "(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))"
    )
    brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for colour in (paper, ink)]
    dark, bright = sorted(brightness)
    assert dark < 80 < 200 < bright
    assert (brightness[0] == bright) == (scheme == "light")
    page.close()
