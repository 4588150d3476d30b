"""`exec:COMMAND`: a player that is somebody's program (see docs/protocol.md).

    exec:./my-engine --fast,seconds=1,depth=4

The command ends at the first comma; a comma or '@' in it is put in quotes, as in a shell. Then
come the parameters `seconds`, `prepare` and `games`; any others are options of the engine.

The program is started when it is first needed and stays for all games. Many games are played at
a time, if the engine says that it can. What happens if it fails:

- A *fault* is an answer that is late, illegal, not a message, unasked for, or does not come. It
  is counted by kind.
- If there is no legal answer, a cell chosen uniformly at random is shot at instead. With
  `faults=loss`, an answer that is late, illegal or missing loses the game: in games that are
  counted, the shots that are left find the fleet as late as possible, so the game takes as many
  shots as the board has cells.
- After a time-out, a crash or a flood the program is started anew, and told its open games.
- If that happens `MOST_RESTARTS` times in a row without a legal answer between, the player gives
  up with an error. So it does if the program cannot be started or does not know the rules.
"""

from __future__ import annotations

import shlex
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Any, Literal

import numpy as np

from ..compiled.random_streams import words_from
from ..dealing.placement_numbers import layout_of
from ..errors import PlayerError, ProtocolError, SeabattleError, one_of
from ..game import Game
from ..observation import Observation
from ..parameters import parameters_of, read_value, split_outside_quotes
from ..players.base import Faults
from ..players.batch_play import Placements, PlayedGames, Seeds, new_played_games
from ..players.registry import register
from ..rules import Rules
from ..shots import Shot
from .process import Program, ProgramEnded, TooMuchOutput
from .protocol import FROM_ENGINE, VERSION, decode, encode, shot_text, shown

SECONDS = 10.0
"""for a shot, unless told otherwise"""
PREPARE_SECONDS = 60.0
"""to start, and to get ready for new rules"""
GAMES = 64
"""played at a time, if the engine can"""
STOP_SECONDS = 1.0
"""how long an engine may take to answer once it was told to stop"""
MOST_RESTARTS = 3
MOST_STRAY = 1000
"""messages that nobody asked for, between two legal answers"""


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
        self._engine = Engine(self)
        self._lock = threading.Lock()

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
            given[key] = read_value("exec", known[key], value) if key in known else value
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
        seed = words_from(rng)()
        position = _OpenGame(0, seed, observation, pending=observation.pending)
        with self._lock:
            self._engine.set_up(observation.rules)
            self._engine.open([position])
            _, cell = self._engine.next_choice()
            self._engine.forget(position, "stopped")
            self._engine.flush()
        return cell

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        shots, fired = new_played_games(rules, len(seeds))
        with self._lock:
            engine = self._engine
            engine.set_up(rules)
            to_play = _games(rules, placements, seeds)
            at_a_time = min(self.games, engine.games)
            engine.open(islice(to_play, at_a_time))
            while engine.games_open:
                game, cell = engine.next_choice()
                assert game.played is not None
                if game.failed and self.faults == "loss":
                    engine.forget(game, "lost", ships=game.played.layout.to_text())
                    _lose(game.played)
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
                    engine.forget(game, "finished", told, game.played.layout.to_text())
                shots[game.row] = len(game.played.shots)
                fired[game.row, : shots[game.row]] = [each.cell for each in game.played.shots]
                engine.open(islice(to_play, 1))
            engine.flush()
        return shots, fired

    def take_faults(self) -> Faults:
        with self._lock:
            return self._engine.take_faults()

    def close(self) -> None:
        """End the program; it is started again when it is needed."""
        with self._lock:
            self._engine.close()


@dataclass
class _OpenGame:
    """A game in which the engine is asked for shots."""

    row: int
    seed: int
    observation: Observation
    """what the shooter was told at the start"""
    played: Game | None = None
    id: int = 0
    """the engine knows the game by this number"""
    since: list[Shot] = field(default_factory=list)
    """the shots after the start"""
    failed: bool = False
    """whether an answer was late, illegal or missing"""
    pending: tuple[int, ...] = ()
    """the cells of this salvo so far"""

    @property
    def shots(self) -> tuple[Shot, ...]:
        return (*self.observation.shots, *self.since)


def _games(rules: Rules, placements: Placements, seeds: Seeds) -> Iterator[_OpenGame]:
    start = Observation(rules)
    for row, seed in enumerate(seeds.tolist()):
        yield _OpenGame(row, seed, start, Game(layout_of(rules, placements[row])))


def _lose(game: Game) -> None:
    """Shoot at water as long as there is any, then at the ships."""
    occupied = game.layout.ship_at
    left = [cell for cell in range(game.rules.cells) if not game.was_fired_at(cell)]
    left.sort(key=lambda cell: cell in occupied)
    while left:
        salvo, left = left[: game.salvo], left[game.salvo :]
        game.fire_salvo(salvo)


class Engine:
    """The host's side of the protocol."""

    def __init__(self, player: ExecPlayer) -> None:
        self._words, self._options = player.words, player.options
        self._seconds, self._prepare = player.seconds, player.prepare_seconds
        self._program: Program | None = None
        self._rules: Rules | None = None
        self._cells: dict[str, int] = {}
        self.games = 1
        """how many games it can play at a time"""
        self._asked: dict[int, _OpenGame] = {}
        """the open questions, oldest first"""
        self._next_question = self._next_game = 0
        self._since = 0.0
        """when the engine began to think about the oldest question"""
        self._restarts = self._stray = 0
        self._faults: Counter[str] = Counter()
        self._example = ""

    @property
    def games_open(self) -> bool:
        return bool(self._asked)

    # ---- setting up

    def set_up(self, rules: Rules) -> None:
        """Have the program running and ready for games under these rules."""
        self._asked.clear()
        if self._program is not None and self._program.exit_code is not None:
            self._end()  # nobody was waiting for it
        if self._program is None:
            self._start()
        if self._rules != rules:
            self._rules = None
            self._send("rules", rules=rules.to_json())
            self._expect("ready", f"the rules {rules.to_text()!r}")
            self._rules = rules
            self._cells = {rules.cell_name(cell): cell for cell in range(rules.cells)}

    def close(self) -> None:
        if self._program is not None:
            program, self._program, self._rules = self._program, None, None
            program.close(encode("quit"))

    def take_faults(self) -> Faults:
        taken = Faults(dict(sorted(self._faults.items())), self._example)
        self._faults.clear()
        self._example = ""
        return taken

    def _start(self) -> None:
        if not self._words:
            raise PlayerError("exec needs a command, such as exec:./my-engine.")
        self._program = Program(self._words)
        self._send("hello", protocol=VERSION, host="seabattle", options=self._options)
        hello = self._expect("hello", "hello")
        if hello["protocol"] != VERSION:
            raise self._unusable(
                f"speaks version {hello['protocol']} of the protocol; this is version {VERSION}"
            )
        known = hello.get("options", {})
        for name in self._options:
            if name not in known:
                self._end()
                raise PlayerError(one_of(f"option of {self._words[0]!r}", name, known))
        self.games = max(1, hello.get("games", 1))

    def _expect(self, kind: str, asked: str) -> dict[str, Any]:
        """The message that is due, or an error."""
        deadline = time.monotonic() + self._prepare
        while True:
            try:
                line = self._running.receive(deadline)
                if line is None:
                    raise self._unusable(f"did not answer {asked} within {self._prepare:g} s")
                message = decode(line, FROM_ENGINE)
            except ProgramEnded:
                raise self._unusable(f"ended instead of answering {asked}") from None
            except TooMuchOutput as flood:
                raise self._unusable(f"did not answer {asked}: {flood}") from None
            except ProtocolError as error:
                raise self._unusable(f"did not answer {asked}: {error}", "") from None
            if message["type"] == "error":
                raise self._unusable(f"refused {asked}: {message['message']}")
            if message["type"] == kind:
                return message
            if message["type"] != "info":
                raise self._unusable(f"answered {asked} with {shown(line)}, not {kind!r}")

    def _unusable(self, what: str, full_stop: str = ".") -> PlayerError:
        """End the program; the error that says why."""
        ended = self._end()
        return PlayerError(f"{self._words[0]!r} {what}{full_stop}{_last_lines(ended)}")

    def _end(self) -> Program:
        program = self._running
        self._program = self._rules = None
        program.kill()
        return program

    @property
    def _running(self) -> Program:
        assert self._program is not None
        return self._program

    def _send(self, kind: str, **fields: Any) -> None:
        self._running.send(encode(kind, **fields))

    # ---- games

    def open(self, games: Iterable[_OpenGame]) -> None:
        """Begin games at the positions given, and ask for a shot in each."""
        if not self._asked:
            self._since = time.monotonic()
        for game in games:
            self._next_game += 1
            game.id = self._next_game
            self._begin(game)
            self._ask(game, ())

    def ask_again(self, game: _OpenGame, new: tuple[Shot, ...]) -> None:
        """Tell the answers to the last turn of a game, if it is complete, and ask for a cell."""
        if not self._asked:
            self._since = time.monotonic()
        game.since += new
        self._ask(game, new)

    def forget(
        self, game: _OpenGame, result: str, new: tuple[Shot, ...] = (), ships: str | None = None
    ) -> None:
        """Tell the engine that a game is over."""
        more = {} if ships is None else {"ships": ships}
        told = [shot_text(shot, game.observation.rules) for shot in new]
        self._send("over", game=game.id, shots=told, result=result, **more)

    def flush(self) -> None:
        """Let the last messages leave."""
        self._running.flush()

    def _begin(self, game: _OpenGame) -> None:
        rules = game.observation.rules
        told = [shot_text(shot, rules) for shot in game.shots]
        self._send("game", game=game.id, seed=game.seed, shots=told)

    def _ask(self, game: _OpenGame, new: tuple[Shot, ...]) -> None:
        self._next_question += 1
        self._asked[self._next_question] = game
        # This is the message of which there are many: built without `json`.
        told = '","'.join([shot_text(shot, game.observation.rules) for shot in new])
        listed = f'["{told}"]' if new else "[]"
        pending = '","'.join(map(game.observation.rules.cell_name, game.pending))
        more = f',"pending":["{pending}"]' if pending else ""
        self._running.send(
            f'{{"type":"choose","id":{self._next_question},"game":{game.id},"shots":{listed},'
            f'"seconds":{self._seconds:g}{more}}}\n'.encode()
        )

    def next_choice(self) -> tuple[_OpenGame, int]:
        """The next game in which a shot is chosen, and the cell; a random one after a fault."""
        stopping = False
        while True:
            oldest = next(iter(self._asked))
            deadline = self._since + self._seconds + (STOP_SECONDS if stopping else 0)
            try:
                line = self._running.receive(deadline)
            except ProgramEnded:
                return self._restart("crash", oldest, self._how_it_ended())
            except TooMuchOutput as flood:
                return self._restart("flood", oldest, f"{flood}")
            if line is None and stopping:
                why = f"it did not answer within {self._seconds:g} s"
                return self._restart("time-out", oldest, why)
            if line is None:
                stopping = True
                self._send("stop", id=oldest)
                continue
            question, cell = self._read(line)
            if question is None:
                self._stray += 1
                if self._stray > MOST_STRAY:
                    why = f"it sent more than {MOST_STRAY:,} messages that nobody asked for"
                    return self._restart("flood", oldest, why)
                continue
            self._since = time.monotonic()
            game = self._asked.pop(question)
            if cell is None:
                return game, self._at_random(game)
            if stopping:
                game.failed = True
                self._fault("late answer", f"it answered after more than {self._seconds:g} s")
            self._restarts = self._stray = 0
            return game, cell

    def _read(self, line: bytes) -> tuple[int | None, int | None]:
        """The open question that a line answers, if any, and the legal cell, if it is one."""
        try:
            message = decode(line, FROM_ENGINE)
        except ProtocolError as error:
            self._fault("bad message", str(error))
            return None, None
        question = message.get("id")
        if message["type"] == "info":
            return None, None
        if question not in self._asked:
            kind = "error message" if message["type"] == "error" else "unasked answer"
            self._fault(kind, f"it sent {shown(line)}")
            return None, None
        game = self._asked[question]
        if message["type"] == "error":
            self._fault("error message", f"it answered {message['message']!r}")
        elif message["type"] != "shot":
            self._fault("bad message", f"it answered with {shown(line)}, not with a shot")
        else:
            try:
                return question, self._legal(game, message["cell"])
            except SeabattleError as error:
                self._fault("illegal shot", str(error))
                self._send("error", id=question, message=str(error))
        return question, None

    def _legal(self, game: _OpenGame, text: str) -> int:
        cell = self._cells.get(text)
        if cell is None:
            cell = game.observation.rules.cell(text)
        if game.played is not None:
            taken = game.played.was_fired_at(cell)
        else:
            taken = cell not in game.observation.unknown
        if taken or cell in game.pending:
            why = "is in this salvo already" if cell in game.pending else "has been shot at"
            raise PlayerError(f"It chose {text}, which {why}.")
        return cell

    def _at_random(self, game: _OpenGame) -> int:
        game.failed = True
        fired = {*(shot.cell for shot in game.shots), *game.pending}
        free = [cell for cell in range(game.observation.rules.cells) if cell not in fired]
        return free[int(np.random.default_rng([game.seed, len(fired)]).integers(len(free)))]

    def _fault(self, kind: str, what: str) -> None:
        self._faults[kind] += 1
        self._example = self._example or f"{kind}: {what}"

    def _how_it_ended(self) -> str:
        code = self._running.wait(0.1)
        if code is None:
            return "it closed its standard output"
        return f"it ended with exit code {code}" if code >= 0 else f"it ended by signal {-code}"

    def _restart(self, kind: str, oldest: int, why: str) -> tuple[_OpenGame, int]:
        """Start the program anew with its open games; the oldest question is a fault."""
        rules, ended = self._rules, self._end()
        assert rules is not None
        self._fault(kind, f"{why}.{_last_lines(ended)}")
        self._restarts += 1
        self._stray = 0
        failed = self._asked.pop(oldest)
        if self._restarts >= MOST_RESTARTS:
            self._asked.clear()
            raise PlayerError(
                f"{self._words[0]!r} failed {MOST_RESTARTS} times without a legal answer; the "
                f"last time, {why}.{_last_lines(ended)}"
            )
        games = list(self._asked.values())
        self.set_up(rules)
        self._begin(failed)
        self._since = time.monotonic()
        for game in games:
            self._begin(game)
            self._ask(game, ())
        return failed, self._at_random(failed)


def _last_lines(program: Program, most: int = 3) -> str:
    """The last of a program's standard error, for a sentence."""
    lines = [line.strip() for line in program.stderr.splitlines() if line.strip()][-most:]
    return f" Its standard error ends: {' / '.join(lines)[-400:]}" if lines else ""


def _quoted(word: str) -> str:
    """A word of a command, quoted if the shell or `split_outside_quotes` needs it."""
    quoted = shlex.quote(word)
    return f"'{word}'" if quoted == word and any(mark in word for mark in ",@") else quoted
