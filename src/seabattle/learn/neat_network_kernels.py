"""Games of a network evolved by NEAT, all layouts at once.

The inputs are one number per cell (1 hit, -1 miss, 0.01 unknown) and one for the last shot
(1 if it hit, else -1); the network shoots at the unknown cell with the highest output. It is
deterministic and is told only hit or miss, so games with the same answers so far are in the
same position: `play_layouts` traverses the tree of positions with the layouts that agree
with each, and runs the network once per position. A shot changes at most two inputs, so the
sums over the inputs are updated, not recomputed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Floats, Int32s, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISSED, UNKNOWN

HIT_INPUT, MISS_INPUT, UNKNOWN_INPUT = 1.0, -1.0, 0.01
STEEPNESS = 5.0
"""of neat-python's sigmoid, 1 / (1 + exp(-5 z))"""

Bools = npt.NDArray[np.bool_]


class Wiring(NamedTuple):
    """A feed-forward network as arrays.

    Nodes are in topological order: hidden nodes first, then the outputs in cell order. The
    sources of connections are the inputs, then the hidden nodes.
    """

    inputs: int
    start: Ints
    """(inputs + hidden + 1,) where the connections of each source start in `target`"""
    target: Ints
    """(connections,) the node that each connection feeds"""
    weight: Floats
    """(connections,)"""
    bias: Floats
    """(nodes,)"""


@kernel
def fill_inputs(
    board: Board, known: npt.NDArray[np.void], games: Ints, inputs: npt.NDArray[np.float32]
) -> None:
    """(games, cells + 1): the network's input in each of these games."""
    for k in range(games.size):
        knowledge = known[games[k]]
        for cell in range(board.cells):
            status = knowledge.status[cell]
            if status == UNKNOWN:
                inputs[k, cell] = UNKNOWN_INPUT
            else:
                inputs[k, cell] = MISS_INPUT if status == MISSED else HIT_INPUT
        inputs[k, board.cells] = MISS_INPUT
        if knowledge.shots > 0:
            inputs[k, board.cells] = inputs[k, knowledge.fired[knowledge.shots - 1]]


@kernel
def feed(wiring: Wiring, source: int, value: float, totals: Floats) -> None:
    """Add the output of one source to the `totals` (nodes,) of its targets."""
    for link in range(wiring.start[source], wiring.start[source + 1]):
        totals[wiring.target[link]] += wiring.weight[link] * value


@kernel
def settle(wiring: Wiring, totals: Floats) -> None:
    """Activate the hidden nodes; `totals` holds the biases and the sums over the inputs.

    The outputs are left without the sigmoid, which would not change their order and would
    round the large ones to 1.
    """
    for node in range(wiring.start.size - 1 - wiring.inputs):
        scaled = min(60.0, max(-60.0, STEEPNESS * totals[node]))
        feed(wiring, wiring.inputs + node, 1.0 / (1.0 + np.exp(-scaled)), totals)


@kernel
def outputs_of(wiring: Wiring, values: Floats) -> Floats:
    """(cells,) the outputs for these inputs (cells + 1,), before the sigmoid."""
    totals = wiring.bias.copy()
    for source in range(wiring.inputs):
        feed(wiring, source, values[source], totals)
    settle(wiring, totals)
    return totals[wiring.start.size - 1 - wiring.inputs :]


@kernel
def play_layouts(wiring: Wiring, occupied: Bools, shots: Int32s, streaks: Int32s) -> None:
    """Play a game on each row of `occupied` (games, cells).

    `shots` (games,) is the length of each game, `streaks` (games,) the number of its hits
    that directly followed another hit.
    """
    games, cells = occupied.shape
    goal = 0
    for cell in range(cells):
        goal += occupied[0, cell]
    hidden = wiring.start.size - 1 - wiring.inputs
    totals = np.empty(wiring.bias.size)
    order = np.arange(games)
    # A frame per open position: depth first, at most one more than the shots fired.
    told = np.zeros((cells + 2, cells), dtype=np.bool_)
    sent = np.empty((cells + 2, wiring.bias.size))
    first = np.zeros(cells + 2, dtype=np.int64)
    last, fired, hits, streak = first.copy(), first.copy(), first.copy(), first.copy()
    just_hit = np.zeros(cells + 2, dtype=np.bool_)
    sent[0] = wiring.bias
    for source in range(cells):
        feed(wiring, source, UNKNOWN_INPUT, sent[0])
    feed(wiring, cells, MISS_INPUT, sent[0])
    last[0] = games
    top = 0
    while top >= 0:
        begin, end = first[top], last[top]
        if hits[top] == goal:
            for place in range(begin, end):
                shots[order[place]] = fired[top]
                streaks[order[place]] = streak[top]
            top -= 1
            continue
        totals[:] = sent[top]
        settle(wiring, totals)
        best = -1
        for cell in range(cells):
            if not told[top, cell] and (best < 0 or totals[hidden + cell] > totals[hidden + best]):
                best = cell
        middle = begin
        for place in range(begin, end):
            game = order[place]
            if occupied[game, best]:
                order[place] = order[middle]
                order[middle] = game
                middle += 1
        told[top, best] = True
        fired[top] += 1
        before = just_hit[top]
        other = top
        if middle < end:
            other += 1
            if middle > begin:
                told[other] = told[top]
                sent[other] = sent[top]
                fired[other], hits[other], streak[other] = fired[top], hits[top], streak[top]
            first[top] = middle
            feed(wiring, best, MISS_INPUT - UNKNOWN_INPUT, sent[top])
            if before:
                feed(wiring, cells, MISS_INPUT - HIT_INPUT, sent[top])
            just_hit[top] = False
        if middle > begin:
            first[other], last[other] = begin, middle
            feed(wiring, best, HIT_INPUT - UNKNOWN_INPUT, sent[other])
            if not before:
                feed(wiring, cells, HIT_INPUT - MISS_INPUT, sent[other])
            just_hit[other] = True
            hits[other] += 1
            streak[other] += before
            top = other
