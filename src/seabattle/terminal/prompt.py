"""Typed lines, and the commands that work at every prompt.

`Prompt.ask` carries out `help`, `hint`, `heat`, `history`, `save` and `quit` itself and hands
every other line to whoever asked. Whoever asks also says what can be typed; `help` shows it.
"""

from __future__ import annotations

import copy
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.text import Text

from ..belief import Belief, infer
from ..errors import OutputError, SeabattleError, reason
from ..experiment.interruptible import interruptible
from ..game import Duel
from ..observation import Observation
from ..players import Player, make_player
from ..record import DuelRecord
from ..report.consult import consult
from ..report.drawing import beside, heat_lines, picture_of_belief
from ..report.drawing.picture import percent
from ..report.drawing.text import BOARD_LEGEND, HEAT_LEGEND
from .board_view import title
from .participants import QUIT, Seats
from .screen import Screen

THINKING_SECONDS = 3.0
"""What `hint` and `heat` may take before they sample instead of counting."""

TURN_HELP = {
    "hint": "suggest the likeliest cell",
    "hint mcts": "ask another player where to shoot, and show its search",
    "heat": "show heat maps of both boards, in percent",
    "heat them": "show your opponent's own search of your board",
}
GAME_HELP = {
    "history": "list the shots so far",
    "save FILE": "save the game; 'seabattle replay FILE' shows it again",
}
SALVO_HELP = {
    "E5 F6 G7": "choose several cells; they are fired together once the salvo is complete",
    "clear": "take back the cells chosen so far",
}
Help = Mapping[str, str]
"""what can be typed at a prompt, and what it does"""
YES_HELP = {"y": "yes", "n": "no"}


class Quit(Exception):
    """The person wants to leave."""


@dataclass
class SessionState:
    """What the commands of every prompt need to know of the session."""

    seats: Seats | None = None
    duel: Duel | None = None
    viewer: int | None = None
    """the side whose secrets may be shown"""
    pending: tuple[int, ...] = ()
    """cells of the viewer's salvo so far"""
    saved: set[Path] = field(default_factory=set)


class Prompt:
    """Asks for lines and carries out common commands."""

    def __init__(self, screen: Screen, state: SessionState, rng: np.random.Generator) -> None:
        self._screen = screen
        self._state = state
        self._rng = rng

    def ask(self, question: str, help: Help) -> str:
        """The next line that is not a common command."""
        commands: dict[str, Callable[[str], None]] = {
            "help": lambda _: self._help(help),
            "?": lambda _: self._help(help),
            "hint": self._hint,
            "heat": self._heat,
            "history": self._history,
            "save": self._save,
        }
        while True:
            line = self._screen.ask(question)
            word, _, rest = line.partition(" ")
            if word.lower() in QUIT and not rest:
                raise Quit
            command = commands.get(word.lower())
            if command is None:
                return line
            try:
                command(rest.strip())
            except SeabattleError as error:
                self._screen.say(str(error))

    def yes(self, question: str, *, usual: bool, help: Help = YES_HELP) -> bool:
        """Whether the answer is yes; Enter alone is the usual answer."""
        choices = "[Y/n]" if usual else "[y/N]"
        while True:
            answer = self.ask(f"{question} {choices} ", help).lower()
            if not answer:
                return usual
            if answer in ("y", "yes"):
                return True
            if answer in ("n", "no"):
                return False
            self._screen.say("Please answer y or n.")

    @property
    def _seats(self) -> Seats:
        assert self._state.seats is not None
        return self._state.seats

    def record(self) -> DuelRecord:
        """The game as it stands."""
        assert self._state.duel is not None
        return DuelRecord.of(self._state.duel, (self._seats[0].name, self._seats[1].name))

    def _help(self, help: Help) -> None:
        """What can be typed at this prompt, and only that."""
        duel = self._state.duel
        shown = dict(help)
        if duel is not None and self._state.viewer is not None and not duel.finished:
            shown |= TURN_HELP
        if duel is not None:
            shown |= GAME_HELP
        left = duel is not None and not duel.finished
        shown["quit"] = (
            "leave; the game is kept for 'seabattle play --resume last'" if left else "leave"
        )
        width = max(map(len, shown))
        self._screen.say(*(f"  {name:<{width}}  {what}" for name, what in shown.items()))
        if duel is not None:
            self._screen.say(f"  Boards: {BOARD_LEGEND}.")

    def _seen(self) -> tuple[Observation, Observation]:
        """What the viewer knows of the other board, and the opponent of the viewer's."""
        duel, side = self._state.duel, self._state.viewer
        if duel is None or side is None:
            raise SeabattleError("That works once it is your turn to shoot.")
        mine, theirs = duel.targets[side], duel.targets[1 - side]
        pending = tuple(cell for cell in self._state.pending if not mine.was_fired_at(cell))
        own = Observation(duel.rules, mine.shots, pending)
        return own, Observation(duel.rules, theirs.shots)

    def _belief(self, seen: Observation) -> Belief:
        with self._screen.waiting("counting layouts"):
            return interruptible(infer, seen, seconds=THINKING_SECONDS)

    def _hint(self, name: str) -> None:
        mine, _theirs = self._seen()
        if name:
            # A generator of its own: a hint must not change what the opponent does.
            player, rng = make_player(name), self._rng.spawn(1)[0]
            self._show_finding(name, player, mine, rng, 1 - (self._state.viewer or 0))
            return
        belief = self._belief(mine)
        cell = belief.suggestion
        if cell is None:
            raise SeabattleError("There is nothing left to find.")
        chance = percent(belief.probability.flat[cell])
        how = "sampled" if belief.layouts is None else f"{belief.layouts:,} layouts left"
        self._screen.say(f"Shoot at {mine.rules.cell_name(cell)}: {chance} to hit ({how}).")

    def _heat(self, whose: str) -> None:
        mine, theirs = self._seen()
        side = self._state.viewer or 0
        if whose:
            self._heat_of(whose, theirs, side)
            return
        drawings = []
        for seen, owner, whose in ((theirs, side, "enemy's"), (mine, 1 - side, "your")):
            belief = self._belief(seen)
            count = "sampled" if belief.layouts is None else f"{belief.layouts:,} layouts"
            heat = heat_lines(picture_of_belief(belief))
            view = Text(f"{whose} view: {count}", "dim")
            drawings.append([title(self._seats[owner], "board"), view, *heat])
        self._screen.draw([Text(), *beside(drawings[0], drawings[1], self._screen.width, 3)])
        self._screen.say(f"({HEAT_LEGEND})")

    def _heat_of(self, whose: str, theirs: Observation, side: int) -> None:
        """The opponent's search of the viewer's board; as always, it only sees its own shots."""
        enemy = self._seats[1 - side]
        if whose.lower() not in ("them", enemy.name.lower()):
            raise SeabattleError(
                f"Type 'heat' for both boards or 'heat them' for {enemy.name}'s search, "
                f"not 'heat {whose}'."
            )
        if enemy.player is None:
            raise SeabattleError(f"{enemy.name} is a person and has no search to show.")
        # With a copy of the generator, so that it does the same when its turn comes.
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
        """Show what a player would do with what is known of the owner's board, and why."""
        try:
            with self._screen.waiting(f"{name} is thinking"):
                finding = interruptible(consult, name, player, seen, rng)
        except SeabattleError:
            raise
        except Exception as error:  # whatever a player does, the game goes on
            raise SeabattleError(f"{name} could not choose ({error}).") from error
        if finding.report is not None:
            heading = title(self._seats[owner], "board")
            self._screen.draw([Text(), heading, *finding.maps(self._screen.width)])
        self._screen.say(finding.headline(), *finding.remarks())

    def _history(self, _: str) -> None:
        duel = self._state.duel
        if duel is None or not duel.moves:
            raise SeabattleError("No shot has been fired yet.")
        width = max(len(seat.name) for seat in self._seats)
        for number, (side, shot) in enumerate(duel.shots, start=1):
            name = f"{self._seats[side].name:<{width}}"
            self._screen.say(f"{number:4}  {name}  {shot.to_text(duel.rules)}")

    def _save(self, name: str) -> None:
        duel = self._state.duel
        if duel is None:
            raise SeabattleError("There is no game to save yet.")
        if not name:
            raise SeabattleError("Name a file, such as 'save game.txt'.")
        record = self.record()
        path = Path(name).expanduser()
        try:
            # A file saved in this session may be overwritten, no other.
            with path.open("w" if path in self._state.saved else "x", encoding="utf-8") as out:
                out.write(record.to_text())
        except FileExistsError:
            raise OutputError(f"{name} already exists; choose another name.") from None
        except (OSError, ValueError) as error:
            raise OutputError(f"Cannot write {name}: {reason(error)}.") from None
        self._state.saved.add(path)
        file_name = shlex.quote(name)
        self._screen.say(f"Saved. To replay it: seabattle replay {file_name}")
        if not duel.finished:
            self._screen.say(f"To continue it: seabattle play --resume {file_name}")
