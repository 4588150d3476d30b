"""The positions that the shooter's strategies reach, and the best mixture of what they do there.

Decision trees that were found one by one share positions, and at each of them a shooter may go
on as any tree does that reaches it. So a few trees stand for a vast number of strategies, all of
which one linear program mixes; its size is the number of positions (the sequence form of a game,
Koller, Megiddo and von Stengel 1996, restricted to the moves found so far, Bošanský et al. 2014).

The shooter sends a flow of 1 from the empty board through the positions. What reaches a position
is divided among its shots, and every answer to a shot passes all of the shot's flow on, since the
layout chooses the answer. A kind of layout then costs the sum over all shots of

    flow of the shot · share of the kind's layouts that are possible there and not on the cell

misses. Positions are the same if a symmetry of the board exchanges them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled.board_tables import Floats, Ints
from ..solver.best_response import Moves
from ..solver.positions_kernels import SearchTables
from ..solver.problem import Problem
from .linear_program import least_flow


class Mixtures(NamedTuple):
    """What the linear program says of both sides."""

    flow: Floats
    """(shots,) the shooter's mixture"""
    hider: Floats
    """(kinds,) the hider's best reply to all that the graph holds"""
    misses: Floats
    """(kinds,) the misses of the shooter's mixture on each kind of layout, evaluated afterwards"""


class PositionGraph:
    """Positions, and the shots that some strategy fires there."""

    def __init__(self, problem: Problem, tables: SearchTables, kinds: NDArray[np.int64]) -> None:
        """`tables` give positions their keys; `kinds` (rows,) are the layouts that count as one."""
        self.problem, self._tables, self._kinds = problem, tables, kinds
        self._kind_size = np.bincount(kinds)
        self._turned = np.argsort(tables.cell_image, axis=1)
        self._position: dict[tuple[int, int], int] = {}
        self._order: list[tuple[int, int]] = []
        """of each position: it lies before all that follow from it if these are descending"""
        self._shot: dict[tuple[int, int], int] = {}
        self._at: list[int] = []
        """the position of each shot"""
        self._next: list[list[int]] = []
        """the positions that each shot leads to"""
        self._missed: list[tuple[NDArray[np.int64], Floats]] = []
        """the kinds of layouts that each shot misses, and the share of each kind"""
        everything = np.arange(len(problem.mask))
        self._root = self._number(everything, self._waiting(everything, 0))[0]

    def __len__(self) -> int:
        return len(self._position)

    @property
    def shots(self) -> int:
        return len(self._at)

    def add(self, moves: Moves) -> int:
        """Add the positions and shots of a tree (see `weighted_kernels.play_weighted`, whose
        order of positions this follows); how many shots are new."""
        before, played = len(self._at), 0
        stack = [(np.arange(len(self.problem.mask)), 0)]
        while stack:
            rows, hits = stack.pop()
            if self._settled(rows):
                continue
            cell = int(moves[played])
            played += 1
            answers = self._answers(rows, hits, cell)
            parts = [
                (rows[answers == answer], hits | 1 << cell if answer else hits)
                for answer in (*range(1, answers.max() + 1), 0)
            ]
            parts = [part for part in parts if len(part[0])]
            stack += parts
            position, image = self._number(rows, self._waiting(rows, hits))
            shot = position, int(self._turned[image, cell])
            if shot not in self._shot:
                self._shot[shot] = len(self._at)
                self._at.append(position)
                self._next.append(
                    [
                        self._number(part, self._waiting(part, struck))[0]
                        for part, struck in parts
                        if not self._settled(part)
                    ]
                )
                missed = np.bincount(self._kinds[rows[answers == 0]])
                there = np.flatnonzero(missed)
                self._missed.append((there, missed[there] / self._kind_size[there]))
        return len(self._at) - before

    def solve(self) -> Mixtures:
        """The equilibrium between all layouts and all strategies in the graph."""
        shots = len(self._at)
        kinds = np.concatenate([kinds for kinds, _ in self._missed])
        shares = np.concatenate([shares for _, shares in self._missed])
        of_shot = np.repeat(np.arange(shots), [len(kinds) for kinds, _ in self._missed])
        to = np.array([each for follow in self._next for each in follow], dtype=np.int64)
        by = np.repeat(np.arange(shots), [len(follow) for follow in self._next])
        size = len(self._kind_size)
        flow, hider = least_flow(
            (shares, kinds, of_shot), size, np.array(self._at), (to, by), len(self), self._root
        )
        flow = self._evened(flow)
        misses = np.bincount(kinds, shares * flow[of_shot], minlength=size).astype(np.float64)
        return Mixtures(flow, hider, misses)

    def least_misses(self, hider: Floats) -> float:
        """The misses of the best strategy in the graph against a mixture (kinds,) of layouts."""
        least = np.full(len(self), np.inf)
        for shot in self._downstream()[::-1]:
            kinds, shares = self._missed[shot]
            cost = float(hider[kinds] @ shares) + sum(float(least[k]) for k in self._next[shot])
            least[self._at[shot]] = min(least[self._at[shot]], cost)
        return float(least[self._root])

    def first_shots(self, flow: Floats) -> Floats:
        """(cells,) the probability of each first shot, spread over the symmetries of the board."""
        chance = np.zeros(self.problem.rules.cells)
        images = self.problem.images
        for (position, cell), shot in self._shot.items():
            if position == self._root:
                for cells, _ in images:
                    chance[cells[cell]] += flow[shot] / len(images)
        return chance

    def reached(self, flow: Floats) -> tuple[int, int]:
        """How many positions a mixture reaches, and at how many of them it shoots at random."""
        choices = np.bincount(np.array(self._at, dtype=np.int64)[flow > 0])
        return int((choices > 0).sum()), int((choices > 1).sum())

    def _evened(self, flow: Floats) -> Floats:
        """A flow as a linear program returns it, rounded, as one that divides exactly what
        reaches each position."""
        at = np.array(self._at, dtype=np.int64)
        positive = np.maximum(flow, 0.0)
        leaving = np.bincount(at, positive, minlength=len(self))
        choices = np.bincount(at, minlength=len(self))
        # Where next to nothing arrives, rounding may have left nothing to divide.
        shares = np.where(
            leaving[at] > 0, positive / np.where(leaving > 0, leaving, 1.0)[at], 1 / choices[at]
        )
        reach = np.zeros(len(self))
        reach[self._root] = 1.0
        exact = np.zeros(len(flow))
        for shot in self._downstream():
            exact[shot] = shares[shot] * reach[at[shot]]
            for position in self._next[shot]:
                reach[position] += exact[shot]
        return exact

    def _downstream(self) -> list[int]:
        """The shots, each before all shots that may follow it."""
        return sorted(range(len(self._at)), key=lambda shot: self._order[self._at[shot]])

    def _settled(self, rows: Ints) -> bool:
        """Whether all layouts cover the same cells, so that nothing can miss."""
        mask = self.problem.mask[rows]
        return bool((mask == mask[0]).all())

    def _waiting(self, rows: Ints, hits: int) -> int:
        """The certain hits that were not shot yet."""
        return int(np.bitwise_and.reduce(self.problem.mask[rows])) & ~hits

    def _number(self, rows: Ints, waiting: int) -> tuple[int, int]:
        """The number of a position, and the symmetry under which it has it. The key is that of
        `positions_kernels.position_key`."""
        words = self._tables.layout_words[rows].sum(axis=0, dtype=np.uint64)
        for cell in range(waiting.bit_length()):
            if waiting >> cell & 1:
                words += self._tables.cell_words[cell]
        image = int(words[::2].argmin())
        key = int(words[2 * image]), int(words[2 * image + 1])
        if key not in self._position:
            self._position[key] = len(self._position)
            self._order.append((-len(rows), -waiting.bit_count()))
        return self._position[key], image

    def _answers(self, rows: Ints, hits: int, cell: int) -> NDArray[np.int64]:
        """(rows,) the answer of each layout, numbered as by `positions_kernels.answer_to`."""
        problem, kind = self.problem, self.problem.rules.answers
        ship = problem.ship_at[rows, cell].astype(np.int64)
        if kind == "hit-miss":
            return np.asarray((ship >= 0).astype(np.int64))
        if kind == "named":
            return np.where(ship < 0, 0, 2 + ship)
        left = problem.ships[rows, ship] & ~np.uint64(hits)
        sunk = left == np.uint64(1 << cell)
        name = 2 if kind == "sunk" else 2 + ship
        return np.where(ship < 0, 0, np.where(sunk, name, 1))
