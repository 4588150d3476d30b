"""The tables of the compiled search: every layout of a small board."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import factorial, prod

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import NAMED, SUNK_NAMED, Bits
from ..compiled.rules_tables import board_of
from ..errors import FleetDoesNotFit, SolveError
from ..rules import ANSWERS, Rules
from .positions_kernels import MOST_IMAGES

MOST_LAYOUTS = 200_000
"""Boards with more layouts are not searched: each position would take milliseconds."""


@dataclass(frozen=True)
class Problem:
    """All layouts of some rules as bit masks, with equivalent ones merged.

    Layouts that answer every shot in the same way are one row with a weight. Ships of
    equal length are told apart only if answers name them.
    """

    rules: Rules
    ships: Bits
    """(rows, ships) the cells of each ship"""
    weight: npt.NDArray[np.int64]
    """(rows,) how many layouts a row stands for"""
    relabelled: int
    """how many labelled layouts count as one when ships are interchangeable"""

    @cached_property
    def mask(self) -> Bits:
        """(rows,) the cells of the fleet."""
        return np.asarray(np.bitwise_or.reduce(self.ships, axis=1))

    @cached_property
    def ship_at(self) -> npt.NDArray[np.int8]:
        """(rows, cells) the ship on each cell, or -1."""
        owner = np.full((len(self.ships), self.rules.cells), -1, dtype=np.int8)
        for ship in range(self.ships.shape[1]):
            for cell in range(self.rules.cells):
                owner[_has(self.ships[:, ship], cell), cell] = ship
        return owner

    @property
    def total(self) -> int:
        """The weight of all rows."""
        return int(self.weight.sum())

    @property
    def layouts(self) -> int:
        """Distinct layouts, ships of equal length being interchangeable."""
        return self.total // self.relabelled

    @property
    def ordered(self) -> bool:
        """Whether the order of the same shots can tell more or less.

        Where ships may not touch side by side, a sinking answer always means that the
        connected hits around the shot are one whole ship, so the order tells nothing;
        nor does it where every hit names its ship.
        """
        return (
            self.rules.contact == "any"
            and self.rules.answers in ("sunk", "sunk-named")
            and len(self.rules.fleet) > 1
        )

    @cached_property
    def images(self) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Symmetries of the board (and of equal ships that answers name): for each, where
        it takes each cell and each row."""
        ships = self.ships.shape[1]
        relabellings = [tuple(range(ships))]
        if ANSWERS.index(self.rules.answers) in (SUNK_NAMED, NAMED):
            same = (
                [
                    order
                    for order in permutations(range(ships))
                    if all(
                        self.rules.fleet[a] == self.rules.fleet[b]
                        for a, b in zip(order, range(ships), strict=True)
                    )
                ]
                if ships <= 5
                else relabellings
            )
            boards = len(board_images(self.rules.rows, self.rules.columns))
            if len(same) * boards <= MOST_IMAGES:
                relabellings = same
        whole = self.ships if ships > 1 else self.ships.reshape(-1, 1)
        alike = self.rules.answers in ("hit-miss", "sunk")
        place = {key: row for row, key in enumerate(map(bytes, _keys(self, whole, alike)))}
        found = []
        for cells in board_images(self.rules.rows, self.rules.columns):
            moved = np.zeros_like(whole)
            for cell in range(self.rules.cells):
                moved |= _has(whole, cell).astype(np.uint64) << np.uint64(cells[cell])
            for order in relabellings:
                rows = [place[bytes(key)] for key in _keys(self, moved[:, list(order)], alike)]
                found.append((cells, np.array(rows, dtype=np.int64)))
        return found

    @cached_property
    def layer(self) -> npt.NDArray[np.int8]:
        """(rows,) 0 for one row of each set of rows that answers may never tell apart, 1 for
        a second one, and so on: no two rows of a layer ever end in the same position."""
        if self.rules.answers in ("hit-miss", "named"):
            return np.zeros(len(self.ships), dtype=np.int8)
        order = np.argsort(self.mask, kind="stable")
        nth = np.zeros(len(order), dtype=np.int64)
        for place in range(1, len(order)):
            if self.mask[order[place]] == self.mask[order[place - 1]]:
                nth[place] = nth[place - 1] + 1
        layer = np.empty(len(order), dtype=np.int8)
        layer[order] = np.minimum(nth, 100)
        return layer


def _keys(problem: Problem, ships: Bits, alike: bool) -> npt.NDArray[np.uint64]:
    """Rows of words that are equal if layouts are the same row of the problem."""
    if problem.rules.answers == "hit-miss":
        return np.array(np.bitwise_or.reduce(ships, axis=1)[:, None])
    if alike:
        return np.sort(ships, axis=1)
    return np.ascontiguousarray(ships)


def make_problem(rules: Rules) -> Problem:
    """Enumerate the layouts of a board; raises an error if there are none or too many."""
    if rules.salvo != 1:
        raise SolveError(
            "Only games with one shot per turn can be solved, in which every shot is answered "
            "before the next; solve these rules with salvo=1."
        )
    if rules.cells > 64:
        raise SolveError(
            f"Only boards of up to 64 cells can be solved, and {rules.rows}x{rules.columns} has "
            f"{rules.cells}; see 'seabattle bounds' for what is proven about larger ones."
        )
    ships = enumerate_ships(rules, MOST_LAYOUTS)
    same = prod(factorial(rules.fleet.count(length)) for length in set(rules.fleet))
    if rules.answers == "hit-miss":
        _, first, weight = np.unique(
            np.bitwise_or.reduce(ships, axis=1), return_index=True, return_counts=True
        )
        return Problem(rules, ships[first], weight.astype(np.int64), 1)
    if rules.answers == "sunk":
        return Problem(rules, ships, np.ones(len(ships), dtype=np.int64), 1)
    if len(ships) * same > MOST_LAYOUTS:
        raise _too_many(rules, MOST_LAYOUTS)
    labelled = np.concatenate(
        [
            ships[:, list(order)]
            for order in permutations(range(len(rules.fleet)))
            if all(rules.fleet[a] == rules.fleet[b] for a, b in enumerate(order))
        ]
    )
    labelled = np.ascontiguousarray(labelled)
    return Problem(rules, labelled, np.ones(len(labelled), dtype=np.int64), same)


def enumerate_ships(rules: Rules, most: int) -> Bits:
    """(layouts, ships) the cells of each ship, ships of equal length interchangeable."""
    return np.asarray(board_of(rules).mask[:, 0][enumerate_placements(rules, most)])


def enumerate_placements(rules: Rules, most: int) -> npt.NDArray[np.int64]:
    """(layouts, ships) placement numbers, ships of equal length interchangeable."""
    board = board_of(rules)
    mask, halo = board.mask[:, 0], board.halo[:, 0]
    chosen = np.zeros((1, 0), dtype=np.int64)
    taken = np.zeros(1, dtype=np.uint64)
    for ship in range(len(rules.fleet)):
        options = np.arange(board.first[ship], board.last[ship])
        rows: list[npt.NDArray[np.int64]] = []
        news: list[npt.NDArray[np.int64]] = []
        for option in options:
            fits = (mask[option] & taken) == 0
            if ship and rules.fleet[ship] == rules.fleet[ship - 1]:
                fits &= chosen[:, -1] < option
            index = np.flatnonzero(fits)
            rows.append(index)
            news.append(np.full(len(index), option, dtype=np.int64))
            if sum(map(len, rows)) > 20 * most:
                raise _too_many(rules, most)
        row = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
        new = np.concatenate([np.zeros(0, dtype=np.int64), *news])
        chosen = np.column_stack([chosen[row], new])
        taken = taken[row] | halo[new]
    if len(chosen) == 0:
        raise FleetDoesNotFit(
            f"The fleet {','.join(map(str, rules.fleet))} does not fit on a board of "
            f"{rules.rows}x{rules.columns} with contact={rules.contact}; take a larger board "
            "or fewer ships."
        )
    if len(chosen) > most:
        raise _too_many(rules, most)
    return chosen


def _too_many(rules: Rules, most: int) -> SolveError:
    return SolveError(
        f"There are more than {most:,} layouts of this fleet on {rules.rows}x{rules.columns}, too "
        "many to solve; take a smaller board or fewer ships, or see 'seabattle bounds'."
    )


def board_images(rows: int, columns: int) -> list[npt.NDArray[np.int64]]:
    """Where each symmetry of the board takes each cell; the first leaves all in place."""
    grid = np.arange(rows * columns).reshape(rows, columns)
    found = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if rows == columns:
        found += [each.T for each in found]
    distinct = {tuple(each.ravel().tolist()): None for each in found}
    return [np.array(each, dtype=np.int64) for each in distinct]


def _has(words: Bits, cell: int) -> npt.NDArray[np.bool_]:
    return (words >> np.uint64(cell) & np.uint64(1)).astype(bool)
