"""What each seat may see of a game.

`view` is the only way from a game to a page. It shows a seat what the rules have told it,
and the other side's layout only once the game is over. It changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..belief.sunk_cells import sunk_ships
from ..game import Duel
from ..layout import Layout
from ..observation import Observation
from .commitment import commitment
from .game_store import SavedGame

WATCHER = -1
"""The `side` of somebody who watches two players."""


@dataclass
class LoadedGame:
    """A stored game with its moves replayed."""

    saved: SavedGame
    duel: Duel | None
    """None before both fleets are placed"""
    moves: list[dict[str, Any]]
    """every shot as it was told"""

    @classmethod
    def replayed(cls, saved: SavedGame) -> LoadedGame:
        duel = saved.duel()
        if duel is None:
            return cls(saved, None, [])
        shots = zip(duel.shots, saved.notes, strict=True)
        return cls(
            saved,
            duel,
            [{"side": side, **shot.to_json(saved.rules), "note": n} for (side, shot), n in shots],
        )

    @property
    def over(self) -> bool:
        return self.saved.resigned is not None or (self.duel is not None and self.duel.finished)

    @property
    def to_move(self) -> int | None:
        """The side that shoots next; None before the battle and after it."""
        return None if self.duel is None else self.duel.to_move

    @property
    def player_to_move(self) -> str | None:
        """The computer player that shoots next; None if a person does, or nobody."""
        return None if self.to_move is None else self.saved.seats[self.to_move].player

    @property
    def winner(self) -> int | None:
        if self.duel is not None:
            return self.duel.winner
        return None if self.saved.resigned is None else 1 - self.saved.resigned

    def seen_by(self, side: int) -> Observation:
        """What one side has been told."""
        shots = () if self.duel is None else self.duel.targets[side].shots
        return Observation(self.saved.rules, tuple(shots))


def view(game: LoadedGame, side: int) -> dict[str, Any]:
    """The game as the holder of this seat may see it."""
    saved, duel, over = game.saved, game.duel, game.over
    sees_all = over or side == WATCHER
    return {
        "id": saved.id,
        "kind": saved.kind,
        "version": saved.version,
        "rules": saved.rules.to_json(),
        "state": "over" if over else "placing" if duel is None else "playing",
        "you": None if side == WATCHER else side,
        "seats": [
            _seat_json(saved, seat, shows_ships=sees_all or seat == side, over=over)
            for seat in (0, 1)
        ],
        "to_move": game.to_move,
        "thinking": game.player_to_move is not None,
        "moves": list(game.moves),
        "sunk": [sunk_ships(game.seen_by(seat)).to_json(saved.rules) for seat in (0, 1)],
        "hints": saved.allows_hints,
        "winner": game.winner,
        "drawn": duel is not None and duel.drawn,
        "resigned": saved.resigned,
        "rematch": saved.rematch,
    }


def _seat_json(saved: SavedGame, side: int, *, shows_ships: bool, over: bool) -> dict[str, Any]:
    seat = saved.seats[side]
    return {
        "name": seat.name or seat.player or "",
        "player": seat.player,
        "joined": seat.player is not None or seat.token is not None,
        "placed": seat.layout is not None,
        "hints": saved.hints[side],
        "commitment": None
        if seat.layout is None or seat.nonce is None
        else commitment(seat.layout, seat.nonce),
        "ships": Layout.from_text(seat.layout, saved.rules).to_json()
        if shows_ships and seat.layout is not None
        else None,
        "nonce": seat.nonce if over else None,
        "layout": seat.layout if over else None,
    }
