"""A sitting at the terminal: choose, place, shoot, and again.

Every prompt goes through `Session._ask`, which answers `help`, `hint`, `heat`,
`history`, `save` and `quit` on the spot and hands everything else to whoever asked.
What is typed never changes the game unless it is a legal move.
"""

from __future__ import annotations

import copy
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from rich.text import Text

from ..belief import Belief, infer
from ..dealing.uniform import random_layout
from ..errors import CellError, OutputError, SeabattleError, one_of
from ..experiment.play import ask
from ..game import Duel
from ..layout import Layout
from ..observation import Observation
from ..players import Player, all_players, make_player, player_info
from ..record import DuelRecord
from ..report.consult import consult
from ..report.drawing import (
    beside,
    board_lines,
    heat_lines,
    picture_of_belief,
    picture_of_game,
    picture_of_observation,
)
from ..report.drawing.picture import percent
from ..report.drawing.text import BOARD_LEGEND, HEAT_LEGEND
from ..rules import PRESETS, Rules
from ..shots import Answer, Shot
from .placement import FleetBuilder, read_placement
from .screen import Screen

LONGEST_NAME = 20
THINKING_SECONDS = 3.0
"""What `hint` and `heat` may take before they sample instead of counting."""
FAVOURITES = ("exact", "heat-map", "random")
"""The opponents offered first, the strongest one that there is."""
FIRST = ("me", "them", "random")

_COMMON = {
    "hint": "the likeliest cell to hit",
    "hint mcts": "what that player would do in your place, and what its search found",
    "heat": "what each side should think of the other's board, in percent",
    "heat them": "what your opponent's own search makes of your board",
    "history": "the shots so far",
    "save FILE": "keep the game; 'seabattle replay FILE' shows it again",
    "help": "this list",
    "quit": "leave",
}
_PLACING = {
    "B3 across": "put the next ship with its top left end on B3; or 'B3 down'",
    "cruiser B3 down": "put that ship",
    "move cruiser C4 across": "put a placed ship elsewhere",
    "random": "put the whole fleet at random",
    "undo": "take the last change back",
    "clear": "start over",
    "done": "go to battle, once every ship is placed",
}
_SHOOTING = {
    "E5": "shoot at row E, column 5",
    "board": "show both boards again",
    "resign": "give the game up",
}
_AGAIN = "Play again? [y/N] "
_AFTER = {"y": "another game between the same two", "n": "leave"}


class Quit(Exception):
    """The person wants to leave."""


@dataclass(frozen=True)
class SessionOptions:
    """What is known before the first question; what is None is asked."""

    rules: Rules | None = None
    opponent: str | None = None
    """a player's name with its parameters"""
    names: tuple[str, ...] = ()
    first: str = "me"
    """`me`, `them` or `random`"""
    two: bool = False
    """a second person plays, at the same keyboard"""


@dataclass(frozen=True)
class Participant:
    """One side of the game: a person, or a player."""

    name: str
    player: Player | None = None


@dataclass
class _State:
    """What the commands of any prompt look at."""

    seats: tuple[Participant, Participant] | None = None
    duel: Duel | None = None
    viewer: int | None = None
    """the side whose secrets may be shown"""
    help: dict[str, str] = field(default_factory=dict)
    saved: set[Path] = field(default_factory=set)


class Session:
    """One or more games between the same two."""

    def __init__(self, screen: Screen, wishes: SessionOptions, rng: np.random.Generator) -> None:
        if wishes.first not in FIRST:
            raise SeabattleError(one_of("value of --first", wishes.first, FIRST))
        if wishes.opponent is not None and wishes.two:
            raise SeabattleError("A second person is the opponent already; name no other.")
        if len(wishes.names) > (2 if wishes.two else 1):
            raise SeabattleError("There are more names than people.")
        for number, name in enumerate(wishes.names):
            checked_name(name, wishes.names[:number])
        if wishes.opponent is not None:
            make_player(wishes.opponent)
        self._screen = screen
        self._wishes = wishes
        self._rng = rng
        self._state = _State()

    @property
    def duel(self) -> Duel | None:
        """The game that is on, or that has just ended."""
        return self._state.duel

    def run(self) -> None:
        """Sit until the person leaves."""
        with self._leaving():
            self._sit()

    @contextmanager
    def _leaving(self) -> Iterator[None]:
        try:
            yield
        except (Quit, EOFError):
            self._screen.say("", "Goodbye.")
        except KeyboardInterrupt:
            self._screen.say("", "Goodbye.")
            raise

    def resume(self, record: DuelRecord) -> None:
        """Go on with a saved game that was not finished."""
        duel = record.replay(len(record.cells))
        if duel.finished:
            raise SeabattleError(
                "The saved game is finished; 'seabattle replay FILE' shows it again."
            )
        people = [side for side in (0, 1) if not _is_player(record.players[side])]
        if not people:
            raise SeabattleError("The saved game has no person in it who could go on.")
        seats = tuple(
            Participant(name or f"Player {side + 1}", None if side in people else make_player(name))
            for side, name in enumerate(record.players)
        )
        with self._leaving():
            self._battle(duel, (seats[0], seats[1]))
            while self._yes(_AGAIN):
                self._play(duel.rules, (seats[0], seats[1]))
            raise Quit

    def _sit(self) -> None:
        self._screen.say("Battleship. Type help at any prompt, quit to leave.")
        me = self._name("Your name", "Player 1", 0, ())
        rules = self._wishes.rules or self._choose_rules()
        them = self._opponent(me)
        while True:
            # Only now can it turn out that there is no way to place this fleet.
            try:
                random_layout(rules, self._rng)
            except SeabattleError as error:
                if self._wishes.rules is not None:
                    raise
                self._screen.say(str(error))
                rules = self._choose_rules()
                continue
            seats = (Participant(me), them) if self._starts() else (them, Participant(me))
            self._play(rules, seats)
            if not self._yes(_AGAIN):
                raise Quit

    def _starts(self) -> bool:
        first = self._wishes.first
        return bool(self._rng.integers(2)) if first == "random" else first == "me"

    def _name(self, question: str, default: str, place: int, taken: tuple[str, ...]) -> str:
        if place < len(self._wishes.names):
            return self._wishes.names[place]
        while True:
            try:
                return checked_name(self._ask(f"{question} [{default}]: ") or default, taken)
            except SeabattleError as error:
                self._screen.say(str(error))

    def _choose_rules(self) -> Rules:
        self._screen.say(
            f"Rules are one of {', '.join(PRESETS)}; with changes if you like, such as "
            "'classic size=8 fleet=4,3,2 contact=none'.",
        )
        while True:
            try:
                text = self._ask("Rules [classic]: ") or "classic"
                rules = Rules.from_text(text)
                break
            except SeabattleError as error:
                self._screen.say(str(error))
        if text.lower() not in PRESETS:
            return rules
        while True:
            size = self._ask(f"Board, 5x5 to 15x15 [{rules.rows}x{rules.columns}]: ")
            try:
                return rules.override(size=size) if size else rules
            except SeabattleError as error:
                self._screen.say(str(error))

    def _opponent(self, me: str) -> Participant:
        wishes = self._wishes
        if wishes.two:
            return Participant(self._name("Second name", "Player 2", 1, (me,)))
        if wishes.opponent is not None:
            return Participant(wishes.opponent.strip(), make_player(wishes.opponent))
        known = all_players()
        favourite = next(name for name in FAVOURITES if name in known)
        self._screen.say(
            f"Opponents are {', '.join(known)}; or 'two' for a second person at this keyboard."
        )
        while True:
            text = self._ask(f"Opponent [{favourite}]: ") or favourite
            if text.lower() == "two":
                return Participant(self._name("Second name", "Player 2", 1, (me,)))
            try:
                return Participant(text, make_player(text))
            except SeabattleError as error:
                self._screen.say(str(error))

    def _play(self, rules: Rules, seats: tuple[Participant, Participant]) -> None:
        """One game from the placing to the end."""
        self._state = replace(self._state, seats=seats, duel=None)
        layouts = [self._placed(rules, seats, side) for side in (0, 1)]
        self._battle(Duel(layouts[0], layouts[1]), seats)

    def _placed(self, rules: Rules, seats: tuple[Participant, Participant], side: int) -> Layout:
        if seats[side].player is not None:
            return random_layout(rules, self._rng)
        if _two_people(seats):
            self._hand_over(side)
        self._state.viewer = side
        self._state.help = _PLACING
        self._screen.say("", f"{seats[side].name}, place your fleet:")
        layout = self._place_fleet(rules)
        self._state.viewer = None
        return layout

    def _place_fleet(self, rules: Rules) -> Layout:
        fleet, undone = FleetBuilder(rules), list[FleetBuilder]()
        while True:
            self._screen.draw([Text(), *board_lines(fleet.picture())])
            self._screen.say(_ships_to_place(fleet))
            changed: FleetBuilder | None = None
            while changed is None:
                line = self._ask("Place: ")
                word = line.lower()
                try:
                    if word in ("done", "") and not fleet.missing:
                        return fleet.layout()
                    if not line:
                        continue
                    if word == "undo":
                        if not undone:
                            raise SeabattleError("There is nothing to undo.")
                        changed = undone.pop()
                        continue
                    changed = self._changed_fleet(fleet, line)
                    undone.append(fleet)
                except SeabattleError as error:
                    self._screen.say(str(error))
            fleet = changed

    def _changed_fleet(self, fleet: FleetBuilder, line: str) -> FleetBuilder:
        word, _, rest = line.partition(" ")
        match word.lower():
            case "random":
                return FleetBuilder.of(random_layout(fleet.rules, self._rng))
            case "clear":
                return FleetBuilder(fleet.rules)
            case "done":
                fleet.layout()
                return fleet
            case "move":
                return fleet.move(read_placement(rest, fleet.rules))
            case "place":
                return fleet.place(read_placement(rest, fleet.rules))
            case _:
                return fleet.place(read_placement(line, fleet.rules))

    def _battle(self, duel: Duel, seats: tuple[Participant, Participant]) -> None:
        self._state = replace(self._state, seats=seats, duel=duel, help=_SHOOTING)
        both = _two_people(seats)
        alone = None if both else next(side for side in (0, 1) if seats[side].player is None)
        self._state.viewer = alone
        if not both:
            self._show_boards()
        seated = alone
        while (side := duel.to_move) is not None:
            player = seats[side].player
            if player is not None:
                self._machine_shoots(duel, side, player)
                continue
            if both and seated != side:
                self._hand_over(side)
                self._state.viewer = seated = side
                self._show_boards()
            self._person_shoots(duel, side)
            if both and duel.to_move == 1 - side:
                self._ask("Press Enter, then hand over: ")
                self._state.viewer = None
        self._tell_end(duel, seats)

    def _hand_over(self, side: int) -> None:
        assert self._state.seats is not None
        self._state.viewer = None
        name = self._state.seats[side].name
        self._screen.hide()
        self._ask(f"{name}, take the keyboard and press Enter when nobody else looks: ")
        self._screen.hide()

    def _machine_shoots(self, duel: Duel, side: int, player: Player) -> None:
        observation = Observation(duel.rules, duel.targets[side].shots)
        name = self._seats[side].name
        try:
            with self._screen.waiting(f"{name} is thinking"):
                cell = ask(player, observation, self._rng)
        except Exception as error:  # whatever a player does, the game goes on
            self._screen.say(f"{name} could not choose ({error}); it shoots at random this time.")
            cell = int(self._rng.choice(observation.unknown))
        duel.fire(cell)
        self._show_boards()
        self._screen.say(_coloured(self._told_to_owner(duel, side, cell)))

    def _person_shoots(self, duel: Duel, side: int) -> None:
        cell = self._choose_cell(duel, side)
        if cell is None:
            duel.resign(side)
            return
        answer = duel.fire(cell)
        self._show_boards()
        told = f"You fire at {duel.rules.cell_name(cell)}: {_told(answer, duel.rules)}"
        self._screen.say(_coloured(told))
        if duel.rules.turns == "rounds" and duel.targets[side].finished and not duel.finished:
            other = self._seats[1 - side].name
            self._screen.say(f"You found the whole fleet; {other} has one shot left for a draw.")

    def _choose_cell(self, duel: Duel, side: int) -> int | None:
        """A cell that was not shot at; None to resign."""
        fired = {shot.cell: shot for shot in duel.targets[side].shots}
        while True:
            line = self._ask(f"{self._seats[side].name}, fire at: ")
            word = line.lower()
            if not line:
                continue
            if word == "resign":
                if self._yes("Give this game up? [y/N] "):
                    return None
                continue
            if word in ("board", "boards"):
                self._show_boards()
                continue
            verb, _, rest = line.partition(" ")
            try:
                cell = duel.rules.cell(rest if verb.lower() in ("fire", "shoot") else line)
            except CellError as error:
                self._screen.say(f"{error} Or type help.")
                continue
            if cell not in fired:
                return cell
            known = "a hit" if fired[cell].answer.hit else "a miss"
            self._screen.say(
                f"You have shot at {duel.rules.cell_name(cell)} already, it was {known}. "
                "Choose another cell."
            )

    def _told_to_owner(self, duel: Duel, side: int, cell: int) -> str:
        """What the person is told about a shot at their own fleet; they know their ships."""
        name, where = self._seats[side].name, duel.rules.cell_name(cell)
        target = duel.targets[side]
        ship = target.layout.ship_at.get(cell)
        if ship is None:
            return f"{name} fires at {where}: miss"
        hit = {shot.cell for shot in target.shots}
        sunk = hit.issuperset(target.layout.ship_cells[ship])
        return (
            f"{name} fires at {where}: hit"
            f"{' and sunk' if sunk else ''}, your {duel.rules.ship_names[ship]}"
        )

    def _tell_end(self, duel: Duel, seats: tuple[Participant, Participant]) -> None:
        boards = []
        for side in (0, 1):
            target = duel.targets[1 - side]
            title = _title(seats[side], "fleet")
            boards.append([title, *board_lines(picture_of_game(target.layout, target.shots))])
        self._screen.draw([Text(), *beside(boards[0], boards[1], self._screen.width), Text()])
        winner = duel.winner
        shots = [len(target.shots) for target in duel.targets]
        if winner is None:
            told = f"A draw: both found the whole fleet in {shots[0]} shots."
        elif duel.resigned is not None:
            told = f"{seats[1 - winner].name} gives up. {seats[winner].name} wins."
        else:
            told = f"{seats[winner].name} wins with {shots[winner]} shots."
        self._screen.say(Text(told, "bold"))
        self._state.help = _AFTER
        self._screen.say("'save FILE' keeps the game for 'seabattle replay FILE'.")

    def _show_boards(self) -> None:
        """Both boards as the viewer may see them."""
        duel, side = self._state.duel, self._state.viewer
        if duel is None or side is None:
            self._screen.say("There are no boards to show at the moment.")
            return
        mine, theirs = duel.targets[1 - side], duel.targets[side]
        seen = Observation(duel.rules, theirs.shots)
        left = [
            _title(self._seats[side], "fleet"),
            *board_lines(picture_of_game(mine.layout, mine.shots)),
            Text(_own_status(mine.layout, mine.shots), "dim"),
        ]
        right = [
            _title(self._seats[1 - side], "waters"),
            *board_lines(picture_of_observation(seen)),
            Text(_enemy_status(seen), "dim"),
        ]
        self._screen.draw([Text(), *beside(left, right, self._screen.width)])

    @property
    def _seats(self) -> tuple[Participant, Participant]:
        assert self._state.seats is not None
        return self._state.seats

    def _yes(self, question: str) -> bool:
        while True:
            answer = self._ask(question).lower()
            if answer in ("y", "yes"):
                return True
            if answer in ("", "n", "no"):
                return False
            self._screen.say("Please answer y or n.")

    def _ask(self, prompt: str) -> str:
        """One line that is not a command of every prompt."""
        commands: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "?": self._help,
            "hint": self._hint,
            "heat": self._heat,
            "history": self._history,
            "save": self._save,
        }
        while True:
            line = self._screen.ask(prompt)
            word, _, rest = line.partition(" ")
            if word.lower() in ("quit", "exit") and not rest:
                raise Quit
            command = commands.get(word.lower())
            if command is None:
                return line
            try:
                command(rest.strip())
            except SeabattleError as error:
                self._screen.say(str(error))

    def _help(self, _: str) -> None:
        shown = {**self._state.help, **_COMMON}
        width = max(map(len, shown))
        self._screen.say(*(f"  {name:<{width}}  {what}" for name, what in shown.items()))
        if self._state.duel is not None:
            self._screen.say(f"  Boards: {BOARD_LEGEND}.")

    def _seen(self) -> tuple[Observation, Observation]:
        """What the viewer knows of the other's board, and the other of theirs."""
        duel, side = self._state.duel, self._state.viewer
        if duel is None or side is None:
            raise SeabattleError("That works once it is your turn to shoot.")
        mine, theirs = duel.targets[side], duel.targets[1 - side]
        return Observation(duel.rules, mine.shots), Observation(duel.rules, theirs.shots)

    def _belief(self, seen: Observation) -> Belief:
        with self._screen.waiting("counting layouts"):
            return infer(seen, seconds=THINKING_SECONDS)

    def _hint(self, name: str) -> None:
        mine, _theirs = self._seen()
        if name:
            # A stream of its own: asking for a hint must not change what the opponent does.
            player, rng = make_player(name), self._rng.spawn(1)[0]
            self._show_finding(name, player, mine, rng, 1 - (self._state.viewer or 0))
            return
        belief = self._belief(mine)
        cell = belief.suggestion
        if mine.finished or cell is None:
            raise SeabattleError("There is nothing left to find.")
        chance = percent(belief.probability.flat[cell])
        how = "by samples" if belief.layouts is None else f"{belief.layouts:,} layouts left"
        self._screen.say(f"Shoot at {mine.rules.cell_name(cell)}: {chance} to hit ({how}).")

    def _heat(self, whose: str) -> None:
        mine, theirs = self._seen()
        side = self._state.viewer or 0
        if whose:
            self._heat_of(whose, theirs, side)
            return
        drawings = []
        for seen, owner, by in ((theirs, side, "the enemy"), (mine, 1 - side, "you")):
            belief = self._belief(seen)
            count = "sampled" if belief.layouts is None else f"{belief.layouts:,} layouts"
            title = _title(self._seats[owner], "board")
            heat = heat_lines(picture_of_belief(belief))
            drawings.append([title, Text(f"to {by}: {count}", "dim"), *heat])
        self._screen.draw([Text(), *beside(drawings[0], drawings[1], self._screen.width, 3)])
        self._screen.say(f"({HEAT_LEGEND})")

    def _heat_of(self, whose: str, theirs: Observation, side: int) -> None:
        """What the opponent thinks; it is shown its own shots and the answers, as ever."""
        enemy = self._seats[1 - side]
        if whose.lower() not in ("them", enemy.name.lower()):
            raise SeabattleError(
                f"It is 'heat', or 'heat them' for what {enemy.name} thinks; not 'heat {whose}'."
            )
        if enemy.player is None:
            raise SeabattleError(f"{enemy.name} is a person, and thinks without a search.")
        # Of a copy, so that it does the same when it comes to its turn.
        rng = copy.deepcopy(self._rng)
        self._show_finding(enemy.name, enemy.player, theirs, rng, side)

    def _show_finding(
        self,
        name: str,
        player: Player,
        seen: Observation,
        rng: np.random.Generator,
        owner: int,
    ) -> None:
        """What a player would do with what is seen of the owner's board, and why."""
        try:
            with self._screen.waiting(f"{name} is thinking"):
                finding = consult(name, player, seen, rng)
        except SeabattleError:
            raise
        except Exception as error:  # whatever a player does, the game goes on
            raise SeabattleError(f"{name} could not choose ({error}).") from error
        if finding.report is not None:
            title = _title(self._seats[owner], "board")
            self._screen.draw([Text(), title, *finding.maps(self._screen.width)])
        self._screen.say(finding.headline(), *finding.remarks())

    def _history(self, _: str) -> None:
        duel = self._state.duel
        if duel is None or not duel.moves:
            raise SeabattleError("No shot has been fired yet.")
        fired = [iter(target.shots) for target in duel.targets]
        width = max(len(seat.name) for seat in self._seats)
        for number, side in enumerate(duel.moves, start=1):
            shot = next(fired[side]).to_text(duel.rules)
            self._screen.say(f"{number:4}  {self._seats[side].name:<{width}}  {shot}")

    def _save(self, name: str) -> None:
        duel = self._state.duel
        if duel is None:
            raise SeabattleError("There is no game to save yet.")
        if not name:
            raise SeabattleError("Say where to, such as 'save game.txt'.")
        record = DuelRecord.of(duel, (self._seats[0].name, self._seats[1].name))
        path = Path(name).expanduser()
        try:
            # A game of this sitting may be saved again where it was; nothing else is replaced.
            with path.open("w" if path in self._state.saved else "x", encoding="utf-8") as out:
                out.write(record.to_text())
        except FileExistsError:
            raise OutputError(f"{name} exists already; choose another name.") from None
        except (OSError, ValueError) as error:
            raise OutputError(f"Cannot write {name}: {_why(error)}.") from None
        self._state.saved.add(path)
        file_name = shlex.quote(name)
        self._screen.say(f"Saved; to see it again: seabattle replay {file_name}")
        if not duel.finished:
            self._screen.say(f"To go on with it: seabattle play --resume {file_name}")


def checked_name(name: str, taken: tuple[str, ...] = ()) -> str:
    """A person's name, fit for a board's title and a record."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise SeabattleError(f"A name has 1 to {LONGEST_NAME} characters.")
    if name in taken:
        raise SeabattleError(f"There is a {name} already; the two need different names.")
    if _is_player(name):
        raise SeabattleError(f"{name!r} is the name of a computer player; choose another.")
    return name


def _is_player(name: str) -> bool:
    try:
        player_info(name.partition(":")[0].strip())
    except SeabattleError:
        return False
    return True


def _two_people(seats: tuple[Participant, Participant]) -> bool:
    return all(seat.player is None for seat in seats)


def _title(seat: Participant, what: str) -> Text:
    """Whose board it is; a player's many parameters must not widen the board."""
    name = seat.name
    return Text(f"{name if len(name) <= 24 else name[:21] + '...'}'s {what}", "bold")


def _ships_to_place(fleet: FleetBuilder) -> str:
    rules = fleet.rules
    if not fleet.missing:
        return "Every ship is placed: 'done' to go to battle, or 'move', 'undo', 'random'."
    names = [f"{rules.ship_names[ship]} ({rules.fleet[ship]})" for ship in fleet.missing]
    later = f"; then {', '.join(names[1:])}" if names[1:] else ""
    return f"Next: {names[0]}{later}. 'B3 across', 'B3 down', 'random' or 'help'."


def _told(answer: Answer, rules: Rules) -> str:
    """An answer in the words of the rules in force."""
    if not answer.hit:
        return "miss"
    name = "" if answer.ship is None else f", the {rules.ship_names[answer.ship]}"
    return f"hit{' and sunk' if answer.sunk else ''}{name}"


def _coloured(told: str) -> Text:
    """What a shot did, as the boards colour it."""
    line = Text(told)
    line.highlight_regex(r": hit.*", "bold red")
    line.highlight_regex(r": miss", "cyan")
    return line


def _own_status(layout: Layout, shots: tuple[Shot, ...]) -> str:
    fired = {shot.cell for shot in shots}
    afloat = sum(not fired.issuperset(cells) for cells in layout.ship_cells)
    return f"{afloat} of {len(layout.ship_cells)} ships afloat"


def _enemy_status(seen: Observation) -> str:
    status = f"{len(seen.hits)} of {seen.rules.ship_cells} cells hit"
    if seen.rules.answers == "hit-miss":
        return status
    sunk = sum(shot.answer.sunk for shot in seen.shots)
    return f"{status}, {sunk} of {len(seen.rules.fleet)} ships sunk"


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
