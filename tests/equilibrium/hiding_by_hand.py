"""The game of hiding and finding by brute force, on boards of a few cells.

Two ways to its value that share nothing with the package: one linear program over all that
the shooter can know, and fictitious play. What the shooter knows is the cells and answers, in
their order if sinking is told while ships may touch; elsewhere the order tells nothing.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

from tests.oracle import Layout, all_layouts

Told = tuple[object, ...]
Known = tuple[tuple[int, Told], ...]
Board = tuple[int, int, tuple[int, ...], str, str]


def told(layout: Layout, fired: frozenset[int], cell: int, answers: str) -> Told:
    """The answer to a shot after others."""
    for ship, cells in enumerate(layout):
        if cell in cells:
            sunk = cells <= fired | {cell}
            if answers == "named":
                return ("sunk" if sunk else "hit", ship)
            if answers == "sunk-named" and sunk:
                return ("sunk", ship)
            return ("sunk",) if answers == "sunk" and sunk else ("hit",)
    return ("miss",)


def after(known: Known, layouts: tuple[Layout, ...], cell: int, board: Board):
    """What each answer to a shot leaves: the shooter's knowledge and the layouts."""
    _, _, _, contact, answers = board
    ordered = contact == "any" and answers.startswith("sunk")
    fired = frozenset(each for each, _ in known)
    parts: dict[Told, list[Layout]] = defaultdict(list)
    for layout in layouts:
        parts[told(layout, fired, cell, answers)].append(layout)
    later = {answer: (*known, (cell, answer)) for answer in parts}
    return {
        answer: (later[answer] if ordered else tuple(sorted(later[answer])), tuple(part))
        for answer, part in parts.items()
    }


def open_cells(known: Known, layouts: tuple[Layout, ...]) -> list[int]:
    """Cells that some layout covers and that were not shot at; none if all are certain."""
    covered = [frozenset().union(*layout) for layout in layouts]
    fired = {cell for cell, _ in known}
    if len(set(covered)) == 1:
        return []
    return sorted(frozenset().union(*covered) - fired)


def value_by_linear_program(board: Board) -> float:
    """Every state of knowledge is a node of a network through which the shooter sends one
    unit of probability; each layout's misses are linear in the flow."""
    rows, columns, fleet, contact, _ = board
    everything = all_layouts(rows, columns, fleet, contact)
    edges: dict[tuple[Known, int], int] = {}
    states: dict[Known, int] = {}
    inflow: dict[int, list[int]] = defaultdict(list)
    outflow: dict[int, list[int]] = defaultdict(list)
    misses: dict[Layout, list[int]] = {layout: [] for layout in everything}
    stack: list[tuple[Known, tuple[Layout, ...]]] = [((), everything)]
    states[()] = 0
    while stack:
        known, layouts = stack.pop()
        for cell in open_cells(known, layouts):
            edge = edges[known, cell] = len(edges)
            outflow[states[known]].append(edge)
            for answer, (later, left) in after(known, layouts, cell, board).items():
                if answer == ("miss",):
                    for layout in left:
                        misses[layout].append(edge)
                if later not in states:
                    states[later] = len(states)
                    stack.append((later, left))
                if open_cells(later, left):
                    inflow[states[later]].append(edge)
    width = len(edges) + 1
    flow = lil_matrix((len(states), width))
    source = np.zeros(len(states))
    source[0] = 1.0
    for state, leaving in outflow.items():
        flow[state, leaving] = 1.0
        flow[state, inflow[state]] = -1.0
    cost = lil_matrix((len(everything), width))
    for row, layout in enumerate(everything):
        cost[row, misses[layout]] = 1.0
        cost[row, width - 1] = -1.0
    result = linprog(
        np.append(np.zeros(width - 1), 1.0),
        A_ub=cost.tocsr(),
        b_ub=np.zeros(len(everything)),
        A_eq=flow.tocsr(),
        b_eq=source,
        bounds=[(0, None)] * (width - 1) + [(None, None)],
    )
    return sum(fleet) + float(result.fun)


def bounds_by_fictitious_play(board: Board, rounds: int) -> tuple[float, float]:
    """Each side plays its best response to all that the other has played so far."""
    rows, columns, fleet, contact, _ = board
    everything = all_layouts(rows, columns, fleet, contact)
    hidden = dict.fromkeys(everything, 1.0)
    shots = dict.fromkeys(everything, 0.0)
    lower = 0.0
    for _ in range(rounds):
        total = sum(hidden.values())

        @cache
        def least(known: Known, layouts: tuple[Layout, ...]) -> tuple[float, int]:
            best = (np.inf, -1)
            for cell in open_cells(known, layouts):
                cost = 0.0
                for answer, (later, left) in after(known, layouts, cell, board).items():
                    cost += sum(hidden[each] for each in left) * (answer == ("miss",))
                    cost += least(later, left)[0]
                best = min(best, (cost, cell))
            return best if best[1] >= 0 else (0.0, -1)

        lower = max(lower, sum(fleet) + least((), everything)[0] / total)
        stack = [((), everything, float(sum(fleet)))]
        while stack:
            known, layouts, so_far = stack.pop()
            cell = least(known, layouts)[1]
            if cell < 0:
                for layout in layouts:
                    shots[layout] += so_far
                continue
            for answer, (later, left) in after(known, layouts, cell, board).items():
                stack.append((later, left, so_far + (answer == ("miss",))))
        worst = max(shots, key=shots.__getitem__)
        hidden[worst] += 1.0
    return lower, max(shots.values()) / rounds
