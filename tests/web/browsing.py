"""Steps of people in a browser, shared by its tests."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, expect

from tests.web.helpers import ServerProcess

PATIENCE = 30_000
expect.set_options(timeout=PATIENCE)


INSTANT = (
    "localStorage.getItem('seabattle.instant') ?? localStorage.setItem('seabattle.instant', true)"
)
"""Replies appear at once, as somebody who plays a lot may want it."""


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    context.add_init_script(INSTANT)
    return context


def set_rules(page: Page, rows: int = 4, columns: int = 4, fleet: str = "3,2") -> None:
    """Choose a small board."""
    page.get_by_text("Change the rules").click()
    page.get_by_label("Rows").fill(str(rows))
    page.get_by_label("Columns").fill(str(columns))
    page.get_by_label("Ship lengths").fill(fleet)
    expect(page.locator(".chooser .hint").first).to_contain_text(f"{rows} × {columns}")


def begin(page: Page, server: ServerProcess, opponent: str = "random", **board: Any) -> None:
    """Come to the placement of a game against a player."""
    page.goto(server.address + "#/play")
    set_rules(page, **board)
    choose_opponent(page, opponent)
    page.get_by_role("button", name="Start game").click()
    expect(page.locator(".placing .ship")).to_have_count(2)


def choose_opponent(page: Page, opponent: str) -> None:
    """Choose a player under "More opponents"."""
    chooser = page.get_by_label("Opponent", exact=True)
    if not chooser.is_visible():
        page.get_by_text("More opponents").click()
    chooser.select_option(opponent)


def sail(page: Page) -> None:
    page.get_by_role("button", name="Ready for battle").click()
    page.locator(".enemy .board").wait_for()


def unknown(page: Page) -> Any:
    return page.locator(".enemy .cell:not([data-told])")


def my_turn_or_end(page: Page) -> bool:
    """Wait; whether there is a shot to fire."""
    page.locator(".game.my-turn, .end:not(.unused)").first.wait_for()
    return page.locator(".end:not(.unused)").count() == 0


def shoot(page: Page) -> None:
    """Click an unknown cell and see it answered."""
    cell = unknown(page).first.get_attribute("data-cell")
    target = page.locator(f".enemy [data-cell={cell}]")
    target.click()
    expect(target).to_have_attribute("data-told", re.compile("miss|hit|sunk"))


def tab_to(page: Page, role: Any, name: str) -> None:
    """Go to a control as somebody without a pointer does."""
    wanted = page.locator("main").get_by_role(role, name=name, exact=True)
    for _ in range(60):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {name!r}")


def accessibility_problems(page: Page, where: str) -> list[str]:
    """What is wider than the window, or a serious problem according to axe: on a phone and a
    desktop in light, and of the colours also in dark."""
    found: list[str] = []
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        try:  # boards follow the new size a moment later
            page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
        except TimeoutError:
            found.append(f"{where} at {width}: wider than the window")
        found += _serious(page, f"{where} at {width}", {})
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    found += _serious(page, f"{where} in dark", {"runOnly": ["color-contrast"]})
    page.emulate_media(color_scheme="light")
    return found


def _serious(page: Page, where: str, options: dict[str, Any]) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    problems = Axe().run(page, options={"resultTypes": ["violations"], **options}).response
    return [
        f"{where}: {problem['id']}: {[node['html'][:120] for node in problem['nodes']][:3]}"
        for problem in problems["violations"]
        if problem["impact"] in ("serious", "critical")
    ]


def assert_accessible(page: Page, where: str) -> None:
    assert accessibility_problems(page, where) == []
