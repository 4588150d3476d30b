"""Learning from a person's games in a real browser: opt-in, shown, and wiped with one click."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from seabattle.rules import Rules
from tests.learners.people import game_of
from tests.web.browsing import assert_accessible, my_turn_or_end, sail, set_rules, shoot
from tests.web.helpers import ServerProcess

pytestmark = pytest.mark.browser

RULES = Rules.from_text("4x4 fleet=3,2")


def test_the_opponent_learns_if_asked_shows_what_and_forgets(
    page: Page, server: ServerProcess
) -> None:
    games = [
        {"id": str(seed), **game_of(RULES, "cruiser A4 down, destroyer C3 down", seed).to_json()}
        for seed in range(5)
    ]
    page.goto(server.address + "#/play")
    kept = json.dumps({RULES.to_text(): games})
    page.evaluate("kept => localStorage.setItem('seabattle.person-memory', kept)", kept)
    set_rules(page)
    learn = page.get_by_label("Let the opponent learn from my games")
    expect(learn).not_to_be_checked()
    learn.check()
    memory = page.locator(".memory")
    expect(memory).to_contain_text("It remembers 5 games with you under these rules.")
    expect(memory).to_contain_text("You like the right edge", timeout=120_000)
    assert_accessible(page, "habits")
    page.get_by_role("button", name="Start game").click()
    sail(page)
    while my_turn_or_end(page):
        shoot(page)
    expect(page.locator(".end-card")).to_have_count(2, timeout=120_000)
    page.locator(".end").get_by_role("link", name="New game").click()
    expect(learn).to_be_checked()
    expect(memory).to_contain_text("It remembers 6 games with you under these rules.")
    page.get_by_role("button", name="Forget me").click()
    expect(memory).to_contain_text("It does not remember any games with you under these rules yet.")
    assert page.evaluate("localStorage.getItem('seabattle.person-memory')") == "{}"
