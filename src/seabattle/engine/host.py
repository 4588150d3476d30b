"""The host's side of the engine protocol: questions to a program, and what its answers are worth.

`EngineProgram` starts the program, tells it games, asks, and counts faults, as docs/protocol.md
describes. A question is an `OpenGame`, in which a shot is due, or a `Placing`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ..errors import PlayerError, ProtocolError, SeabattleError, one_of
from ..game import Game
from ..layout import Layout
from ..observation import Observation
from ..players.base import Faults
from ..rules import Rules
from ..shots import Shot
from .process import Program, ProgramEnded, TooMuchOutput
from .protocol import FROM_ENGINE, MOST_STRAY, VERSION, decode, encode, shot_text, shown

STOP_SECONDS = 1.0
"""how long an engine may take to answer once it was told to stop"""
MOST_RESTARTS = 3
READING_SECONDS = 0.05
"""that a program may take for each message of a history that it is told"""


@dataclass
class OpenGame:
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
    fields: Mapping[str, Any] = field(default_factory=dict)
    """what else the engine is told at the start: the match and its side"""

    due: ClassVar[str] = "shot"

    @property
    def shots(self) -> tuple[Shot, ...]:
        return (*self.observation.shots, *self.since)

    def read(self, message: dict[str, Any]) -> int:
        """The cell that was chosen, if it may be."""
        text, rules = message["cell"], self.observation.rules
        cell = _cells(rules).get(text)
        if cell is None:
            cell = rules.cell(text)
        if self.played is not None:
            taken = self.played.was_fired_at(cell)
        else:
            taken = cell not in self.observation.unknown
        if taken or cell in self.pending:
            why = "is in this salvo already" if cell in self.pending else "has been shot at"
            raise PlayerError(f"It chose {text}, which {why}.")
        return cell

    def at_random(self) -> int:
        """The cell that is shot at if there is no legal answer."""
        fired = {*(shot.cell for shot in self.shots), *self.pending}
        free = [cell for cell in range(self.observation.rules.cells) if cell not in fired]
        return free[int(np.random.default_rng([self.seed, len(fired)]).integers(len(free)))]


@dataclass
class Placing:
    """A fleet that the engine is asked to place."""

    rules: Rules
    seed: int
    failed: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)

    due: ClassVar[str] = "layout"

    def read(self, message: dict[str, Any]) -> Layout:
        """The fleet, if it is legal."""
        return Layout.from_text(message["ships"], self.rules)


Question = OpenGame | Placing


@lru_cache(maxsize=16)
def _cells(rules: Rules) -> dict[str, int]:
    return {rules.cell_name(cell): cell for cell in range(rules.cells)}


def worst_order(game: Game) -> list[int]:
    """The cells that are left: water as long as there is any, then the ships."""
    occupied = game.layout.ship_at
    left = [cell for cell in range(game.rules.cells) if not game.was_fired_at(cell)]
    return sorted(left, key=lambda cell: cell in occupied)


class EngineProgram:
    """The host's side of the protocol."""

    def __init__(
        self, words: Sequence[str], options: Mapping[str, str], seconds: float, prepare: float
    ) -> None:
        self._words, self._options = words, options
        self._seconds, self._prepare = seconds, prepare
        self._program: Program | None = None
        self._rules: Rules | None = None
        self.games = 1
        """how many games it can play at a time"""
        self.places = False
        """whether it places fleets"""
        self.history: Sequence[bytes] = ()
        """what a program that is started anew is told after the rules"""
        self._grace = 0.0
        """seconds that the next answer may take beyond the limit, to read the history"""
        self._asked: dict[int, Question] = {}
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
            for line in self.history:
                self._running.send(line)
            self._grace = min(self._prepare, READING_SECONDS * len(self.history))

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
        self.places = hello.get("places", False)

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

    def open(self, games: Iterable[OpenGame]) -> None:
        """Begin games at the positions given, and ask for a shot in each."""
        if not self._asked:
            self._since = time.monotonic()
        for game in games:
            self.begin(game)
            self._ask(game, ())

    def begin(self, game: OpenGame) -> None:
        """Tell the engine a game, without a question."""
        self._next_game += 1
        game.id = self._next_game
        self._begin(game)

    def ask_again(self, game: OpenGame, new: tuple[Shot, ...]) -> None:
        """Tell the answers to the last turn of a game, if it is complete, and ask for a cell."""
        if not self._asked:
            self._since = time.monotonic()
        game.since += new
        self._ask(game, new)

    def forget(
        self, game: OpenGame, result: str, new: Sequence[Shot] = (), **revealed: Any
    ) -> None:
        """Tell the engine that a game is over, and what is revealed."""
        told = [shot_text(shot, game.observation.rules) for shot in new]
        self._send("over", game=game.id, shots=told, result=result, **revealed)

    def send_line(self, line: bytes) -> None:
        """Send a message that has no answer, if the program runs."""
        if self._program is not None:
            self._program.send(line)

    def flush(self) -> None:
        """Let the last messages leave."""
        self._running.flush()

    def _begin(self, game: OpenGame) -> None:
        rules = game.observation.rules
        told = [shot_text(shot, rules) for shot in game.shots]
        self._send("game", game=game.id, seed=game.seed, shots=told, **game.fields)

    def _ask(self, game: OpenGame, new: tuple[Shot, ...]) -> None:
        number = self._number(game)
        # This is the message of which there are many: built without `json`.
        told = '","'.join([shot_text(shot, game.observation.rules) for shot in new])
        listed = f'["{told}"]' if new else "[]"
        pending = '","'.join(map(game.observation.rules.cell_name, game.pending))
        more = f',"pending":["{pending}"]' if pending else ""
        self._running.send(
            f'{{"type":"choose","id":{number},"game":{game.id},"shots":{listed},'
            f'"seconds":{self._seconds:g}{more}}}\n'.encode()
        )

    def next_choice(self) -> tuple[OpenGame, int]:
        """The next game in which a shot is chosen, and the cell; a random one after a fault."""
        game, cell = self._next_answer()
        assert isinstance(game, OpenGame)
        return game, game.at_random() if cell is None else cell

    def place(self, question: Placing) -> Layout | None:
        """Ask for a fleet; none if there is no legal answer. No game may be waiting."""
        assert not self._asked
        self._since = time.monotonic()
        number = self._number(question)
        self._send("place", id=number, seed=question.seed, seconds=self._seconds, **question.fields)
        layout: Layout | None = self._next_answer()[1]
        return layout

    def _number(self, question: Question) -> int:
        self._next_question += 1
        self._asked[self._next_question] = question
        return self._next_question

    def _next_answer(self) -> tuple[Question, Any]:
        """The next question that is settled, and the legal answer; None after a fault."""
        stopping = False
        while True:
            oldest = next(iter(self._asked))
            allowed = self._seconds + self._grace
            deadline = self._since + allowed + (STOP_SECONDS if stopping else 0)
            try:
                line = self._running.receive(deadline)
            except ProgramEnded:
                return self._restart("crash", oldest, self._how_it_ended())
            except TooMuchOutput as flood:
                return self._restart("flood", oldest, f"{flood}")
            if line is None and stopping:
                why = f"it did not answer within {allowed:g} s"
                return self._restart("time-out", oldest, why)
            if line is None:
                stopping = True
                self._send("stop", id=oldest)
                continue
            number, answer = self._read(line)
            if number is None:
                self._stray += 1
                if self._stray > MOST_STRAY:
                    why = f"it sent more than {MOST_STRAY:,} messages that nobody asked for"
                    return self._restart("flood", oldest, why)
                continue
            self._since, self._grace = time.monotonic(), 0.0
            question = self._asked.pop(number)
            if answer is None:
                question.failed = True
                return question, None
            if stopping:
                question.failed = True
                self._fault("late answer", f"it answered after more than {allowed:g} s")
            self._restarts = self._stray = 0
            return question, answer

    def _read(self, line: bytes) -> tuple[int | None, Any]:
        """The number of the question that a line answers, if any, and the answer, if legal."""
        try:
            message = decode(line, FROM_ENGINE)
        except ProtocolError as error:
            self._fault("bad message", str(error))
            return None, None
        number = message.get("id")
        if message["type"] == "info":
            return None, None
        if number not in self._asked:
            kind = "error message" if message["type"] == "error" else "unasked answer"
            self._fault(kind, f"it sent {shown(line)}")
            return None, None
        question = self._asked[number]
        if message["type"] == "error":
            self._fault("error message", f"it answered {message['message']!r}")
        elif message["type"] != question.due:
            self._fault("bad message", f"it answered with {shown(line)}, not with a {question.due}")
        else:
            try:
                return number, question.read(message)
            except SeabattleError as error:
                self._fault(f"illegal {question.due}", str(error))
                self._send("error", id=number, message=str(error))
        return number, None

    def _fault(self, kind: str, what: str) -> None:
        self._faults[kind] += 1
        self._example = self._example or f"{kind}: {what}"

    def _how_it_ended(self) -> str:
        code = self._running.wait(0.1)
        if code is None:
            return "it closed its standard output"
        return f"it ended with exit code {code}" if code >= 0 else f"it ended by signal {-code}"

    def _restart(self, kind: str, oldest: int, why: str) -> tuple[Question, None]:
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
        others = list(self._asked.values())
        failed.failed = True
        self.set_up(rules)
        self._since = time.monotonic()
        if isinstance(failed, OpenGame):
            self._begin(failed)
        for game in others:
            assert isinstance(game, OpenGame)
            self._begin(game)
            self._ask(game, ())
        return failed, None


def _last_lines(program: Program, most: int = 3) -> str:
    """The last of a program's standard error, for a sentence."""
    lines = [line.strip() for line in program.stderr.splitlines() if line.strip()][-most:]
    return f" Its standard error ends: {' / '.join(lines)[-400:]}" if lines else ""
