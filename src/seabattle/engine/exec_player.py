"""`exec:COMMAND`: a player that is somebody's program (see docs/protocol.md).

    exec:./my-engine --fast,seconds=1,depth=4

The command ends at the first comma; a comma or '@' in it is put in quotes, as in a shell. Then
come the parameters `seconds`, `prepare` and `games`; any others are options of the engine.

The program is started when it is first needed and stays for all games. Many games are played at
a time, if the engine says that it can. What happens if it fails:

- A *fault* is an answer that is late, illegal, not a message, unasked for, or does not come. It
  is counted by kind.
- If there is no legal answer, a cell chosen uniformly at random is shot at instead. With
  `faults=loss`, an answer that is late, illegal or missing loses the game: the shots that are
  left find the fleet as late as possible, so the game takes as many shots as the board has
  cells, and an opponent wins it even if it takes as many.
- After a time-out, a crash or a flood the program is started anew, and told its open games.
- If that happens `MOST_RESTARTS` times in a row without a legal answer between, the player gives
  up with an error. So it does if the program cannot be started or does not know the rules.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any, Literal

import numpy as np

from ..compiled.random_streams import words_from
from ..dealing.placement_numbers import layout_of
from ..errors import PlayerError
from ..game import Game
from ..naming.parameters import parameters_of, read_value, split_outside_quotes
from ..observation import Observation
from ..players.base import Faults
from ..players.batch_play import Placements, PlayedGames, Seeds, new_played_games
from ..players.in_game import Forfeit
from ..players.registry import register
from ..rules import Rules
from .host import EngineProgram, OpenGame, worst_order
from .match_engine import MatchEngine
from .protocol import PREPARE_SECONDS

SECONDS = 10.0
"""for a shot, unless told otherwise"""
GAMES = 64
"""played at a time, if the engine can"""


@register(
    "exec",
    source="seabattle",
    summary="a program in any language that speaks the engine protocol: exec:COMMAND",
    needs="a command to run",
    runs_programs=True,
)
class ExecPlayer:
    """A player that runs an engine."""

    batches_salvos = True

    def __init__(
        self,
        command: Annotated[str, "the program and its arguments; it comes first, unnamed"] = "",
        seconds: Annotated[float, "time limit per shot"] = SECONDS,
        prepare: Annotated[float, "time limit for starting, and for new rules"] = PREPARE_SECONDS,
        games: Annotated[int, "how many games to play at a time, at most"] = GAMES,
        faults: Annotated[
            Literal["random", "loss"], "what a failed shot costs: a random shot, or the game"
        ] = "random",
        **options: str,
    ) -> None:
        for name, value in (("seconds", seconds), ("prepare", prepare), ("games", games)):
            if not 0 < value < float("inf"):
                raise PlayerError(f"{name} of 'exec' must be greater than 0, not {value}.")
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise PlayerError(
                f"Cannot read the command {command!r}: {str(error).lower()}."
            ) from None
        self.seconds, self.prepare_seconds, self.games = seconds, prepare, games
        self.faults = faults
        self.options = options
        self._engine = EngineProgram(self.words, options, seconds, prepare)
        self._lock = threading.Lock()
        self._lost: set[int] = set()
        """the rows of the last `play_games` that were lost by a fault"""

    @classmethod
    def from_text(cls, text: str) -> ExecPlayer:
        """Read what follows `exec:` in a player's name."""
        command, *entries = split_outside_quotes(text, ",")
        if not command.strip():
            raise PlayerError("exec needs a command, such as exec:./my-engine or exec:'node e.js'.")
        known = parameters_of(cls)
        given: dict[str, Any] = {}
        for entry in filter(None, map(str.strip, entries)):
            key, equals, value = (part.strip() for part in entry.partition("="))
            if not equals or not key.isidentifier() or key in ("command", "self"):
                raise PlayerError(
                    f"Cannot read {entry!r} after the command of exec; write NAME=VALUE, and put "
                    "quotes around a comma that belongs to the command."
                )
            given[key] = read_value(value, "exec", known[key]) if key in known else value
        return cls(command, **given)

    def to_text(self) -> str:
        """The canonical form of what `from_text` reads."""
        set_here = {
            "seconds": (self.seconds, SECONDS),
            "prepare": (self.prepare_seconds, PREPARE_SECONDS),
            "games": (self.games, GAMES),
        }
        given = {key: f"{value:g}" for key, (value, usual) in set_here.items() if value != usual}
        if self.faults != "random":
            given["faults"] = self.faults
        entries = [f"{key}={value}" for key, value in sorted({**given, **self.options}.items())]
        return ",".join([" ".join(map(_quoted, self.words)), *entries])

    def __repr__(self) -> str:
        return f"ExecPlayer({self.to_text()!r})"

    def __reduce__(self) -> tuple[Callable[[str], ExecPlayer], tuple[str]]:
        return ExecPlayer.from_text, (self.to_text(),)

    def prepare(self, rules: Rules) -> None:
        """Start the program, and tell it the rules."""
        with self._lock:
            self._engine.set_up(rules)

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self._choose(observation, rng)[0]

    def choose_or_forfeit(self, observation: Observation, rng: np.random.Generator) -> int:
        """`choose` in games that are counted: raises `Forfeit` if a fault loses the game."""
        cell, failed = self._choose(observation, rng)
        if failed and self.faults == "loss":
            raise Forfeit
        return cell

    def _choose(self, observation: Observation, rng: np.random.Generator) -> tuple[int, bool]:
        """The next cell, and whether there was no lawful answer in time."""
        seed = words_from(rng)()
        position = OpenGame(0, seed, observation, pending=observation.pending)
        with self._lock:
            self._engine.set_up(observation.rules)
            self._engine.open([position])
            _, cell = self._engine.next_choice()
            self._engine.forget(position, "stopped")
            self._engine.flush()
        return cell, position.failed

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        shots, fired = new_played_games(rules, len(seeds))
        with self._lock:
            engine, self._lost = self._engine, set()
            engine.set_up(rules)
            to_play = _games(rules, placements, seeds)
            at_a_time = min(self.games, engine.games)
            engine.open(islice(to_play, at_a_time))
            while engine.games_open:
                game, cell = engine.next_choice()
                assert game.played is not None
                if game.failed and self.faults == "loss":
                    engine.forget(game, "lost", ships=game.played.layout.to_text())
                    self._lost.add(game.row)
                    lose(game.played)
                else:
                    game.pending += (cell,)
                    if len(game.pending) < game.played.salvo:
                        engine.ask_again(game, ())
                        continue
                    told = game.played.fire_salvo(game.pending)
                    game.pending = ()
                    if not game.played.finished:
                        engine.ask_again(game, told)
                        continue
                    engine.forget(game, "finished", told, ships=game.played.layout.to_text())
                shots[game.row] = len(game.played.shots)
                fired[game.row, : shots[game.row]] = [each.cell for each in game.played.shots]
                engine.open(islice(to_play, 1))
            engine.flush()
        return shots, fired

    def begin_match(
        self, rules: Rules, games: int, opponent: str, *, places: bool = False
    ) -> MatchEngine:
        """Start a program for one match, which places its fleets if `places`."""
        engine = EngineProgram(self.words, self.options, self.seconds, self.prepare_seconds)
        return MatchEngine(
            engine, rules, games, opponent, faults_lose=self.faults == "loss", places=places
        )

    def take_faults(self) -> Faults:
        with self._lock:
            lost, self._lost = frozenset(self._lost), set()
            return replace(self._engine.take_faults(), lost=lost)

    def close(self) -> None:
        """End the program; it is started again when it is needed."""
        with self._lock:
            self._engine.close()


def _games(rules: Rules, placements: Placements, seeds: Seeds) -> Iterator[OpenGame]:
    start = Observation(rules)
    for row, seed in enumerate(seeds.tolist()):
        yield OpenGame(row, seed, start, Game(layout_of(rules, placements[row])))


def lose(game: Game) -> None:
    """Shoot at water as long as there is any, then at the ships."""
    left = worst_order(game)
    while left:
        salvo, left = left[: game.salvo], left[game.salvo :]
        game.fire_salvo(salvo)


def _quoted(word: str) -> str:
    """A word of a command, quoted if the shell or `split_outside_quotes` needs it."""
    quoted = shlex.quote(word)
    return f"'{word}'" if quoted == word and any(mark in word for mark in ",@") else quoted
