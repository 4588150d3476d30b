"""What each seat may see of a game.

`view_text` is the only way from a game to a page. It shows a seat what the rules have told it,
and the other side's layout only once the game is over. It changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from ..belief.sunk_cells import SunkShips, sunk_ships, sunk_ships_after
from ..game import Duel
from ..layout import Layout
from ..observation import Observation
from ..rules import Rules
from ..shots import Shot
from .commitment import commitment
from .game_store import SavedGame

WATCHER = -1
"""The `side` of somebody who watches two players."""
SPECTATOR = -2
"""The `side` of somebody who watches two people, and sees only what both have been told."""


@dataclass
class LoadedGame:
    """A stored game with its moves replayed."""

    saved: SavedGame
    duel: Duel | None
    """None before both fleets are placed"""
    seen: list[Observation]
    """what each side has been told"""
    _moves: list[str] = field(default_factory=list)
    """every shot as it was told, as JSON"""
    _sunk: list[SunkShips] = field(default_factory=lambda: [SunkShips(), SunkShips()])
    """what each side knows of the ships that it sank"""
    _lasting: dict[tuple[int, bool], str] = field(default_factory=dict)
    """what no move but the last one changes in the view of a side, as JSON"""
    _texts: dict[int, tuple[int, str]] = field(default_factory=dict)
    """the last view of each side as JSON, with its version"""

    @classmethod
    def replayed(cls, saved: SavedGame) -> LoadedGame:
        duel = saved.duel()
        if duel is None:
            return cls(saved, None, [Observation(saved.rules)] * 2)
        seen = [Observation(saved.rules, target.shots) for target in duel.targets]
        game = cls(saved, duel, seen, _sunk=[sunk_ships(each) for each in seen])
        game._moves = [_compact(move) for move in game.moves()]
        return game

    def moves(self) -> list[dict[str, Any]]:
        """Every shot as it was told."""
        if self.duel is None:
            return []
        told = zip(self.duel.shots, self.saved.notes, strict=True)
        return [_move_json(self.saved, side, shot, note) for (side, shot), note in told]

    def fired(self, shots: Sequence[Shot], note: str) -> None:
        """A turn of the duel's last mover is stored, with a note on its last shot."""
        assert self.duel is not None
        side = self.duel.moves[-1]
        notes = [""] * (len(shots) - 1) + [note]
        for shot, each in zip(shots, notes, strict=True):
            self._moves.append(_compact(_move_json(self.saved, side, shot, each)))
            if not shot.wasted:
                self.seen[side] = self.seen[side].told(shot)
        if not all(shot.wasted for shot in shots):
            self._sunk[side] = sunk_ships_after(self._sunk[side], self.seen[side])
        self.saved = replace(
            self.saved,
            cells=(*self.saved.cells, *(shot.cell for shot in shots)),
            notes=(*self.saved.notes, *notes),
            version=self.saved.version + 1,
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
        return self.seen[side]

    def sunk_by(self, side: int) -> SunkShips:
        """What one side knows of the ships that it sank."""
        return self._sunk[side]

    def view_text(self, side: int) -> str:
        """The game as the holder of this seat may see it, as JSON. What does not change is encoded
        once, and so is every move."""
        version, text = self._texts.get(side, (0, ""))
        if version != self.saved.version:
            key = (side, self.over)
            if key not in self._lasting:
                self._lasting[key] = _compact(_lasting_part(self, side))
            start, now = self._lasting[key][:-1], _compact(_part_of_now(self))[1:-1]
            text = f'{start},{now},"moves":[{",".join(self._moves)}]}}'
            self._texts[side] = (self.saved.version, text)
        return text


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _move_json(saved: SavedGame, side: int, shot: Shot, note: str) -> dict[str, Any]:
    return {"side": side, **shot.to_json(saved.rules), "note": note}


def _lasting_part(game: LoadedGame, side: int) -> dict[str, Any]:
    """What no move changes in a view, unless it ends the game."""
    saved, over = game.saved, game.over
    sees_all = over or side == WATCHER
    return {
        "id": saved.id,
        "kind": saved.kind,
        "rules": saved.rules.to_json(),
        "you": None if side in (WATCHER, SPECTATOR) else side,
        "seats": [
            _seat_json(saved, seat, shows_ships=sees_all or seat == side, over=over)
            for seat in (0, 1)
        ],
        "hints": saved.allows_hints,
        "spectators": saved.allows_spectators,
        "repeats": bool(saved.repeats),
        "remembers": None if saved.memory is None else len(saved.memory),
        "resigned": saved.resigned,
        "rematch": saved.rematch,
    }


def _part_of_now(game: LoadedGame) -> dict[str, Any]:
    """What moves change in a view; everybody sees the same of it."""
    saved, duel = game.saved, game.duel
    return {
        "version": saved.version,
        "state": "over" if game.over else "placing" if duel is None else "playing",
        "to_move": game.to_move,
        "salvo": 0 if duel is None else duel.salvo,
        "thinking": game.player_to_move is not None,
        "sunk": [game.sunk_by(seat).to_json(saved.rules) for seat in (0, 1)],
        "winner": game.winner,
        "drawn": duel is not None and duel.drawn,
    }


@lru_cache(maxsize=4096)
def _ships_json(layout: str, rules: Rules) -> list[dict[str, str]]:
    return Layout.from_text(layout, rules).to_json()


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
        "ships": _ships_json(seat.layout, saved.rules)
        if shows_ships and seat.layout is not None
        else None,
        "nonce": seat.nonce if over else None,
        "layout": seat.layout if over else None,
    }
