"""Counting layouts of any fleet: a dynamic program along a frontier.

The board is scanned cell by cell, row by row. What the cells behind the scan mean
for those ahead of it is a *profile*, one symbol per column: the next cell of the
column is free, must stay empty, or is covered by a ship that comes down from above.
A ship enters at its top left cell. Partial layouts with the same profile and the
same number of ships of each kind behind them have the same completions, so they are
counted together.

`build` turns this into a diagram: a layer of profiles before each cell, and an edge
for each thing that can happen there. A profile carries a block of values, one for
each *stock* (how many ships of each kind have been placed) that the layer allows.
Counts, weights, marginals and samples are then plain sweeps over the diagram (see
`frontier_sweeps_kernels`): every layout, with interchangeable ships not told apart, is one
path.

Kinds are sets of interchangeable ships: the same length and the same candidates.
The work grows with the shorter side, so the scan runs along the longer one.

Broken profiles are standard in counting tilings and polyominoes; for the diagram see
D. E. Knuth, The Art of Computer Programming 4A, 7.1.4 (the Simpath construction).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import (
    CONTACT_ANY,
    CONTACT_CORNERS,
    CONTACT_NONE,
    Bits,
    Board,
    Floats,
    Ints,
)
from ..compiled.jit import kernel
from ..compiled.random_streams import mix

FREE, BLOCKED, BLOCKED_TWICE, FORCED = range(4)
"""Symbols of a profile. BLOCKED_TWICE also blocks the cell below. FORCED + k means
that the next cell and the k below it are covered by one ship."""

BUILT, TOO_MANY_STOCKS, TOO_MANY_NODES = range(3)
"""How a construction ended."""

MOST_STOCKS = 1 << 22
"""Stocks over all layers before a construction gives up."""

Int32s = npt.NDArray[np.int32]


class FrontierTask(NamedTuple):
    """A counting task in the frame of the scan, which may be the board transposed."""

    rows: int
    columns: int
    """the shorter side"""
    contact: int
    lengths: Ints
    """(kinds,) the length of the ships of each kind"""
    numbers: Ints
    """(kinds,) how many ships of each kind there are"""
    start: Int32s
    """(kinds, 2, cells) the placement across (0) or down (1) that begins at each cell,
    numbered as in `Board`, or -1 where it is no candidate"""
    hit: npt.NDArray[np.bool_]
    """(cells,) cells that have to be covered"""
    kind_of: Ints
    """(ships,) the kind of each ship of the board"""


class Stocks(NamedTuple):
    """How many ships of each kind can have been placed before each cell."""

    first: Ints
    """(cells + 2,) where the codes of each layer begin in `codes`"""
    codes: Ints
    """mixed-radix codes of the stocks, ascending within a layer"""
    need: Int32s
    """the room that the ships not yet placed need, for each of `codes`"""
    pair_first: Ints
    """(cells × (kinds + 1) + 1,) where the steps of each cell and event begin in
    `source`; event 0 is that no ship starts, event k + 1 that one of kind k does"""
    source: Int32s
    """place of the stock before the step in its layer"""
    target: Int32s
    """place of the stock after it in the next layer"""


class Diagram(NamedTuple):
    """All paths of the scan; layer t lies before cell t, the last one behind the board."""

    cells: int
    kinds: int
    node_first: Ints
    """(cells + 2,) where the nodes of each layer begin"""
    edge_first: Ints
    """(nodes + 1,) where the edges of each node begin"""
    edge_to: Int32s
    """the node an edge leads to, counted within its layer"""
    edge_label: npt.NDArray[np.int16]
    """0 if no ship starts, else 1 + 2 × kind + direction"""
    stocks: Stocks


def make_frontier_task(
    board: Board, candidates: Int32s, counts: Ints, hit_bits: Bits, weights: Floats | None
) -> FrontierTask:
    """The task of counting layouts with every ship on a candidate and every hit covered.

    Ship s has the first `counts[s]` of `candidates[s]`, as `evidence.gather` lists them.
    Ships of one length are of one kind if nothing tells them apart, which includes
    their rows of `weights` (ships, placements).
    """
    allowed = np.zeros((board.ships, board.placements), dtype=np.bool_)
    for ship in range(board.ships):
        allowed[ship, candidates[ship, : counts[ship]]] = True
    if weights is not None:
        allowed &= weights > 0
    kinds: dict[tuple[int, bytes, bytes], int] = {}
    kind_of = np.empty(board.ships, dtype=np.int64)
    members: list[int] = []
    for ship in range(board.ships):
        weight = b"" if weights is None else weights[ship].tobytes()
        key = (int(board.fleet[ship]), allowed[ship].tobytes(), weight)
        if key not in kinds:
            kinds[key] = len(kinds)
            members.append(ship)
        kind_of[ship] = kinds[key]

    placements = board.placements
    begin = board.cover[:placements, 0].astype(np.int64)
    down = (board.length[:placements] > 1) & (board.cover[:placements, 1] != begin + 1)
    rows, columns = int(board.rows), int(board.columns)
    hit = np.unpackbits(hit_bits.view(np.uint8), bitorder="little")[: board.cells].astype(np.bool_)
    if rows < columns:
        begin = begin % columns * rows + begin // columns
        down = ~down & (board.length[:placements] > 1)
        hit = np.ascontiguousarray(hit.reshape(rows, columns).T).ravel()
        rows, columns = columns, rows
    start = np.full((len(members), 2, board.cells), -1, dtype=np.int32)
    for kind, ship in enumerate(members):
        chosen = np.flatnonzero(allowed[ship])
        start[kind, down[chosen].astype(np.int64), begin[chosen]] = chosen
    return FrontierTask(
        rows,
        columns,
        int(board.contact),
        np.array([board.fleet[ship] for ship in members], dtype=np.int64),
        np.bincount(kind_of).astype(np.int64),
        start,
        hit,
        kind_of,
    )


@kernel
def room_needed(contact: int, length: int) -> int:
    """A lower bound on the room that one ship takes from the others (see `room_left`).

    Under `none` a ship takes its cells, those below, and the ones to the right of both;
    under `corners` its cells and the ones to their right. No cell is taken twice.
    """
    if contact == CONTACT_ANY:
        return length
    if contact == CONTACT_CORNERS:
        return length + 1
    return 2 * (length + 1)


@kernel
def room_left(rows: int, columns: int, contact: int, cell: int) -> int:
    """The room for ships that start at `cell` or later; margins are part of it."""
    row, column = cell // columns, cell % columns
    if contact == CONTACT_ANY:
        return rows * columns - cell
    if contact == CONTACT_CORNERS:
        return rows * (columns + 1) - row * (columns + 1) - column
    return (rows + 1) * (columns + 1) - row * (columns + 1) - column


@kernel
def room_claimed(task: FrontierTask, profile: npt.NDArray[np.uint8], scanned: int) -> int:
    """How much of `room_left` ships behind the scan are known to take.

    `scanned` is the column of the last scanned cell: up to it the profile speaks of the
    next row. Where marks begin, the first may be a cell left of a ship: kept empty, but
    not taken.
    """
    claimed = 0
    for column in range(task.columns):
        symbol = np.int64(profile[column])
        apart = column + 1 == task.columns or profile[column + 1] < FORCED
        if symbol >= FORCED:
            more = symbol - FORCED + 1
            if task.contact == CONTACT_ANY:
                claimed += more
            else:
                claimed += 2 * more if apart else more
        if task.contact == CONTACT_NONE and symbol != FREE:
            begins = column == 0 or column == scanned + 1 or profile[column - 1] == FREE
            claimed += 0 if begins and symbol < FORCED else 1
            if column + 1 == task.columns and symbol >= FORCED:
                claimed += 1
    return claimed


@kernel
def list_stocks(task: FrontierTask) -> tuple[bool, Stocks]:
    """Every stock that leaves enough starting cells and enough room for the rest."""
    kinds, cells = task.numbers.size, task.hit.size
    stride = np.ones(kinds + 1, dtype=np.int64)
    possible = True
    for kind in range(kinds):
        if stride[kind] > (1 << 62) // (task.numbers[kind] + 1):
            possible = False
            stride[kind + 1] = stride[kind]
        else:
            stride[kind + 1] = stride[kind] * (task.numbers[kind] + 1)
    starts_left = np.zeros((kinds, cells + 1), dtype=np.int64)
    places_left = np.zeros(cells + 1, dtype=np.int64)
    for cell in range(cells - 1, -1, -1):
        any_start = 0
        for kind in range(kinds):
            begins = task.start[kind, 0, cell] >= 0 or task.start[kind, 1, cell] >= 0
            starts_left[kind, cell] = starts_left[kind, cell + 1] + begins
            any_start |= begins
        places_left[cell] = places_left[cell + 1] + any_start

    first = np.zeros(cells + 2, dtype=np.int64)
    codes = np.empty(1024, dtype=np.int64)
    pair_first = np.zeros(cells * (kinds + 1) + 1, dtype=np.int64)
    source = np.empty(1024, dtype=np.int32)
    target = np.empty(1024, dtype=np.int32)
    codes[0] = 0
    first[1] = 1
    pairs = 0
    for cell in range(cells):
        begin, end = first[cell], first[cell + 1]
        if not possible or end > MOST_STOCKS:
            possible = False
            first[cell + 2] = end
            continue
        if end + (end - begin) * (kinds + 1) > codes.size:
            codes = _longer(codes, 2 * (end + (end - begin) * (kinds + 1)))
        room = room_left(task.rows, task.columns, task.contact, cell + 1)
        fresh = end
        for event in range(kinds + 1):
            kind = event - 1
            if event > 0 and starts_left[kind, cell] == starts_left[kind, cell + 1]:
                continue
            shifted = np.empty(end - begin, dtype=np.int64)
            found = 0
            for index in range(begin, end):
                code = codes[index]
                if event > 0:
                    if code // stride[kind] % (task.numbers[kind] + 1) == task.numbers[kind]:
                        continue
                    code += stride[kind]
                missing, need, fits = 0, 0, True
                for other in range(kinds):
                    left = task.numbers[other] - code // stride[other] % (task.numbers[other] + 1)
                    fits = fits and left <= starts_left[other, cell + 1]
                    missing += left
                    need += left * room_needed(task.contact, task.lengths[other])
                if fits and missing <= places_left[cell + 1] and need <= room:
                    shifted[found] = code
                    found += 1
            fresh = end + _unite(codes[end:fresh].copy(), shifted[:found], codes[end:])
        first[cell + 2] = fresh
        if pairs + (end - begin) * (kinds + 1) > source.size:
            source = _longer(source, 2 * (pairs + (end - begin) * (kinds + 1)))
            target = _longer(target, source.size)
        for event in range(kinds + 1):
            step = 0 if event == 0 else stride[event - 1]
            usable = event == 0 or starts_left[event - 1, cell] > starts_left[event - 1, cell + 1]
            place = end
            if usable:
                for index in range(begin, end):
                    code = codes[index] + step
                    if event > 0 and code // step % (task.numbers[event - 1] + 1) == 0:
                        continue
                    while place < fresh and codes[place] < code:
                        place += 1
                    if place < fresh and codes[place] == code:
                        source[pairs] = index - begin
                        target[pairs] = place - end
                        pairs += 1
            pair_first[cell * (kinds + 1) + event + 1] = pairs
    need_of = np.zeros(first[cells + 1], dtype=np.int32)
    for index in range(need_of.size):
        for kind in range(kinds):
            left = task.numbers[kind] - codes[index] // stride[kind] % (task.numbers[kind] + 1)
            need_of[index] += left * room_needed(task.contact, task.lengths[kind])
    return possible, Stocks(first, codes[: first[cells + 1]], need_of, pair_first, source, target)


@kernel
def _unite(some: Ints, others: Ints, union: Ints) -> int:
    """Merge two ascending lists without repetition into `union`; returns its length."""
    i = j = size = 0
    while i < some.size or j < others.size:
        if j == others.size or (i < some.size and some[i] <= others[j]):
            if j < others.size and some[i] == others[j]:
                j += 1
            union[size] = some[i]
            i += 1
        else:
            union[size] = others[j]
            j += 1
        size += 1
    return size


@kernel
def _longer(array: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    grown = np.empty(size, dtype=array.dtype)
    grown[: array.size] = array
    return grown


@kernel
def last_covers(task: FrontierTask) -> Ints:
    """For each cell the last scan position at which a candidate that covers it starts."""
    last = np.full(task.hit.size, -1, dtype=np.int64)
    for kind in range(task.numbers.size):
        for direction in range(2):
            step = 1 if direction == 0 else task.columns
            for cell in range(task.hit.size):
                if task.start[kind, direction, cell] >= 0:
                    for k in range(task.lengths[kind]):
                        last[cell + k * step] = max(last[cell + k * step], cell)
    return last


@kernel
def _block_below(
    task: FrontierTask, last: Ints, profile: npt.NDArray[np.uint8], row: int, column: int, now: int
) -> bool:
    """Keep the cell below (`row`, `column`) empty; False if it has to be covered.

    Where no later ship could lie anyway the mark would only split equal profiles.
    """
    if row + 1 == task.rows:
        return True
    below = (row + 1) * task.columns + column
    if task.hit[below]:
        return False
    if profile[column] == FREE and last[below] > now:
        profile[column] = BLOCKED
    return profile[column] <= BLOCKED


@kernel
def _cover(
    task: FrontierTask,
    last: Ints,
    profile: npt.NDArray[np.uint8],
    row: int,
    column: int,
    more: int,
) -> bool:
    """Cover the scanned cell by a ship that goes on for `more` cells below it.

    Marks the cells that must then stay empty; False if one of them is a hit.
    """
    now = row * task.columns + column
    profile[column] = FREE
    if more > 0:
        profile[column] = FORCED + more - 1
    if task.contact == CONTACT_ANY:
        return True
    if more == 0 and not _block_below(task, last, profile, row, column, now):
        return False
    corners_too = task.contact == CONTACT_NONE
    if column + 1 < task.columns and profile[column + 1] < FORCED:
        right, below = now + 1, now + 1 + task.columns
        if task.hit[right]:
            return False
        if corners_too and row + 1 < task.rows and task.hit[below]:
            return False
        if corners_too and row + 1 < task.rows and last[below] > now:
            profile[column + 1] = BLOCKED_TWICE
        elif last[right] > now:
            profile[column + 1] = BLOCKED
        else:
            profile[column + 1] = FREE
    if corners_too and column > 0:
        return _block_below(task, last, profile, row, column - 1, now)
    return True


@kernel
def _start(
    task: FrontierTask,
    last: Ints,
    profile: npt.NDArray[np.uint8],
    row: int,
    column: int,
    length: int,
    direction: int,
) -> bool:
    """Put a ship down at the scanned cell, which is free; False if it does not fit."""
    if direction == 1:
        if (
            task.contact != CONTACT_ANY
            and column + 1 < task.columns
            and profile[column + 1] >= FORCED
        ):
            return False
        return _cover(task, last, profile, row, column, length - 1)
    for k in range(1, length):
        if profile[column + k] != FREE:
            return False
    end = column + length
    if task.contact != CONTACT_ANY and end < task.columns and profile[end] >= FORCED:
        return False
    for k in range(1, length):
        profile[column + k] = FORCED
    return _cover(task, last, profile, row, column, 0)


@kernel
def _pack(profile: npt.NDArray[np.uint8], words: Bits) -> None:
    words[0] = words[1] = np.uint64(0)
    for column in range(profile.size):
        shift = np.uint64(8 * (column & 7))
        words[column >> 3] |= np.uint64(profile[column]) << shift


@kernel
def _unpack(low: np.uint64, high: np.uint64, profile: npt.NDArray[np.uint8]) -> None:
    for column in range(profile.size):
        word = low if column < 8 else high
        profile[column] = np.uint8((word >> np.uint64(8 * (column & 7))) & np.uint64(255))


@kernel
def build(task: FrontierTask, stocks: Stocks, most_bytes: int) -> tuple[int, Diagram, float]:
    """The diagram of a task and a close estimate of the number of its paths.

    Ends early with TOO_MANY_NODES when diagram and working room pass `most_bytes`.
    """
    cells, kinds, columns = task.hit.size, task.numbers.size, task.columns
    last = last_covers(task)
    node_first = np.zeros(cells + 2, dtype=np.int64)
    edge_first = np.zeros(1024, dtype=np.int64)
    edge_to = np.empty(1024, dtype=np.int32)
    edge_label = np.empty(1024, dtype=np.int16)
    nodes, edges = 1, 0
    node_first[1] = 1

    # Profiles of the layer being read and of the one being filled, with the (rounded)
    # number of ways to reach each stock: a step that no way reaches makes no node.
    low, high = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    ways = np.ones(1, dtype=np.float64)
    next_low, next_high = np.zeros(64, dtype=np.uint64), np.zeros(64, dtype=np.uint64)
    slots = np.zeros(256, dtype=np.int32)
    profile, trial = np.zeros(columns, dtype=np.uint8), np.zeros(columns, dtype=np.uint8)
    words = np.zeros(2, dtype=np.uint64)
    total = 0.0
    status = BUILT

    for cell in range(cells):
        row, column = cell // columns, cell % columns
        here = node_first[cell + 1] - node_first[cell]
        width = stocks.first[cell + 1] - stocks.first[cell]
        next_width = stocks.first[cell + 2] - stocks.first[cell + 1]
        next_stock = stocks.first[cell + 1]
        found = 0
        slots[:] = 0
        next_ways = np.zeros(max(64, here) * next_width, dtype=np.float64)
        if edge_first.size < nodes + 1:
            edge_first = _longer(edge_first, 2 * nodes + 2)
        for node in range(here):
            edge_first[node_first[cell] + node] = edges
            if status != BUILT:
                continue
            _unpack(low[node], high[node], profile)
            for label in range(2 * kinds + 1):
                kind, direction = (label - 1) >> 1, (label - 1) & 1
                event = 0 if label == 0 else kind + 1
                if label > 0 and (profile[column] != FREE or task.start[kind, direction, cell] < 0):
                    continue
                pair_begin = stocks.pair_first[cell * (kinds + 1) + event]
                pair_end = stocks.pair_first[cell * (kinds + 1) + event + 1]
                if pair_begin == pair_end:
                    continue
                trial[:] = profile
                if label > 0:
                    if not _start(task, last, trial, row, column, task.lengths[kind], direction):
                        continue
                elif profile[column] >= FORCED:
                    more = np.int64(profile[column]) - FORCED
                    if not _cover(task, last, trial, row, column, more):
                        continue
                elif task.hit[cell]:
                    continue
                else:
                    trial[column] = FREE
                    if profile[column] == BLOCKED_TWICE and not _block_below(
                        task, last, trial, row, column, cell
                    ):
                        continue
                room = room_left(task.rows, columns, task.contact, cell + 1)
                room -= room_claimed(task, trial, column)
                reachable = False
                for pair in range(pair_begin, pair_end):
                    if (
                        ways[node * width + stocks.source[pair]] != 0.0
                        and stocks.need[next_stock + stocks.target[pair]] <= room
                    ):
                        reachable = True
                        break
                if not reachable:
                    continue
                _pack(trial, words)

                if 2 * found >= slots.size:
                    slots = np.zeros(4 * slots.size, dtype=np.int32)
                    for index in range(found):
                        slot = _slot(next_low[index], next_high[index], slots.size)
                        while slots[slot] != 0:
                            slot = (slot + 1) & (slots.size - 1)
                        slots[slot] = index + 1
                slot = _slot(words[0], words[1], slots.size)
                to = np.int64(slots[slot]) - 1
                while to >= 0 and (next_low[to] != words[0] or next_high[to] != words[1]):
                    slot = (slot + 1) & (slots.size - 1)
                    to = np.int64(slots[slot]) - 1
                if to < 0:
                    to = found
                    found += 1
                    slots[slot] = found
                    if found > next_low.size:
                        more_low = np.zeros(2 * found, dtype=np.uint64)
                        more_high = np.zeros(2 * found, dtype=np.uint64)
                        more_low[:to] = next_low[:to]
                        more_high[:to] = next_high[:to]
                        next_low, next_high = more_low, more_high
                    if found * next_width > next_ways.size:
                        grown = np.zeros(2 * found * next_width, dtype=np.float64)
                        grown[: to * next_width] = next_ways[: to * next_width]
                        next_ways = grown
                    next_low[to], next_high[to] = words[0], words[1]
                for pair in range(pair_begin, pair_end):
                    if stocks.need[next_stock + stocks.target[pair]] <= room:
                        next_ways[to * next_width + stocks.target[pair]] += ways[
                            node * width + stocks.source[pair]
                        ]
                if edges == edge_to.size:
                    edge_to = _longer(edge_to, 2 * edges)
                    edge_label = _longer(edge_label, 2 * edges)
                edge_to[edges] = to
                edge_label[edges] = label
                edges += 1
            used = 8 * (ways.size + next_ways.size) + 16 * edge_first.size + 6 * edge_to.size
            if used + 36 * found > most_bytes:
                status = TOO_MANY_NODES
        nodes += found
        node_first[cell + 2] = nodes
        low, next_low = next_low, low
        high, next_high = next_high, high
        ways = next_ways
    if edge_first.size < nodes + 1:
        edge_first = _longer(edge_first, nodes + 1)
    for node in range(node_first[cells], nodes + 1):
        edge_first[node] = edges
    if status == BUILT and nodes > node_first[cells]:
        for index in range(ways.size):
            total += ways[index]
    diagram = Diagram(
        cells,
        kinds,
        node_first,
        edge_first[: nodes + 1],
        edge_to[:edges],
        edge_label[:edges],
        stocks,
    )
    return status, diagram, total


@kernel
def _slot(low: np.uint64, high: np.uint64, size: int) -> int:
    return np.int64(mix(low ^ mix(high)) & np.uint64(size - 1))


def guess_seconds(task: FrontierTask) -> float:
    """Roughly how long exact marginals take on one core.

    A rough fit to measured runs; the size it starts from is mostly one to five times the
    true one, and far more where the fleet is tight.
    """
    nodes, values = guess_size(task)
    return 0.0005 + 2e-7 * float(nodes) + 1.5e-8 * float(values)


@kernel
def guess_size(task: FrontierTask) -> tuple[float, float]:
    """Roughly how many nodes a diagram will have, and how many values.

    Before each row, profiles are counted as if the ships that leave a mark on them had
    only to keep their distance within the row.
    """
    rows, columns, kinds = task.rows, task.columns, task.numbers.size
    ships, longest = np.sum(task.numbers), np.max(task.lengths)
    gap = 0 if task.contact == CONTACT_ANY else 1
    pending = np.zeros(columns, dtype=np.float64)
    seen = np.zeros(longest + 1, dtype=np.bool_)
    profiles = np.zeros((columns + 1, ships + 1), dtype=np.float64)
    behind, ahead = np.zeros(kinds, dtype=np.int64), np.zeros(kinds, dtype=np.int64)
    for kind in range(kinds):
        for cell in range(task.hit.size):
            if task.start[kind, 0, cell] >= 0 or task.start[kind, 1, cell] >= 0:
                ahead[kind] += 1
        if ahead[kind] < task.numbers[kind]:
            return 0.0, 0.0
    nodes = values = 0.0
    for row in range(rows):
        for column in range(columns):
            seen[:] = False
            for kind in range(kinds):
                for back in range(1, min(task.lengths[kind], row + 1)):
                    if task.start[kind, 1, (row - back) * columns + column] >= 0:
                        seen[task.lengths[kind] - back] = True
            pending[column] = np.sum(seen)
        profiles[:] = 0.0
        profiles[:, 0] = 1.0
        for column in range(columns):
            for ship in range(1, ships + 1):
                before = profiles[max(column - gap, 0), ship - 1]
                sum_ = profiles[column, ship] + pending[column] * before
                if gap == 1 and row > 0:
                    seen[:] = False
                    for kind in range(kinds):
                        length = task.lengths[kind]
                        begin = column - length + 1
                        if seen[length] or begin < 0:
                            continue
                        if task.start[kind, 0, (row - 1) * columns + begin] >= 0:
                            seen[length] = True
                            sum_ += profiles[max(begin - gap, 0), ship - 1]
                profiles[column + 1, ship] = sum_
        found = np.sum(profiles[columns])
        for cell in range(row * columns, (row + 1) * columns):
            stocks = 1.0
            for kind in range(kinds):
                number = task.numbers[kind]
                stocks *= min(number, behind[kind]) - max(0, number - ahead[kind]) + 1
                if task.start[kind, 0, cell] >= 0 or task.start[kind, 1, cell] >= 0:
                    behind[kind] += 1
                    ahead[kind] -= 1
            nodes += found
            values += found * stocks
    return nodes, values
