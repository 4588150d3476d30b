"""What may happen in a game on the server.

A game has two seats. A person holds a seat by its token, which every call checks; a
computer player needs none. Every change is on disk before the call returns; games in
memory are a cache. Whatever makes it the computer's turn also starts its reply.
"""

from __future__ import annotations

import hmac
import logging
import random
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np

from ..dealing.uniform import random_layout
from ..errors import SeabattleError
from ..layout import Layout
from ..record import DuelRecord
from ..rules import Rules
from ..shots import Shot
from .commitment import new_nonce
from .game_store import GameStore, SavedGame, Seat, hashed
from .game_view import WATCHER, LoadedGame, view
from .player_workers import PlayerWorkers
from .refusals import NoSuchGame, NotInvited, NotPossibleNow, NotYourSeat, TooMany
from .replies import Replies
from .settings import ServerSettings
from .stand_in import stand_in_cell

log = logging.getLogger("seabattle.web")

CACHED_GAMES = 2000
"""Games that are kept in memory."""


class GameService:
    """All games of a server."""

    def __init__(
        self,
        store: GameStore,
        workers: PlayerWorkers,
        settings: ServerSettings,
        on_change: Callable[[str], None],
    ) -> None:
        """`on_change(game_id)` is called after every change of a game."""
        self._store = store
        self._workers = workers
        self._settings = settings
        self._on_change = on_change
        self._locks = [threading.Lock() for _ in range(256)]
        self._cache: OrderedDict[str, LoadedGame] = OrderedDict()
        self._cache_lock = threading.Lock()
        self._replies = Replies(
            self._shoot_for_player, settings.quick_workers + 4 * settings.slow_workers
        )

    def close(self) -> None:
        self._replies.close()

    def resume(self) -> None:
        """Start the reply in every game that waits for its computer player: a server that
        stopped left them so."""
        for game_id in self._store.unfinished("computer"):
            try:
                with self._locked(game_id):
                    self._reply_if_due(self._load(game_id))
            except NoSuchGame:  # deleted in the meantime
                continue

    def retry_failed_replies(self) -> None:
        """Try again where a reply could not be made, for example because the disk was full."""
        self._replies.retry_failed()

    def forget_idle(self) -> None:
        """Delete games that have been idle for too long."""
        moment = time.time()
        self._store.forget(
            moment - self._settings.idle_seconds, moment - self._settings.keep_seconds
        )

    # Starting and joining

    def against_player(
        self, rules: Rules, opponent: str, *, first: str, name: str, client: str
    ) -> dict[str, Any]:
        """Start a game of a person against a computer player, which places its fleet at once."""
        self._check_room(client)
        self._workers.check(opponent, rules)
        self._workers.prepare(opponent, rules)
        person = {"me": 0, "opponent": 1}.get(first, secrets.randbelow(2))
        token = new_token()
        seats = (person_seat(name, token), computer_seat(rules, opponent))
        game_id = self._create("computer", rules, _in_order(seats, person), client)
        return {"id": game_id, "token": token}

    def between_people(
        self, rules: Rules, *, name: str, client: str, hints: bool = False
    ) -> dict[str, Any]:
        """Start a game of two people; the second one joins with the invitation. Nobody gets
        hints in it unless both know that they may."""
        self._check_room(client)
        random_fleet(rules)
        token, invite = new_token(), new_token()
        seats = _in_order((person_seat(name, token), person_seat()), secrets.randbelow(2))
        settings = {"hints": hints}
        game_id = self._create("people", rules, seats, client, settings, hashed(invite))
        return {"id": game_id, "token": token, "invite": invite}

    def between_players(
        self, rules: Rules, players: tuple[str, str], *, client: str
    ) -> dict[str, Any]:
        """Start a game of two computer players to watch."""
        self._check_room(client)
        for player in players:
            self._workers.check(player, rules)
            self._workers.prepare(player, rules)
        token = new_token()
        seats = (computer_seat(rules, players[0]), computer_seat(rules, players[1]))
        game_id = self._create("watch", rules, seats, client, {"token": hashed(token)})
        return {"id": game_id, "token": token}

    def invitation(self, game_id: str, invite: str) -> dict[str, Any]:
        """Who invites to what, for the holder of an unused invitation."""
        with self._locked(game_id):
            saved = self._invited(game_id, invite)
            host = next(seat for seat in saved.seats if seat.token is not None)
            rules = saved.rules.to_json()
            return {"name": host.name, "rules": rules, "hints": saved.allows_hints}

    def _invited(self, game_id: str, invite: str) -> SavedGame:
        """The game that an unused invitation is for; the caller holds its lock."""
        game = self._load(game_id)
        saved = game.saved
        if saved.kind != "people" or saved.invite is None:
            raise NotPossibleNow("This invitation has already been used.")
        if not hmac.compare_digest(saved.invite, hashed(invite)):
            raise NotInvited
        if game.over:
            raise NotPossibleNow("This game was called off before you joined.")
        return saved

    def join(self, game_id: str, invite: str, name: str) -> dict[str, Any]:
        """Exchange an invitation, once, for the token of the free seat."""
        with self._locked(game_id):
            saved = self._invited(game_id, invite)
            free = next(side for side, seat in enumerate(saved.seats) if seat.token is None)
            token = new_token()
            self._store.take_seat(game_id, free, hashed(token), name)
            self._changed(game_id)
        return {"id": game_id, "token": token}

    def rematch(self, game_id: str, token: str, client: str) -> dict[str, Any]:
        """Start the same game again with the other side first; each person asks for their own
        seat in it."""
        with self._locked(game_id):
            game = self._load(game_id)
            saved = game.saved
            side = self._side(saved, token)
            if not game.over:
                raise NotPossibleNow("A rematch can start when this game is over.")
            secret = new_token()
            rematch = saved.rematch
            if rematch is not None and side != WATCHER and saved.kind == "people":
                self._store.take_seat(rematch, 1 - side, hashed(secret), saved.seats[side].name)
                self._changed(rematch)
                return {"id": rematch, "token": secret}
            self._check_room(client)
            rematch = self._create_rematch(saved, side, secret, client)
            self._store.link_rematch(game_id, rematch)
            self._changed(game_id)
        return {"id": rematch, "token": secret}

    def _create_rematch(self, saved: SavedGame, side: int, secret: str, client: str) -> str:
        """The game that the holder of a seat goes on to with a new secret."""
        rules = saved.rules
        if side == WATCHER:
            first, second = (_computer_seat_again(rules, seat) for seat in saved.seats)
            settings = {"token": hashed(secret)}
            return self._create("watch", rules, (second, first), client, settings)
        mine, theirs = saved.seats[side], saved.seats[1 - side]
        if saved.kind == "computer":
            other = _computer_seat_again(rules, theirs)
        else:
            other = person_seat(theirs.name)
        seats = _in_order((person_seat(mine.name, secret), other), 1 - side)
        return self._create(saved.kind, rules, seats, client, saved.settings)

    # Playing

    def place(self, game_id: str, token: str, ships: Any) -> dict[str, Any]:
        """Place a person's fleet, once."""
        with self._locked(game_id):
            saved = self._load(game_id).saved
            side = self._person(saved, token)
            if saved.seats[side].layout is not None:
                raise NotPossibleNow("Your fleet is already placed.")
            if saved.resigned is not None:
                raise NotPossibleNow("The game is over.")
            layout = Layout.from_json(ships, saved.rules)
            self._store.place(game_id, side, layout.to_text(), new_nonce())
            self._changed(game_id)
            game = self._load(game_id)
            self._reply_if_due(game)
            return view(game, side)

    def fire(self, game_id: str, token: str, cell: str) -> dict[str, Any]:
        """Fire a person's shot."""
        with self._locked(game_id):
            game = self._load(game_id)
            rules = game.saved.rules
            side = self._person(game.saved, token)
            number = rules.cell(cell)
            if game.over:
                raise NotPossibleNow("The game is over.")
            if game.duel is None:
                raise NotPossibleNow("The battle starts when both fleets are placed.")
            if game.to_move != side:
                raise NotPossibleNow("It is not your turn.")
            if any(shot.cell == number for shot in game.duel.targets[side].shots):
                raise NotPossibleNow(
                    f"You have already shot at {rules.cell_name(number)}; choose another cell."
                )
            self._move(game, number)
            self._reply_if_due(game)
            return view(game, side)

    def hint(self, game_id: str, token: str) -> dict[str, Any]:
        """The exact probabilities of the position that a person shoots in, if the game allows
        it. Everyone in the game sees in how many positions somebody asked."""
        with self._locked(game_id):
            game = self._load(game_id)
            side = self._person(game.saved, token)
            if game.over or game.duel is None:
                raise NotPossibleNow("There are hints only during the battle.")
            if not game.saved.allows_hints:
                raise NotPossibleNow("This game was agreed to be played without hints.")
            observation = game.seen_by(side)
            self._store.add_hint(game_id, side, len(observation.shots))
            self._changed(game_id)
        return self._workers.belief(observation)

    def resign(self, game_id: str, token: str) -> dict[str, Any]:
        """Give up."""
        with self._locked(game_id):
            game = self._load(game_id)
            side = self._person(game.saved, token)
            if game.over:
                raise NotPossibleNow("The game is over.")
            self._store.resign(game_id, side)
            self._changed(game_id)
            return view(self._load(game_id), side)

    def step(self, game_id: str, token: str) -> dict[str, Any]:
        """Let the player whose turn it is shoot, in a game that is watched."""
        with self._locked(game_id):
            game = self._load(game_id)
            if self._side(game.saved, token) != WATCHER:
                raise NotPossibleNow("Only a watched game is played step by step.")
            if game.over:
                raise NotPossibleNow("The game is over.")
        self._shoot_for_player(game_id)
        return self.view(game_id, WATCHER)

    def _reply_if_due(self, game: LoadedGame) -> None:
        """Start the computer's reply in a game against a person if it is the computer's turn."""
        if game.saved.kind == "computer" and game.player_to_move is not None:
            self._replies.start(game.saved.id)

    def _shoot_for_player(self, game_id: str) -> bool:
        """Fire one shot of a computer player; False if it is not its turn."""
        with self._locked(game_id):
            game = self._load(game_id)
            player, cells = game.player_to_move, game.saved.cells
            if player is None:
                return False
            assert game.to_move is not None
            observation = game.seen_by(game.to_move)
            against_person = game.saved.kind == "computer"
        note = ""
        try:
            if against_person and not self._workers.ready(player, observation.rules):
                cell = stand_in_cell(observation, random.SystemRandom())
                note = f"{player} is still being prepared; a simple stand-in chose this shot."
            else:
                cell = self._workers.choose(player, observation)
        except Exception as problem:
            # Whatever became of the player, the game goes on.
            if not isinstance(problem, SeabattleError):
                log.exception("A player could not be asked.")
            cell = secrets.choice(observation.unknown)
            reason = str(problem) if isinstance(problem, SeabattleError) else "The player failed."
            note = f"{reason} A random cell was shot at instead."
        with self._locked(game_id):
            game = self._load(game_id)
            if game.saved.cells != cells or game.over:
                return False
            self._move(game, cell, note)
        return True

    # Reading

    def side(self, game_id: str, token: str) -> int:
        """The seat that a token is for."""
        with self._locked(game_id):
            return self._side(self._load(game_id).saved, token)

    def view(self, game_id: str, side: int) -> dict[str, Any]:
        """The game as the holder of this seat may see it."""
        with self._locked(game_id):
            return view(self._load(game_id), side)

    def record(self, game_id: str) -> DuelRecord:
        """The record of a finished game, for anyone who knows its id."""
        with self._locked(game_id):
            game = self._load(game_id)
            if game.duel is None or not game.duel.finished:
                raise NotPossibleNow("The record of a game is available once it is over.")
            first, second = (seat.player or seat.name for seat in game.saved.seats)
            return DuelRecord.of(game.duel, (first, second))

    # Inside

    def _create(
        self,
        kind: str,
        rules: Rules,
        seats: tuple[Seat, Seat],
        client: str,
        settings: dict[str, Any] | None = None,
        invite: str | None = None,
    ) -> str:
        game_id = secrets.token_urlsafe(16)
        self._store.create(game_id, kind, rules, seats, client, settings or {}, invite)
        return game_id

    def _check_room(self, client: str) -> None:
        limit = self._settings.games_per_client
        if self._store.open_games(client) >= limit:
            raise TooMany(
                f"Your address has {limit} unfinished games; finish or resign one, or wait until "
                "one expires."
            )

    def _side(self, saved: SavedGame, token: str) -> int:
        given = hashed(token)
        if saved.kind == "watch" and hmac.compare_digest(str(saved.settings["token"]), given):
            return WATCHER
        found = None
        for side, seat in enumerate(saved.seats):
            if hmac.compare_digest(seat.token or "", given):
                found = side
        if found is None:
            raise NotYourSeat
        return found

    def _person(self, saved: SavedGame, token: str) -> int:
        side = self._side(saved, token)
        if side == WATCHER:
            raise NotPossibleNow("You can only watch this game.")
        return side

    def _locked(self, game_id: str) -> AbstractContextManager[bool]:
        """Nobody else reads or changes this game in the meantime."""
        return self._locks[hash(game_id) % len(self._locks)]

    def _load(self, game_id: str) -> LoadedGame:
        """The game as stored; the caller holds its lock."""
        version = self._store.version(game_id)
        with self._cache_lock:
            game = self._cache.get(game_id)
            if game is not None and game.saved.version == version:
                self._cache.move_to_end(game_id)
                return game
        game = LoadedGame.replayed(self._store.game(game_id))
        with self._cache_lock:
            self._cache[game_id] = game
            while len(self._cache) > CACHED_GAMES:
                self._cache.popitem(last=False)
        return game

    def _move(self, game: LoadedGame, cell: int, note: str = "") -> None:
        """Fire for the side to move; the caller holds the game's lock."""
        saved, duel = game.saved, game.duel
        assert duel is not None
        answer = duel.fire(cell)
        try:
            self._store.add_move(saved, cell, note, finished=duel.finished)
        except BaseException:
            self._uncache(saved.id)  # it has a shot that was never stored
            raise
        shot = Shot(cell, answer).to_json(saved.rules)
        game.moves.append({"side": duel.moves[-1], **shot, "note": note})
        game.saved = replace(
            saved,
            cells=(*saved.cells, cell),
            notes=(*saved.notes, note),
            version=saved.version + 1,
        )
        self._on_change(saved.id)

    def _changed(self, game_id: str) -> None:
        """A change other than a move is stored."""
        self._uncache(game_id)
        self._on_change(game_id)

    def _uncache(self, game_id: str) -> None:
        with self._cache_lock:
            self._cache.pop(game_id, None)


def random_fleet(rules: Rules) -> Layout:
    """A layout that nobody can predict."""
    return random_layout(rules, np.random.default_rng(secrets.randbits(128)))


def new_token() -> str:
    """A secret that nobody can guess."""
    return secrets.token_urlsafe(24)


def person_seat(name: str = "", token: str | None = None) -> Seat:
    """A person's seat before the fleet is placed; free without a token."""
    return Seat(name, None, None if token is None else hashed(token), None, None)


def computer_seat(rules: Rules, player: str) -> Seat:
    """A computer player's seat with its fleet placed."""
    return Seat("", player, None, random_fleet(rules).to_text(), new_nonce())


def _computer_seat_again(rules: Rules, seat: Seat) -> Seat:
    """The seat of the same computer player in another game."""
    assert seat.player is not None
    return computer_seat(rules, seat.player)


def _in_order(seats: tuple[Seat, Seat], side: int) -> tuple[Seat, Seat]:
    """The two seats, the first of them on this side."""
    return seats if side == 0 else (seats[1], seats[0])
