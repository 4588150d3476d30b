"""What the drawings show."""

from __future__ import annotations

import io
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from rich.console import Console
from rich.text import Text

from seabattle import analyze
from seabattle.belief import infer
from seabattle.errors import MissingPart
from seabattle.game import Game
from seabattle.layout import Layout
from seabattle.observation import Observation
from seabattle.report.drawing import (
    Picture,
    beside,
    board_lines,
    heat_lines,
    picture_of_belief,
    picture_of_game,
    picture_of_layout,
    picture_of_observation,
    picture_of_ship,
    to_html,
    to_png,
    to_svg,
)
from seabattle.report.drawing.colours import heat_colour, ink, luminance
from seabattle.report.drawing.picture import percent
from seabattle.rules import PRESETS, Rules

SVG = "{http://www.w3.org/2000/svg}"


def heat(rules: Rules, chances: list[float], **parts: object) -> Picture:
    return Picture(rules, tuple("." * rules.cells), tuple(chances), **parts)  # type: ignore[arg-type]


def test_the_owner_sees_ships_hits_misses_and_the_last_shot() -> None:
    rules = Rules.from_text("mini")
    game = Game(Layout.from_text("cruiser A1 across, destroyer C4 down", rules))
    for cell in ("A1", "C4", "D4", "E5"):
        game.fire(rules.cell(cell))
    drawn = "\n".join(line.plain for line in board_lines(picture_of_game(game.layout, game.shots)))
    assert drawn == (
        "   1 2 3 4 5\nA  X 3 3 . .\nB  . . . . .\nC  . . . # .\nD  . . . # .\nE  . . . . o<"
    )


def test_a_heat_map_reads_without_colour() -> None:
    rules = Rules(2, 3, (1,))
    picture = heat(rules, [0.0, 0.001, 0.006, 0.214, 0.999, 1.0], suggestion=5)
    drawn = [line.plain for line in heat_lines(picture)]
    assert drawn == ["   1  2  3", "A  . <1  1", "B 21 99>**"]


def test_percentages_are_0_and_100_only_when_certain() -> None:
    assert [percent(p) for p in (0.0, 1e-12, 0.0051, 0.5, 0.9999, 1.0)] == [
        "0%",
        "<1%",
        "1%",
        "50%",
        "99%",
        "100%",
    ]


@settings(deadline=None, max_examples=40)
@given(rows=st.integers(2, 16), columns=st.integers(2, 16))
def test_every_board_fits_80_columns(rows: int, columns: int) -> None:
    rules = Rules(rows, columns, (2,))
    picture = heat(rules, [0.5] * rules.cells, suggestion=0)
    assert max(len(line) for line in heat_lines(picture)) <= 80
    assert len({len(line.plain) for line in heat_lines(picture)}) == 1
    pair = beside(board_lines(picture), board_lines(picture), 80)
    assert max(map(len, pair)) <= 80
    assert len(pair) == len(board_lines(picture))


def test_drawings_are_stacked_on_a_narrow_screen() -> None:
    one = [Text("x" * 10)] * 3
    assert len(beside(one, one, 80)) == 3
    assert len(beside(one, one, 20)) == 7


def coloured(lines: list[Text], colours: str | None) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system=colours, width=80)  # type: ignore[arg-type]
    for line in lines:
        console.print(line)
    return out.getvalue()


def test_colour_only_adds_to_the_text() -> None:
    lines = heat_lines(picture_of_belief(analyze("mini", "C3 hit")))
    assert "48;2;" in coloured(lines, "truecolor")
    plain = coloured(lines, None)
    assert plain == "".join(line.plain + "\n" for line in lines)


def test_text_in_a_cell_reads_on_its_colour() -> None:
    for step in range(101):
        paper = heat_colour(step / 100)
        lighter, darker = sorted((luminance(paper), luminance(ink(paper))), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5  # WCAG AA
    lightness = [luminance(heat_colour(step / 100)) for step in range(101)]
    assert lightness == sorted(lightness)


@pytest.mark.parametrize("name", PRESETS)
def test_an_svg_shows_every_cell_and_says_what_it_shows(name: str) -> None:
    rules = Rules.from_text(name)
    picture = heat(rules, [0.5] * rules.cells, suggestion=7, title=f"<{name}>", caption="a & b")
    root = ElementTree.fromstring(to_svg(picture))
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == f"<{name}>"
    said = root.findtext(f"{SVG}desc") or ""
    assert f"{rules.cell_name(7)} 50%, the suggestion" in said
    assert "a & b" in said
    assert len(root.findall(f"{SVG}g")) == rules.cells
    assert "prefers-color-scheme:dark" in (root.findtext(f"{SVG}style") or "")


def test_an_svg_has_each_percentage_and_mark() -> None:
    belief = analyze("mini", "C3 hit, A1 miss")
    root = ElementTree.fromstring(to_svg(picture_of_belief(belief)))
    shown = [group.findtext(f"{SVG}text") or "" for group in root.findall(f"{SVG}g")]
    for cell, chance in enumerate(belief.probability.ravel()):
        expected = {0: "•", 12: "✕"}.get(cell, percent(float(chance))[:-1])
        assert shown[cell] == expected


def test_a_png_is_a_picture_of_the_board() -> None:
    image = Image.open(io.BytesIO(to_png(picture_of_belief(analyze("mini", "C3 hit")))))
    assert image.format == "PNG"
    assert image.width > 300
    colours = image.convert("RGB").getcolors(1_000_000)
    assert colours is not None
    assert (214, 62, 48) in {colour for _, colour in colours}  # the hit


def test_values_draw_themselves_in_a_notebook() -> None:
    belief = analyze("mini", "C3 hit")
    assert ElementTree.fromstring(belief._repr_svg_()).tag == f"{SVG}svg"
    layout = Layout.from_text("cruiser A1 across, destroyer C4 down", Rules.from_text("mini"))
    for value in (belief, belief.observation, layout):
        assert value._repr_html_().startswith("<figure")
    assert "Ships on A1, A2, A3, C4, D4." in to_svg(picture_of_layout(layout))
    assert "C3 hit" in to_html(picture_of_observation(belief.observation))


def test_each_ship_has_a_map_of_its_own() -> None:
    belief = infer(Observation.from_text("C3 hit", Rules.from_text("mini")))
    picture = picture_of_ship(belief, 1)
    assert picture.title == "destroyer, 2 cells"
    assert picture.probability is not None
    assert sum(picture.probability) == pytest.approx(2)
    # The hit is the cruiser's or the destroyer's, and the map says how likely each is.
    row = [line.plain for line in heat_lines(picture)][3]
    assert int(row.split()[3]) == round(100 * float(belief.per_ship[1][2][2]))


def test_a_png_without_matplotlib_is_refused_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingPart, match="pip install"):
        to_png(picture_of_observation(Observation(Rules())))
