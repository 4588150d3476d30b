"""`seabattle engine PLAYER`: one of our players as an engine (see docs/protocol.md).

A game with a seed is the game that `compare` plays with that seed: shot for shot, whoever
asks. All messages that are waiting are answered together. A player or placer that learns
does so from the games of a match, and begins every match anew.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dealing.placers import UNIFORM, Placer, make_placer
from ..errors import ProtocolError, SeabattleError
from ..layout import Layout
from ..observation import Observation
from ..players import Player, describe, make_player, player_info
from ..players.in_game import Shooter, seeded_shooter
from ..revealed import RESULTS, Learner, RevealedGame
from ..rules import Rules
from .protocol import LONGEST_LINE, TO_ENGINE, VERSION, decode, encode, shot_from_text

CHUNK = 65_536
MOST_GAMES = 256
"""played at a time; each remembers its shots"""
MOST_MATCHES = 64
"""at a time; each remembers what was learned in it"""


@dataclass
class _ServedMatch:
    """What has been learned in a match."""

    player: Player
    placer: Placer

    def learn(self, game: RevealedGame) -> None:
        if isinstance(self.player, Learner):
            self.player = self.player.after_game(game)
        if isinstance(self.placer, Learner):
            self.placer = self.placer.after_game(game)


@dataclass
class _ServedGame:
    observation: Observation
    shooter: Shooter
    match: _ServedMatch | None = None
    moved_first: bool = True

    def tell(self, shots: Sequence[str]) -> None:
        for text in shots:
            shot = shot_from_text(text, self.observation.rules)
            self.observation = self.observation.after(shot.cell, shot.answer)
            self.shooter.told(shot)


class EngineServer:
    """The engine's side of the protocol."""

    def __init__(self, player: str, placer: str = "", version: str = "") -> None:
        self._name = describe(player)
        self._player = make_player(player)
        info = player_info(self._name.partition(":")[0])
        self._placer = make_placer(placer or info.placer or UNIFORM)
        self._version = version
        self._rules: Rules | None = None
        self._games: dict[int, _ServedGame] = {}
        self._matches: dict[int, _ServedMatch] = {}
        self.done = False

    def answer(self, line: bytes) -> bytes:
        """The answer to one line, which may be none."""
        question: int | None = None
        try:
            message = decode(line, TO_ENGINE)
            question = message.get("id")
            return self._answer(message)
        except SeabattleError as error:
            told = str(error)
        except Exception as error:  # a player is somebody's code; the engine stays
            told = f"{self._name} failed with {type(error).__name__}: {error}"
        return encode("error", message=told, **({} if question is None else {"id": question}))

    def _answer(self, message: dict[str, Any]) -> bytes:
        match message["type"]:
            case "hello":
                return self._hello(message)
            case "rules":
                self._get_ready(Rules.from_json(message["rules"]))
                return encode("ready")
            case "game":
                self._begin(message)
            case "choose":
                return self._choose(message)
            case "place":
                match = self._match(message)
                placer = self._placer if match is None else match.placer
                layout = placer.place(self._known_rules, _generator(message["seed"]))
                return encode("layout", id=message["id"], ships=layout.to_text())
            case "match":
                if len(self._matches) >= MOST_MATCHES and message["match"] not in self._matches:
                    raise ProtocolError(f"This engine plays at most {MOST_MATCHES} matches.")
                self._matches[message["match"]] = _ServedMatch(self._player, self._placer)
            case "over":
                self._over(message)
            case "match-over":
                self._match(message)
                del self._matches[message["match"]]
            case "quit":
                self.done = True
        # Each question is answered before the next line is read: there is nothing to stop.
        return b""

    def _hello(self, message: dict[str, Any]) -> bytes:
        if message["protocol"] < VERSION:
            raise ProtocolError(f"This engine speaks version {VERSION} of the protocol.")
        for name in message.get("options", {}):
            raise ProtocolError(
                f"There is no option {name!r}; write the parameters of a player in its name."
            )
        return encode(
            "hello",
            protocol=VERSION,
            name=self._name,
            version=self._version,
            games=MOST_GAMES,
            places=True,
            options={},
        )

    @property
    def _known_rules(self) -> Rules:
        if self._rules is None:
            raise ProtocolError("The rules must be told before a game.")
        return self._rules

    def _get_ready(self, rules: Rules) -> None:
        """Choose once under these rules, so that no game waits for a compilation."""
        self._games.clear()
        self._matches.clear()
        self._rules = None
        seeded_shooter(self._player, rules, 0).choose()
        self._rules = rules

    def _begin(self, message: dict[str, Any]) -> None:
        if len(self._games) >= MOST_GAMES and message["game"] not in self._games:
            raise ProtocolError(f"This engine plays at most {MOST_GAMES} games at a time.")
        rules = self._known_rules
        shots = tuple(shot_from_text(text, rules) for text in message["shots"])
        match = self._match(message)
        player = self._player if match is None else match.player
        self._games[message["game"]] = _ServedGame(
            Observation(rules, shots),
            seeded_shooter(player, rules, message["seed"], shots),
            match,
            message.get("side") != "second",
        )

    def _match(self, message: dict[str, Any]) -> _ServedMatch | None:
        """The match that a message belongs to, if any."""
        number = message.get("match")
        if number is None:
            return None
        if number not in self._matches:
            raise ProtocolError(f"There is no match {number}.")
        return self._matches[number]

    def _over(self, message: dict[str, Any]) -> None:
        """The end of a game, and of a game of a match what can be learned from it."""
        game = self._game(message["game"])
        del self._games[message["game"]]
        if game.match is None or "own_ships" not in message:
            return
        result = next((each for each in RESULTS if each == message["result"]), None)
        if result is None:
            return
        rules = game.observation.rules
        game.tell(message["shots"])
        ships = message.get("ships")
        game.match.learn(
            RevealedGame(
                layout=Layout.from_text(message["own_ships"], rules),
                shots=game.observation.shots,
                enemy_shots=tuple(
                    shot_from_text(text, rules) for text in message.get("enemy_shots", ())
                ),
                enemy_layout=None if ships is None else Layout.from_text(ships, rules),
                result=result,
                moved_first=game.moved_first,
            )
        )

    def _game(self, number: int) -> _ServedGame:
        if number not in self._games:
            raise ProtocolError(f"There is no game {number}.")
        return self._games[number]

    def _choose(self, message: dict[str, Any]) -> bytes:
        game = self._game(message["game"])
        rules = game.observation.rules
        game.tell(message["shots"])
        if game.observation.finished:
            raise ProtocolError(f"Every ship of game {message['game']} is sunk.")
        pending = tuple(map(rules.cell, message.get("pending", ())))
        held = game.observation.pending
        if pending[: len(held)] != held:
            raise ProtocolError(
                f"The salvo of game {message['game']} began with other cells; until it is "
                "answered, 'pending' only grows."
            )
        for cell in pending[len(held) :]:
            game.observation = game.observation.choosing(cell)
            game.shooter.hold(cell)
        if not game.observation.unknown:
            raise ProtocolError(f"Every cell of game {message['game']} is in the salvo.")
        return encode("shot", id=message["id"], cell=rules.cell_name(game.shooter.choose()))


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def serve(server: EngineServer, read: int = 0, write: int = 1) -> None:
    """Answer the messages on one file descriptor with messages on another, until `quit` or the
    end of the input."""
    part = b""
    while not server.done:
        data = os.read(read, CHUNK)
        *lines, part = (part + data).split(b"\n")
        if not data and part:
            lines, part = [part], b""
        if len(part) > LONGEST_LINE:
            raise ProtocolError(f"A line may have at most {LONGEST_LINE:,} bytes.")
        answers = b""
        for line in lines:
            if line.strip() and not server.done:
                answers += server.answer(line)
        while answers:
            answers = answers[os.write(write, answers) :]
        if not data:
            return
