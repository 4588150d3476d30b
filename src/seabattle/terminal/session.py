"""A session at the terminal: set up, place, shoot, and play again.

Every line is read by `Prompt.ask`, which carries out the commands that work everywhere.
Nothing that is typed changes the game unless it is a legal move.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from rich.text import Text

from ..dealing import UNIFORM, make_placer
from ..errors import CellError, RecordError, SeabattleError, one_of
from ..experiment.interruptible import interruptible
from ..experiment.play import ask
from ..experiment.stand_in import stand_in_cell
from ..game import Duel
from ..layout import Layout
from ..learners.person_habits import MOST_TOLD, habits
from ..learners.person_memory import RememberedGame, learned
from ..observation import Observation
from ..opponents import is_level
from ..players import FaultCounter, Player, all_players, make_player, player_info
from ..record import DuelRecord
from ..rules import Rules
from ..shots import Shot
from .board_view import boards_seen_by, open_boards, title, told_to_owner, told_to_shooter
from .end_card import show_end_card
from .first_use import FirstUse, is_first_use
from .memory_files import MemoryFiles
from .participants import (
    Participant,
    Seats,
    checked_name,
    is_player_name,
    runs_a_program,
    two_people,
)
from .prompt import SALVO_HELP, Prompt, Quit, SessionState
from .saved_games import SavedGames
from .screen import Screen
from .setup import SessionOptions, Setup
from .typed_cells import cells_left, known_cell, read_cell, read_cells, why_refused

FIRST = ("me", "them", "random")

SHOOTING_HELP = {
    "E5": "shoot at row E, column 5; '5e' and 'e 5' do the same",
    "board": "show both boards again",
    "resign": "give up",
}
REPEAT_HELP = {"y": "waste the move: it tells you nothing", "n": "choose another cell"}
RESIGN_HELP = {"y": "give up; the other side wins", "n": "play on"}
AGAIN_HELP = {"y": "play another game between the same two", "n": "leave"}
HAND_OVER_HELP = {"Enter": "go on; only whoever is to play next should look"}


def _check_learning(options: SessionOptions) -> None:
    """Refuse to learn with an opponent who cannot."""
    name = options.opponent or ""
    if options.two or is_level(name) or not player_info(name.partition(":")[0]).learns:
        who = ", ".join(name for name, info in all_players().items() if info.learns)
        raise SeabattleError(f"With --learn the opponent must be one who learns: {who}.")


class Session:
    """One or more games between the same two sides."""

    def __init__(
        self,
        screen: Screen,
        options: SessionOptions,
        rng: np.random.Generator,
        saved: SavedGames | None = None,
        stand_in: bool = False,
        memories: MemoryFiles | None = None,
    ) -> None:
        """With `stand_in`, a simple player shoots while the opponent is compiled for first use."""
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
        if options.opponent is not None and not is_level(options.opponent):
            make_player(options.opponent)
        make_placer(options.placer)
        if options.learn:
            _check_learning(options)
        self._screen = screen
        self._options = options
        self._rng = rng
        self._saved = saved
        self._resumed: Path | None = None
        """the file of the game that is being continued"""
        self._state = SessionState()
        self._prompt = Prompt(screen, self._state, rng)
        self._setup = Setup(screen, self._prompt, options, rng, repeatable=not stand_in)
        self._stand_in = stand_in
        self._first_use: FirstUse | None = None
        self._memories = memories if options.learn else None
        """None if nobody is to be remembered, or the memory is damaged"""

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
            self.leave()
        except KeyboardInterrupt:
            self.leave()
            raise
        finally:
            if self._first_use is not None:
                self._first_use.stop()

    def leave(self) -> None:
        """Keep the game if it is not finished, and say goodbye."""
        self._screen.say("", *self._kept(), "Goodbye.")

    def _kept(self) -> list[str]:
        """Keep an unfinished game, and say how to resume it."""
        duel = self._state.duel
        if self._saved is None or duel is None or duel.finished:
            return []
        try:
            self._saved.keep(self._prompt.record())
        except SeabattleError as error:
            return [str(error)]
        self._forget_resumed()
        return ["Your game is kept. To continue it: seabattle play --resume last"]

    def _forget_resumed(self) -> None:
        """Delete the file that the game was resumed from: it is over, or kept anew."""
        if self._resumed is not None:
            self._resumed.unlink(missing_ok=True)
            self._resumed = None

    def resume_last(self) -> None:
        """Continue the game that was left most recently."""
        assert self._saved is not None
        path, record = self._saved.last()
        self._resumed = path
        self.resume(record)

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
                if not self._prompt.yes(f"This game runs a program ({name}). Run it?", usual=False):
                    raise Quit
            seats = tuple(
                Participant(
                    name or f"Player {side + 1}", None if side in people else make_player(name)
                )
                for side, name in enumerate(record.players)
            )
            self._battle(duel, (seats[0], seats[1]))
            while self._again():
                self._play(duel.rules, (seats[0], seats[1]), repeats=bool(duel.repeats))
            raise Quit

    def _play_games(self) -> None:
        self._screen.say("Battleship. Type 'help' at any prompt, or 'quit' to leave.")
        me = self._setup.name("Your name", "Player 1", 0, ())
        rules = self._options.rules or self._setup.rules()
        them = self._setup.opponent(me, rules)
        if self._stand_in and them.player is not None and not runs_a_program(them.name):
            if is_first_use(them.name):
                self._first_use = FirstUse(them.name, rules)
        while True:
            # Whether the fleet fits the board is only known once it has been placed.
            try:
                self._setup.random_fleet(rules)
            except SeabattleError as error:
                if self._options.rules is not None:
                    raise
                self._screen.say(str(error))
                rules = self._setup.rules()
                continue
            games = self._recall(me, them.name, rules)
            against = replace(them, player=learned(them.player, games))
            seats = (Participant(me), against) if self._starts() else (against, Participant(me))
            self._play(rules, seats, repeats=self._options.repeats, games=games)
            self._remember(me)
            if not self._again():
                raise Quit

    def _again(self) -> bool:
        return self._prompt.yes("Play again?", usual=True, help=AGAIN_HELP)

    def _starts(self) -> bool:
        """Whether the person at the keyboard shoots first."""
        first = self._options.first
        return bool(self._rng.integers(2)) if first == "random" else first == "me"

    def _recall(self, me: str, opponent: str, rules: Rules) -> tuple[RememberedGame, ...]:
        """What the opponent remembers of a person, which it says; nothing unless it is to."""
        if self._memories is None:
            return ()
        try:
            games = self._memories.load(me).under(rules)
        except RecordError as error:
            self._screen.say(f"{error} This session is played without memory.")
            self._memories = None
            return ()
        if not games:
            self._screen.say(
                f"{opponent} does not remember any games with {me} under these rules yet."
            )
            return ()
        count = "1 game" if len(games) == 1 else f"{len(games)} games"
        self._screen.say(f"{opponent} remembers {count} with {me} under these rules.")
        with self._screen.waiting("looking for habits"):
            found = interruptible(habits, games)
        self._screen.say(*(f"  {habit.to_text()}" for habit in found[:MOST_TOLD]))
        return games

    def _remember(self, me: str) -> None:
        """Keep the game that has just ended."""
        duel = self._state.duel
        if self._memories is None or duel is None or not duel.finished:
            return
        try:
            side = 0 if self._seats[0].player is None else 1
            self._memories.add(me, RememberedGame(self._prompt.record(), side))
        except SeabattleError as error:
            self._screen.say(str(error))

    def _play(
        self,
        rules: Rules,
        seats: Seats,
        *,
        repeats: bool,
        games: tuple[RememberedGame, ...] = (),
    ) -> None:
        """One game from placing to the end; the opponent remembers `games`."""
        self._state.seats, self._state.duel = seats, None
        layouts = [self._placed(rules, seats, side, games) for side in (0, 1)]
        people = [side for side in (0, 1) if seats[side].player is None]
        self._battle(Duel(layouts[0], layouts[1], repeats=people if repeats else ()), seats)

    def _placed(
        self, rules: Rules, seats: Seats, side: int, games: tuple[RememberedGame, ...]
    ) -> Layout:
        if seats[side].player is not None:
            placer = self._options.placer
            if self._options.learn and placer == UNIFORM:
                placer = player_info(seats[side].name.partition(":")[0]).placer or UNIFORM
            return self._setup.computer_fleet(rules, placer, games)
        if two_people(seats):
            self._hand_over(side)
        self._state.viewer = side
        layout = self._setup.fleet(rules, f"{seats[side].name}, place your fleet:")
        self._state.viewer = None
        return layout

    def _battle(self, duel: Duel, seats: Seats) -> None:
        self._state.seats, self._state.duel = seats, duel
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
                self._prompt.ask("Press Enter, then hand over the keyboard: ", HAND_OVER_HELP)
                self._state.viewer = None
        self._tell_end(duel, seats)

    def _hand_over(self, side: int) -> None:
        self._state.viewer = None
        name = self._seats[side].name
        self._screen.hide()
        self._prompt.ask(
            f"{name}, take the keyboard and press Enter when nobody else is looking: ",
            HAND_OVER_HELP,
        )
        self._screen.hide()

    def _computer_shoots(self, duel: Duel, side: int, player: Player) -> None:
        observation = Observation(duel.rules, duel.targets[side].shots)
        name = self._seats[side].name
        stand_in = self._first_use is not None and self._first_use.under_way
        cells: list[int] = []
        while len(cells) < duel.salvo:
            cell = (
                stand_in_cell(observation, random.SystemRandom())
                if stand_in
                else self._ask_player(player, name, observation)
            )
            cells.append(cell)
            if len(cells) < duel.salvo:
                observation = observation.choosing(cell)
        duel.fire_salvo(cells)
        self._show_boards()
        if isinstance(player, FaultCounter) and (faults := player.take_faults()):
            self._screen.say(f"{name}: {faults.example}")
        if stand_in:
            shots = "this shot" if len(cells) == 1 else "these shots"
            self._screen.say(f"{name} is still being compiled; a simple stand-in fires {shots}.")
        self._screen.say(told_to_owner(name, duel, side, cells))

    def _ask_player(self, player: Player, name: str, observation: Observation) -> int:
        try:
            with self._screen.waiting(f"{name} is thinking"):
                return interruptible(ask, player, observation, self._rng)
        except Exception as error:  # whatever a player does, the game goes on
            self._screen.say(f"{name} could not choose ({error}); it shoots at random this time.")
            return int(self._rng.choice(observation.unknown))

    def _person_shoots(self, duel: Duel, side: int) -> None:
        try:
            cells = self._choose_cells(duel, side)
        finally:
            self._state.pending = ()
        if cells is None:
            duel.resign(side)
            return
        shots = duel.fire_salvo(cells)
        self._show_boards()
        self._screen.say(told_to_shooter(shots, duel.rules))
        if duel.rules.turns == "rounds" and duel.targets[side].finished and not duel.finished:
            other = self._seats[1 - side].name
            left = "one shot" if duel.salvo == 1 else f"one turn of {duel.salvo} shots"
            self._screen.say(f"You found the whole fleet; {other} has {left} left for a draw.")

    def _choose_cells(self, duel: Duel, side: int) -> tuple[int, ...] | None:
        """The cells of a turn; None to resign."""
        fired = {shot.cell: shot for shot in duel.targets[side].shots}
        size, rules, name = duel.salvo, duel.rules, self._seats[side].name
        help = SHOOTING_HELP if rules.salvo == 1 else {**SALVO_HELP, **SHOOTING_HELP}
        while True:
            chosen = self._state.pending
            line = self._prompt.ask(f"{name}, fire at{cells_left(chosen, size, rules)}: ", help)
            word = line.lower()
            if word == "clear" and rules.salvo != 1:
                self._state.pending = ()
                continue
            if not line:
                continue
            if word == "resign":
                if self._prompt.yes("Resign this game?", usual=False, help=RESIGN_HELP):
                    return None
                continue
            if word in ("board", "boards"):
                self._show_boards()
                continue
            verb, _, rest = line.partition(" ")
            try:
                typed = rest if verb.lower() in ("fire", "shoot") else line
                cells = [read_cell(typed, rules)] if size == 1 else read_cells(typed, rules)
            except CellError as error:
                self._screen.say(f"{error} Type 'help' for the commands.")
                continue
            problem = why_refused(cells, chosen, fired, rules, size, repeats=side in duel.repeats)
            if problem:
                self._screen.say(problem)
                continue
            if not self._wastes([fired[cell] for cell in cells if cell in fired], rules):
                continue
            self._state.pending = (*chosen, *cells)
            if len(self._state.pending) == size:
                return self._state.pending

    def _wastes(self, known: list[Shot], rules: Rules) -> bool:
        """Whether whoever is to shoot wants to waste these shots, which were answered before."""
        if not known:
            return True
        self._screen.say(*(known_cell(shot, rules) for shot in known))
        what = "this move" if len(known) == 1 else f"{len(known)} shots"
        return self._prompt.yes(f"Waste {what}?", usual=False, help=REPEAT_HELP)

    def _tell_end(self, duel: Duel, seats: Seats) -> None:
        self._forget_resumed()
        titles = title(seats[0], "fleet"), title(seats[1], "fleet")
        boards = open_boards(duel, titles, self._screen.width)
        self._screen.show(boards, [*boards, Text()])
        winner = duel.winner
        shots = [duel.moves.count(side) for side in (0, 1)]
        if winner is None:
            told = f"A draw: both found the whole fleet in {shots[0]} shots."
        elif duel.resigned is not None:
            told = f"{seats[1 - winner].name} resigns. {seats[winner].name} wins."
        else:
            told = f"{seats[winner].name} wins with {shots[winner]} shots."
        self._screen.say(Text(told, "bold"))
        people = [side for side in (0, 1) if seats[side].player is None]
        names = [seat.name for seat in seats]
        show_end_card(self._screen, DuelRecord.of(duel, (names[0], names[1])), names, people)
        self._screen.say("Type 'save FILE' to save the game for 'seabattle replay FILE'.")

    def _show_boards(self) -> None:
        """Show both boards as the viewer may see them."""
        duel, side = self._state.duel, self._state.viewer
        if duel is None or side is None:
            self._screen.say("There are no boards to show at the moment.")
            return
        view = partial(boards_seen_by, side, duel, self._seats, self._screen.width)
        self._screen.show(view(fleets=True), view())

    @property
    def _seats(self) -> Seats:
        assert self._state.seats is not None
        return self._state.seats
