"""`seabattle engine --check COMMAND`: does an engine follow the protocol?

The engine is talked to as a host would, through games, positions and mistakes. The first thing
that is wrong ends the check, and the report shows the exchange that led to it.
"""

from __future__ import annotations

import shlex
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dealing.uniform import layout_for
from ..errors import PlayerError, ProtocolError, SeabattleError
from ..game import Game
from ..layout import Layout
from ..rules import PRESETS, Rules
from ..shots import Shot
from .process import EXIT_SECONDS, Program, ProgramEnded, TooMuchOutput
from .protocol import (
    FROM_ENGINE,
    LONGEST_LINE,
    MOST_STRAY,
    PREPARE_SECONDS,
    VERSION,
    decode,
    encode,
)

AT_A_TIME = 5
"""games played at the same time"""
SHOWN = 12
"""messages of the failing exchange that are shown"""

RULES: tuple[Rules, ...] = (
    PRESETS["classic"],
    PRESETS["mini"],
    Rules(7, 9, (3, 2, 1), "corners", "sunk", "rounds"),
    Rules(6, 6, (3, 3, 2), "any", "named", "again"),
    Rules(6, 7, (3, 2, 1), salvo="ships"),
)


class CheckFailed(Exception):
    """What is wrong, as a sentence."""


@dataclass(frozen=True)
class CheckReport:
    """The result of a check."""

    command: str
    name: str
    """the engine's own name, if it has told it"""
    done: tuple[str, ...]
    """what was found to be right"""
    notes: tuple[str, ...]
    """remarks on what the protocol allows"""
    failure: str = ""
    """what is wrong, as a sentence"""
    exchange: tuple[str, ...] = ()
    """the last messages before the failure; '>' goes to the engine, '<' comes from it"""
    stderr: str = ""

    @property
    def passed(self) -> bool:
        return not self.failure

    def to_json(self) -> dict[str, Any]:
        return {
            "command": self.command,
            "name": self.name,
            "passed": self.passed,
            "done": list(self.done),
            "notes": list(self.notes),
            "failure": self.failure or None,
            "exchange": list(self.exchange),
            "stderr": self.stderr,
        }

    def to_text(self) -> str:
        lines = [f"ok    {step}" for step in self.done]
        lines += [f"note  {note}" for note in self.notes]
        if self.failure:
            lines += [f"FAIL  {self.failure}"]
            if self.exchange:
                lines += ["", "The exchange ('>' to the engine, '<' from it):"]
                lines += [f"  {line}" for line in self.exchange]
            if self.stderr.strip():
                lines += ["", "Its standard error:"]
                lines += [f"  {line}" for line in self.stderr.splitlines()[-SHOWN:]]
        else:
            lines += [f"{self.name or self.command} follows the protocol."]
        return "\n".join(lines)


def check_engine(command: str, seconds: float = 5.0) -> CheckReport:
    """Check the engine that a command starts."""
    if not seconds > 0:
        raise PlayerError(f"seconds must be greater than 0, not {seconds:g}.")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise PlayerError(f"Cannot read the command {command!r}: {str(error).lower()}.") from None
    if not words:
        raise PlayerError("--check needs a command, such as --check './my-engine --fast'.")
    return _Check(command, words, seconds).run()


class _Check:
    def __init__(self, command: str, words: list[str], seconds: float) -> None:
        self._command, self._words, self._seconds = command, words, seconds
        self._exchange: deque[str] = deque(maxlen=SHOWN)
        self._notes: list[str] = []
        self._hello: dict[str, Any] = {}
        self._rules: Rules | None = None
        self._played: list[Rules] = []
        self._numbers = iter(range(1, 2**31))
        self._program: Program

    def run(self) -> CheckReport:
        done: list[str] = []
        self._program = Program(self._words)
        failure = ""
        try:
            for step, what in self._steps():
                step()
                done.append(what)
        except CheckFailed as failed:
            failure = str(failed)
        finally:
            self._program.kill()
        return CheckReport(
            self._command,
            self._hello.get("name", ""),
            tuple(done),
            tuple(self._notes),
            failure,
            tuple(self._exchange) if failure else (),
            self._program.stderr,
        )

    def _steps(self) -> Iterator[tuple[Callable[[], None], str]]:
        yield self._greet, "says hello"
        yield self._know_rules, "gets ready for the rules that it plays"
        for rules in self._played:
            yield (
                lambda rules=rules: self._whole_game(rules),  # type: ignore[misc]
                f"plays a legal game under {rules.to_text()}",
            )
        yield self._any_position, "chooses in positions that it would not have reached"
        yield self._many_games, "keeps games apart"
        yield self._same_seed, "answers a game with the same seed"
        yield self._idle_messages, "goes on after stop, match and messages that it does not know"
        yield self._bad_messages, "goes on after a line that is not a message"
        if self._hello.get("places"):
            yield self._place, "places a legal fleet"
        yield self._match, "plays a match of two games"
        yield self._quit, "exits after quit"
        yield self._end_of_input, "exits at the end of its input"

    # ---- the steps

    def _greet(self) -> None:
        self._send("hello", protocol=VERSION, host="seabattle --check", options={})
        self._hello = self._receive("hello", PREPARE_SECONDS)
        if self._hello["protocol"] != VERSION:
            raise CheckFailed(
                f"It speaks version {self._hello['protocol']} of the protocol, not {VERSION}."
            )

    def _know_rules(self) -> None:
        refused = []
        for rules in RULES:
            try:
                self._use(rules)
                self._played.append(rules)
            except _Refused as error:
                refused.append(f"It does not play under {rules.to_text()}: {error}")
        if not self._played:
            raise CheckFailed(f"It plays under none of the rules. {refused[0]}")
        self._notes += refused

    def _whole_game(self, rules: Rules) -> None:
        self._use(rules)
        layout = layout_for(rules, 1, 0)
        played, number = Game(layout), self._begin(1)
        new: list[Shot] = []
        while not played.finished:
            salvo: list[int] = []
            while len(salvo) < played.salvo:
                salvo.append(self._legal(self._ask(number, new, salvo), played, salvo))
                new = []
            new = list(played.fire_salvo(salvo))
        self._over(number, new, layout)

    def _any_position(self) -> None:
        rules = self._played[0]
        self._use(rules)
        played = Game(layout_for(rules, 2, 0))
        order = np.random.default_rng(2).permutation(rules.cells).tolist()
        for count, cell in enumerate(order):
            if played.finished:
                break
            if count % 7 == 3:
                number = self._begin(5, played.shots)
                self._legal(self._ask(number, []), played)
                self._over(number, [])
            played.fire(cell)

    def _many_games(self) -> None:
        rules = self._played[0]
        self._use(rules)
        games = {
            self._begin(seed): Game(layout_for(rules, 3, seed))
            for seed in range(min(AT_A_TIME, max(1, self._hello.get("games", 1))))
        }
        if len(games) == 1:
            self._notes.append("It plays one game at a time ('games' in its hello).")
        new: dict[int, list[Shot]] = {number: [] for number in games}
        for _ in range(min(20, rules.ship_cells)):
            asked = {self._question(number, new[number]): number for number in games}
            while asked:
                answer = self._receive("shot", self._seconds)
                if answer["id"] not in asked:
                    raise CheckFailed(f"It answered question {answer['id']}, which is not open.")
                number = asked.pop(answer["id"])
                new[number] = [games[number].shoot(self._legal(answer, games[number]))]
        for number in games:
            self._over(number, new[number])

    def _same_seed(self) -> None:
        rules = self._played[0]
        self._use(rules)
        cells = []
        for _ in range(2):
            played, number = Game(layout_for(rules, 4, 0)), self._begin(4)
            new: list[Shot] = []
            for _ in range(min(10, rules.ship_cells)):
                new = [self._shoot(played, number, new)]
            self._over(number, new)
            cells.append([shot.cell for shot in played.shots])
        if cells[0] != cells[1]:
            self._notes.append(
                "Two games with the same seed differ, so its results cannot be reproduced."
            )

    def _idle_messages(self) -> None:
        self._send("stop", id=next(self._numbers))
        self._send("match", match=1, games=2, opponent="nobody")
        self._send("match-over", match=1, wins=1, draws=0, losses=1)
        self._send("a-later-message", anything=[1, 2])
        self._still_plays(ignored=True)

    def _bad_messages(self) -> None:
        for line in (b"this is no message\n", b'{"type": 5}\n', b"[]\n"):
            self._exchange.append(f"> {line.decode().rstrip()}")
            self._program.send(line)
        self._still_plays(ignored=True)

    def _place(self) -> None:
        for rules in self._played:
            self._use(rules)
            self._fleet(rules, 7)

    def _fleet(self, rules: Rules, seed: int, **match: int) -> Layout:
        question = next(self._numbers)
        self._send("place", id=question, seed=seed, seconds=self._seconds, **match)
        answer = self._receive("layout", self._seconds)
        if answer["id"] != question:
            raise CheckFailed(f"It answered question {answer['id']}, not {question}.")
        try:
            return Layout.from_text(answer["ships"], rules)
        except SeabattleError as error:
            raise CheckFailed(f"Its fleet is not legal. {error}") from None

    def _match(self) -> None:
        """A game that it loses after three shots and plays on, and one that it wins."""
        rules = next((each for each in self._played if each.salvo == 1), None)
        if rules is None:
            self._notes.append("It plays salvos only, and matches have one shot per turn.")
            return
        self._use(rules)
        match = next(self._numbers)
        self._send("match", match=match, games=2, opponent="somebody")
        score = {"lost": 0, "won": 0}
        for side, result in (("first", "lost"), ("second", "won")):
            own = layout_for(rules, 8, len(result))
            if self._hello.get("places"):
                own = self._fleet(rules, len(result), match=match)
            enemy = Game(own)
            target, seed = Game(layout_for(rules, 9, len(result))), len(result)
            number, new = self._begin(seed, match=match, side=side), list[Shot]()
            while not target.finished and (result == "won" or len(target.shots) < 3):
                new = [self._shoot(target, number, new)]
            for cell in sorted(own.ship_at) if result == "lost" else ():
                enemy.fire(cell)
            self._send(
                "over",
                game=number,
                shots=list(map(self._text, new)),
                result=result,
                ships=target.layout.to_text(),
                own_ships=own.to_text(),
                enemy_shots=list(map(self._text, enemy.shots)),
            )
            if not target.finished:
                number = self._begin(seed, target.shots)
                self._shoot(target, number, [])
                self._over(number, [])
            score[result] += 1
        self._send("match-over", match=match, wins=score["won"], draws=0, losses=score["lost"])
        self._still_plays(ignored=False)

    def _quit(self) -> None:
        self._send("quit")
        self._program.flush()
        if self._program.wait(EXIT_SECONDS + self._seconds) is None:
            raise CheckFailed("It is still running after quit.")

    def _end_of_input(self) -> None:
        self._program.kill()
        self._program = Program(self._words)
        self._exchange.clear()
        self._rules = None
        self._greet()
        self._exchange.append("> (end of the input)")
        self._program.end_input()
        if self._program.wait(EXIT_SECONDS + self._seconds) is None:
            raise CheckFailed("It is still running after the end of its input.")

    # ---- what they share

    def _use(self, rules: Rules) -> None:
        if self._rules == rules:
            return
        self._rules = None
        self._send("rules", rules=rules.to_json())
        self._receive("ready", PREPARE_SECONDS)
        self._rules = rules

    def _begin(self, seed: int, shots: tuple[Shot, ...] = (), **match: Any) -> int:
        number = next(self._numbers)
        told = list(map(self._text, shots))
        self._send("game", game=number, seed=seed, shots=told, **match)
        return number

    def _question(self, number: int, new: list[Shot], salvo: Sequence[int] = ()) -> int:
        question = next(self._numbers)
        told = list(map(self._text, new))
        assert self._rules is not None
        more = {"pending": list(map(self._rules.cell_name, salvo))} if salvo else {}
        self._send("choose", id=question, game=number, shots=told, seconds=self._seconds, **more)
        return question

    def _ask(
        self, number: int, new: list[Shot], salvo: Sequence[int] = (), *, ignored: bool = False
    ) -> dict[str, Any]:
        question = self._question(number, new, salvo)
        answer = self._receive("shot", self._seconds, ignored=ignored)
        if answer["id"] != question:
            raise CheckFailed(f"It answered question {answer['id']}, not {question}.")
        return answer

    def _shoot(self, played: Game, number: int, new: list[Shot]) -> Shot:
        return played.shoot(self._legal(self._ask(number, new), played))

    def _legal(self, answer: dict[str, Any], played: Game, salvo: Sequence[int] = ()) -> int:
        try:
            cell = played.rules.cell(answer["cell"])
        except SeabattleError as error:
            raise CheckFailed(str(error)) from None
        if played.was_fired_at(cell):
            raise CheckFailed(f"It shot at {answer['cell']} a second time.")
        if cell in salvo:
            raise CheckFailed(f"It chose {answer['cell']} twice in one salvo.")
        return cell

    def _over(self, number: int, new: list[Shot], layout: Layout | None = None) -> None:
        more = {} if layout is None else {"ships": layout.to_text()}
        result = "stopped" if layout is None else "finished"
        self._send("over", game=number, shots=list(map(self._text, new)), result=result, **more)

    def _still_plays(self, *, ignored: bool) -> None:
        """One more question; errors before its answer are ignored."""
        rules = self._rules or self._played[0]
        self._use(rules)
        number = self._begin(6)
        answer = self._ask(number, [], ignored=ignored)
        self._legal(answer, Game(layout_for(rules, 6, 0)))
        self._over(number, [])

    def _text(self, shot: Shot) -> str:
        assert self._rules is not None
        return shot.to_text(self._rules)

    def _send(self, kind: str, **fields: Any) -> None:
        line = encode(kind, **fields)
        self._exchange.append(f"> {line.decode().rstrip()}")
        self._program.send(line)

    def _receive(self, kind: str, seconds: float, *, ignored: bool = False) -> dict[str, Any]:
        """The next message, which must be of this kind."""
        deadline = time.monotonic() + seconds
        for _ in range(MOST_STRAY):
            try:
                line = self._program.receive(deadline)
            except ProgramEnded:
                code = self._program.wait(0.1)
                how = f"with exit code {code}" if code is not None else "or closed its output"
                raise CheckFailed(f"It ended {how} instead of answering.") from None
            except TooMuchOutput:
                raise CheckFailed(
                    f"It wrote too much: a line has at most {LONGEST_LINE:,} bytes, and nothing is "
                    "written unasked."
                ) from None
            if line is None:
                raise CheckFailed(f"It did not answer within {seconds:g} s; {kind!r} was due.")
            self._exchange.append(f"< {line.decode('utf-8', 'backslashreplace')[:500]}")
            try:
                message = decode(line, FROM_ENGINE)
            except ProtocolError as error:
                raise CheckFailed(str(error)) from None
            if message["type"] == "info" or (ignored and message["type"] == "error"):
                if message["type"] == "info":
                    self._exchange.pop()
                continue
            if message["type"] == "error" and kind == "ready":
                raise _Refused(message["message"])
            if message["type"] != kind:
                raise CheckFailed(f"It answered with {message['type']!r}; {kind!r} was due.")
            return message
        raise CheckFailed(f"It sent {MOST_STRAY:,} messages that nobody asked for.")


class _Refused(CheckFailed):
    """The engine says that it does not play under these rules."""
