"""What people come back for, in a real browser: levels, reviews, puzzles, solo, spectators."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from seabattle.puzzles import find_puzzle
from seabattle.record import read_record
from tests.web.browsing import (
    accessibility_problems,
    begin,
    my_turn_or_end,
    new_context,
    sail,
    set_rules,
    shoot,
    tab_to,
)
from tests.web.helpers import ServerProcess
from tests.web.second_language import bypassing, speak_brackets

pytestmark = pytest.mark.browser


def saved(page: Page, button: str) -> Path:
    """The file that a button saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return Path(download.value.path())


def test_a_level_the_end_card_and_the_replay_of_its_costliest_shot(
    page: Page, server: ServerProcess
) -> None:
    page.goto(server.address)
    levels = page.locator(".level")
    expect(levels).to_have_count(4)
    expect(page.get_by_role("radio", name="Medium")).to_be_checked()
    for level in levels.all():
        expect(level).to_contain_text(re.compile(r"[0-9.]+ shots on average"))
    set_rules(page)
    page.get_by_role("radio", name="Easy").check()
    expect(levels.first).to_contain_text("shots on average", timeout=120_000)  # measured
    page.get_by_role("button", name="Start game").click()
    # The last change of the placement is undone, by button and by key.
    labels = "all => all.map(ship => ship.ariaLabel)"
    ships = page.locator(".placing .ship")
    expect(ships).to_have_count(2)
    before = ships.evaluate_all(labels)
    ships.first.focus()
    page.keyboard.press("r")
    after = ships.evaluate_all(labels)
    assert after != before
    page.get_by_role("button", name="Undo").click()
    assert ships.evaluate_all(labels) == before
    page.get_by_role("button", name="Rotate").click()
    ships.first.focus()
    page.keyboard.press("Control+z")
    assert ships.evaluate_all(labels) == before
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    sail(page)
    while my_turn_or_end(page):
        shoot(page)
    cards = page.locator(".end-card")
    expect(cards).to_have_count(2, timeout=120_000)
    expect(cards.first).to_contain_text(re.compile(r"Accuracy\s*\d+%"))
    page.locator(".saving summary").click()
    text = read_record(saved(page, "Save as text").read_text())
    assert json.loads(saved(page, "Save as JSON").read_text()) == text.to_json()
    assert saved(page, "Save as PNG").read_bytes().startswith(b"\x89PNG")
    worst = cards.first.locator(".costliest a").first
    number = int((worst.inner_text()).split()[1])
    worst.click()
    expect(page.locator(".scrub output")).to_have_text(f"{number} of {len(text.moves)}")
    assert page.url.endswith(f"?move={number}")
    expect(page.locator(".last-shot")).to_contain_text("to hit")
    # Keyboard stepping, and the URL goes along.
    page.locator("body").press("ArrowLeft")
    assert page.url.endswith(f"?move={number - 1}")
    page.keyboard.press("End")
    assert page.url.endswith(f"?move={len(text.moves)}")
    page.reload()
    expect(page.locator(".scrub output")).to_have_text(f"{len(text.moves)} of {len(text.moves)}")
    expect(page.locator(".chart .axis-title")).to_have_text(["move", "hits"])
    expect(page.locator(".chart-legend li")).to_have_count(5)
    mistake = page.locator(".mistakes a").first
    expect(mistake).to_be_visible()
    mistake.click()
    assert page.url.endswith("?move=" + mistake.inner_text().split()[1])
    page.get_by_role("link", name="Analyse this position").first.click()
    expect(page.locator(".analyse-board")).to_be_visible()
    page.goto(server.address + "#/mine")
    expect(page.locator(".tally tbody tr")).to_have_count(1)
    expect(page.locator(".tally")).to_contain_text("human-like")
    # Export, delete, undo and delete again, by keyboard alone.
    tab_to(page, "button", "Export")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    exported = json.loads(Path(download.value.path()).read_text())
    assert exported["games"][0]["accuracy"] == exported["summary"]["opponents"][0]["accuracy"]
    tab_to(page, "button", "Delete all")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".tally tbody tr")).to_have_count(1)
    tab_to(page, "button", "Delete all")
    page.keyboard.press("Enter")
    expect(page.get_by_text("All games are deleted")).to_be_visible()
    page.reload()
    expect(page.get_by_text("No finished games yet")).to_be_visible()


def test_analysis_goes_back_and_forward(page: Page, server: ServerProcess) -> None:
    page.goto(server.address + "#/analyse?rules=mini")
    board, entries = page.locator(".analyse-board"), page.locator(".entries li")
    for cell in ("A1", "A2", "A3"):
        board.locator(f"[data-cell={cell}]").click()
    expect(entries).to_have_count(3)
    page.get_by_role("button", name="Undo").click()
    expect(entries).to_have_count(2)
    page.go_back()
    expect(entries).to_have_count(1)
    expect(page).to_have_url(re.compile("A1"))
    page.keyboard.press("Control+Shift+z")
    expect(entries).to_have_count(2)
    page.get_by_role("button", name="Redo").click()
    expect(entries).to_have_count(3)
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()
    page.keyboard.press("Control+z")
    expect(entries).to_have_count(2)
    board.locator("[data-cell=B1]").click()
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()
    page.reload()
    expect(entries).to_have_count(3)
    page.get_by_role("button", name="Undo").click()
    expect(entries).to_have_count(2)


def test_puzzles_and_solo_on_a_phone_by_keyboard(browser: Browser, server: ServerProcess) -> None:
    context = new_context(
        browser, viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True
    )
    page = context.new_page()
    puzzle = find_puzzle(f"daily-{date.today().isoformat()}")
    page.goto(server.address + "#/puzzles")
    page.locator(".puzzle .cell").first.wait_for(timeout=120_000)
    for cell in puzzle.solution:
        page.locator(f"[data-cell={puzzle.rules.cell_name(cell)}]").focus()
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Submit").tap()
    expect(page.locator(".verdict")).to_contain_text("Right")
    expect(page.locator(".streak")).to_have_text("1 day in a row.")
    page.reload()
    expect(page.locator(".streak")).to_have_text("1 day in a row.")
    page.get_by_label("Kind").select_option("best")
    page.get_by_role("button", name="Another puzzle").tap()
    expect(page).to_have_url(re.compile("best-"))
    page.get_by_role("button", name="Give up").tap(timeout=120_000)
    expect(page.locator(".verdict")).to_contain_text("The solution is")
    page.goto(server.address + "#/solo")
    set_rules(page, rows=3, columns=3, fleet="2")
    page.get_by_role("button", name="Hide a fleet").tap()
    page.locator(".enemy .cell").first.focus()
    order = ["Enter", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft"]
    for step in [*order, "ArrowDown", "ArrowRight", "ArrowRight"]:
        if step != "Enter":
            page.keyboard.press(step)
        told = page.locator("[data-told]").count()
        page.keyboard.press("Enter")
        page.locator("[data-told]").nth(told).wait_for()
        if not page.locator(".board.open").count():
            break
    expect(page.locator(".turn")).to_contain_text("You found the whole fleet")
    expect(page.locator(".solo-end aside")).to_contain_text("in 1 game")
    expect(page.locator(".end-card")).to_contain_text("Accuracy", timeout=120_000)
    page.goto(server.address + "#/mine")
    expect(page.get_by_role("heading", name="Solo")).to_be_visible()
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Keyboard")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    context.close()


def test_spectators_and_the_offline_shell(browser: Browser, server: ServerProcess) -> None:
    people = [new_context(browser).new_page() for _ in range(2)]
    host, guest = people
    host.goto(server.address + "#/two")
    set_rules(host)
    host.get_by_label("Allow spectators").check()
    host.get_by_role("button", name="Create invitation").click()
    link = host.get_by_label("Invitation link").input_value()
    guest.goto(link)
    expect(guest.get_by_text("Others may watch this game")).to_be_visible()
    guest.get_by_label("Your name").fill("Bob")
    guest.get_by_role("button", name="Join the game").click()
    for person in people:
        person.get_by_role("button", name="Ready for battle").click()
    for person in people:
        person.locator(".enemy .board").wait_for()
    watching = new_context(browser)
    spectator = watching.new_page()
    game = host.url.rsplit("/", 1)[1]
    spectator.goto(f"{server.address}#/spectate/{game}")
    expect(spectator.locator(".turn")).to_contain_text("to shoot")
    host.locator(".game.my-turn").or_(host.get_by_text("’s turn")).first.wait_for()
    mover = host if host.locator(".game.my-turn").count() else guest
    shoot(mover)
    expect(spectator.locator("[data-told]")).to_have_count(1)
    assert spectator.locator(".ship").count() == 0
    # By keyboard: the shots are read cell by cell, and the link for others is copied.
    tab_to(
        spectator, "gridcell", f"A1, {spectator.locator('[data-told]').get_attribute('data-told')}"
    )
    spectator.keyboard.press("ArrowRight")
    expect(spectator.get_by_role("gridcell", name="A2, unknown").first).to_be_focused()
    tab_to(host, "button", "Copy spectator link")
    host.keyboard.press("Enter")
    expect(host.locator("#toast")).to_contain_text("spectat")
    guest.get_by_role("button", name="Resign").click()
    guest.get_by_role("button", name="Really resign?").click()
    expect(spectator.locator(".turn")).to_contain_text("wins")
    tab_to(spectator, "link", "Replay")
    spectator.keyboard.press("Enter")
    expect(spectator.locator(".scrub output")).to_have_text("0 of 1")
    # The shell opens without the server and says what is wrong.
    spectator.goto(server.address + "#/results")
    spectator.evaluate("navigator.serviceWorker.ready.then(() => true)")
    spectator.reload()
    watching.set_offline(True)
    spectator.goto(server.address + "#/play")
    spectator.reload()
    expect(spectator.locator("main")).to_contain_text("The server cannot be reached")
    watching.set_offline(False)
    spectator.get_by_role("button", name="Try again").click()
    expect(spectator.locator(".level")).to_have_count(4)
    for person in [*people, spectator]:
        person.context.close()


def test_solo_in_salvos_by_pointer_and_keyboard(page: Page, server: ServerProcess) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server.address + "#/solo")
    set_rules(page, rows=3, columns=3, fleet="2")
    page.get_by_label("Salvo").fill("3")
    page.get_by_role("button", name="Hide a fleet").click()
    fire = page.locator("button.fire")
    expect(fire).to_have_text("Fire 0/3")
    cells = page.locator(".enemy .board")
    for cell in ("A1", "A2", "A3"):
        cells.locator(f"[data-cell={cell}]").click()
    cells.locator("[data-cell=B1]").click()
    expect(page.locator("#toast")).to_contain_text("Your salvo of 3 is complete")
    assert page.locator(".enemy [data-told]").count() == 0
    page.get_by_role("button", name="Clear").click()
    expect(fire).to_have_text("Fire 0/3")
    for cell in ("A1", "A2", "A3"):
        cells.locator(f"[data-cell={cell}]").click()
    fire.click()
    expect(page.locator(".enemy [data-told]")).to_have_count(3)
    for row in "BC":
        if "whole fleet" in page.locator(".turn").inner_text():
            break
        shown = page.locator(".enemy [data-told]").count()
        page.locator(f".enemy [data-cell={row}1]").focus()
        for key in ("Enter", "ArrowRight", "Enter", "ArrowRight", "Enter"):
            page.keyboard.press(key)
        expect(fire).to_have_text("Fire 3/3")
        page.keyboard.press("f")
        expect(page.locator(".enemy [data-told]")).to_have_count(shown + 3)
    expect(page.get_by_role("button", name="Again")).to_be_visible()
    expect(page.locator(".turn")).to_contain_text("You found the whole fleet")
    expect(fire).to_be_hidden()
    expect(page.locator(".end-card")).to_contain_text("Accuracy", timeout=120_000)


def test_no_serious_accessibility_problem_in_what_people_come_back_for(
    browser: Browser, server: ServerProcess
) -> None:
    context = new_context(browser, bypass_csp=True)
    page, found = context.new_page(), list[str]()

    def check(where: str) -> None:
        found.extend(accessibility_problems(page, where))

    begin(page, server)
    page.get_by_role("button", name="Advice").click()
    page.locator(".hide-advice table").wait_for(timeout=120_000)
    check("advice")
    page.goto(server.address + "#/solo")
    set_rules(page, rows=2, columns=2, fleet="2")
    page.get_by_label("Salvo").fill("4")
    page.get_by_role("button", name="Hide a fleet").click()
    for cell in ("A1", "A2", "B1", "B2"):
        page.locator(f".enemy [data-cell={cell}]").click()
    check("solo in salvos")
    page.locator("button.fire").click()
    page.locator(".end-card").wait_for(timeout=120_000)
    check("the end of a solo game")
    page.get_by_role("link", name="Replay", exact=True).last.click()
    page.locator("table.luck tbody").wait_for(timeout=120_000)
    check("its replay")
    page.goto(server.address + "#/mine")
    page.get_by_role("button", name="Delete all").wait_for()
    assert "null" not in page.locator("main").inner_text()
    check("my games")
    page.goto(server.address + "#/puzzles/best-mini-3")
    page.locator("[data-cell=A1]").click(timeout=120_000)
    page.get_by_role("button", name="Submit").click()
    expect(page.locator(".verdict")).to_contain_text("E3 hits")
    check("a puzzle that was answered")
    page.goto(server.address + "#/puzzles/best-foo-3")
    expect(page.locator("main")).to_contain_text("Unknown rules")
    page.get_by_role("link", name="Today’s puzzle").wait_for()
    check("a puzzle that does not exist")
    page.goto(server.address + "#/two")
    page.get_by_label("Allow spectators").check()
    page.get_by_role("button", name="Create invitation").click()
    game = page.get_by_label("Invitation link").input_value().split("/join/")[1].split("/")[0]
    page.goto(f"{server.address}#/spectate/{game.split('?')[0]}")
    page.locator("main h1").wait_for(state="attached")
    check("spectating")
    assert found == []
    context.close()


def test_every_page_is_in_the_second_language(browser: Browser, server: ServerProcess) -> None:
    context = new_context(browser, locale="de-DE")
    speak_brackets(context, server)
    page = context.new_page()
    found: dict[str, list[str]] = {}

    def read(where: str) -> None:
        if texts := bypassing(page):
            found[where] = texts

    def visit(section: str, ready: str) -> None:
        page.goto(f"{server.address}#/{section}")
        page.locator(ready).first.wait_for(timeout=60_000)
        read(section)

    visit("play", ".level")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.locator(".chooser select").first.select_option("mini")
    expect(page.locator(".chooser .hint").first).to_contain_text("5 × 5")
    page.locator(".setup button.main").click()
    expect(page.locator(".placing .ship")).to_have_count(2)
    read("placement")
    page.locator(".placement button.main").click()
    page.locator(".enemy .cell").first.click()
    page.locator(".enemy [data-cell=A1][data-told]").wait_for()
    page.locator(".enemy .toggle").first.click()
    page.locator(".legend.filled").wait_for(timeout=60_000)
    read("game")
    page.locator(".resign").click()
    page.locator(".resign").click()
    page.locator(".end-card").first.wait_for(timeout=60_000)
    read("end of a game")
    page.locator(".end .actions a").first.click()
    page.locator("table.luck tbody").wait_for(timeout=60_000)
    read("replay")
    expect(page.locator(".count").first).to_have_text(re.compile("⟦0 shots, by its form⟧"))
    visit("analyse?rules=mini&shots=A1+hit", ".others button")
    visit("watch", ".setup")
    visit("two", ".setup")
    visit("solo", ".setup")
    visit("puzzles/best-mini-3", ".puzzle .cell")
    visit("mine", ".tally")
    visit("results", ".card")
    assert found == {}
    # Back to English by the visitor's own choice.
    page.locator("#language").select_option("en")
    expect(page.locator("h1")).to_have_text("Results")
    context.close()
