"""Before the battle: names, rules, the opponent, and placing a fleet."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.text import Text

from ..dealing import UNIFORM, checked_layout, make_placer
from ..dealing.plain_dealing import plain_layout
from ..dealing.uniform import random_layout
from ..errors import PlayerError, SeabattleError
from ..experiment.interruptible import interruptible
from ..layout import Layout
from ..learners.person_memory import RememberedGame, learned
from ..opponents import (
    LEVELS,
    MEDIUM,
    level_player,
    measure_strength,
    opponent_name,
    shipped_strength,
)
from ..players import all_players, make_player, player_info, why_not
from ..report.drawing import board_lines
from ..rules import PRESETS, Rules
from .participants import Participant, checked_name
from .placement import FleetBuilder
from .prompt import Prompt
from .screen import Screen
from .typed_cells import read_placement

MEASURING_SECONDS = 0.4
"""for the strength of one player under rules that have no table"""

NAME_HELP = {
    "a name": "what you want to be called, at most 20 characters",
    "Enter": "take the name in brackets",
}
RULES_HELP = {
    "classic": "the rules of this preset; 'seabattle rules' explains all of them",
    "classic size=8 fleet=4,3,2": "a preset with changes",
    "8x12 fleet=4,3 contact=none": "rules of your own",
    "Enter": "classic",
}
SIZE_HELP = {
    "8": "a board of 8 rows and 8 columns; from 2 to 16",
    "8x12": "8 rows, 12 columns",
    "Enter": "the size in brackets",
}
OPPONENT_HELP = {
    "easy": "or medium, hard, perfect: a level of difficulty",
    "more": "list all players and how strong they are under these rules",
    "density": "play against this player; 'seabattle players' describes them",
    "mcts:iterations=200": "a player with parameters",
    "two": "play against a second person at this keyboard",
    "Enter": "the level in brackets",
}
PLACING_HELP = {
    "B3 across": "place the next ship with its top left end on B3; or 'B3 down', 'B3d'",
    "cruiser B3 down": "place this ship",
    "move cruiser C4 across": "move a ship",
    "random": "place the whole fleet at random",
    "undo": "undo the last change",
    "clear": "start over",
    "done": "start the battle, once all ships are placed",
}


@dataclass(frozen=True)
class SessionOptions:
    """What is known before the first question; what is None is asked for."""

    rules: Rules | None = None
    opponent: str | None = None
    """a level of difficulty, or a player's name with its parameters"""
    names: tuple[str, ...] = ()
    first: str = "me"
    """`me`, `them` or `random`"""
    two: bool = False
    """a second person plays, at the same keyboard"""
    placer: str = UNIFORM
    """hides the computer's ships"""
    repeats: bool = False
    """people may shoot at a known cell again, which wastes the move"""
    learn: bool = False
    """the opponent learns from earlier games with this person"""


class Setup:
    """Asks for whatever the options leave open."""

    def __init__(
        self,
        screen: Screen,
        prompt: Prompt,
        options: SessionOptions,
        rng: np.random.Generator,
        *,
        repeatable: bool = True,
    ) -> None:
        """Unless its games are `repeatable`, fleets are dealt without compiled code where that
        is possible, so that a first game does not wait for the compiler."""
        self._repeatable = repeatable
        self._screen = screen
        self._prompt = prompt
        self._options = options
        self._rng = rng

    def name(self, question: str, default: str, place: int, taken: tuple[str, ...]) -> str:
        """The name of the person at this place: given as an option, or asked for."""
        if place < len(self._options.names):
            return self._options.names[place]
        while True:
            try:
                typed = self._prompt.ask(f"{question} [{default}]: ", NAME_HELP)
                return checked_name(typed or default, taken)
            except SeabattleError as error:
                self._screen.say(str(error))

    def rules(self) -> Rules:
        """Ask for a preset and the board size, or for any rules in text form."""
        self._screen.say(
            f"Choose rules: {', '.join(PRESETS)}. You can add changes, such as "
            "'classic size=8 fleet=4,3,2 contact=none'.",
        )
        while True:
            try:
                text = self._prompt.ask("Rules [classic]: ", RULES_HELP) or "classic"
                rules = Rules.from_text(text)
                break
            except SeabattleError as error:
                self._screen.say(str(error))
        if text.lower() not in PRESETS:
            return rules
        while True:
            usual = f"{rules.rows}x{rules.columns}"
            size = self._prompt.ask(f"Board size, 2x2 to 16x16 [{usual}]: ", SIZE_HELP)
            try:
                return rules.override(size=size) if size else rules
            except SeabattleError as error:
                self._screen.say(str(error))

    def opponent(self, me: str, rules: Rules) -> Participant:
        """The other side: given as an option, or asked for."""
        options = self._options
        if options.two:
            return Participant(self.name("Second player's name", "Player 2", 1, (me,)))
        if options.opponent is not None:
            return _computer(options.opponent, rules)
        self._show_levels(rules)
        while True:
            text = self._prompt.ask(f"Opponent [{MEDIUM}]: ", OPPONENT_HELP) or MEDIUM
            if text.lower() == "two":
                return Participant(self.name("Second player's name", "Player 2", 1, (me,)))
            if text.lower() == "more":
                self._show_players(rules)
                continue
            try:
                return _computer(text, rules)
            except SeabattleError as error:
                self._screen.say(str(error))

    def _show_levels(self, rules: Rules) -> None:
        """The levels of difficulty, and the shots that each needs on average."""
        self._screen.say("Choose an opponent (with the shots that it needs on average):")
        for level in LEVELS:
            player = level_player(level.name, rules)
            if player is not None:
                shots = self._shots(player, rules)
                words = f"{level.title:<8} {shots:>14}   {level.summary}"
                self._screen.say(f"  {words} ({player})")
        self._screen.say("Or 'more' for all players, 'two' for a second person at this keyboard.")

    def _show_players(self, rules: Rules) -> None:
        for name, info in all_players().items():
            if not info.runs_programs and not why_not(name, rules):
                self._screen.say(f"  {name:<22} {self._shots(name, rules):>14}   {info.summary}")

    def _shots(self, player: str, rules: Rules) -> str:
        """The shots that a player needs; measured where no table has them, if that is quick."""
        strength = shipped_strength(player, rules)
        if strength is None and not player_info(player.partition(":")[0]).slow:
            try:
                with self._screen.waiting(f"measuring {player}"):
                    strength = interruptible(
                        measure_strength, player, rules, seconds=MEASURING_SECONDS
                    )
            except SeabattleError:
                pass  # its own game says what is wrong
        return "not measured" if strength is None else strength.to_text()

    def random_fleet(self, rules: Rules) -> Layout:
        """Any legal layout, all equally likely."""
        if not self._repeatable:
            found = plain_layout(rules, random.SystemRandom())
            if found is not None:
                return found
        with self._screen.waiting("placing a fleet"):
            return random_layout(rules, self._rng)

    def computer_fleet(
        self, rules: Rules, placer: str, games: Sequence[RememberedGame] = ()
    ) -> Layout:
        """The computer's layout, as its placer chooses after these games."""
        if placer == UNIFORM:
            return self.random_fleet(rules)
        with self._screen.waiting("placing a fleet"):
            layout = learned(make_placer(placer), games).place(rules, self._rng)
            return checked_layout(layout, rules, placer)

    def fleet(self, rules: Rules, heading: str) -> Layout:
        """Let the person at the keyboard place a fleet."""
        fleet, earlier = FleetBuilder(rules), list[FleetBuilder]()
        once = [heading, ""]
        while True:
            shown: list[str | Text] = [*board_lines(fleet.picture()), _ships_to_place(fleet)]
            self._screen.show([heading, *shown], [*once, *shown])
            once = []
            changed: FleetBuilder | None = None
            while changed is None:
                line = self._prompt.ask("Place: ", PLACING_HELP)
                word = line.lower()
                try:
                    if word in ("done", "") and not fleet.missing:
                        return fleet.layout()
                    if not line:
                        continue
                    if word == "undo":
                        if not earlier:
                            raise SeabattleError("There is nothing to undo.")
                        changed = earlier.pop()
                        continue
                    changed = self._changed_fleet(fleet, line)
                    earlier.append(fleet)
                except SeabattleError as error:
                    self._screen.say(str(error))
            fleet = changed

    def _changed_fleet(self, fleet: FleetBuilder, line: str) -> FleetBuilder:
        word, _, rest = line.partition(" ")
        match word.lower():
            case "random":
                return FleetBuilder.of(self.random_fleet(fleet.rules))
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


def _computer(text: str, rules: Rules) -> Participant:
    """A computer player that can play under these rules, or an error with the reason."""
    name = opponent_name(text, rules)
    player = make_player(name)
    if reason := why_not(name, rules):
        raise PlayerError(f"{name} cannot play here: {reason}")
    return Participant(name, player)


def _ships_to_place(fleet: FleetBuilder) -> str:
    rules = fleet.rules
    if not fleet.missing:
        return "All ships are placed. Type 'done' to start, or 'move', 'undo' or 'random'."
    names = [f"{rules.ship_names[ship]} ({rules.fleet[ship]})" for ship in fleet.missing]
    later = f"; then {', '.join(names[1:])}" if names[1:] else ""
    return f"Next: {names[0]}{later}. Type 'B3 across', 'B3 down', 'random' or 'help'."
