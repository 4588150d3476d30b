"""What may happen in a game on the server.

A game has two seats. A person holds a seat by its token, which every call checks; a
computer player needs none. Every change is on disk before the call returns; games in
memory are a cache. Whatever makes it the computer's turn also starts its reply.

All of this runs on the server's event loop. What waits for the disk or for a worker is
awaited; two calls in one game wait for each other.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import random
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakValueDictionary

from ..errors import SeabattleError
from ..experiment.stand_in import stand_in_cell
from ..layout import Layout
from ..learners.person_memory import RememberedGame
from ..observation import Observation
from ..record import DuelRecord
from ..rules import Rules
from .commitment import new_nonce
from .game_store import GameStore, OpponentResults, SavedGame, Seat, hashed
from .game_view import WATCHER, LoadedGame
from .player_workers import PlayerWorkers, learns, places_itself
from .refusals import NoSuchGame, NotInvited, NotPossibleNow, NotYourSeat, TooMany
from .remembered_games import and_game
from .replies import Replies
from .request_rates import RateLimiter
from .settings import DAY, ServerSettings
from .worker_pool import Closing

log = logging.getLogger("seabattle.web")

TOO_MANY_TODAY = "Too many games were started from your address today; come back later."

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
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._cache: OrderedDict[str, LoadedGame] = OrderedDict()
        self._being_created: dict[str, set[str]] = {}
        """the ids of games that are about to be stored, by address"""
        self._new_games = RateLimiter(settings.games_per_day / DAY, settings.games_per_day)
        self._replies = Replies(self._shoot_for_player)

    async def close(self) -> None:
        await self._replies.close()

    async def resume(self) -> None:
        """Start the reply in every game that waits for its computer player: a server that
        stopped left them so."""
        for game_id in self._store.unfinished("computer"):
            try:
                async with self._locked(game_id):
                    self._reply_if_due(self._load(game_id))
                await asyncio.sleep(0)  # others may want the loop
            except NoSuchGame:  # deleted in the meantime
                continue

    async def retry_failed_replies(self) -> None:
        """Try again where a reply could not be made, for example because the disk was full."""
        self._replies.retry_failed()

    async def forget_idle(self) -> None:
        """Delete games that have been idle for too long."""
        settings = self._settings
        for game_id in await self._store.forget(
            idle_seconds=settings.idle_seconds,
            keep_seconds=settings.keep_seconds,
            most=settings.kept_games,
        ):
            self._changed(game_id)

    # Starting and joining

    async def against_player(
        self,
        rules: Rules,
        opponent: str,
        *,
        first: str,
        name: str,
        client: str,
        repeats: bool = False,
        memory: list[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Start a game of a person against a computer player, which places its fleet at once. One
        who learns may be told about earlier games."""
        with self._room(client) as game_id:
            await self._workers.check(opponent, rules, client)
            if memory is not None and not learns(opponent):
                raise SeabattleError(f"{opponent} does not learn, so it does not remember games.")
            self._workers.prepare(opponent, rules, client)
            person = {"me": 0, "opponent": 1}.get(first, secrets.randbelow(2))
            token = new_token()
            theirs = await self._computer_seat(rules, opponent, client, memory)
            seats = (person_seat(name, token), theirs)
            seats = _in_order(seats, person)
            settings = {"repeats": repeats} | ({} if memory is None else {"memory": memory})
            await self._store.create(game_id, "computer", rules, seats, client, settings)
        return {"id": game_id, "token": token}

    async def between_people(
        self,
        rules: Rules,
        *,
        name: str,
        client: str,
        hints: bool = False,
        spectators: bool = False,
        repeats: bool = False,
    ) -> dict[str, Any]:
        """Start a game of two people; the second one joins with the invitation. Nobody gets
        hints in it, or may watch it, unless both know."""
        with self._room(client) as game_id:
            await self._workers.deal(rules, client)  # refused if the fleet does not fit
            token, invite = new_token(), new_token()
            seats = _in_order((person_seat(name, token), person_seat()), secrets.randbelow(2))
            settings = {"hints": hints, "spectators": spectators, "repeats": repeats}
            await self._store.create(
                game_id, "people", rules, seats, client, settings, hashed(invite)
            )
        return {"id": game_id, "token": token, "invite": invite}

    async def between_players(
        self, rules: Rules, players: tuple[str, str], *, client: str
    ) -> dict[str, Any]:
        """Start a game of two computer players to watch."""
        with self._room(client) as game_id:
            for player in players:
                await self._workers.check(player, rules, client)
                self._workers.prepare(player, rules, client)
            token = new_token()
            first, second = [await self._computer_seat(rules, each, client) for each in players]
            settings = {"token": hashed(token)}
            await self._store.create(game_id, "watch", rules, (first, second), client, settings)
        return {"id": game_id, "token": token}

    async def invitation(self, game_id: str, invite: str) -> dict[str, Any]:
        """Who invites to what, for the holder of an unused invitation."""
        async with self._locked(game_id):
            saved = self._invited(game_id, invite)
            host = next(seat for seat in saved.seats if seat.token is not None)
            rules = saved.rules.to_json()
            return {
                "name": host.name,
                "rules": rules,
                "hints": saved.allows_hints,
                "spectators": saved.allows_spectators,
                "repeats": bool(saved.repeats),
            }

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

    async def join(self, game_id: str, invite: str, name: str) -> dict[str, Any]:
        """Exchange an invitation, once, for the token of the free seat."""
        async with self._locked(game_id):
            saved = self._invited(game_id, invite)
            free = next(side for side, seat in enumerate(saved.seats) if seat.token is None)
            token = new_token()
            await self._store.take_seat(game_id, free, hashed(token), name)
            self._changed(game_id)
        return {"id": game_id, "token": token}

    async def rematch(self, game_id: str, token: str, client: str) -> dict[str, Any]:
        """Start the same game again with the other side first; each person asks for their own
        seat in it."""
        async with self._locked(game_id):
            game = self._load(game_id)
            saved = game.saved
            side = self._side(saved, token)
            if not game.over:
                raise NotPossibleNow("A rematch can start when this game is over.")
            secret = new_token()
            rematch = saved.rematch
            if rematch is not None and await self._take_again(saved, rematch, side, secret):
                return {"id": rematch, "token": secret}
            with self._room(client) as rematch:
                await self._create_rematch(rematch, saved, side, secret, client)
                await self._store.link_rematch(game_id, rematch)
            self._changed(game_id)
        return {"id": rematch, "token": secret}

    async def _take_again(self, saved: SavedGame, rematch: str, side: int, secret: str) -> bool:
        """Give the holder of a seat theirs in the rematch, under a new secret; False if that
        game has expired."""
        try:
            if side == WATCHER:
                await self._store.take_watch(rematch, hashed(secret))
            else:
                name = saved.seats[side].name
                await self._store.take_seat(rematch, 1 - side, hashed(secret), name)
        except NotPossibleNow:
            return False
        self._changed(rematch)
        return True

    async def _create_rematch(
        self, game_id: str, saved: SavedGame, side: int, secret: str, client: str
    ) -> None:
        """Create the game that the holder of a seat goes on to with a new secret."""
        rules = saved.rules
        if side == WATCHER:
            first, second = [
                await self._computer_seat_again(rules, seat, client) for seat in saved.seats
            ]
            watching = {"token": hashed(secret)}
            await self._store.create(game_id, "watch", rules, (second, first), client, watching)
            return
        mine, theirs = saved.seats[side], saved.seats[1 - side]
        settings = saved.settings
        if saved.kind == "computer":
            memory = saved.memory
            duel = saved.duel()
            if memory is not None and duel is not None:
                memory = and_game(memory, RememberedGame(DuelRecord.of(duel), side))
                settings = {**settings, "memory": memory}
            other = await self._computer_seat_again(rules, theirs, client, memory)
        else:
            other = person_seat(theirs.name)
        seats = _in_order((person_seat(mine.name, secret), other), 1 - side)
        await self._store.create(game_id, saved.kind, rules, seats, client, settings)

    # Playing

    async def place(self, game_id: str, token: str, ships: Any) -> str:
        """Place a person's fleet, once."""
        async with self._locked(game_id):
            saved = self._load(game_id).saved
            side = self._person(saved, token)
            if saved.seats[side].layout is not None:
                raise NotPossibleNow("Your fleet is already placed.")
            if saved.resigned is not None:
                raise NotPossibleNow("The game is over.")
            layout = Layout.from_json(ships, saved.rules)
            await self._store.place(game_id, side, layout.to_text(), new_nonce())
            self._changed(game_id)
            game = self._load(game_id)
            self._reply_if_due(game)
            return game.view_text(side)

    async def fire(
        self, game_id: str, token: str, cells: Sequence[str], *, waste: bool = False
    ) -> str:
        """Fire the shots of a person's turn, all or none. With `waste`, known cells may be shot
        at again, if the game allows it."""
        async with self._locked(game_id):
            game = self._load(game_id)
            rules = game.saved.rules
            side = self._person(game.saved, token)
            numbers = [rules.cell(cell) for cell in cells]
            if game.over:
                raise NotPossibleNow("The game is over.")
            if game.duel is None:
                raise NotPossibleNow("The battle starts when both fleets are placed.")
            if game.to_move != side:
                raise NotPossibleNow("It is not your turn.")
            for number in numbers:
                if waste and side in game.duel.repeats:
                    break
                if game.duel.targets[side].was_fired_at(number):
                    raise NotPossibleNow(
                        f"You have already shot at {rules.cell_name(number)}; choose another cell."
                    )
            await self._move(game, numbers)
            self._reply_if_due(game)
            return game.view_text(side)

    async def hint(self, game_id: str, token: str, client: str) -> dict[str, Any]:
        """The exact probabilities of the position that a person shoots in, if the game allows
        it. Everyone in the game sees in how many positions somebody asked."""
        async with self._locked(game_id):
            game = self._load(game_id)
            side = self._person(game.saved, token)
            if game.over or game.duel is None:
                raise NotPossibleNow("Hints are available only during the battle.")
            if not game.saved.allows_hints:
                raise NotPossibleNow("The players agreed to play this game without hints.")
            observation = game.seen_by(side)
            with contextlib.suppress(NotPossibleNow):  # counted once per position
                await self._store.add_hint(game_id, side, len(observation.shots))
                self._changed(game_id)
        return await self._workers.belief(observation, client)

    def tally(self) -> list[OpponentResults]:
        """The finished games of people against each player on this server."""
        return self._store.tally()

    async def resign(self, game_id: str, token: str) -> str:
        """Give up."""
        async with self._locked(game_id):
            game = self._load(game_id)
            side = self._person(game.saved, token)
            if game.over:
                raise NotPossibleNow("The game is over.")
            result = None if game.duel is None else _result(game.saved, 1 - side)
            await self._store.resign(game_id, side, result)
            self._changed(game_id)
            return self._load(game_id).view_text(side)

    async def step(self, game_id: str, token: str, client: str) -> str:
        """Let the player whose turn it is shoot, in a game that is watched."""
        async with self._locked(game_id):
            game = self._load(game_id)
            if self._side(game.saved, token) != WATCHER:
                raise NotPossibleNow("Only a watched game is played step by step.")
            if game.over:
                raise NotPossibleNow("The game is over.")
        with self._workers.thoughts.one_more(client):
            await self._shoot_for_player(game_id)
        return (await self.view(game_id, WATCHER))[1]

    def _reply_if_due(self, game: LoadedGame) -> None:
        """Start the computer's reply in a game against a person if it is the computer's turn."""
        if game.saved.kind == "computer" and game.player_to_move is not None:
            self._replies.start(game.saved.id)

    async def _shoot_for_player(self, game_id: str) -> bool:
        """Take one turn of a computer player; False if it is not its turn."""
        async with self._locked(game_id):
            game = self._load(game_id)
            player, before = game.player_to_move, game.saved.cells
            if player is None:
                return False
            assert game.to_move is not None
            assert game.duel is not None
            observation, size = game.seen_by(game.to_move), game.duel.salvo
            saved = game.saved
        cells: list[int] = []
        note = ""
        while len(cells) < size:
            cell, problem = await self._choice(player, observation, saved)
            note = problem or note
            cells.append(cell)
            if len(cells) < size:
                observation = observation.choosing(cell)
        async with self._locked(game_id):
            game = self._load(game_id)
            if game.saved.cells != before or game.over:
                return False
            await self._move(game, cells, note)
        return True

    async def _choice(
        self, player: str, observation: Observation, game: SavedGame
    ) -> tuple[int, str]:
        """The cell that a computer player chooses, and a note if another chose for it."""
        workers, client = self._workers, game.client
        try:
            if game.kind == "computer" and not await workers.ready(player, game.rules, client):
                cell = stand_in_cell(observation, random.SystemRandom())
                return cell, f"{player} is still being prepared; a simple stand-in chose this shot."
            return await workers.choose(player, observation, client, game.memory), ""
        except Closing:
            raise  # the next start makes this move
        except Exception as problem:
            # Whatever became of the player, the game goes on.
            if not isinstance(problem, SeabattleError):
                log.exception("A player could not be asked.")
            reason = str(problem) if isinstance(problem, SeabattleError) else "The player failed."
            note = f"{reason} A random cell was shot at instead."
            return secrets.choice(observation.unknown), note

    # Reading

    async def side(self, game_id: str, token: str) -> int:
        """The seat that a token is for."""
        async with self._locked(game_id):
            return self._side(self._load(game_id).saved, token)

    async def view(self, game_id: str, side: int) -> tuple[int, str]:
        """The version of a game, and the game as the holder of this seat may see it."""
        async with self._locked(game_id):
            game = self._load(game_id)
            return game.saved.version, game.view_text(side)

    async def check_spectators(self, game_id: str) -> None:
        """Refuse to show a game to somebody without a seat, unless its players allow it."""
        async with self._locked(game_id):
            if not self._load(game_id).saved.allows_spectators:
                raise NotPossibleNow("The players of this game do not allow spectators.")

    async def record(self, game_id: str) -> DuelRecord:
        """The record of a finished game, for anyone who knows its id."""
        async with self._locked(game_id):
            game = self._load(game_id)
            if game.duel is None or not game.duel.finished:
                raise NotPossibleNow("The record of a game is available once it is over.")
            first, second = (seat.player or seat.name for seat in game.saved.seats)
            return DuelRecord.of(game.duel, (first, second))

    # Inside

    @contextlib.contextmanager
    def _room(self, client: str) -> Iterator[str]:
        """Room for one more game from this address, which is stored inside: its id."""
        limit = self._settings.games_per_client
        coming = self._being_created.get(client, set())
        if self._store.open_games(client, coming) + len(coming) >= limit:
            raise TooMany(
                f"Your address has {limit} unfinished games; finish or resign one, or wait until "
                "one expires."
            )
        if not self._new_games.take(client):
            raise TooMany(TOO_MANY_TODAY)
        game_id = secrets.token_urlsafe(16)
        self._being_created.setdefault(client, set()).add(game_id)
        try:
            yield game_id
        finally:
            self._being_created[client].remove(game_id)
            if not self._being_created[client]:
                del self._being_created[client]

    async def _computer_seat(
        self, rules: Rules, player: str, client: str, memory: list[dict[str, Any]] | None = None
    ) -> Seat:
        """A computer player's seat with its fleet placed."""
        if memory is not None and places_itself(player):
            layout = await self._workers.hide(player, rules, memory, client)
        else:
            layout = await self._workers.deal(rules, client)
        return Seat("", player, None, layout.to_text(), new_nonce())

    async def _computer_seat_again(
        self, rules: Rules, seat: Seat, client: str, memory: list[dict[str, Any]] | None = None
    ) -> Seat:
        """The seat of the same computer player in another game."""
        assert seat.player is not None
        return await self._computer_seat(rules, seat.player, client, memory)

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

    def _locked(self, game_id: str) -> asyncio.Lock:
        """Nobody else reads or changes this game in the meantime."""
        lock = self._locks.get(game_id)
        if lock is None:
            lock = self._locks[game_id] = asyncio.Lock()
        return lock

    def _load(self, game_id: str) -> LoadedGame:
        """The game as stored; the caller holds its lock."""
        game = self._cache.get(game_id)
        if game is None:
            game = self._cache[game_id] = LoadedGame.replayed(self._store.game(game_id))
            while len(self._cache) > CACHED_GAMES:
                self._cache.popitem(last=False)
        else:
            self._cache.move_to_end(game_id)
        return game

    async def _move(self, game: LoadedGame, cells: Sequence[int], note: str = "") -> None:
        """Take the turn of the side to move; the caller holds the game's lock."""
        assert game.duel is not None
        shots = game.duel.fire_salvo(cells)
        ended = game.duel.finished
        result = _result(game.saved, game.duel.winner) if ended else None
        try:
            await self._store.add_turn(game.saved, cells, note, finished=ended, result=result)
        except BaseException:
            self._uncache(game.saved.id)  # it has shots that were never stored
            raise
        game.fired(shots, note)
        self._on_change(game.saved.id)

    def _changed(self, game_id: str) -> None:
        """A change other than a move is stored."""
        self._uncache(game_id)
        self._on_change(game_id)

    def _uncache(self, game_id: str) -> None:
        self._cache.pop(game_id, None)


def new_token() -> str:
    """A secret that nobody can guess."""
    return secrets.token_urlsafe(24)


def person_seat(name: str = "", token: str | None = None) -> Seat:
    """A person's seat before the fleet is placed; free without a token."""
    return Seat(name, None, None if token is None else hashed(token), None, None)


def _result(game: SavedGame, winner: int | None) -> OpponentResults | None:
    """What the end of a game adds to the tally; None unless a person played against a player."""
    if game.kind != "computer":
        return None
    player = next(seat.player for seat in game.seats if seat.player is not None)
    # Parameters may name files of the server.
    name = player.partition(":")[0]
    if winner is None:
        return OpponentResults(name, drawn=1)
    return (
        OpponentResults(name, won=1)
        if game.seats[winner].player is None
        else OpponentResults(name, lost=1)
    )


def _in_order(seats: tuple[Seat, Seat], side: int) -> tuple[Seat, Seat]:
    """The two seats, the first of them on this side."""
    return seats if side == 0 else (seats[1], seats[0])
