"""A session at the terminal: set up, place, shoot, and play again.

Every line is read by `Prompt.ask`, which carries out the commands that work everywhere.
Nothing that is typed changes the game unless it is a legal move.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from rich.text import Text

from ..dealing.uniform import random_layout
from ..errors import CellError, SeabattleError, one_of
from ..experiment.play import ask
from ..game import Duel
from ..layout import Layout
from ..observation import Observation
from ..players import FaultCounter, Player, make_player
from ..record import DuelRecord
from ..rules import Rules
from .board_view import boards_seen_by, open_boards, title, told_to_owner, told_to_shooter
from .participants import (
    Participant,
    Seats,
    checked_name,
    is_player_name,
    runs_a_program,
    two_people,
)
from .prompt import Prompt, Quit, SessionState
from .screen import Screen
from .setup import PLACING_HELP, SessionOptions, Setup

FIRST = ("me", "them", "random")
PLAY_AGAIN = "Play again? [y/N] "

SHOOTING_HELP = {
    "E5": "shoot at row E, column 5",
    "board": "show both boards again",
    "resign": "give up",
}
AFTER_HELP = {"y": "play another game between the same two", "n": "leave"}


class Session:
    """One or more games between the same two sides."""

    def __init__(self, screen: Screen, options: SessionOptions, rng: np.random.Generator) -> None:
        if options.first not in FIRST:
            raise SeabattleError(one_of("value of --first", options.first, FIRST))
        if options.opponent is not None and options.two:
            raise SeabattleError(
                "With --two, the second person is the opponent; leave out --opponent."
            )
        if len(options.names) > (2 if options.two else 1):
            raise SeabattleError("There are more names than people.")
        for number, name in enumerate(options.names):
            checked_name(name, options.names[:number])
        if options.opponent is not None:
            make_player(options.opponent)
        self._screen = screen
        self._options = options
        self._rng = rng
        self._state = SessionState()
        self._prompt = Prompt(screen, self._state, rng)
        self._setup = Setup(screen, self._prompt, options, rng)

    @property
    def duel(self) -> Duel | None:
        """The game being played, or the last one played."""
        return self._state.duel

    def run(self) -> None:
        """Play until the person leaves."""
        with self._leaving():
            self._play_games()

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
        """Continue a saved game that was not finished."""
        duel = record.replay(len(record.cells))
        if duel.finished:
            raise SeabattleError("This game is finished; 'seabattle replay FILE' shows it again.")
        people = [side for side in (0, 1) if not is_player_name(record.players[side])]
        if not people:
            raise SeabattleError("No person plays in this game, so nobody can continue it.")
        with self._leaving():
            # A file must not run a program that nobody has agreed to.
            for name in filter(runs_a_program, record.players):
                if not self._prompt.yes(f"This game runs a program ({name}). Run it? [y/N] "):
                    raise Quit
            seats = tuple(
                Participant(
                    name or f"Player {side + 1}", None if side in people else make_player(name)
                )
                for side, name in enumerate(record.players)
            )
            self._battle(duel, (seats[0], seats[1]))
            while self._prompt.yes(PLAY_AGAIN):
                self._play(duel.rules, (seats[0], seats[1]))
            raise Quit

    def _play_games(self) -> None:
        self._screen.say("Battleship. Type 'help' at any prompt, or 'quit' to leave.")
        me = self._setup.name("Your name", "Player 1", 0, ())
        rules = self._options.rules or self._setup.rules()
        them = self._setup.opponent(me)
        while True:
            # Whether the fleet fits the board is only known once it has been placed.
            try:
                random_layout(rules, self._rng)
            except SeabattleError as error:
                if self._options.rules is not None:
                    raise
                self._screen.say(str(error))
                rules = self._setup.rules()
                continue
            seats = (Participant(me), them) if self._starts() else (them, Participant(me))
            self._play(rules, seats)
            if not self._prompt.yes(PLAY_AGAIN):
                raise Quit

    def _starts(self) -> bool:
        """Whether the person at the keyboard shoots first."""
        first = self._options.first
        return bool(self._rng.integers(2)) if first == "random" else first == "me"

    def _play(self, rules: Rules, seats: Seats) -> None:
        """One game from placing to the end."""
        self._state.seats, self._state.duel = seats, None
        layouts = [self._placed(rules, seats, side) for side in (0, 1)]
        self._battle(Duel(layouts[0], layouts[1]), seats)

    def _placed(self, rules: Rules, seats: Seats, side: int) -> Layout:
        if seats[side].player is not None:
            return random_layout(rules, self._rng)
        if two_people(seats):
            self._hand_over(side)
        self._state.viewer = side
        self._state.help = PLACING_HELP
        self._screen.say("", f"{seats[side].name}, place your fleet:")
        layout = self._setup.fleet(rules)
        self._state.viewer = None
        return layout

    def _battle(self, duel: Duel, seats: Seats) -> None:
        self._state.seats, self._state.duel, self._state.help = seats, duel, SHOOTING_HELP
        both = two_people(seats)
        alone = None if both else next(side for side in (0, 1) if seats[side].player is None)
        self._state.viewer = alone
        if not both:
            self._show_boards()
        seated = alone
        while (side := duel.to_move) is not None:
            player = seats[side].player
            if player is not None:
                self._computer_shoots(duel, side, player)
                continue
            if both and seated != side:
                self._hand_over(side)
                self._state.viewer = seated = side
                self._show_boards()
            self._person_shoots(duel, side)
            if both and duel.to_move == 1 - side:
                self._prompt.ask("Press Enter, then hand over the keyboard: ")
                self._state.viewer = None
        self._tell_end(duel, seats)

    def _hand_over(self, side: int) -> None:
        self._state.viewer = None
        name = self._seats[side].name
        self._screen.hide()
        self._prompt.ask(f"{name}, take the keyboard and press Enter when nobody else is looking: ")
        self._screen.hide()

    def _computer_shoots(self, duel: Duel, side: int, player: Player) -> None:
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
        if isinstance(player, FaultCounter) and (faults := player.take_faults()):
            self._screen.say(f"{name}: {faults.example}")
        self._screen.say(told_to_owner(name, duel, side, cell))

    def _person_shoots(self, duel: Duel, side: int) -> None:
        cell = self._choose_cell(duel, side)
        if cell is None:
            duel.resign(side)
            return
        answer = duel.fire(cell)
        self._show_boards()
        self._screen.say(told_to_shooter(cell, answer, duel.rules))
        if duel.rules.turns == "rounds" and duel.targets[side].finished and not duel.finished:
            other = self._seats[1 - side].name
            self._screen.say(f"You found the whole fleet; {other} has one shot left for a draw.")

    def _choose_cell(self, duel: Duel, side: int) -> int | None:
        """A cell that was not shot at; None to resign."""
        fired = {shot.cell: shot for shot in duel.targets[side].shots}
        while True:
            line = self._prompt.ask(f"{self._seats[side].name}, fire at: ")
            word = line.lower()
            if not line:
                continue
            if word == "resign":
                if self._prompt.yes("Resign this game? [y/N] "):
                    return None
                continue
            if word in ("board", "boards"):
                self._show_boards()
                continue
            verb, _, rest = line.partition(" ")
            try:
                cell = duel.rules.cell(rest if verb.lower() in ("fire", "shoot") else line)
            except CellError as error:
                self._screen.say(f"{error} Type 'help' for the commands.")
                continue
            if cell not in fired:
                return cell
            known = "a hit" if fired[cell].answer.hit else "a miss"
            self._screen.say(
                f"You have already shot at {duel.rules.cell_name(cell)}: it was {known}. "
                "Choose another cell."
            )

    def _tell_end(self, duel: Duel, seats: Seats) -> None:
        titles = title(seats[0], "fleet"), title(seats[1], "fleet")
        self._screen.draw([Text(), *open_boards(duel, titles, self._screen.width), Text()])
        winner = duel.winner
        shots = [len(target.shots) for target in duel.targets]
        if winner is None:
            told = f"A draw: both found the whole fleet in {shots[0]} shots."
        elif duel.resigned is not None:
            told = f"{seats[1 - winner].name} resigns. {seats[winner].name} wins."
        else:
            told = f"{seats[winner].name} wins with {shots[winner]} shots."
        self._screen.say(Text(told, "bold"))
        self._state.help = AFTER_HELP
        self._screen.say("Type 'save FILE' to save the game for 'seabattle replay FILE'.")

    def _show_boards(self) -> None:
        """Show both boards as the viewer may see them."""
        duel, side = self._state.duel, self._state.viewer
        if duel is None or side is None:
            self._screen.say("There are no boards to show at the moment.")
            return
        self._screen.draw(boards_seen_by(side, duel, self._seats, self._screen.width))

    @property
    def _seats(self) -> Seats:
        assert self._state.seats is not None
        return self._state.seats
