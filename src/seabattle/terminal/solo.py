"""Solo play: find a hidden fleet alone, with as few shots as possible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.text import Text

from ..belief import infer
from ..dealing.uniform import random_layout
from ..errors import CellError, OutputError, SeabattleError, reason
from ..experiment.interruptible import interruptible
from ..game import Game
from ..observation import Observation
from ..opponents import LEVELS, level_player, shipped_strength
from ..record import GameRecord
from ..report.drawing import board_lines, heat_lines, picture_of_belief, picture_of_observation
from ..report.drawing.picture import percent
from ..report.drawing.text import BOARD_LEGEND, HEAT_LEGEND
from ..rules import Rules
from .board_view import enemy_status, told_to_shooter
from .end_card import show_end_card
from .participants import QUIT
from .prompt import SALVO_HELP, THINKING_SECONDS, Quit
from .screen import Screen
from .typed_cells import cells_left, read_cell, read_cells, why_refused

HELP = {
    "E5": "shoot at row E, column 5; '5e' and 'e 5' do the same",
    "hint": "suggest the likeliest cell",
    "heat": "show how likely a ship is on each cell, in percent",
    "save FILE": "save the game; 'seabattle replay FILE' shows it again",
    "quit": "leave",
}
LARGEST_LOG = 1_000_000
"""bytes of the file of results that are read"""


class SoloResults:
    """The shots of every finished solo game, one line each, in a file that is only added to."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def shots(self, rules: Rules) -> list[int]:
        """The shots of the games under these rules, the oldest first."""
        try:
            with self._path.open("rb") as file:
                text = file.read(LARGEST_LOG).decode("utf-8", "replace")
        except OSError:
            return []
        pairs = (line.rsplit("\t", 1) for line in text.splitlines())
        wanted = rules.to_text()
        return [int(p[1]) for p in pairs if len(p) == 2 and p[0] == wanted and p[1].isdecimal()]

    def add(self, rules: Rules, shots: int) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{rules.to_text()}\t{shots}\n")
        except OSError as error:
            raise OutputError(f"Cannot write {self._path}: {reason(error)}.") from None


class SoloSession:
    """One or more solo games under the same rules."""

    def __init__(
        self, screen: Screen, rules: Rules, rng: np.random.Generator, results: SoloResults
    ) -> None:
        self._screen = screen
        self._rules = rules
        self._rng = rng
        self._results = results

    def run(self) -> None:
        """Play until the person leaves."""
        self._screen.say("Solo: find the hidden fleet. Type 'help', or 'quit' to leave.")
        try:
            while True:
                self._play()
                if not self._again():
                    break
        except (Quit, EOFError):
            self._screen.say("")
        except KeyboardInterrupt:
            self._screen.say("", "Goodbye.")
            raise
        self._screen.say("Goodbye.")

    def _play(self) -> None:
        with self._screen.waiting("placing a fleet"):
            game = Game(random_layout(self._rules, self._rng))
        self._show(game)
        while not game.finished:
            fired = game.fire_salvo(self._choose(game))
            self._show(game)
            self._screen.say(told_to_shooter(fired, self._rules))
        shots = len(game.shots)
        self._screen.say(Text(f"You found the whole fleet with {shots} shots.", "bold"))
        try:
            self._results.add(self._rules, shots)
        except OutputError as error:
            self._screen.say(str(error))
        self._tell_average(shots)
        show_end_card(self._screen, GameRecord.of(game, "You"), ["You"], [0])

    def _tell_average(self, shots: int) -> None:
        played = self._results.shots(self._rules) or [shots]
        mean = sum(played) / len(played)
        games = f"{len(played)} game{'' if len(played) == 1 else 's'}"
        words = f"Your average: {mean:.1f} shots in {games}, best {min(played)}."
        known = []
        for level in LEVELS:
            player = level_player(level.name, self._rules)
            strength = None if player is None else shipped_strength(player, self._rules)
            if strength is not None:
                known.append(f"{level.title} {strength.mean:.1f}")
        compared = f" For comparison: {', '.join(known)}." if known else ""
        self._screen.say(words + compared)

    def _choose(self, game: Game) -> tuple[int, ...]:
        """The cells of a turn, none of them shot at before."""
        fired = {shot.cell: shot for shot in game.shots}
        size, in_salvos, chosen = game.salvo, self._rules.salvo != 1, tuple[int, ...]()
        while len(chosen) < size:
            left = cells_left(chosen, size, self._rules)
            line = self._ask(f"Shot {len(fired) + len(chosen) + 1}, fire at{left}: ")
            word, _, rest = line.partition(" ")
            try:
                match word.lower():
                    case "":
                        continue
                    case "help" | "?":
                        help = {**SALVO_HELP, **HELP} if in_salvos else HELP
                        width = max(map(len, help))
                        self._screen.say(*(f"  {k:<{width}}  {v}" for k, v in help.items()))
                        self._screen.say(f"  Board: {BOARD_LEGEND}.")
                    case "hint" | "heat":
                        self._help_shoot(game, chosen, heat=word.lower() == "heat")
                    case "clear" if in_salvos:
                        chosen = ()
                    case "save":
                        self._save(game, rest.strip())
                    case _:
                        cells = (
                            read_cells(line, self._rules)
                            if in_salvos
                            else [read_cell(line, self._rules)]
                        )
                        problem = why_refused(cells, chosen, fired, self._rules, size)
                        if problem:
                            self._screen.say(problem)
                        else:
                            chosen = (*chosen, *cells)
            except CellError as error:
                self._screen.say(f"{error} Type 'help' for the commands.")
            except SeabattleError as error:
                self._screen.say(str(error))
        return chosen

    def _help_shoot(self, game: Game, chosen: tuple[int, ...], *, heat: bool) -> None:
        with self._screen.waiting("counting layouts"):
            seen = Observation(self._rules, game.shots)
            for pending in chosen:
                seen = seen.choosing(pending)
            belief = interruptible(infer, seen, seconds=THINKING_SECONDS)
        if heat:
            self._screen.draw([Text(), *heat_lines(picture_of_belief(belief))])
            self._screen.say(f"({HEAT_LEGEND})")
            return
        cell = belief.suggestion
        assert cell is not None
        chance = percent(belief.probability.flat[cell])
        self._screen.say(f"Shoot at {self._rules.cell_name(cell)}: {chance} to hit.")

    def _save(self, game: Game, name: str) -> None:
        if not name:
            raise SeabattleError("Name a file, such as 'save game.txt'.")
        try:
            with Path(name).expanduser().open("x", encoding="utf-8") as out:
                out.write(GameRecord.of(game, "You").to_text())
        except FileExistsError:
            raise OutputError(f"{name} already exists; choose another name.") from None
        except (OSError, ValueError) as error:
            raise OutputError(f"Cannot write {name}: {reason(error)}.") from None
        self._screen.say(f"Saved. To replay it: seabattle replay {name}")

    def _again(self) -> bool:
        while True:
            answer = self._ask("Play again? [Y/n] ").lower()
            if answer in ("", "y", "yes"):
                return True
            if answer in ("n", "no"):
                return False
            self._screen.say("Please answer y or n.")

    def _ask(self, question: str) -> str:
        line = self._screen.ask(question)
        if line.lower() in QUIT:
            raise Quit
        return line

    def _show(self, game: Game) -> None:
        seen = Observation(self._rules, game.shots)
        shots = f"{len(game.shots)} shot{'' if len(game.shots) == 1 else 's'}"
        self._screen.show(
            [
                Text("Hidden fleet", "bold"),
                *board_lines(picture_of_observation(seen)),
                Text(f"{shots}; {enemy_status(seen)}", "dim"),
            ]
        )
