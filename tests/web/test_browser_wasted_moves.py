"""A shot at a known cell in a real browser: a warning, then a wasted move."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.web.browsing import choose_opponent, my_turn_or_end, sail, set_rules, shoot
from tests.web.helpers import ServerProcess

pytestmark = pytest.mark.browser


def test_a_known_cell_is_shot_at_again_after_a_warning(page: Page, server: ServerProcess) -> None:
    page.goto(server.address + "#/play")
    set_rules(page)
    choose_opponent(page, "random")
    expect(page.get_by_label("Allow shots at known cells")).not_to_be_checked()
    page.get_by_label("Allow shots at known cells").check()
    page.get_by_role("button", name="Start game").click()
    sail(page)
    shoot(page)
    assert my_turn_or_end(page)
    known = page.locator(".enemy .cell[data-told]").first
    told = known.get_attribute("data-told")
    log = page.locator(".log li")
    for answer in ("Choose another cell", "Waste the shot"):
        known.click()
        expect(page.locator("dialog.ask")).to_contain_text("You have already shot at A1.")
        expect(log).to_have_count(2)
        page.get_by_role("button", name=answer).click()
        expect(page.locator("dialog.ask")).to_have_count(0)
    expect(log).to_have_count(4)
    expect(log.nth(2)).to_contain_text("A1: wasted move")
    expect(known).to_have_attribute("data-told", told or "")
    assert my_turn_or_end(page)
    while my_turn_or_end(page):
        shoot(page)
    card = page.locator(".end-card").first
    expect(card).to_contain_text("1 wasted", timeout=120_000)
    page.locator(".end").get_by_role("link", name="Replay").click()
    page.locator(".scrub").wait_for()
    for _ in range(3):
        page.get_by_role("button", name="Next move").click()
    expect(page.locator(".turn")).to_contain_text("A1: wasted move")
    expect(page.locator(".last-shot")).to_contain_text("A known cell: nothing to hit")
    expect(page.locator(".mistakes")).to_contain_text("wasted move", timeout=120_000)
