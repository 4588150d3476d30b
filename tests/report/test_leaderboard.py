"""The page of the leaderboard."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from seabattle import Comparison, compare
from seabattle.players import all_players
from seabattle.report.leaderboard import ranking_page
from tests.report.made_up import made_up


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
    page = Page(
        ranking_page("leaderboard", three, all_players(), "seabattle leaderboard --games 60")
    )
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
    page = ranking_page("leaderboard", made_up("<b>&", "fine"), {}, "seabattle '<x>'")
    assert "<b>&<" not in page
    assert "&lt;b&gt;&amp;" in page
    assert "<b>&" in Page(page).text


def test_the_page_of_one_player_and_one_game_is_whole():
    result = compare(["even"], "mini", games=1)
    page = Page(ranking_page("leaderboard", result, all_players(), "x"))
    assert f"{result.players[0].mean:.2f} shots on average" in page.text
    assert "– to –" in page.text  # one game has no interval
    assert "nan" not in page.text
    assert page.tags.count("svg") > 2


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 400, 1200])
def test_the_page_shows_every_player_at_any_width_in_both_themes(
    browser, three: Comparison, tmp_path: Path, width: int, scheme: str
):
    if width == 320:  # drawings of few shots are the coarsest
        three = compare(["even", "random", "in-order"], "2x2 fleet=1", games=20)
    path = tmp_path / "index.html"
    path.write_text(ranking_page("leaderboard", three, all_players(), "seabattle leaderboard"))
    page = browser.new_page(
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
