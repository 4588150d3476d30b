"""The page in a real browser, against a real server process."""

from __future__ import annotations

import hashlib
import re
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.web.browsing import (
    PATIENCE,
    accessibility_problems,
    begin,
    choose_opponent,
    my_turn_or_end,
    new_context,
    sail,
    set_rules,
    shoot,
    unknown,
)
from tests.web.helpers import Caller, ServerProcess

pytestmark = pytest.mark.browser

SMALL = "4x4 fleet=3,2 contact=any answers=sunk-named turns=alternate"


def test_a_whole_game_by_pointer_with_the_layout_verified(
    page: Page, server: ServerProcess
) -> None:
    begin(page, server)
    sail(page)
    while my_turn_or_end(page):
        shoot(page)
    expect(page.locator(".end h2")).to_have_text(re.compile("Victory|Defeat"))
    expect(page.locator(".check")).to_contain_text("layout verified")
    page.get_by_text("Fair play").click()
    codes = page.locator(".fair code").all_inner_texts()
    published, layout, nonce = codes
    assert hashlib.sha256(f"{layout}\n{nonce}".encode()).hexdigest() == published
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".placing .ship")).to_have_count(2)


def test_a_whole_game_by_keyboard(page: Page, server: ServerProcess) -> None:
    page.goto(server.address)
    set_rules(page, rows=3, columns=3, fleet="2")
    choose_opponent(page, "random")
    page.get_by_role("button", name="Start game").focus()
    page.keyboard.press("Enter")
    ship = page.locator(".placing .ship")
    ship.wait_for()
    ship.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    expect(ship).to_have_attribute("aria-label", re.compile("A1"))
    before = ship.get_attribute("aria-label") or ""
    page.keyboard.press("r")
    turned = "down" if "across" in before else "across"
    expect(ship).to_have_attribute("aria-label", re.compile(f"A1 {turned}"))
    page.keyboard.press("ArrowRight")
    expect(ship).to_have_attribute("aria-label", re.compile("A2"))
    page.get_by_role("button", name="Ready for battle").focus()
    page.keyboard.press("Space")
    page.locator(".enemy .cell").first.focus()
    steps = ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft", "ArrowDown"]
    steps += ["ArrowRight", "ArrowRight"]
    for step in [None, *steps]:
        if step:
            page.keyboard.press(step)
        if not my_turn_or_end(page):
            break
        focused = page.locator(".enemy .cell:focus")
        page.keyboard.press("Enter")
        expect(focused).to_have_attribute("data-told", re.compile("miss|hit|sunk"))
        # What happened is told to those who cannot see it.
        name = focused.get_attribute("data-cell") or ""
        heard = re.compile(f"{name}|wins|Your turn|accuracy")
        expect(page.locator("#announce")).to_contain_text(heard)
    assert not my_turn_or_end(page)


def test_ships_are_dragged_turned_and_randomised(page: Page, server: ServerProcess) -> None:
    begin(page, server, rows=6, columns=6, fleet="2,1")
    long, boat = page.locator(".placing .ship").nth(0), page.locator(".placing .ship").nth(1)
    origin = page.locator(".placing .ships").bounding_box()
    assert origin is not None
    size = origin["width"] / 6

    def drag(ship: Any, row: int, column: int) -> None:
        box = ship.bounding_box()
        page.mouse.move(box["x"] + size / 2, box["y"] + size / 2)
        page.mouse.down()
        page.mouse.move(
            origin["x"] + (column + 0.5) * size, origin["y"] + (row + 0.5) * size, steps=4
        )
        page.mouse.up()

    drag(boat, 5, 5)
    expect(boat).to_have_attribute("aria-label", re.compile("F6"))
    drag(long, 0, 0)
    expect(long).to_have_attribute("aria-label", re.compile("A1"))
    direction = "down" if "across" in (long.get_attribute("aria-label") or "") else "across"
    long.dblclick()
    expect(long).to_have_attribute("aria-label", re.compile(f"A1 {direction}"))
    drag(boat, 0, 0)
    expect(page.locator(".placement .notice:visible")).to_contain_text("Two ships lie on A1")
    expect(page.get_by_role("button", name="Ready for battle")).to_be_disabled()
    long.focus()
    page.get_by_role("button", name="Rotate").click()
    places = page.locator(".placing .ship").evaluate_all("all => all.map(s => s.ariaLabel)")
    for _ in range(20):
        page.get_by_role("button", name="Randomise").click()
        expect(page.get_by_role("button", name="Ready for battle")).to_be_enabled()
        if page.locator(".placing .ship").evaluate_all("all => all.map(s => s.ariaLabel)") != (
            places
        ):
            return
    raise AssertionError("randomising never moved a ship")


def test_touch_drags_and_double_taps(browser: Browser, server: ServerProcess) -> None:
    context = new_context(browser, has_touch=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    begin(page, server, rows=5, columns=5, fleet="2,1")
    ship = page.locator(".placing .ship").first
    before = ship.get_attribute("aria-label") or ""
    box = ship.bounding_box()
    assert box is not None
    for _ in range(2):  # at once: the page gives a person 350 ms, and `ship.tap` looks around first
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    turned = "down" if "across" in before else "across"
    expect(ship).to_have_attribute("aria-label", re.compile(turned))
    # Turned, the one ship may lie on the other.
    page.get_by_role("button", name="Randomise").tap()
    expect(page.get_by_role("button", name="Ready for battle")).to_be_enabled()
    sail(page)
    page.locator(".game.my-turn").wait_for()
    cell = page.locator(".enemy .cell").first
    cell.tap()
    expect(cell).to_have_attribute("data-told", re.compile("miss|hit|sunk"))
    context.close()


def test_heat_maps_hint_and_resigning(page: Page, server: ServerProcess) -> None:
    begin(page, server)
    sail(page)
    page.get_by_role("button", name="Heat map").click()
    legend = page.locator(".enemy .legend")
    expect(legend).to_contain_text("layouts left", timeout=120_000)
    before = legend.inner_text()
    page.get_by_role("button", name="Their view").click()
    expect(page.locator(".own .legend")).to_contain_text("layouts left")
    expect(page.get_by_role("button", name="Their search")).to_be_hidden()
    page.get_by_role("button", name="Hint").click()
    suggested = page.locator(".enemy [data-ring=hint]")
    suggested.click()
    expect(page.locator(".enemy [data-told]")).to_have_count(1)
    expect(legend).not_to_have_text(before)
    page.locator(".game.my-turn").wait_for()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(page.locator(".end")).to_contain_text("You resigned")


def test_a_reload_finds_the_game_as_it_was(page: Page, server: ServerProcess) -> None:
    begin(page, server)
    sail(page)
    page.locator(".game.my-turn").wait_for()
    shoot(page)
    page.locator(".game.my-turn").wait_for()
    told = "all => all.map(c => [c.dataset.cell, c.dataset.told])"
    before = page.locator(".game [data-told]").evaluate_all(told)
    assert len(before) == 2
    page.reload()
    page.locator(".game.my-turn").wait_for()
    assert page.locator(".game [data-told]").evaluate_all(told) == before
    shoot(page)


def test_a_killed_server_comes_back_and_the_game_goes_on(page: Page, tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    try:
        begin(page, server)
        sail(page)
        page.locator(".game.my-turn").wait_for()
        shoot(page)
        page.locator(".game.my-turn").wait_for()
        server.kill()
        expect(page.get_by_text("Connection lost")).to_be_visible()
        unknown(page).first.click()
        expect(page.locator("#toast")).to_contain_text("cannot be reached")
        expect(page.locator(".enemy [data-told]")).to_have_count(1)
        server.start()
        expect(page.get_by_text("Connection lost")).to_be_hidden()
        expect(page.locator(".enemy [data-told]")).to_have_count(1)
        while my_turn_or_end(page):
            shoot(page)
        expect(page.locator(".check")).to_contain_text("layout verified")
    finally:
        server.stop()


def test_two_people_in_two_browsers(browser: Browser, server: ServerProcess) -> None:
    contexts = [new_context(browser) for _ in range(3)]
    ann, ben, eve = (context.new_page() for context in contexts)
    ann.goto(server.address + "#/two")
    ann.get_by_label("Your name").fill("Ann")
    set_rules(ann, rows=3, columns=3, fleet="2,1")
    ann.get_by_role("button", name="Create invitation").click()
    link = ann.get_by_label("Invitation link").input_value()
    ben.goto(link)
    expect(ben.get_by_role("heading", name="Ann invites you")).to_be_visible()
    expect(ben.locator("form")).to_contain_text("3 × 3, ships of 2, 1; ships may touch")
    expect(ben.locator("form")).to_contain_text("Hints and heat maps are off.")
    ben.get_by_label("Your name").fill("Ben")
    ben.get_by_role("button", name="Join the game").click()
    expect(ann.locator(".invite")).to_be_hidden()
    eve.goto(link)
    expect(eve.locator("main")).to_contain_text("already been used")
    expect(eve.get_by_label("Your name")).to_have_count(0)
    ann.get_by_role("button", name="Ready for battle").click()
    expect(ann.locator(".before")).to_contain_text("Waiting for Ben to place the fleet")
    expect(ann).to_have_title("Waiting for Ben · seabattle")
    expect(ann.locator(".before .ship")).to_have_count(2)
    ben.get_by_role("button", name="Ready for battle").click()
    for page, other in ((ann, "Ben"), (ben, "Ann")):
        expect(page.locator(".enemy h2")).to_have_text(f"{other}’s waters")
    ben.reload()
    reloaded = 0
    while ann.locator(".end:not(.unused)").count() == 0:
        mover = ann if ann.locator(".game.my-turn").count() else ben
        other = ben if mover is ann else ann
        if not my_turn_or_end(mover):
            break
        expect(mover).to_have_title("● Your turn · seabattle")
        expect(other).to_have_title(re.compile("^(Ann|Ben)’s turn · seabattle"))
        expect(mover.get_by_role("button", name="Hint")).to_be_hidden()
        cell = unknown(mover).first.get_attribute("data-cell")
        mover.locator(f".enemy [data-cell={cell}]").click()
        # The other one sees the shot land without doing anything.
        expect(other.locator(f".own [data-cell={cell}]")).to_have_attribute(
            "data-told", re.compile("miss|hit|sunk")
        )
        reloaded += 1
        if reloaded == 2:
            other.reload()
            other.locator(".enemy .board").wait_for()
    for page in (ann, ben):
        expect(page.locator(".check")).to_contain_text("layout verified")
        expect(page.locator(".end")).to_contain_text("Played without hints.")
        expect(page).to_have_title(re.compile("Victory|Defeat"))
    ann.get_by_role("button", name="Rematch").click()
    expect(ben.get_by_role("button", name="Rematch (Ann is waiting)")).to_be_visible()
    ben.get_by_role("button", name="Rematch").click()
    for page in (ann, ben):
        expect(page.locator(".placing .ship")).to_have_count(2)
    for context in contexts:
        context.close()


def test_a_position_set_up_by_clicks_is_in_the_url(page: Page, server: ServerProcess) -> None:
    page.goto(server.address + "#/analyse?rules=mini")
    left = page.locator(".figures div", has_text="Layouts left").locator("dd")
    expect(left).to_contain_text("524", timeout=120_000)  # all layouts of these rules
    cell = page.locator("[data-cell=C3]")
    cell.click()
    expect(cell).to_have_attribute("data-told", "miss")
    cell.click()
    expect(cell).to_have_attribute("data-told", "hit")
    page.locator("[data-cell=C4]").click()
    expect(left).to_contain_text("71")
    others = page.locator(".others li", has_text="in-order")
    expect(others).to_contain_text("A1", timeout=120_000)  # some have to be compiled first
    assert "shots=C3+hit%2C+C4+miss" in page.url
    again = page.context.new_page()
    again.goto(page.url)
    expect(again.locator(".figures dd").first).to_contain_text("71")
    expect(again.locator(".entries li")).to_have_count(2)
    again.close()
    page.locator("[data-cell=A1]").focus()
    page.keyboard.press("h")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("u")
    expect(page.locator(".entries li")).to_have_count(3)
    for name in ("A5", "E1", "E5"):
        page.locator(f"[data-cell={name}]").click(click_count=2)
    expect(page.locator(".panel .notice.bad").first).to_be_visible()


def test_analysis_names_the_ship_that_sank(page: Page, server: ServerProcess) -> None:
    page.goto(server.address + "#/analyse?rules=" + SMALL.replace(" ", "+"))
    for name, clicks in (("B2", 2), ("B3", 2), ("B4", 3)):
        for _ in range(clicks):
            page.locator(f"[data-cell={name}]").click()
    expect(page.get_by_label("Answer at B4")).to_have_value(re.compile("."))
    expect(page.locator(".entries")).to_contain_text("sunk cruiser")
    expect(page.locator("[data-cell=B4]")).to_have_attribute("aria-label", "B4, sunk cruiser")
    page.get_by_label("Answer at B4").select_option(label="sunk destroyer")
    expect(page.locator("[data-cell=B4]")).to_have_attribute("aria-label", "B4, sunk destroyer")


def test_a_search_is_shown_over_the_position(page: Page, server: ServerProcess) -> None:
    page.goto(server.address + "#/analyse?rules=mini&shots=C3+hit")
    card = page.locator(".searching")
    card.get_by_label("Player").select_option("branch-mcts")
    card.get_by_text("Parameters").click()
    card.get_by_label("threads").fill("256")
    card.get_by_role("button", name="Search").click()
    expect(card.locator(".best tbody tr")).to_have_count(5)
    expect(card).to_contain_text("shots to the end, negated")
    expect(card).to_contain_text("256 threads share")
    chosen = card.locator(".best tbody th").first.inner_text()
    cell = page.locator(f".analyse-board [data-cell={chosen}]")
    expect(cell).to_have_attribute("aria-label", re.compile(r"visited 10%, value \u2212\d"))
    expect(cell).to_have_attribute("data-percent", "10")
    expect(page.locator(".analyse-board .untried")).to_have_count(14)
    page.get_by_label("Visits").press("ArrowRight")
    expect(page.get_by_label("Value", exact=True)).to_be_checked()
    expect(cell).to_have_attribute("data-percent", "99")
    page.locator(".analyse-board [data-cell=A1]").click()
    expect(card.locator(".best")).to_be_hidden()
    expect(page.locator(".analyse-board .untried")).to_have_count(0)
    card.get_by_label("iterations").fill("0")
    card.get_by_role("button", name="Search").click()
    expect(card.get_by_role("alert")).to_contain_text(
        "iterations of 'branch-mcts' must be 1 or more"
    )


def test_a_search_can_be_watched(page: Page, server: ServerProcess) -> None:
    page.goto(server.address + "#/watch")
    set_rules(page)
    page.get_by_label("First player").select_option("branch-mcts")
    page.get_by_label("Second player").select_option("random")
    page.get_by_role("button", name="Watch them play").click()
    page.get_by_role("button", name="Its search").click()  # only the first one searches
    expect(page.locator(".legend-note").first).to_contain_text("would shoot at")
    page.get_by_role("button", name="Step").click()
    expect(page.locator(".side").first.locator(".cell.last")).to_have_count(1)
    expect(page.locator(".side .legend").first).to_contain_text("share of visits")
    page.get_by_role("button", name="Its search").click()
    expect(page.locator(".side .legend").first).to_contain_text("left")


def test_the_opponents_search_can_be_seen_while_playing(page: Page, server: ServerProcess) -> None:
    begin(page, server, "branch-mcts")
    sail(page)
    page.get_by_role("button", name="Their search").click()
    expect(page.locator(".own .legend")).to_contain_text("share of visits", timeout=120_000)
    expect(page.locator(".own .legend-note")).to_contain_text("would shoot at")
    page.get_by_role("button", name="Their search").click()
    expect(page.locator(".own .legend")).not_to_contain_text("share of visits")


def test_watching_and_replaying(page: Page, server: ServerProcess) -> None:
    page.goto(server.address + "#/watch")
    set_rules(page)
    page.get_by_label("First player").select_option("greedy")
    page.get_by_label("Second player").select_option("random")
    page.get_by_role("button", name="Watch them play").click()
    page.get_by_role("button", name="Step").click()
    expect(page.locator(".count").first).to_have_text(re.compile("1 shot,"))
    page.get_by_label("Speed").fill("6")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".end h2")).to_contain_text("wins", timeout=120_000)
    expect(page.get_by_text(re.compile(r"wins \(player"))).to_have_count(2)
    expect(page.locator(".status .turn")).to_be_hidden()  # the headline is not shown twice
    expect(page.locator(".average")).to_contain_text("Watched so far: 1 game")
    expect(page.locator(".average")).to_contain_text(re.compile(r"\d+\.\d\d shots on average"))
    page.get_by_role("link", name="Replay", exact=True).last.click()
    expect(page.locator(".verdict")).to_contain_text("Luck was worth", timeout=120_000)
    expect(page.locator(".luck tbody tr")).to_have_count(2)
    page.get_by_role("button", name="First move").click()
    for _ in range(3):
        page.get_by_role("button", name="Next move").click()
    expect(page.locator(".scrub output")).to_contain_text("3 of")
    expect(page.locator("[data-told]")).to_have_count(3)
    expect(page.locator(".last-shot")).to_contain_text("to hit")
    page.get_by_role("slider", name="Move").fill("1")
    expect(page.locator("[data-told]")).to_have_count(1)
    page.get_by_role("button", name="Last move").click()
    expect(page.locator(".turn")).to_contain_text("wins")
    other = page.context.new_page()
    other.goto(server.address + "#/replay")
    other.get_by_label("Game record").fill(
        "game: seabattle-game 1\nrules: 3x3 fleet=2 contact=any answers=sunk-named "
        "turns=alternate\nplayer: me\nships: destroyer A1 across\nshots: C3 miss, A1 hit\n"
    )
    other.get_by_role("button", name="Replay").click()
    expect(other.locator(".verdict")).to_contain_text("Luck was worth")
    other.reload()  # the URL holds the record
    expect(other.locator(".scrub output")).to_contain_text("0 of 2")
    other.close()


def test_results_list_the_reports(page: Page, server: ServerProcess) -> None:
    page.goto(server.address + "#/results")
    expect(page.locator("main")).to_contain_text("Nothing here yet")
    folder = server.data / "out" / "leaderboard"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text("<!doctype html><title>Leaderboard</title><h1>Hello</h1>")
    page.reload()
    link = page.get_by_role("link", name="Leaderboard")
    with page.expect_popup() as opened:
        link.click()
    expect(opened.value.locator("h1")).to_have_text("Hello")


def test_results_count_the_games_of_people_against_each_player(
    page: Page, server: ServerProcess
) -> None:
    with httpx.Client(base_url=server.address, timeout=60) as client:
        person = Caller(client)
        person.begin(rules="mini", opponent="in-order")
        person.place()
        person.call("POST", f"/api/games/{person.game}/resign", 200)
    page.goto(server.address + "#/results")
    row = page.get_by_role("region", name="People against players").get_by_role("row")
    expect(row.filter(has_text="in-order")).to_have_text("in-order10010%")


def test_light_and_dark_and_a_choice_that_stays(browser: Browser, server: ServerProcess) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        context = new_context(browser, color_scheme=scheme)
        page = context.new_page()
        page.goto(server.address)
        page.get_by_role("heading", name="Play", exact=True).wait_for()
        paint = "element => getComputedStyle(element).backgroundColor"
        colours[scheme] = page.locator("body").evaluate(paint)
        if scheme == "dark":
            page.get_by_role("button", name="Switch to light").click()
            assert page.locator("body").evaluate(paint) == colours["light"]
            page.reload()
            page.get_by_role("heading", name="Play", exact=True).wait_for()
            assert page.locator("body").evaluate(paint) == colours["light"]
        context.close()
    assert colours["light"] != colours["dark"]


def test_the_fallback_hash_is_sha_256(page: Page, server: ServerProcess) -> None:
    page.goto(server.address)
    for text in ("", "abc", "x" * 55, "x" * 64, "carrier A1 across\n" + "0" * 64, "é" * 200):
        found = page.evaluate(
            """async text => {
                const { digestOf } = await import("/static/sha256.js");
                return [...digestOf(new TextEncoder().encode(text))];
            }""",
            text,
        )
        assert bytes(found) == hashlib.sha256(text.encode()).digest()


def test_sunk_ships_are_drawn_as_far_as_they_are_known(page: Page, server: ServerProcess) -> None:
    begin(page, server, rows=4, columns=4, fleet="2,1")
    sail(page)
    most = 0
    while my_turn_or_end(page):
        shoot(page)
        if not my_turn_or_end(page):
            break
        known = page.evaluate(
            """async () => {
                const id = location.hash.split("/")[2];
                const { token } = JSON.parse(localStorage.getItem("seabattle.seats"))[id];
                const headers = { Authorization: `Bearer ${token}` };
                const view = await (await fetch(`/api/games/${id}`, { headers })).json();
                return view.sunk[view.you];
            }"""
        )
        expect(page.locator(".enemy .ship.gone")).to_have_count(len(known["hulls"]))
        marked = page.locator(".enemy .cell.down").evaluate_all(
            "all => all.map(c => c.dataset.cell)"
        )
        assert set(marked) == set(known["cells"])
        most = max(most, len(marked))
    page.goto(server.address + "#/analyse?rules=classic&shots=E5+hit,+E6+hit,+E7+sunk+cruiser")
    expect(page.locator(".ship.gone")).to_have_count(1)
    expect(page.locator(".cell.down")).to_have_count(3)
    expect(page.locator("[data-cell=E5]")).to_have_attribute("aria-label", "E5, sunk")
    # Across or down: the other cell is not known.
    page.goto(server.address + "#/analyse?rules=classic&shots=A2+hit,+B1+hit,+A1+sunk+destroyer")
    expect(page.locator(".cell.down")).to_have_count(1)
    expect(page.locator(".ship.gone")).to_have_count(0)


def test_rules_are_read_when_the_form_is_sent(page: Page, server: ServerProcess) -> None:
    page.goto(server.address)
    choose_opponent(page, "random")
    page.get_by_text("Change the rules").click()
    page.get_by_label("Ship lengths").fill("12,3")
    page.get_by_role("button", name="Start game").click()
    expect(page.locator("form .notice.bad").first).to_contain_text("does not fit")
    expect(page.get_by_role("button", name="Start game")).to_be_enabled()
    page.get_by_label("Ship lengths").fill("3,2")
    page.get_by_label("Rows").fill("5")
    page.get_by_label("Columns").fill("7")
    page.get_by_role("button", name="Start game").click()  # at once, before the form is checked
    expect(page.locator(".placing .ship")).to_have_count(2)
    expect(page.locator(".placing .cell")).to_have_count(35)


def test_only_players_that_can_play_the_rules_are_offered(
    page: Page, server: ServerProcess
) -> None:
    page.goto(server.address)
    page.get_by_text("More opponents").click()
    chooser = page.get_by_label("Opponent", exact=True)
    disabled = chooser.locator("optgroup[label='Cannot play these rules'] option")
    expect(disabled).to_have_text(["minimax", "neat", "optimal"])
    expect(disabled.first).to_be_disabled()
    page.get_by_text("3 players cannot play these rules").click()
    expect(page.locator(".reasons")).to_contain_text("trained for 'mini'")
    chooser.select_option("cnn")
    page.get_by_label("Rules", exact=True).select_option("mini")
    expect(chooser).to_have_value("ophlp")
    chooser.select_option("neat")
    expect(page.locator(".reasons")).to_contain_text("cnn")


def test_both_results_are_shown_at_a_pace_that_a_person_can_follow(
    browser: Browser, server: ServerProcess
) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    begin(page, server, "in-order")
    sail(page)
    struck = page.locator(".own [data-told]")
    for number in range(3):
        page.locator(".game.my-turn").wait_for()
        page.evaluate("seen => (globalThis.seen = [])")
        page.evaluate(
            """() => {
                const note = (what) => seen.push([what, performance.now()]);
                const watch = (place, what) => new MutationObserver(() => note(what))
                    .observe(document.querySelector(place), { childList: true });
                watch(".mine", "mine");
                watch(".last-shot .theirs", "theirs");
            }"""
        )
        shoot(page)
        page.locator(".game.my-turn").wait_for()
        expect(struck).to_have_count(number + 1)
        expect(page.locator(".last-shot .mine")).to_contain_text("You ·")
        expect(page.locator(".last-shot .theirs")).to_contain_text("in-order ·")
        times = page.evaluate("seen")
        mine = next(moment for what, moment in times if what == "mine")
        changed = [moment for what, moment in times if what == "theirs"]
        # 900 ms, less what a busy machine takes to show the first of the two
        assert changed[-1] - mine >= 600, "the opponent's shot came too soon to be followed"
    page.get_by_text("Settings").click()
    page.get_by_role("button", name="Instant replies").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Instant replies")).to_be_hidden()
    page.reload()
    page.get_by_text("Settings").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Instant replies")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.get_by_role("button", name="Sound")).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Sound").click()
    page.keyboard.press("Escape")
    shoot(page)
    context.close()


def test_a_game_can_be_played_while_the_opponent_is_being_prepared(
    page: Page, tmp_path: Path
) -> None:
    server = ServerProcess(tmp_path, "--import", "tests.web.bad_players")
    try:
        begin(page, server, "slow-start", rows=6, columns=6)
        sail(page)
        note = "slow-start is still being prepared; a simple stand-in chose this shot."
        shoot(page)
        expect(page.locator("#toast")).to_have_text(note)
        expect(page.locator("#preparing")).to_contain_text(
            "Preparing the engine for its first use: 0 of 1 parts ready. Now slow-start, 1 function"
        )
        page.get_by_text("Shots", exact=True).click()
        expect(page.locator(".log em")).to_have_text([note])
        (tmp_path / "go-on").touch()
        expect(page.locator("#preparing")).to_be_hidden()
        page.locator(".game.my-turn").wait_for()
        shoot(page)
        expect(page.locator(".last-shot .theirs")).to_have_text(re.compile("slow-start · A[12]:"))
        page.locator(".game.my-turn").wait_for()
        expect(page.locator(".log li").last).not_to_contain_text("stand-in")
    finally:
        server.stop()


def test_focus_goes_on_and_refused_shots_are_explained(page: Page, server: ServerProcess) -> None:
    begin(page, server)
    focused = page.locator(":focus")
    expect(focused).to_have_class(re.compile("ship"))
    sail(page)
    expect(focused).to_have_class(re.compile("cell"))
    assert focused.evaluate("cell => Boolean(cell.closest('.enemy'))")
    page.locator(".game.my-turn").wait_for()
    cell = unknown(page).first.get_attribute("data-cell")
    page.locator(f".enemy [data-cell={cell}]").click()
    page.locator(".game.my-turn").wait_for()
    page.locator(f".enemy [data-cell={cell}]").click()
    expect(page.locator("#toast")).to_have_text(f"You have already shot at {cell}.")
    expect(page.locator("#toast")).to_be_visible()
    page.evaluate("localStorage.setItem('seabattle.instant', 'false')")
    unknown(page).evaluate_all("cells => cells.slice(0, 2).forEach(cell => cell.click())")
    expect(page.locator("#toast")).to_have_text("It is not your turn yet.")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_nothing_moves_the_board(
    browser: Browser, server: ServerProcess, width: int, height: int
) -> None:
    context = new_context(browser, viewport={"width": width, "height": height})
    page = context.new_page()
    begin(page, server, "human-like", rows=5, columns=5)
    sail(page)
    page.locator(".game.my-turn").wait_for()

    def place() -> list[float]:
        box = page.locator(".enemy .board").bounding_box()
        assert box is not None
        return [box["x"], box["y"] + page.evaluate("scrollY"), box["width"], box["height"]]

    before = place()
    page.get_by_role("button", name="Heat map").click()
    expect(page.locator(".enemy .legend")).to_contain_text("left", timeout=120_000)
    assert place() == before
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#toast")).to_contain_text("Hint:")
    assert place() == before
    page.get_by_text("Settings").click()
    assert place() == before
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Resign").click()
    assert place() == before
    for _ in range(4):
        if not my_turn_or_end(page):
            break
        shoot(page)
        assert place() == before
    page.context.set_offline(True)
    unknown(page).first.click()
    expect(page.locator("#toast")).to_contain_text("cannot be reached")
    assert place() == before
    page.context.set_offline(False)
    page.get_by_text("Connection lost").wait_for(state="hidden")
    while my_turn_or_end(page):
        shoot(page)
    expect(page.locator(".check")).to_contain_text("verified")
    assert place() == before
    context.close()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 700)])
def test_the_board_fits_the_window(
    browser: Browser, server: ServerProcess, width: int, height: int
) -> None:
    context = new_context(browser, viewport={"width": width, "height": height})
    page = context.new_page()

    def bottom(selector: str) -> float:
        box = page.locator(selector).first.bounding_box()
        assert box is not None
        return box["y"] + box["height"]

    page.goto(server.address)
    choose_opponent(page, "random")
    page.get_by_role("button", name="Start game").click()
    expect(page.locator(".placing .ship")).to_have_count(5)
    assert bottom(".placement .actions") <= height
    sail(page)
    assert bottom(".enemy .fleet") <= height
    assert bottom(".own .fleet") <= height
    page.goto(server.address + "#/analyse")
    page.locator(".figures dd").first.wait_for(timeout=120_000)
    assert bottom(".analyse-board .board") <= height
    page.goto(server.address + "#/watch")
    page.get_by_label("First player").select_option("random")
    page.get_by_role("button", name="Watch them play").click()
    page.get_by_role("button", name="Step").wait_for()
    assert bottom(".side .board") <= height
    context.close()


def test_agreed_hints_are_counted_for_both(browser: Browser, server: ServerProcess) -> None:
    contexts = [new_context(browser) for _ in range(2)]
    ann, ben = (context.new_page() for context in contexts)
    ann.goto(server.address + "#/two")
    ann.get_by_label("Your name").fill("Ann")
    ann.get_by_label("Allow hints and heat maps").check()
    set_rules(ann, rows=3, columns=3, fleet="2,1")
    ann.get_by_role("button", name="Create invitation").click()
    expect(ann.locator(".invite")).to_contain_text("seabattle serve --host 0.0.0.0")
    ben.goto(ann.get_by_label("Invitation link").input_value())
    expect(ben.locator("form")).to_contain_text("Both of you may use hints")
    ben.get_by_label("Your name").fill("Ben")
    ben.get_by_role("button", name="Join the game").click()
    for page in (ann, ben):
        page.get_by_role("button", name="Ready for battle").click()
    for page in (ann, ben):
        page.locator(".enemy .board").wait_for()
    mover, other = (ann, ben) if ann.locator(".game.my-turn").count() else (ben, ann)
    mover.get_by_role("button", name="Hint").click()
    mover.locator(".enemy [data-ring=hint]").click()
    other.locator(".game.my-turn").wait_for()
    other.get_by_role("button", name="Resign").click()
    other.get_by_role("button", name="Really resign?").click()
    names = {ann: "Ann", ben: "Ben"}
    expect(mover.locator(".end")).to_contain_text(f"Hints used: you 1, {names[other]} 0.")
    expect(other.locator(".end")).to_contain_text(f"Hints used: you 0, {names[mover]} 1.")
    for context in contexts:
        context.close()


def test_an_invitation_for_the_network_has_its_address_and_a_code(
    page: Page, tmp_path: Path
) -> None:
    server = ServerProcess(tmp_path, "--host", "0.0.0.0")
    try:
        page.goto(f"http://127.0.0.1:{server.port}/#/two")
        set_rules(page)
        page.get_by_role("button", name="Create invitation").click()
        link = page.get_by_label("Invitation link").input_value()
        assert link.startswith(server.address + "#/join/")
        if "//127." not in server.address:  # a machine with a network
            picture = page.get_by_role("img", name="QR code of the invitation link")
            assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
        page.get_by_role("button", name="Copy link").click()
        page.goto(link + "x")
        page.evaluate("localStorage.removeItem('seabattle.seats')")
        page.reload()
        expect(page.locator("main")).to_contain_text("not a valid invitation")
    finally:
        server.stop()


def test_analysis_is_undone_and_says_what_it_cannot_read(page: Page, server: ServerProcess) -> None:
    refused: list[str] = []
    page.on("response", lambda answer: refused.append(answer.url) if not answer.ok else None)
    page.goto(server.address + "#/analyse?rules=mini&shots=C3+hit")
    expect(page.locator(".figures dd").first).to_contain_text("exact", timeout=120_000)
    cells = page.locator(".analyse-board")
    cells.locator("[data-cell=A1]").click()
    cells.locator("[data-cell=A2]").click()
    expect(page.locator(".entries li")).to_have_count(3)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".entries li")).to_have_count(2)
    page.get_by_role("button", name="Clear").click()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.locator(".entries li")).to_have_count(1)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    # Players that cannot play these rules are not asked.
    expect(page.locator(".others li", has_text="policy-gradient-deep")).to_contain_text(
        "cannot play these rules"
    )
    expect(page.locator(".others li", has_text="in-order")).to_contain_text("A1", timeout=120_000)
    # The line below the board speaks of the position on the board.
    cells.locator("[data-cell=B3]").hover()
    expect(page.locator(".hovered")).to_contain_text("B3:")
    old = page.locator(".hovered").inner_text()
    page.locator("[data-cell=B3]").focus()
    page.keyboard.press("m")
    expect(page.locator(".hovered")).to_contain_text("B3: 0.00%")
    assert page.locator(".hovered").inner_text() != old
    page.get_by_role("heading", name="Analyse").hover()
    page.get_by_role("button", name="Copy link").focus()
    expect(page.locator(".hovered")).to_have_text("")
    assert refused == []
    page.goto(server.address + "static/icon.svg")  # else only the fragment would change
    page.goto(server.address + "#/analyse?rules=foo")
    expect(page.locator(".intro .notice.bad")).to_contain_text("Unknown rules 'foo'")
    expect(page.locator(".analyse-board .cell")).to_have_count(100)


SECTIONS = ["play", "two", "watch", "analyse?rules=mini&shots=C3+hit", "replay", "results"]
SECTIONS += ["solo", "puzzles/best-mini-3", "mine"]


def test_no_serious_accessibility_problem_at_any_width(
    browser: Browser, server: ServerProcess
) -> None:
    # The policy of the page lets no script in, so axe comes by way of the browser itself.
    context = new_context(browser, bypass_csp=True)
    page = context.new_page()
    found: list[str] = []

    def check(where: str) -> None:
        found.extend(accessibility_problems(page, where))

    for section in SECTIONS:
        page.goto(f"{server.address}#/{section}")
        page.locator("main h1").wait_for()
        if section.startswith("analyse"):
            page.locator(".figures dd").first.wait_for(timeout=120_000)
        check(section)
        if section.startswith("analyse"):
            page.get_by_label("Player", exact=True).select_option("branch-mcts")
            page.get_by_role("button", name="Search", exact=True).click()
            page.locator(".best").wait_for()
            check("a search")
            page.get_by_label("Value", exact=True).check()
            check("its values")
    begin(page, server)
    check("placing")
    sail(page)
    page.locator(".game.my-turn").wait_for()
    shoot(page)
    page.get_by_role("button", name="Heat map").click()
    expect(page.locator(".enemy .legend")).to_contain_text("left")
    check("game")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    page.locator(".end:not(.unused)").wait_for()
    check("end")
    page.get_by_role("link", name="Replay", exact=True).last.click()
    page.locator("table.luck tbody").wait_for()
    check("replay")
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    check("keyboard help")
    page.keyboard.press("Escape")
    page.goto(f"{server.address}#/two")
    page.get_by_role("button", name="Create invitation").click()
    link = page.get_by_label("Invitation link").input_value()
    check("invitation")
    page.get_by_role("button", name="Ready for battle").click()
    page.get_by_text("Waiting for the other player to join").wait_for()
    check("waiting")
    page.evaluate("localStorage.removeItem('seabattle.seats')")
    page.goto(link)
    page.get_by_label("Your name").wait_for()
    check("joining")
    assert found == []
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    check("a picture without words")
    assert [problem.split(": ")[1] for problem in found] == ["image-alt", "image-alt"]
    context.close()


def test_nothing_is_loaded_from_elsewhere_and_no_policy_is_broken(
    page: Page, server: ServerProcess
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => console.error('policy ' + e.blockedURI))"
    )
    for section in SECTIONS:
        page.goto(f"{server.address}#/{section}")
        page.locator("main h1").wait_for()
        time.sleep(0.1)
    assert asked
    assert [url for url in asked if not url.startswith(server.address)] == []


def begin_salvos(page: Page, server: ServerProcess) -> None:
    page.goto(server.address + "#/play")
    set_rules(page)
    page.get_by_label("Salvo").fill("ships")
    expect(page.locator(".chooser .hint").first).to_contain_text("ships afloat")
    choose_opponent(page, "random")
    page.get_by_role("button", name="Start game").click()
    expect(page.locator(".placing .ship")).to_have_count(2)
    sail(page)
    expect(page.locator(".turn")).to_have_text("Your turn: 2 shots")


def test_a_game_in_salvos_by_pointer(page: Page, server: ServerProcess) -> None:
    measuring, most = set[Request](), [0]

    def ask(request: Request) -> None:
        if request.url.endswith("/strength"):
            measuring.add(request)
            most[0] = max(most[0], len(measuring))

    page.on("request", ask)
    for end in ("requestfinished", "requestfailed"):
        page.on(end, lambda request: measuring.discard(request))  # type: ignore[call-overload]
    begin_salvos(page, server)
    # A browser opens six connections to a server: shots must not wait for measurements.
    assert 1 <= most[0] <= 2  # the next one starts while the end of the last one is reported
    assert not measuring
    fire_button = page.locator("button.fire")
    expect(fire_button).to_be_disabled()
    first = page.locator(".enemy [data-cell=A1]")
    first.click()
    expect(first).to_have_class(re.compile("chosen"))
    expect(fire_button).to_have_text("Fire 1/2")
    first.click()  # taken back
    expect(fire_button).to_have_text("Fire 0/2")
    assert page.locator(".enemy [data-told]").count() == 0
    while my_turn_or_end(page):
        size = int(re.findall(r"\d+", page.locator(".turn").inner_text())[0])
        cells = [each.get_attribute("data-cell") for each in unknown(page).all()[:size]]
        for cell in cells:
            page.locator(f".enemy [data-cell={cell}]").click()
        expect(fire_button).to_be_enabled()
        fire_button.click()
        for cell in cells:
            expect(page.locator(f".enemy [data-cell={cell}]")).to_have_attribute(
                "data-told", re.compile("miss|hit|sunk")
            )
    expect(page.locator(".end h2")).to_have_text(re.compile("Victory|Defeat"))
    page.locator("#main").get_by_role("link", name="Replay").click()
    expect(page.get_by_label("Move", exact=True)).to_be_visible()


def test_a_salvo_by_keyboard(page: Page, server: ServerProcess) -> None:
    begin_salvos(page, server)
    page.locator(".enemy [data-cell=A1]").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("f")  # one is missing
    expect(page.get_by_text("Choose 1 more cell first.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".enemy .chosen")).to_have_count(0)
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#announce")).to_contain_text("2 of 2 chosen")
    expect(page.locator(".enemy [data-cell=A2]")).to_have_attribute(
        "aria-label", re.compile("chosen")
    )
    page.keyboard.press("f")
    expect(page.locator(".enemy [data-told]")).to_have_count(2)
