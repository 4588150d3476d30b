"""A shot at a known cell in a real browser: a warning, then a wasted move."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.web.browsing import (
    assert_accessible,
    choose_opponent,
    my_turn_or_end,
    sail,
    set_rules,
    shoot,
)
from tests.web.helpers import ServerProcess

pytestmark = pytest.mark.browser


BEYOND = """() => [...document.querySelectorAll(".side")].flatMap((side) => {
  const edge = side.querySelector(".board-inner").getBoundingClientRect().right;
  const heads = [...side.querySelectorAll(".side-head > *")];
  return heads.filter((part) => part.getBoundingClientRect().right > edge + 1);
}).length"""
"""How many headings and switches reach beyond the edge of their board."""


def begin_with_repeats(page: Page, server: ServerProcess, salvo: int = 1) -> None:
    page.goto(server.address + "#/play")
    set_rules(page)
    page.get_by_label("Salvo").fill(str(salvo))
    choose_opponent(page, "random")
    expect(page.get_by_label("Allow shots at known cells")).not_to_be_checked()
    page.get_by_label("Allow shots at known cells").check()
    page.get_by_role("button", name="Start game").click()
    sail(page)
    assert page.evaluate(BEYOND) == 0


def test_a_known_cell_is_shot_at_again_after_a_warning(page: Page, server: ServerProcess) -> None:
    begin_with_repeats(page, server)
    shoot(page)
    assert my_turn_or_end(page)
    known = page.locator(".enemy .cell[data-told]").first
    told = known.get_attribute("data-told")
    log = page.locator(".log li")
    for answer in ("Choose another cell", "Waste the shot"):
        known.click()
        expect(page.locator("dialog.ask")).to_contain_text("You have already shot at A1.")
        expect(log).to_have_count(2)
        if answer == "Choose another cell":
            assert_accessible(page, "the warning")
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


def test_a_known_cell_in_a_salvo(page: Page, server: ServerProcess) -> None:
    """By pointer and keyboard; one shot of the salvo is wasted, the other is answered."""
    begin_with_repeats(page, server, salvo=2)
    fire = page.get_by_role("button", name="Fire")
    for cell in ("A1", "A2"):
        page.locator(f".enemy [data-cell={cell}]").click()
    fire.click()
    log = page.locator(".log li")
    expect(log).to_have_count(4)
    assert my_turn_or_end(page)
    page.locator(".enemy [data-cell=A1]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog.ask")).to_contain_text("You have already shot at A1.")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.ask")).to_have_count(0)
    expect(fire).to_have_text("Fire 0/2")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Waste the shot").click()
    expect(fire).to_have_text("Fire 1/2")
    page.locator(".enemy [data-cell=B1]").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("f")
    expect(log.nth(4)).to_contain_text("A1: wasted move")
    expect(log.nth(5)).to_contain_text("B1: ")
    expect(page.locator(".enemy [data-told]")).to_have_count(3)
