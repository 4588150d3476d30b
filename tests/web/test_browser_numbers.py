"""A player's own numbers on the Analyse page, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from seabattle import Observation, Rules
from seabattle.players import make_player
from seabattle.players.base import MapPlayer
from tests.web.browsing import assert_accessible
from tests.web.helpers import ServerProcess

pytestmark = pytest.mark.browser


def test_the_numbers_of_a_player_are_shown_per_ship_and_summed(
    page: Page, server: ServerProcess
) -> None:
    page.goto(server.address + "#/analyse?rules=mini&shots=C3+miss")
    card = page.locator(".numbered")
    card.get_by_label("Show the numbers of").select_option("density")
    card.get_by_role("button", name="Show numbers").click()
    expect(card).to_contain_text("density would shoot at", timeout=120_000)
    density = make_player("density")
    assert isinstance(density, MapPlayer)
    *ships, total = density.maps(Observation.from_text("C3 miss", Rules.from_text("mini")))
    cell = page.locator(".analyse-board [data-cell=B3]")
    for each in (total, *ships):
        choice = page.locator(".layers").get_by_label(each.title, exact=True)
        choice.check()
        expect(page.locator(".legend .layouts")).to_have_text(each.title)
        expect(cell).to_have_attribute("data-percent", str(int(each.values[7])))
        expect(cell).to_have_attribute("aria-label", f"B3, {int(each.values[7])}")
    expect(page.get_by_label("Visits")).to_be_hidden()
    assert_accessible(page, "the numbers of a player")
    page.get_by_label("Probability").check()
    expect(page.locator(".legend .layouts")).to_contain_text("layouts left")
    page.locator(".analyse-board [data-cell=A1]").click()
    expect(page.locator(".layers")).to_be_hidden()
