"""Solo games on disk: one person looks for a hidden fleet.

The layout is dealt and committed to before the first shot (see `commitment`), stays on the
server, and every shot is on disk before it is answered.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..game import Game
from ..layout import Layout
from ..record import played_game
from ..rules import Rules
from .commitment import new_nonce
from .game_service import TOO_MANY_TODAY, new_token
from .game_store import GamesFileError, create_tables, hashed, make_private
from .refusals import NoSuchGame, NotPossibleNow, NotYourSeat, TooMany
from .request_rates import RateLimiter
from .settings import DAY, ServerSettings

SCHEMA = """
create table if not exists solo_games (
    id text primary key,
    token text not null,
    rules text not null,
    layout text not null,
    nonce text not null,
    cells text not null,
    finished integer not null,
    client text not null,
    touched real not null
) without rowid;
create index if not exists solo_of_client on solo_games (client) where finished = 0;
create index if not exists solo_by_age on solo_games (finished, touched);
"""


@dataclass(frozen=True)
class SoloGame:
    """A solo game as it stands on disk."""

    id: str
    layout: Layout
    nonce: str
    cells: tuple[int, ...]

    @property
    def game(self) -> Game:
        return played_game(self.layout, self.cells)


class SoloGames:
    """The solo games of one server."""

    def __init__(self, settings: ServerSettings, now: Callable[[], float] = time.time) -> None:
        """`now` is a clock that nobody sets (see `GameStore.now`)."""
        self._settings, self._now = settings, now
        self._lock = threading.Lock()
        self._new_games = RateLimiter(settings.games_per_day / DAY, settings.games_per_day)
        path = settings.data / "solo.sqlite"
        make_private(path)
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.executescript("pragma journal_mode = wal; pragma synchronous = full")
            create_tables(self._db, path, SCHEMA, "solo_games")
        except sqlite3.Error as error:
            raise GamesFileError(
                f"Cannot use {path} as the database of solo games: {error}."
            ) from None

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @contextlib.contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """One transaction at a time: all of it is stored, or nothing."""
        with self._lock:
            self._db.execute("begin immediate")
            try:
                yield self._db
            except BaseException:
                self._db.execute("rollback")
                raise
            self._db.execute("commit")

    def create(self, layout: Layout, client: str) -> dict[str, Any]:
        """Hide a layout; the token is for whoever asked."""
        rules, game_id, token = layout.rules, secrets.token_urlsafe(16), new_token()
        moment, limits = self._now(), self._settings
        with self._change() as db:
            db.execute(
                "delete from solo_games where touched < ? or (finished = 0 and touched < ?)",
                (moment - limits.keep_seconds, moment - limits.idle_seconds),
            )
            db.execute(
                "delete from solo_games where id in (select id from solo_games "
                "where finished = 1 order by touched desc limit -1 offset ?)",
                (limits.kept_games,),
            )
            open_games = "select count(*) from solo_games where client = ? and finished = 0"
            if db.execute(open_games, (client,)).fetchone()[0] >= limits.games_per_client:
                raise TooMany(
                    f"Your address has {limits.games_per_client} unfinished solo games; finish "
                    "one, or wait until one expires."
                )
            if not self._new_games.take(client):
                raise TooMany(TOO_MANY_TODAY)
            values = (game_id, hashed(token), rules.to_text(), layout.to_text(), new_nonce())
            db.execute(
                "insert into solo_games values (?, ?, ?, ?, ?, '', 0, ?, ?)",
                (*values, client, moment),
            )
        return {"id": game_id, "token": token}

    def game(self, game_id: str, token: str) -> SoloGame:
        """A game, for the holder of its token."""
        with self._lock:
            return self._read(game_id, token)

    def fire(self, game_id: str, token: str, cells: Sequence[str]) -> SoloGame:
        """Fire the shots of a turn, all or none."""
        with self._change() as db:
            solo = self._read(game_id, token)
            game, rules = solo.game, solo.layout.rules
            numbers = [rules.cell(cell) for cell in cells]
            if game.finished:
                raise NotPossibleNow("The game is over.")
            for number in numbers:
                if game.was_fired_at(number):
                    raise NotPossibleNow(
                        f"You have already shot at {rules.cell_name(number)}; choose another cell."
                    )
            game.fire_salvo(numbers)
            cells_fired = (*solo.cells, *numbers)
            db.execute(
                "update solo_games set cells = ?, finished = ?, touched = ?, "
                "client = iif(?, '', client) where id = ?",
                (
                    " ".join(map(str, cells_fired)),
                    game.finished,
                    self._now(),
                    game.finished,
                    game_id,
                ),
            )
        return SoloGame(solo.id, solo.layout, solo.nonce, cells_fired)

    def _read(self, game_id: str, token: str) -> SoloGame:
        wanted = "select token, rules, layout, nonce, cells from solo_games where id = ?"
        row = self._db.execute(wanted, (game_id,)).fetchone()
        if row is None:
            raise NoSuchGame
        if not hmac.compare_digest(row[0], hashed(token)):
            raise NotYourSeat
        layout = Layout.from_text(row[2], Rules.from_text(row[1]))
        return SoloGame(game_id, layout, row[3], tuple(map(int, row[4].split())))
