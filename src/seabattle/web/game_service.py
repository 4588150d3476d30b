"""What may happen in a game on the server, and what each seat may know of it.

A game has two seats. A person holds a seat by its token, which every call checks;
a registered player needs none. Every change is on disk before the call returns; the
games in memory are replayed from there and are only a faster way to the same answer.
`view` is the only way from a game to a page: it takes from the duel what the rules
told that seat, and the layouts of others only once the game is over.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..dealing.uniform import random_layout
from ..errors import SeabattleError
from ..game import Duel
from ..layout import Layout
from ..observation import Observation
from ..record import DuelRecord
from ..rules import Rules
from ..shots import Shot
from .commitment import commitment, new_nonce
from .game_store import GameStore, SavedGame, Seat, Statement, add_move, hashed, new_game, touch
from .player_workers import PlayerWorkers
from .refusals import NotPossibleNow, NotYourSeat, Refused, TooMany
from .settings import ServerSettings

log = logging.getLogger("seabattle.web")

WATCHER = -1
"""The `side` of somebody who watches two players."""

TABLES = 2000
"""Games that are kept in memory."""


@dataclass
class Table:
    """A game as it stands on disk, replayed."""

    game: SavedGame
    duel: Duel | None
    """None before both fleets are placed"""
    moves: list[dict[str, Any]]
    """every shot as it was told"""

    @property
    def over(self) -> bool:
        return self.game.resigned is not None or (self.duel is not None and self.duel.finished)


class GameService:
    """All games of a server."""

    def __init__(
        self,
        store: GameStore,
        thinking: PlayerWorkers,
        settings: ServerSettings,
        changed: Callable[[str], None],
    ) -> None:
        self._store = store
        self._thinking = thinking
        self._settings = settings
        self._changed = changed
        self._locks = [threading.Lock() for _ in range(256)]
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._tables_lock = threading.Lock()
        self._replying: set[str] = set()
        self._replying_lock = threading.Lock()
        self._threads = ThreadPoolExecutor(
            settings.quick_workers + 4 * settings.slow_workers, thread_name_prefix="reply"
        )

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    # Sitting down

    def against_player(
        self, rules: Rules, opponent: str, *, first: str, name: str, client: str
    ) -> dict[str, Any]:
        """A game of a person against a registered player, which places its fleet at once."""
        self._check_room(client)
        self._thinking.check(opponent)
        person = {"me": 0, "opponent": 1}.get(first, secrets.randbelow(2))
        token = secrets.token_urlsafe(24)
        seats = (Seat(name, None, hashed(token), None, None), self._computer(rules, opponent))
        settings = {"opponent": opponent, "name": name, "first": person}
        game = self._create("computer", rules, _swap(seats, person), client, settings)
        return {"id": game, "token": token}

    def of_people(self, rules: Rules, *, name: str, client: str) -> dict[str, Any]:
        """A game of two people; the second one joins with the invitation."""
        self._check_room(client)
        random_fleet(rules)
        token, invite = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        seats = (Seat(name, None, hashed(token), None, None), Seat("", None, None, None, None))
        side = secrets.randbelow(2)
        game = self._create("people", rules, _swap(seats, side), client, {}, hashed(invite))
        return {"id": game, "token": token, "invite": invite}

    def of_players(self, rules: Rules, players: tuple[str, str], *, client: str) -> dict[str, Any]:
        """A game of two registered players to watch."""
        self._check_room(client)
        for player in players:
            self._thinking.check(player)
        token = secrets.token_urlsafe(24)
        seats = (self._computer(rules, players[0]), self._computer(rules, players[1]))
        game = self._create("watch", rules, seats, client, {"token": hashed(token)})
        return {"id": game, "token": token}

    def join(self, game_id: str, invite: str, name: str) -> dict[str, Any]:
        """Exchange an invitation, once, for the token of the free seat."""
        with self._changing(game_id):
            game = self._table(game_id).game
            if game.kind != "people" or game.invite is None:
                raise NotPossibleNow("This invitation has been used already.")
            if not hmac.compare_digest(game.invite, hashed(invite)):
                raise NotYourSeat
            free = next(side for side, seat in enumerate(game.seats) if seat.token is None)
            token = secrets.token_urlsafe(24)
            self._commit(
                game_id,
                (
                    "update seats set token = ?, name = ? where game = ? and side = ?",
                    (hashed(token), name, game_id, free),
                ),
                ("update games set invite = null where id = ?", (game_id,)),
                touch(game_id),
            )
        return {"id": game_id, "token": token}

    def side(self, game_id: str, token: str) -> int:
        """The seat that a token is for."""
        with self._changing(game_id):
            return self._side(self._table(game_id).game, token)

    def rematch(self, game_id: str, token: str, client: str) -> dict[str, Any]:
        """The same again, the other side first; each person asks for their own seat in it."""
        with self._changing(game_id):
            table = self._table(game_id)
            game = table.game
            side = self._side(game, token)
            if not table.over:
                raise NotPossibleNow("A rematch can begin when this game is over.")
            secret = secrets.token_urlsafe(24)
            new_id = game.rematch
            if new_id is not None and side != WATCHER and game.kind == "people":
                self._take_seat(new_id, 1 - side, secret, game.seats[side].name)
                return {"id": new_id, "token": secret}
            self._check_room(client)
            if game.kind == "computer":
                mine, theirs = game.seats[side], game.seats[1 - side]
                assert theirs.player is not None
                seats = (
                    Seat(mine.name, None, hashed(secret), None, None),
                    self._computer(game.rules, theirs.player),
                )
                new_id = self._create(
                    "computer", game.rules, _swap(seats, 1 - side), client, game.settings
                )
            elif game.kind == "people":
                seats = (
                    Seat(game.seats[side].name, None, hashed(secret), None, None),
                    Seat(game.seats[1 - side].name, None, None, None, None),
                )
                new_id = self._create("people", game.rules, _swap(seats, 1 - side), client, {})
            else:
                one, other = (seat.player for seat in game.seats)
                assert one is not None
                assert other is not None
                seats = (self._computer(game.rules, other), self._computer(game.rules, one))
                new_id = self._create("watch", game.rules, seats, client, {"token": hashed(secret)})
            self._commit(
                game_id,
                ("update games set rematch = ? where id = ?", (new_id, game_id)),
                touch(game_id, finished=True),
            )
        return {"id": new_id, "token": secret}

    # Playing

    def place(self, game_id: str, token: str, ships: Any) -> dict[str, Any]:
        """Fix a seat's fleet."""
        with self._changing(game_id):
            game = self._table(game_id).game
            side = self._person(game, token)
            if game.seats[side].layout is not None:
                raise NotPossibleNow("Your fleet is placed already.")
            if game.resigned is not None:
                raise NotPossibleNow("The game is over.")
            layout = Layout.from_json(ships, game.rules)
            self._commit(
                game_id,
                (
                    "update seats set layout = ?, nonce = ? where game = ? and side = ?",
                    (layout.to_text(), new_nonce(), game_id, side),
                ),
                touch(game_id),
            )
            return self._view(self._table(game_id), side)

    def fire(self, game_id: str, token: str, cell: str) -> dict[str, Any]:
        """A person's shot."""
        with self._changing(game_id):
            table = self._table(game_id)
            rules = table.game.rules
            side = self._person(table.game, token)
            number = rules.cell(cell)
            if table.over:
                raise NotPossibleNow("The game is over.")
            if table.duel is None:
                raise NotPossibleNow("The game begins when both fleets are placed.")
            if table.duel.to_move != side:
                raise NotPossibleNow("It is not your turn.")
            if any(shot.cell == number for shot in table.duel.targets[side].shots):
                raise NotPossibleNow(
                    f"{rules.cell_name(number)} has been shot at already; choose another cell."
                )
            self._move(table, number)
            return self._view(table, side)

    def resign(self, game_id: str, token: str) -> dict[str, Any]:
        """Give up."""
        with self._changing(game_id):
            table = self._table(game_id)
            side = self._person(table.game, token)
            if table.over:
                raise NotPossibleNow("The game is over.")
            self._commit(
                game_id,
                ("update games set resigned = ? where id = ?", (side, game_id)),
                touch(game_id, finished=True),
            )
            return self._view(self._table(game_id), side)

    def step(self, game_id: str, token: str) -> dict[str, Any]:
        """Let the player whose turn it is shoot, in a game that is watched."""
        with self._changing(game_id):
            table = self._table(game_id)
            if self._side(table.game, token) != WATCHER:
                raise NotPossibleNow("Only a game of two players is played step by step.")
            if table.over:
                raise NotPossibleNow("The game is over.")
        self._shoot_for_player(game_id)
        return self.view(game_id, WATCHER)

    def _reply(self, game_id: str) -> None:
        """Shoot for the computer until it is the person's turn."""
        try:
            while self._shoot_for_player(game_id):
                pass
        except SeabattleError as problem:
            log.warning("A reply was not made: %s", problem)
        except Exception:
            log.exception("A reply was not made.")
        finally:
            with self._replying_lock:
                self._replying.discard(game_id)

    def _shoot_for_player(self, game_id: str) -> bool:
        """One shot of a registered player, if it is one's turn."""
        with self._changing(game_id):
            table = self._table(game_id)
            game, duel = table.game, table.duel
            if duel is None or duel.to_move is None:
                return False
            player = game.seats[duel.to_move].player
            if player is None:
                return False
            observation = Observation(game.rules, duel.targets[duel.to_move].shots)
        note = ""
        try:
            cell = self._thinking.choose(player, observation)
        except Exception as problem:
            # Whatever became of the player, the game goes on.
            if not isinstance(problem, SeabattleError):
                log.exception("A player could not be asked.")
            cell = secrets.choice(observation.unknown)
            said = str(problem) if isinstance(problem, SeabattleError) else "The player failed."
            note = f"{said} A random cell was shot at instead."
        with self._changing(game_id):
            table = self._table(game_id)
            if table.game.cells != game.cells or table.over:
                return False
            self._move(table, cell, note)
        return True

    def wake(self, game_id: str) -> None:
        """Make the computer think if it is its turn and it does not yet."""
        with self._replying_lock:
            if game_id in self._replying:
                return
            self._replying.add(game_id)
        try:
            self._threads.submit(self._reply, game_id)
        except RuntimeError:  # the server is closing
            self._replying.discard(game_id)

    # Seeing

    def view(self, game_id: str, side: int) -> dict[str, Any]:
        """The game as the holder of this seat may see it."""
        with self._changing(game_id):
            return self._view(self._table(game_id), side)

    def _view(self, table: Table, side: int) -> dict[str, Any]:
        game, duel, over = table.game, table.duel, table.over
        to_move = None if duel is None else duel.to_move
        waiting = to_move is not None and game.seats[to_move].player is not None
        if waiting and game.kind == "computer":
            self.wake(game.id)
        everything = over or side == WATCHER
        return {
            "id": game.id,
            "kind": game.kind,
            "version": game.version,
            "rules": game.rules.to_json(),
            "state": "over" if over else "placing" if duel is None else "playing",
            "you": None if side == WATCHER else side,
            "seats": [
                _seat_json(game, number, open_=everything or number == side, over=over)
                for number in (0, 1)
            ],
            "to_move": to_move,
            "thinking": waiting,
            "moves": list(table.moves),
            "winner": _winner(game, duel),
            "drawn": duel is not None and duel.drawn,
            "resigned": game.resigned,
            "rematch": game.rematch,
        }

    def record(self, game_id: str) -> DuelRecord:
        """The record of a finished game, for whoever knows its id."""
        with self._changing(game_id):
            table = self._table(game_id)
            if table.duel is None or not table.duel.finished:
                raise NotPossibleNow("The record of a game can be seen when it is over.")
            one, other = (seat.player or seat.name for seat in table.game.seats)
            return DuelRecord.of(table.duel, (one, other))

    def forget_idle(self) -> None:
        """Remove games that nobody has touched for long."""
        moment = time.time()
        self._store.forget(
            moment - self._settings.idle_seconds, moment - self._settings.keep_seconds
        )

    # Inside

    def _computer(self, rules: Rules, player: str) -> Seat:
        return Seat("", player, None, random_fleet(rules).to_text(), new_nonce())

    def _create(
        self,
        kind: str,
        rules: Rules,
        seats: tuple[Seat, Seat],
        client: str,
        settings: dict[str, Any],
        invite: str | None = None,
    ) -> str:
        game = secrets.token_urlsafe(16)
        self._store.commit(*new_game(game, kind, rules, seats, client, settings, invite))
        return game

    def _take_seat(self, game_id: str, side: int, secret: str, name: str) -> None:
        self._commit(
            game_id,
            (
                "update seats set token = ?, name = ? where game = ? and side = ?",
                (hashed(secret), name, game_id, side),
            ),
            touch(game_id),
        )

    def _check_room(self, client: str) -> None:
        limit = self._settings.games_per_client
        if self._store.open_games(client) >= limit:
            raise TooMany(
                f"There are {limit} unfinished games from this address; finish or resign one, or "
                "wait until they expire."
            )

    def _side(self, game: SavedGame, token: str) -> int:
        given = hashed(token)
        if game.kind == "watch" and hmac.compare_digest(str(game.settings["token"]), given):
            return WATCHER
        found = None
        for side, seat in enumerate(game.seats):
            if hmac.compare_digest(seat.token or "", given):
                found = side
        if found is None:
            raise NotYourSeat
        return found

    def _person(self, game: SavedGame, token: str) -> int:
        side = self._side(game, token)
        if side == WATCHER:
            raise NotPossibleNow("This game is only watched.")
        return side

    def _changing(self, game_id: str) -> AbstractContextManager[bool]:
        """Nobody else changes this game in the meantime."""
        return self._locks[hash(game_id) % len(self._locks)]

    def _table(self, game_id: str) -> Table:
        """The game as it stands; the caller holds its lock."""
        version = self._store.version(game_id)
        with self._tables_lock:
            table = self._tables.get(game_id)
            if table is not None and table.game.version == version:
                self._tables.move_to_end(game_id)
                return table
        game = self._store.game(game_id)
        duel = game.duel()
        table = Table(game, duel, [] if duel is None else _moves(game, duel))
        with self._tables_lock:
            self._tables[game_id] = table
            while len(self._tables) > TABLES:
                self._tables.popitem(last=False)
        return table

    def _forget(self, game_id: str) -> None:
        with self._tables_lock:
            self._tables.pop(game_id, None)

    def _move(self, table: Table, cell: int, note: str = "") -> None:
        """Fire for the side to move; the caller holds the game's lock."""
        game, duel = table.game, table.duel
        assert duel is not None
        answer = duel.fire(cell)
        try:
            self._store.commit(add_move(game, cell, note), touch(game.id, finished=duel.finished))
        except BaseException:
            self._forget(game.id)  # it holds a shot that was never fired
            raise
        told = {"side": duel.moves[-1], **Shot(cell, answer).to_json(game.rules), "note": note}
        table.moves.append(told)
        table.game = replace(
            game,
            cells=(*game.cells, cell),
            notes=(*game.notes, note),
            version=game.version + 1,
        )
        self._changed(game.id)

    def _commit(self, game_id: str, *statements: Statement) -> None:
        self._store.commit(*statements)
        self._forget(game_id)
        self._changed(game_id)


def random_fleet(rules: Rules) -> Layout:
    """A layout that nobody can foresee."""
    return random_layout(rules, np.random.default_rng(secrets.randbits(128)))


def _winner(game: SavedGame, duel: Duel | None) -> int | None:
    if duel is not None:
        return duel.winner
    return None if game.resigned is None else 1 - game.resigned


def _swap(seats: tuple[Seat, Seat], side: int) -> tuple[Seat, Seat]:
    """The first of `seats` on this side."""
    return seats if side == 0 else (seats[1], seats[0])


def _seat_json(game: SavedGame, side: int, *, open_: bool, over: bool) -> dict[str, Any]:
    """One side; its layout only if it is `open_` to whoever asks."""
    seat = game.seats[side]
    return {
        "name": seat.name or seat.player or "",
        "player": seat.player,
        "joined": seat.player is not None or seat.token is not None,
        "placed": seat.layout is not None,
        "commitment": None
        if seat.layout is None or seat.nonce is None
        else commitment(seat.layout, seat.nonce),
        "ships": Layout.from_text(seat.layout, game.rules).to_json()
        if open_ and seat.layout is not None
        else None,
        "nonce": seat.nonce if over else None,
        "layout": seat.layout if over else None,
    }


def _moves(game: SavedGame, duel: Duel) -> list[dict[str, Any]]:
    return [
        {"side": side, **shot.to_json(game.rules), "note": note}
        for (side, shot), note in zip(duel.history, game.notes, strict=True)
    ]


def read_observation(rules: Any, shots: str) -> Observation:
    """An observation from a request."""
    try:
        return Observation.from_text(shots, Rules.from_json(rules))
    except SeabattleError as error:
        raise Refused(str(error)) from error
