"""A session at the terminal, line by line."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seabattle import play_duel
from seabattle.errors import SeabattleError
from seabattle.game import Duel
from seabattle.layout import Layout
from seabattle.players import register
from seabattle.record import DuelRecord, read_record
from seabattle.rules import ANSWERS, TURNS, Rules
from seabattle.terminal import Session, SessionOptions
from seabattle.terminal.board_view import told_to_owner, told_to_shooter
from tests.terminal.dialogue import Dialogue, every_cell, sit


@pytest.fixture(autouse=True)
def in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def chosen(lines: list[str], options: SessionOptions | None = None) -> tuple[Session, str]:
    dialogue = Dialogue(lines)
    session = Session(dialogue.screen, options or SessionOptions(), np.random.default_rng(1))
    session.run()
    return session, dialogue.text


def test_names_rules_and_opponent_are_prompted_for() -> None:
    session, text = chosen(["Ann", "patrol", "6", "random", "random", "done", "A1"])
    assert session.duel is not None
    assert session.duel.rules == Rules.from_text("patrol size=6")
    assert "Ann's fleet" in text
    assert "random's waters" in text
    assert session.duel.moves[:2] == [0, 1]


@pytest.mark.parametrize("side", range(5, 16))
def test_boards_from_5_to_15_fit_80_columns_side_by_side(side: int) -> None:
    _, text = sit(["random", "done", "A1"], f"patrol size={side}")
    assert max(map(len, text.splitlines())) <= 80
    row = next(line for line in text.splitlines() if line.count("A  ") == 2)
    assert row.count(".") + row.count("2") >= 2 * side - 2


def test_what_cannot_be_chosen_is_explained_and_asked_again() -> None:
    session, text = chosen(
        [
            *("a" * 40, "random", "Ann", "chess", "classic fleet=9,9,9 size=5", "mini"),
            *("1", "17", "5", "clever", "random:speed=9", "random", "random", "done"),
        ]
    )
    assert session.duel is not None
    assert session.duel.rules == Rules.from_text("mini")
    for told in (
        "A name has 1 to 20 characters.",
        "'random' is the name of a computer player",
        "Unknown rules 'chess'",
        "does not fit on a board",
        "A board has 2 to 16 rows, not 1.",
        "A board has 2 to 16 rows, not 17.",
        "Unknown player 'clever'",
        "has no parameters",
    ):
        assert told in " ".join(text.split())


def test_rules_without_room_for_the_fleet_are_prompted_for_again() -> None:
    impossible = "3x3 fleet=2,2,2 contact=none"
    session, text = chosen(["Ann", impossible, "random", "mini", "", "random", "done"])
    assert "does not fit" in text
    assert session.duel is not None
    assert session.duel.rules.name == "mini"
    with pytest.raises(SeabattleError, match="does not fit"):
        sit([], impossible)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (SessionOptions(first="nobody"), "--first"),
        (SessionOptions(opponent="random", two=True), "second person"),
        (SessionOptions(names=("Ann", "Bob")), "more names"),
        (SessionOptions(names=("Ann", "Ann"), two=True), "different names"),
        (SessionOptions(opponent="clever"), "Unknown player"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: SessionOptions, why: str) -> None:
    with pytest.raises(SeabattleError, match=why):
        Session(Dialogue([]).screen, options, np.random.default_rng())


def test_a_fleet_is_placed_adjusted_and_taken_back() -> None:
    session, text = sit(
        ["A1 across", "undo", "undo", "B1 across", "D1 down", "move cruiser C3 down", "done", "A1"]
    )
    assert "There is nothing to undo." in text
    assert session.duel is not None
    ships = session.duel.targets[1].layout.to_text()
    assert ships == "cruiser C3 down, destroyer D1 down"


def test_a_random_fleet_can_be_adjusted() -> None:
    session, _ = sit(["random", "clear", "A1 across", "C1 across", "move destroyer E1 across", ""])
    assert session.duel is not None
    assert session.duel.targets[1].layout.to_text() == "cruiser A1 across, destroyer E1 across"


def test_nobody_goes_to_battle_with_a_ship_missing() -> None:
    session, text = sit(["A1 across", "done", ""])
    assert "The destroyer is not placed yet." in text
    assert session.duel is None


def test_a_shot_at_a_known_cell_warns_and_prompts_again() -> None:
    session, text = sit(["random", "done", "A1", "a1", "fire A1", "A2"])
    assert text.count("You have already shot at A1") == 2
    assert session.duel is not None
    assert [shot.cell for shot in session.duel.targets[0].shots] == [0, 1]


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("turns", TURNS)
def test_a_whole_game_is_told_as_the_rules_tell_it(answers: str, turns: str) -> None:
    rules = f"3x4 fleet=2,1 contact=any answers={answers} turns={turns}"
    session, text = sit(["random", "done", *every_cell(rules), "n"], rules)
    duel = session.duel
    assert duel is not None
    assert duel.finished
    told = re.findall(r"^You fire at .*", text, re.MULTILINE)
    assert len(told) == len(duel.targets[0].shots)
    for line, shot in zip(told, duel.targets[0].shots, strict=True):
        assert ("hit" in line) == shot.answer.hit
        assert ("sunk" in line) == shot.answer.sunk
        named = None if shot.answer.ship is None else duel.rules.ship_names[shot.answer.ship]
        assert (", the " in line) == (named is not None)
        assert named is None or line.endswith(named)
    end = "A draw" if duel.drawn else f"{('Ann', 'random')[duel.winner or 0]} wins"
    assert end in text
    # Both boards after every move, before the first and at the end.
    assert text.count("Ann's fleet") == len(duel.moves) + 2


def test_two_shots_to_finish_in_one_round_are_a_draw() -> None:
    rules = "2x2 fleet=1 contact=any answers=hit-miss turns=rounds"
    for seed in range(50):
        session, text = sit(["random", "done", *every_cell(rules), "n"], rules, seed=seed)
        assert session.duel is not None
        if session.duel.drawn:
            assert "You found the whole fleet; random has one shot left for a draw." in text
            assert "A draw: both found the whole fleet" in text
            return
    pytest.fail("fifty games on four cells without a draw")


@pytest.mark.parametrize(("first", "side"), [("me", 0), ("them", 1)])
def test_the_side_that_was_asked_for_begins(first: str, side: int) -> None:
    session, _ = sit(["random", "done", "A1"], first=first)
    assert session.duel is not None
    assert session.duel.targets[side].shots[0].cell == 0
    # Left at the second prompt: them first means that they have shot twice.
    assert session.duel.moves == ([0, 1] if side == 0 else [0, 1, 0])


def test_the_same_seed_is_the_same_game() -> None:
    lines = ["random", "done", "A1", "A2", "hint", "A3", "history"]
    texts = [sit(lines, seed=seed)[1] for seed in (8, 8, 9)]
    assert texts[0] == texts[1] != texts[2]


def test_play_again_keeps_the_two_and_the_rules() -> None:
    rules = "2x2 fleet=2 contact=any answers=sunk turns=alternate"
    game = ["random", "done", *every_cell(rules)]
    session, text = sit([*game, "y", "random", "done", "A1", "quit"], rules)
    # The first game may end before all four shots, and what is left is typed at other
    # prompts; in any case a second placing was offered.
    assert text.count("Ann, place your fleet:") == 2
    assert text.rstrip().endswith("Goodbye.")
    assert session.duel is not None


def test_resigning_must_be_confirmed_and_loses() -> None:
    session, text = sit(["random", "done", "resign", "n", "resign", "maybe", "y", "n"])
    assert session.duel is not None
    assert session.duel.winner == 1
    assert "Please answer y or n." in text
    assert "Ann resigns. random wins." in text


def test_history_tells_every_shot_in_order() -> None:
    session, text = sit(["history", "random", "done", "history", "A1", "A2", "history"])
    assert text.count("No shot has been fired yet.") == 2
    duel = session.duel
    assert duel is not None
    for number, side in enumerate(duel.moves):
        shot = duel.targets[side].shots[number // 2].to_text(duel.rules)
        assert f"   {number + 1}  {('Ann   ', 'random')[side]}  {shot}\n" in text


def test_a_finished_game_is_saved_and_reads_back() -> None:
    session, text = sit(["random", "done", *every_cell("mini"), "save game.txt", "save game.txt"])
    record = read_record(Path("game.txt").read_text())
    assert isinstance(record, DuelRecord)
    assert session.duel is not None
    assert record == DuelRecord.of(session.duel, ("Ann", "random"))
    assert text.count("Saved. To replay it: seabattle replay game.txt") == 2


def test_saving_never_replaces_a_file_of_somebody_else() -> None:
    Path("notes").write_text("mine")
    _, text = sit(["save x", "random", "done", "save", "save notes", "save no/where", "save ."])
    assert Path("notes").read_text() == "mine"
    assert "There is no game to save yet." in text
    assert "Name a file" in text
    assert "notes already exists" in text
    assert "Cannot write no/where: no such file or directory." in text


def test_an_unfinished_game_goes_on_where_it_was() -> None:
    sit(["random", "done", "A1", "A2", "save half"])
    record = read_record(Path("half").read_text())
    assert isinstance(record, DuelRecord)
    dialogue = Dialogue(["A2", *every_cell("mini"), "save whole", "y", "random", "done"])
    later = Session(dialogue.screen, SessionOptions(), np.random.default_rng(2))
    later.resume(record)
    assert "You have already shot at A2" in dialogue.text
    assert dialogue.text.count("Ann, place your fleet:") == 1
    whole = read_record(Path("whole").read_text())
    assert isinstance(whole, DuelRecord)
    assert whole.cells[: len(record.cells)] == record.cells
    assert whole.replay(len(whole.cells)).finished
    with pytest.raises(SeabattleError, match="finished"):
        later.resume(whole)


def test_only_a_person_can_go_on_with_a_game() -> None:
    record = play_duel("random", "random", "mini")
    half = replace(record, cells=record.cells[:4])
    with pytest.raises(SeabattleError, match="No person"):
        Session(Dialogue([]).screen, SessionOptions(), np.random.default_rng()).resume(half)


def test_hint_and_heat_show_the_belief_of_both_sides() -> None:
    _, text = sit(["hint", "random", "done", "C3", "hint", "heat"])
    assert "That works once it is your turn to shoot." in text
    assert re.search(r"Shoot at [A-E][1-5]: \d+% to hit \(\d+ layouts left\)\.", text)
    heat = text[text.index("Ann's board") :]
    assert re.search(r"enemy's view: \d+ layouts +your view: \d+ layouts\n", heat)
    assert heat.count(">") >= 2


SEARCHING = "ismcts:iterations=200,threads=256,parallel=root"


def test_the_opponents_search_of_your_board_is_the_one_that_it_then_acts_on() -> None:
    _, text = sit(["random", "done", "C3", "heat them", "A1"], opponent=SEARCHING)
    told = text[text.index("fire at: heat them") : text.index("fire at: A1")]
    assert "Ann's board" in told
    assert "visits, percent    value, 0 to 99" in told
    assert "Value is shots to the end, negated" in told
    assert "Note: 256 threads share" in told
    chosen = re.search(r"would\s+shoot\s+at\s+(\w\d)", told)
    fired = re.search(r"fires at (\w\d)", text[text.index("fire at: A1") :])
    assert chosen is not None
    assert fired is not None
    assert chosen[1] == fired[1]
    assert max(map(len, text.splitlines())) <= 80


def test_a_search_shows_nothing_of_a_layout() -> None:
    """Fleets that have been answered alike look alike to every search."""
    rules = Rules.from_text("mini")
    first, second = (
        Layout.from_text(text, rules)
        for text in ("cruiser A1 across, destroyer C1 across", "cruiser A1 down, destroyer A4 down")
    )
    shown = set()
    for mine, theirs in ((first, second), (second, first)):
        fired = ("E5", "E4", "A1", "A1")
        cells = tuple(map(rules.cell, fired))
        record = DuelRecord(mine, theirs, cells, ("Ann", "ismcts:iterations=200"))
        dialogue = Dialogue(["heat them", "hint ismcts:iterations=200", "hint density"])
        Session(dialogue.screen, SessionOptions(), np.random.default_rng(1)).resume(record)
        told = dialogue.text[dialogue.text.index("heat them") :]
        shown.add(re.sub(r"in\s+[\d.]+\s+s\.", "", told))
    assert len(shown) == 1


def test_asking_for_thoughts_does_not_change_the_game() -> None:
    asked, _ = sit(["random", "done", "hint mcts:iterations=5", "heat them", "C3", "A1"])
    quiet, _ = sit(["random", "done", "C3", "A1"])
    assert asked.duel is not None
    assert quiet.duel is not None
    assert asked.duel.targets[1].shots == quiet.duel.targets[1].shots


def test_players_without_a_search_say_so() -> None:
    class Broken:
        def choose(self, observation: object, rng: object) -> int:
            return 0

        def report(self, observation: object, rng: object) -> int:
            raise ZeroDivisionError("no budget")

    register("broken-search", summary="fails")(Broken)
    _, text = sit(["heat them", "random", "done", "hint density", "heat them", "heat you"])
    assert "That works once it is your turn to shoot." in text
    assert re.search(r"density does not search; it would shoot at [A-E][1-5]\.", text)
    assert re.search(r"random does not search; it would shoot at [A-E][1-5]\.", text)
    assert "'heat them' for random's search, not 'heat you'." in text
    _, text = sit(["random", "done", "hint nobody", "hint mcts:iterations=0", "hint broken-search"])
    assert "Unknown player 'nobody'" in text
    assert "iterations of 'mcts' must be 1 or more, not 0." in text
    assert "broken-search could not choose (no budget)." in text
    lines = ["", "random", "done", "", "random", "done", "", "heat them"]
    _, text = sit(lines, two=True, names=("Ann", "Bob"))
    assert "Bob is a person and has no search to show." in text


def test_help_explains_the_prompt_at_which_it_is_typed() -> None:
    lines = ["help", "Ann", "?", "mini", "help", "", "help", "random", "help", "random", "done"]
    _, text = chosen([*lines, "help", "resign", "help", "y", "help", "n"])
    shown = re.split(r"^[^\n]*?[:\]] (?:help|\?)\n", text, flags=re.MULTILINE)[1:]
    helps = [re.findall(r"^  (\S+(?: \S+)*?)  ", part, re.MULTILINE) for part in shown]
    assert [each[0] for each in helps] == [
        *("a name", "classic", "8", "easy", "B3 across", "E5", "y", "y")
    ]
    assert all("quit" in each for each in helps)
    # What needs a game is listed once there is one.
    assert ["save FILE" in each for each in helps] == [False] * 5 + [True] * 3
    assert ["hint" in each for each in helps] == [False] * 5 + [True] * 2 + [False]


@pytest.mark.parametrize("word", ["q", "quit", "EXIT"])
def test_q_leaves_and_is_no_name(word: str) -> None:
    _, text = chosen([word, "mini"])
    assert "Rules" not in text
    assert text.endswith("Goodbye.\n")
    with pytest.raises(SeabattleError, match="is a command at every prompt"):
        sit([], names=(word,))


def test_enter_plays_again() -> None:
    rules = "2x2 fleet=1 contact=any answers=sunk turns=alternate"
    _, text = sit(["random", "done", "resign", "y", "", "random"], rules)
    assert "Play again? [Y/n]" in text
    assert text.count("Ann, place your fleet:") == 2


def test_cells_are_read_in_either_order() -> None:
    session, _ = sit(["b3d", "destroyer 5 A d", "done", "5E", "e 4", "fire 3e", "E3"])
    duel = session.duel
    assert duel is not None
    assert duel.targets[1].layout.to_text() == "cruiser B3 down, destroyer A5 down"
    assert [duel.rules.cell_name(shot.cell) for shot in duel.targets[0].shots] == ["E5", "E4", "E3"]


def test_only_opponents_that_can_play_the_rules_are_offered() -> None:
    _, text = chosen(["Ann", "classic", "", "neat", "random", "quit"])
    offered = " ".join(text[text.index("Choose an opponent") : text.index("Opponent [")].split())
    assert "density" in offered
    assert "neat" not in offered
    told = " ".join(text[text.index("]: neat") :].split())
    assert "was trained for 'mini' and cannot play 'classic'" in told
    with pytest.raises(SeabattleError, match="cannot play 'classic'"):
        sit([], "classic", opponent="neat")


def test_two_people_see_only_their_own_ships() -> None:
    lines = ["", "A1 across", "C1 across", "done"]
    lines += ["", "D3 across", "B4 across", "done"]
    lines += ["", "D3", "", "", "E5", ""]
    session, text = sit(lines, two=True, names=("Ann", "Bob"))
    duel = session.duel
    assert duel is not None
    assert duel.moves == [0, 1]
    screens = text.split("-" * 78)
    anns = [screen for screen in screens if "Ann, place" in screen or "Ann, fire" in screen]
    bobs = [screen for screen in screens if "Bob, place" in screen or "Bob, fire" in screen]
    assert len(anns) == 2
    assert len(bobs) == 2
    assert "Bob's waters" in anns[1]
    assert all("D  . . 3" not in screen for screen in anns)
    assert all("A  3" not in screen for screen in bobs)


def test_nothing_secret_is_shown_while_the_keyboard_changes_hands() -> None:
    lines = ["", "random", "done", "", "random", "done", "heat", "hint", "board", "", "A1"]
    _, text = sit(lines, two=True, names=("Ann", "Bob"))
    between = text.split("-" * 78)[5]
    assert between.count("That works once it is your turn to shoot.") == 2
    assert "fleet" not in between


def test_a_player_that_fails_costs_nobody_the_game() -> None:
    class Broken:
        def choose(self, observation: object, rng: object) -> int:
            raise RuntimeError("no idea")

    register("broken-in-test", summary="fails")(Broken)
    session, text = sit(["random", "done", "A1"], opponent="broken-in-test")
    assert "could not choose (no idea); it shoots at random" in text
    assert session.duel is not None
    assert session.duel.moves == [0, 1]


cells = st.sampled_from(every_cell("mini"))
commands = st.sampled_from(
    [
        *("", "help", "history", "history x", "board", "save", "save a b", "y", "n", "undo"),
        *("done", "hint", "heat", "random", "clear", "move cruiser A1 down", "B2 across", "E9"),
        *("A0", "F1", "A"),
    ]
)
typed = st.lists(st.one_of(cells, commands, st.text(max_size=40)), max_size=40)


@settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(typed)
def test_whatever_is_typed_only_legal_shots_are_fired(lines: list[str]) -> None:
    lines = [line for line in lines if line.strip().lower() not in ("quit", "exit", "q")]
    session, text = sit(["A1 across", "C1 across", "done", *lines])
    legal: list[str] = []
    for line in lines:
        # What is not printable counts as a space, at the ends too.
        clean = "".join(c if c.isprintable() else " " for c in line).strip()
        match = re.fullmatch(
            r"(?:(?:fire|shoot) +)?(?:([A-E]) *([1-5])|([1-5]) *([A-E]))", clean, re.IGNORECASE
        )
        name = "" if match is None else (match[1] or match[4]).upper() + (match[2] or match[3])
        if name and name not in legal:
            legal.append(name)
    duel = session.duel
    if duel is None:  # the game ended and another one was begun
        return
    fired = [duel.rules.cell_name(shot.cell) for shot in duel.targets[0].shots]
    if text.count("place your fleet:") == 1:
        assert fired == legal[: len(fired)]
        assert duel.finished or fired == legal
    assert text.rstrip().endswith("Goodbye.")


@settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(typed)
def test_whatever_is_typed_from_the_first_prompt_on_nothing_breaks(lines: list[str]) -> None:
    _, text = chosen(lines)
    assert text.rstrip().endswith("Goodbye.")


ENGINE = f"exec:{sys.executable} {Path(__file__).parents[1] / 'engine' / 'faulty_engine.py'}"


def test_an_engine_plays_in_the_terminal_and_its_faults_are_told() -> None:
    session, text = sit(["random", "done", *every_cell("mini")], opponent=f"{ENGINE} illegal 1")
    assert session.duel is not None
    assert session.duel.finished
    assert "illegal shot: 'Z99' is not a cell of this board" in " ".join(text.split())


def test_a_saved_game_does_not_run_a_program_that_nobody_agreed_to(tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    record = play_duel("random", "random", "mini")
    name = f"exec:touch {touched}"
    half = replace(record, cells=record.cells[:4], players=("Ann", name))
    for answer in ("n", "", "no"):
        dialogue = Dialogue([answer])
        Session(dialogue.screen, SessionOptions(), np.random.default_rng()).resume(half)
        assert f"This game runs a program ({name})" in " ".join(dialogue.text.split())
        assert not touched.exists()
    good = replace(half, players=("Ann", f"{ENGINE} good 1000"))
    dialogue = Dialogue(["y", *every_cell("mini")])
    Session(dialogue.screen, SessionOptions(), np.random.default_rng(1)).resume(good)
    assert "wins with" in dialogue.text


def test_with_repeats_a_known_cell_is_shot_at_again_after_a_warning() -> None:
    session, text = sit(
        ["random", "done", "A1", "A1", "n", "A1", "y", "A2", "history"], repeats=True
    )
    assert text.count("You have already shot at A1: it was a") == 2
    assert text.count("Waste this move? [y/N]") == 2
    assert "You fire at A1 again: the move is wasted" in text
    assert session.duel is not None
    assert [shot.cell for shot in session.duel.targets[0].shots] == [0, 1]
    assert session.duel.repeats == (0,)
    assert session.duel.moves == [0, 1] * 3
    assert "A1 wasted" in text


def test_a_salvo_is_told_in_one_line_and_sinks_a_ship_once() -> None:
    """Ten lines for two salvos would push the boards off a screen of 24."""
    rules = Rules.from_text("4x4 fleet=2,2 salvo=2")
    layout = Layout.from_text("destroyer A1 across, destroyer-2 C1 across", rules)
    duel = Duel(layout, layout)
    told = told_to_shooter(duel.fire_salvo([0, 1]), rules)
    assert told.plain == "You fire at A1: hit; A2: hit and sunk, the destroyer"
    duel.fire_salvo([0, 1])
    told = told_to_owner("Bob", duel, 1, [0, 1])
    assert told.plain == "Bob fires at A1: hit, your destroyer; A2: hit and sunk, your destroyer"


def test_a_wasted_shot_in_a_salvo_leaves_hints_and_the_end_card_sound() -> None:
    rules = "3x3 fleet=2 salvo=2"
    lines = ["random", "done", "A1 A2", "A1", "y", "hint", "A3", *every_cell(rules)[3:], "n"]
    session, text = sit(lines, rules, seed=3, repeats=True)
    assert session.duel is not None
    assert session.duel.wasted_by(0) == 1
    assert "to hit" in text
    assert "(1 wasted)" in text


def test_a_kept_game_with_repeats_goes_on_with_them(tmp_path: Path) -> None:
    sit(["random", "done", "A1", "A1", "y", "save game.txt"], repeats=True)
    record = read_record((tmp_path / "game.txt").read_text())
    assert isinstance(record, DuelRecord)
    dialogue = Dialogue(["A1", "y"])
    again = Session(dialogue.screen, SessionOptions(), np.random.default_rng(2))
    again.resume(record)
    assert again.duel is not None
    assert again.duel.wasted_by(0) == 2
