"""`seabattle analyze` and `seabattle count`."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from seabattle import analyze
from seabattle.cli import main
from seabattle.rules import Rules

KEYS = [
    "rules",
    "method",
    "layouts",
    "probability",
    "standard_error",
    "suggestion",
    "milliseconds",
]


class Command:
    """Run a command in this process and return what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        printed = self._capsys.readouterr()
        assert end.value.code == code, printed.err
        if code:
            assert not printed.out
            assert printed.err.count("\n") == 1
        return printed.err if code else printed.out


@pytest.fixture
def seabattle(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("SEABATTLE_QUIET", "1")
    return Command(capsys)


def test_the_json_is_the_one_that_is_promised(seabattle: Command) -> None:
    value = json.loads(
        seabattle("analyze", "--rules", "mini", "--shots", "C3 hit, C4 miss", "--json")
    )
    assert list(value) == KEYS
    assert value["rules"] == Rules.from_text("mini").to_json()
    assert value["method"] == "exact"
    assert value["layouts"] == 71
    assert value["standard_error"] is None
    assert value["suggestion"] == "B3"
    assert value["milliseconds"] > 0
    chances = value["probability"]
    assert [len(row) for row in chances] == [5] * 5
    assert chances[2][2] == 1
    assert chances[2][3] == 0
    assert sum(map(sum, chances)) == pytest.approx(5)


def test_players_and_ships_are_added_when_asked_for(seabattle: Command) -> None:
    value = json.loads(
        seabattle(
            *("analyze", "--rules", "mini", "--shots", "C3 hit", "--json", "--per-ship"),
            *("--player", "random", "--player", "even"),
        )
    )
    assert list(value) == [*KEYS, "players", "per_ship"]
    assert list(value["players"]) == ["random", "even"]
    assert Rules.from_text("mini").cell(value["players"]["even"]) != 12
    assert list(value["per_ship"]) == ["cruiser", "destroyer"]
    assert sum(map(sum, value["per_ship"]["cruiser"])) == pytest.approx(3)


def test_a_person_reads_the_map_and_the_facts(seabattle: Command) -> None:
    text = seabattle("analyze", "--rules", "mini", "--shots", "C3 hit, C4 miss")
    assert "B 14  .>41  . 20" in text
    facts = dict(line.split(maxsplit=1) for line in text.split("\n\n")[1].splitlines())
    assert facts["suggestion"] == "B3, 41% to hit"
    assert facts["layouts"] == "71 of 524"
    assert facts["information"] == "2.88 bits gained, 6.15 to go"
    assert facts["afloat"] == "4 of 5 ship cells; sinking is not announced"
    assert facts["method"].startswith("exact (")
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("rules", "shots", "afloat"),
    [
        ("mini answers=sunk-named", "A1 hit, A2 sunk destroyer", "cruiser (3)"),
        ("mini answers=named", "A1 hit destroyer", "cruiser (3), destroyer (2)"),
        ("mini answers=sunk", "A1 hit, A2 sunk", "1 of 2 ships; which ones is not known"),
    ],
)
def test_the_ships_afloat_are_told_as_far_as_known(
    seabattle: Command, rules: str, shots: str, afloat: str
) -> None:
    text = seabattle("analyze", "--rules", rules, "--shots", shots)
    assert f"afloat       {afloat}\n" in text


def test_a_found_fleet_leaves_nothing_to_suggest(seabattle: Command) -> None:
    shots = ("--rules", "mini", "--shots", "A1 hit, A2 hit, A3 hit, C1 hit, D1 hit")
    assert json.loads(seabattle("analyze", *shots, "--json"))["suggestion"] is None
    assert "none: the whole fleet is found" in seabattle("analyze", *shots)
    told = seabattle("analyze", *shots, "--player", "random", code=2)
    assert "The whole fleet is found, so random has nothing left to shoot at." in told


SEARCH_KEYS = ["player", "suggestion", "unit", "simulations", "seconds", "note", "visits", "values"]


@pytest.mark.parametrize(
    ("player", "unit"),
    [
        ("mcts:iterations=20", "total reward"),
        ("mcts:iterations=20,final=mean", "reward"),
        ("ismcts:iterations=200", "shots to the end, negated"),
        ("pomcp:iterations=50", "shots to the end, negated"),
        ("branch-mcts:nodes=500", "shots to the end, negated"),
    ],
)
def test_a_search_says_what_it_found_at_its_root(
    seabattle: Command, player: str, unit: str
) -> None:
    arguments = ("--rules", "mini", "--shots", "C3 hit, C4 miss", "--player", player, "--json")
    value = json.loads(seabattle("analyze", *arguments))
    assert list(value) == [*KEYS, "players", "searches"]
    [search] = value["searches"]
    assert list(search) == SEARCH_KEYS
    assert search["player"] == player
    assert search["suggestion"] == value["players"][player]
    assert search["unit"] == unit
    assert search["simulations"] > 0
    assert search["note"] == ""
    assert (
        [len(row) for row in search["visits"]] == [len(row) for row in search["values"]] == [5] * 5
    )
    for visits, values in zip(search["visits"], search["values"], strict=True):
        assert all((v > 0) == (value is not None) for v, value in zip(visits, values, strict=True))
    assert search["visits"][2][2] == search["visits"][2][3] == 0
    row, column = "ABCDE".index(search["suggestion"][0]), int(search["suggestion"][1]) - 1
    assert search["visits"][row][column] > 0
    again = json.loads(seabattle("analyze", *arguments))["searches"][0]
    assert again["visits"] == search["visits"]


def test_a_person_sees_the_search_as_two_maps(seabattle: Command) -> None:
    player = "ismcts:iterations=200,threads=256"
    text = seabattle("analyze", "--rules", "mini", "--shots", "C3 hit", "--player", player)
    assert f"{player} would shoot at " in text
    assert "visits, percent    value, 0 to 99\n" in text
    assert "Value is shots to the end, negated: 0 stands for " in text
    assert "Note: 256 threads share " in text
    maps = text[text.index("visits, percent") : text.index("(. not tried")].splitlines()[2:]
    assert [line.count(">") for line in maps].count(2) == 1
    assert maps[2].split().count("X") == 2
    table = text[text.index("cell   ") :].splitlines()
    assert len(table) == 6
    assert table[1].endswith("%")


def test_estimated_values_have_their_errors_beside_them(seabattle: Command) -> None:
    shots = "C4 miss, D5 hit, D6 miss, C5 hit, B5 sunk cruiser, G7 miss, H4 miss, E8 miss, B8 miss"
    arguments = ("--shots", shots, "--player", "admiral:seconds=0.15,layouts=0")
    text = seabattle("analyze", *arguments)
    assert "on 600 sampled layouts." in text
    table = text[text.index("cell   ") :].splitlines()
    assert table[0].split()[:5] == ["cell", "visits", "share", "value", "error"]
    [search] = json.loads(seabattle("analyze", *arguments, "--json"))["searches"]
    for line in table[1:]:
        cell, _, _, value, error, _ = line.split()
        row, column = "ABCDEFGHIJ".index(cell[0]), int(cell[1:]) - 1
        assert search["values"][row][column] == pytest.approx(float(value), rel=1e-3)
        assert search["errors"][row][column] == pytest.approx(float(error), rel=1e-2)


def test_a_player_that_does_not_search_says_what_it_would_shoot(seabattle: Command) -> None:
    arguments = ("--rules", "mini", "--shots", "C3 hit", "--player", "density")
    assert "player       density shoots at " in seabattle("analyze", *arguments)
    assert "searches" not in json.loads(seabattle("analyze", *arguments, "--json"))


@pytest.mark.parametrize("rules", ["2x2 fleet=1", "12x12 fleet=2", "16x16 fleet=2"])
def test_the_maps_of_a_search_fit_80_columns(seabattle: Command, rules: str) -> None:
    text = seabattle("analyze", "--rules", rules, "--player", "branch-mcts:nodes=200")
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("player", "why"),
    [
        ("nobody", "Unknown player 'nobody'"),
        ("mcts:iterations=0", "iterations of 'mcts' must be 1 or more"),
        ("mcts:speed=9", "Unknown parameter of 'mcts' 'speed'"),
        ("pomcp:threads=0", "threads of 'pomcp' must be 1 to 256"),
    ],
)
def test_an_impossible_search_is_refused(seabattle: Command, player: str, why: str) -> None:
    assert why in seabattle("analyze", "--rules", "mini", "--player", player, code=2)


def test_maps_are_written_to_files(seabattle: Command, tmp_path: Path) -> None:
    png, svg = tmp_path / "map.png", tmp_path / "map.svg"
    seabattle("analyze", "--rules", "mini", "--png", str(png), "--svg", str(svg), "--json")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert svg.read_text().startswith("<svg")
    width = _png_width(png)
    searching = ("--player", "branch-mcts:nodes=200", "--player", "density")
    seabattle("analyze", "--rules", "mini", "--png", str(png), "--svg", str(svg), *searching)
    assert _png_width(png) == 3 * width
    titles = [each.text for each in ElementTree.parse(svg).iter() if each.tag.endswith("}desc")]
    begin = [title.split()[7] for title in titles if title]
    assert begin == ["Likeliest:", "Most", "Best:", *["Best:"] * 3]  # density draws three maps
    usual = svg.read_text()
    seabattle("analyze", "--rules", "mini", "--svg", str(svg), *searching, "--scale", "thesis")
    assert svg.read_text() != usual
    assert "thesis" in seabattle("analyze", "--rules", "mini", "--scale", "grey", code=2)
    told = seabattle("analyze", "--rules", "mini", "--svg", str(tmp_path / "no" / "x"), code=2)
    assert "no such file or directory" in told


def _png_width(path: Path) -> int:
    return int.from_bytes(path.read_bytes()[16:20], "big")


def test_the_smallest_and_the_largest_map_fit_80_columns(seabattle: Command) -> None:
    for rules in ("2x2 fleet=1", "16x16 fleet=2"):
        text = seabattle("analyze", "--rules", rules, "--per-ship")
        assert max(map(len, text.splitlines())) <= 80


def test_count_prints_a_number(seabattle: Command) -> None:
    assert seabattle("count", "--rules", "mini") == "524\n"
    assert json.loads(seabattle("count", "--rules", "mini", "--json")) == {"layouts": 524}
    assert seabattle("count", "--rules", "mini", "--shots", "C3 hit, C4 miss") == "71\n"
    assert seabattle("count", "--size", "3", "--fleet", "2", "--contact", "none") == "12\n"


@pytest.mark.parametrize("command", ["analyze", "count"])
@pytest.mark.parametrize(
    ("shots", "why"),
    [
        ("C3", "Cannot read the shot 'C3'"),
        ("Z9 hit", "not a cell of this board"),
        ("C3 sunk", "Under answers=hit-miss nobody is told 'sunk'"),
        ("C3 hit, C3 miss", "C3 has been shot at already"),
        ("A1 hit, A2 miss, B1 miss", "B1"),
    ],
)
def test_a_contradiction_is_named(seabattle: Command, command: str, shots: str, why: str) -> None:
    assert why in seabattle(command, "--rules", "mini", "--shots", shots, code=2)


def test_analyze_is_a_function_too() -> None:
    belief = analyze("mini", "C3 hit, C4 miss")
    assert belief.layouts == analyze(Rules.from_text("mini"), "C3 hit, C4 miss").layouts == 71
    assert belief.observation.rules.cell_name(belief.suggestion) == "B3"
