"""Observations: the shots that one shooter has fired, with their answers.

This is all that a player ever receives. It is an immutable value: `after` and `told` return
a new one.

>>> rules = Rules()
>>> observation = Observation.from_text("E5 miss, E6 hit", rules)
>>> observation.hits == frozenset({rules.cell("E6")}), len(observation.unknown)
(True, 98)
>>> observation.after(rules.cell("F6"), Answer(hit=True)).to_text()
'E5 miss, E6 hit, F6 hit'

Under salvo rules the cells of a turn are chosen one after the other and answered together.
Those chosen so far are `pending`, and are no longer among the cells to choose from.

>>> choosing = Observation(Rules(salvo=3)).choosing(rules.cell("E5"))
>>> choosing.to_text(), len(choosing.unknown)
('E5 pending', 99)
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .errors import AnswerError, ShotError
from .rules import Rules
from .shots import Answer, Shot

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


_new = object.__new__

PENDING = "pending"
"""stands for the answer to a shot that is chosen and not yet answered"""


@dataclass(frozen=True)
class Observation:
    """What one shooter knows under some rules."""

    rules: Rules
    shots: tuple[Shot, ...] = ()
    """in the order they were fired"""
    pending: tuple[int, ...] = ()
    """cells already chosen in this salvo, not yet answered"""

    def __post_init__(self) -> None:
        fired: set[int] = set()
        for count, shot in enumerate(self.shots):
            self.rules.checked_cell(shot.cell)
            if shot.cell in fired:
                raise ShotError(f"{self.rules.cell_name(shot.cell)} has been shot at already.")
            fired.add(shot.cell)
            shot.answer.checked(self.rules)
            if shot.answer.ship is not None:
                _check_named(self.rules, self.shots[:count], shot)
        if self.pending:
            _check_pending(self.rules, fired, self.pending)

    def choosing(self, cell: int) -> Observation:
        """What is known while a salvo is chosen, after one more cell of it."""
        return Observation(self.rules, self.shots, (*self.pending, cell))

    @property
    def answered(self) -> Observation:
        """The same without the pending cells: all that beliefs depend on."""
        return Observation(self.rules, self.shots) if self.pending else self

    def after(self, cell: int, answer: Answer) -> Observation:
        """What is known after one more shot."""
        shot = Shot(self.rules.checked_cell(cell), answer.checked(self.rules))
        if shot.cell not in self.unknown and shot.cell not in self.pending:
            raise ShotError(f"{self.rules.cell_name(shot.cell)} has been shot at already.")
        if answer.ship is not None:
            _check_named(self.rules, self.shots, shot)
        return self.told(shot)

    def told(self, shot: Shot) -> Observation:
        """`after` for a shot that a `Game` under these rules has answered: nothing is checked.

        What this observation has worked out is brought up to date, not worked out again.
        """
        # A player is shown a new observation at every shot, so this is as fast as can be.
        known, cell = self.__dict__, shot.cell
        later = _new(Observation)
        own = later.__dict__
        own["rules"] = known["rules"]
        own["shots"] = known["shots"] + (shot,)
        if "unknown" in known:
            unknown = known["unknown"]
            place = bisect_left(unknown, cell)
            own["unknown"] = unknown[:place] + unknown[place + 1 :]
            if len(known) == 3:  # nothing else is worked out, and no cell is pending
                return later
        if self.pending:
            own["pending"] = tuple(each for each in self.pending if each != cell)
            own.pop("unknown", None)  # the pending cell was not among them
            return later
        hit = shot.answer.hit
        if "hits" in known:
            own["hits"] = known["hits"] | {cell} if hit else known["hits"]
        if "misses" in known:
            own["misses"] = known["misses"] if hit else known["misses"] | {cell}
        if "afloat" in known:
            sunk = shot.answer.ship if shot.answer.sunk else None
            own["afloat"] = (
                known["afloat"]
                if sunk is None
                else tuple(ship for ship in known["afloat"] if ship != sunk)
            )
        return later

    @cached_property
    def hits(self) -> frozenset[int]:
        """Cells that were hit."""
        return frozenset(shot.cell for shot in self.shots if shot.answer.hit)

    @cached_property
    def misses(self) -> frozenset[int]:
        """Cells that were missed."""
        return frozenset(shot.cell for shot in self.shots if not shot.answer.hit)

    @cached_property
    def unknown(self) -> tuple[int, ...]:
        """Cells not shot at yet and not pending, in order: the legal moves."""
        fired = {shot.cell for shot in self.shots} | {*self.pending}
        return tuple(cell for cell in range(self.rules.cells) if cell not in fired)

    @cached_property
    def afloat(self) -> tuple[int, ...]:
        """Ships (places in the fleet) that were not announced sunk by name."""
        named = {shot.answer.ship for shot in self.shots if shot.answer.sunk}
        return tuple(ship for ship in range(len(self.rules.fleet)) if ship not in named)

    @property
    def finished(self) -> bool:
        """Every ship cell has been hit."""
        return len(self.hits) == self.rules.ship_cells

    def to_text(self) -> str:
        """`E5 miss, E6 hit, F6 sunk cruiser`, then any pending cells: `G6 pending`"""
        return ", ".join(
            [
                *(shot.to_text(self.rules) for shot in self.shots),
                *(f"{self.rules.cell_name(cell)} {PENDING}" for cell in self.pending),
            ]
        )

    @classmethod
    def from_text(cls, text: str, rules: Rules) -> Observation:
        """Read shots separated by commas; an empty text means no shots."""
        entries = [entry for entry in text.split(",") if entry.strip()]
        pending: list[int] = []
        while entries and entries[-1].lower().split()[1:] == [PENDING]:
            pending.insert(0, rules.cell(entries.pop().split()[0]))
        shots = tuple(Shot.from_text(entry, rules) for entry in entries)
        return cls(rules, shots, tuple(pending))

    def to_json(self) -> dict[str, Any]:
        return {"rules": self.rules.to_json(), "shots": self.to_text()}

    @classmethod
    def from_json(cls, value: Any) -> Observation:
        if not isinstance(value, dict) or not isinstance(value.get("shots", ""), str):
            raise AnswerError("An observation in JSON is an object with rules and shots.")
        return cls.from_text(value.get("shots", ""), Rules.from_json(value.get("rules", {})))

    def _repr_html_(self) -> str:
        from .report.drawing import picture_of_observation, to_html

        return to_html(picture_of_observation(self))

    @cached_property
    def arrays(self) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int64]]:
        """The cells and the encoded answers, for compiled code (see `compiled.knowledge`)."""
        import numpy as np

        cells = np.array([shot.cell for shot in self.shots], dtype=np.int16)
        return cells, np.array([shot.answer.code for shot in self.shots], dtype=np.int64)

    @classmethod
    def from_arrays(
        cls, rules: Rules, cells: npt.NDArray[np.int16], answers: npt.NDArray[np.int64]
    ) -> Observation:
        """The observation that compiled code knows as `arrays`."""
        told = zip(cells.tolist(), answers.tolist(), strict=True)
        return cls(rules, tuple(Shot(cell, Answer.from_code(code)) for cell, code in told))


def _check_pending(rules: Rules, fired: set[int], pending: tuple[int, ...]) -> None:
    """Raise an error if these cells cannot be part of a salvo."""
    if rules.salvo == 1:
        raise ShotError("Every shot is answered at once: cells are pending only in a salvo.")
    if len(pending) > rules.largest_salvo:
        raise ShotError(
            f"A salvo has at most {rules.largest_salvo} shots under these rules, so "
            f"{len(pending)} cells cannot be pending."
        )
    chosen: set[int] = set()
    for cell in map(rules.checked_cell, pending):
        if cell in fired:
            raise ShotError(f"{rules.cell_name(cell)} has been shot at already.")
        if cell in chosen:
            raise ShotError(f"{rules.cell_name(cell)} is in the salvo twice.")
        chosen.add(cell)


def _check_named(rules: Rules, before: tuple[Shot, ...], shot: Shot) -> None:
    """Raise an error if an answer that names a ship contradicts earlier ones about it."""
    ship = shot.answer.ship
    assert ship is not None
    name, where = rules.ship_names[ship], rules.cell_name(shot.cell)
    earlier = [each for each in before if each.answer.ship == ship]
    if any(each.answer.sunk for each in earlier):
        raise AnswerError(f"The {name} had been sunk before the shot at {where}.")
    if rules.answers == "named":
        length, hits = rules.fleet[ship], len(earlier) + 1
        if shot.answer.sunk != (hits == length):
            raise AnswerError(
                f"The {name} has {length} cells and sinks on hit {length}; the shot at {where} "
                f"was hit {hits}."
            )
