"""Counting layouts of any fleet: a dynamic program along a frontier.

The board is scanned cell by cell, row by row. What the cells behind the scan mean
for those ahead of it is a *profile*, one symbol per column: the next cell of the
column is free, must stay empty, or is covered by a ship that comes down from above.
A ship enters at its top left cell. Partial layouts with the same profile and the
same number of ships of each kind behind them have the same completions, so they are
counted together.

`build` turns this into a diagram: a layer of profiles before each cell, and an edge
for each thing that can happen there. A profile has a block of values, one for each
*subfleet* (how many ships of each kind have been placed) that the layer allows.
Counts, weights, marginals and samples are then plain sweeps over the diagram (see
`frontier_sweeps_kernels`): every layout, with interchangeable ships not told apart, is
one path.

Kinds are sets of interchangeable ships: the same length and the same candidates.
The work grows with the shorter side, so the scan runs along the longer one.

Broken profiles are standard in counting tilings and polyominoes; for the diagram see
D. E. Knuth, The Art of Computer Programming 4A, 7.1.4 (the Simpath construction).
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import (
    CONTACT_ANY,
    CONTACT_CORNERS,
    CONTACT_NONE,
    LONGEST,
    MOST_CELLS,
    Bits,
    Board,
    Floats,
    Int32s,
    Ints,
)
from ..compiled.jit import kernel
from ..compiled.random_streams import mix

FREE, BLOCKED, BLOCKED_TWICE, FORCED = range(4)
"""Symbols of a profile. BLOCKED_TWICE also blocks the cell below. FORCED + k means
that the next cell and the k below it are covered by one ship."""

BUILT, TOO_LARGE = range(2)
"""How a construction ended."""

MOST_SUBFLEETS = 1 << 22
"""Subfleets over all layers before a construction gives up."""

Profile = npt.NDArray[np.uint8]
"""A symbol for each column."""


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


class Subfleets(NamedTuple):
    """How many ships of each kind can have been placed before each cell."""

    first: Ints
    """(cells + 2,) where the codes of each layer begin in `codes`"""
    codes: Ints
    """mixed-radix codes of the subfleets, ascending within a layer"""
    need: Int32s
    """the room that the ships not yet placed need, for each of `codes`"""
    step_first: Ints
    """(cells × (kinds + 1) + 1,) where the steps of each cell and event begin in
    `source`; event 0 is that no ship starts, event k + 1 that one of kind k does"""
    source: Int32s
    """place of the subfleet before the step in its layer"""
    target: Int32s
    """place of the subfleet after it in the next layer"""


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
    subfleets: Subfleets


class Scan:
    """The state of the scan, and what it reads at each cell.

    A struct: it is passed on at every step, and Numba counts no references to it.
    """

    rows: Annotated[int, "i8"]
    columns: Annotated[int, "i8"]
    contact: Annotated[int, "i8"]
    hit: Annotated[npt.NDArray[np.uint8], "u1", (MOST_CELLS,)]
    """1 for cells that have to be covered"""
    last: Annotated[Ints, "i8", (MOST_CELLS,)]
    """the last cell at which a candidate that covers each cell starts, or -1"""
    before: Annotated[Profile, "u1", (LONGEST,)]
    """the profile before the scanned cell"""
    after: Annotated[Profile, "u1", (LONGEST,)]
    """the profile after it"""


def make_frontier_task(
    board: Board, candidates: Int32s, counts: Ints, hit_bits: Bits, weights: Floats | None
) -> FrontierTask:
    """The task of counting layouts with every ship on a candidate and every hit covered.

    Ship s has the first `counts[s]` of `candidates[s]`, as `gather_candidates` lists them.
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
def room_claimed(scan: Scan, column: int) -> int:
    """How much of `room_left` ships behind the scan are known to take.

    `column` is that of the last scanned cell: up to it the profile speaks of the next
    row. Where marks begin, the first may be a cell left of a ship: kept empty, but not
    taken.
    """
    profile = scan.after
    claimed = 0
    for each in range(scan.columns):
        symbol = np.int64(profile[each])
        apart = each + 1 == scan.columns or profile[each + 1] < FORCED
        if symbol >= FORCED:
            more = symbol - FORCED + 1
            if scan.contact == CONTACT_ANY:
                claimed += more
            else:
                claimed += 2 * more if apart else more
        if scan.contact == CONTACT_NONE and symbol != FREE:
            begins = each == 0 or each == column + 1 or profile[each - 1] == FREE
            claimed += 0 if begins and symbol < FORCED else 1
            if each + 1 == scan.columns and symbol >= FORCED:
                claimed += 1
    return claimed


@kernel
def _strides(task: FrontierTask) -> tuple[bool, Ints]:
    """The place value of each kind in the code of a subfleet; False if codes get too long."""
    kinds = task.numbers.size
    stride = np.ones(kinds + 1, dtype=np.int64)
    possible = True
    for kind in range(kinds):
        if stride[kind] > (1 << 62) // (task.numbers[kind] + 1):
            possible = False
            stride[kind + 1] = stride[kind]
        else:
            stride[kind + 1] = stride[kind] * (task.numbers[kind] + 1)
    return possible, stride


@kernel
def _starts_left(task: FrontierTask) -> Ints:
    """(kinds + 1, cells + 1) cells from each on where a ship of the kind can start; of any
    kind in the last row."""
    kinds, cells = task.numbers.size, task.hit.size
    left = np.zeros((kinds + 1, cells + 1), dtype=np.int64)
    for cell in range(cells - 1, -1, -1):
        any_start = 0
        for kind in range(kinds):
            begins = task.start[kind, 0, cell] >= 0 or task.start[kind, 1, cell] >= 0
            left[kind, cell] = left[kind, cell + 1] + begins
            any_start |= begins
        left[kinds, cell] = left[kinds, cell + 1] + any_start
    return left


@kernel
def _room_needed_by_kind(task: FrontierTask) -> Ints:
    needed = np.empty(task.lengths.size, dtype=np.int64)
    for kind in range(needed.size):
        needed[kind] = room_needed(task.contact, task.lengths[kind])
    return needed


@kernel
def _ships_left(numbers: Ints, stride: Ints, code: int, kind: int) -> int:
    """Ships of a kind that a subfleet has not placed."""
    return numbers[kind] - code // stride[kind] % (numbers[kind] + 1)


@kernel
def _code_after(numbers: Ints, stride: Ints, code: int, event: int) -> int:
    """The subfleet that an event makes of one; -1 if it has no such ship left to place."""
    if event == 0:
        return code
    if _ships_left(numbers, stride, code, event - 1) == 0:
        return -1
    return code + stride[event - 1]


@kernel
def _codes_after(
    numbers: Ints,
    stride: Ints,
    needed: Ints,
    starts_left: Ints,
    cell: int,
    room: int,
    event: int,
    codes: Ints,
) -> Ints:
    """The subfleets before `cell` that an event makes of those in the layer before, as far as
    there are enough starts and enough room for the ships left."""
    kinds = numbers.size
    after = np.empty(codes.size, dtype=np.int64)
    found = 0
    for index in range(codes.size):
        code = _code_after(numbers, stride, codes[index], event)
        if code < 0:
            continue
        missing, need, fits = 0, 0, True
        for kind in range(kinds):
            left = _ships_left(numbers, stride, code, kind)
            fits = fits and left <= starts_left[kind, cell]
            missing += left
            need += left * needed[kind]
        if fits and missing <= starts_left[kinds, cell] and need <= room:
            after[found] = code
            found += 1
    return after[:found]


@kernel
def _link(
    numbers: Ints,
    stride: Ints,
    event: int,
    before: Ints,
    after: Ints,
    source: Int32s,
    target: Int32s,
    steps: int,
) -> int:
    """List the steps of an event between two layers, both ascending; how many there are then."""
    place = 0
    for index in range(before.size):
        code = _code_after(numbers, stride, before[index], event)
        if code < 0:
            continue
        while place < after.size and after[place] < code:
            place += 1
        if place < after.size and after[place] == code:
            source[steps] = index
            target[steps] = place
            steps += 1
    return steps


@kernel
def list_subfleets(task: FrontierTask) -> tuple[bool, Subfleets]:
    """Every subfleet that leaves enough starts and enough room for the rest; False if there
    are too many."""
    numbers, kinds, cells = task.numbers, task.numbers.size, task.hit.size
    possible, stride = _strides(task)
    needed, starts_left = _room_needed_by_kind(task), _starts_left(task)
    first = np.zeros(cells + 2, dtype=np.int64)
    codes = np.zeros(1024, dtype=np.int64)
    step_first = np.zeros(cells * (kinds + 1) + 1, dtype=np.int64)
    source = np.empty(1024, dtype=np.int32)
    target = np.empty(1024, dtype=np.int32)
    first[1] = 1
    steps = 0
    for cell in range(cells):
        begin, end = first[cell], first[cell + 1]
        if not possible or end > MOST_SUBFLEETS:
            possible = False
            first[cell + 2] = end
            continue
        most = (end - begin) * (kinds + 1)
        if end + most > codes.size:
            codes = _longer(codes, 2 * (end + most))
        if steps + most > source.size:
            source = _longer(source, 2 * (steps + most))
            target = _longer(target, source.size)
        room = room_left(task.rows, task.columns, task.contact, cell + 1)
        before, last = codes[begin:end], end
        for event in range(kinds + 1):
            if event > 0 and starts_left[event - 1, cell] == starts_left[event - 1, cell + 1]:
                continue
            after = _codes_after(
                numbers, stride, needed, starts_left, cell + 1, room, event, before
            )
            last = end + _unite(codes[end:last].copy(), after, codes[end:])
        first[cell + 2] = last
        for event in range(kinds + 1):
            if event == 0 or starts_left[event - 1, cell] > starts_left[event - 1, cell + 1]:
                after = codes[end:last]
                steps = _link(numbers, stride, event, before, after, source, target, steps)
            step_first[cell * (kinds + 1) + event + 1] = steps
    need = np.zeros(first[cells + 1], dtype=np.int32)
    for index in range(need.size):
        for kind in range(kinds):
            need[index] += _ships_left(numbers, stride, codes[index], kind) * needed[kind]
    return possible, Subfleets(first, codes[: need.size], need, step_first, source, target)


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
def _longer(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """A copy with zeros behind."""
    grown = np.empty(size, dtype=array.dtype)
    grown[: array.size] = array
    grown[array.size :] = 0
    return grown


@kernel
def start_scan(task: FrontierTask, scan: Scan) -> None:
    """Prepare the scan of a task."""
    scan.rows, scan.columns, scan.contact = task.rows, task.columns, task.contact
    for cell in range(task.hit.size):
        scan.hit[cell] = task.hit[cell]
        scan.last[cell] = -1
    for kind in range(task.numbers.size):
        for direction in range(2):
            step = 1 if direction == 0 else task.columns
            for cell in range(task.hit.size):
                if task.start[kind, direction, cell] >= 0:
                    for k in range(task.lengths[kind]):
                        covered = cell + k * step
                        scan.last[covered] = max(scan.last[covered], cell)


@kernel
def _block_below(scan: Scan, row: int, column: int, now: int) -> bool:
    """Keep the cell below (`row`, `column`) empty; False if it has to be covered.

    Where no later ship could lie anyway the mark would only split equal profiles.
    """
    if row + 1 == scan.rows:
        return True
    below = (row + 1) * scan.columns + column
    if scan.hit[below]:
        return False
    if scan.after[column] == FREE and scan.last[below] > now:
        scan.after[column] = BLOCKED
    return scan.after[column] <= BLOCKED


@kernel
def _cover(scan: Scan, row: int, column: int, more: int) -> bool:
    """Cover the scanned cell by a ship that goes on for `more` cells below it.

    Marks the cells that must then stay empty; False if one of them is a hit.
    """
    profile = scan.after
    now = row * scan.columns + column
    profile[column] = FORCED + more - 1 if more > 0 else FREE
    if scan.contact == CONTACT_ANY:
        return True
    if more == 0 and not _block_below(scan, row, column, now):
        return False
    corners_too = scan.contact == CONTACT_NONE
    if column + 1 < scan.columns and profile[column + 1] < FORCED:
        right, below = now + 1, now + 1 + scan.columns
        if scan.hit[right]:
            return False
        if corners_too and row + 1 < scan.rows and scan.hit[below]:
            return False
        if corners_too and row + 1 < scan.rows and scan.last[below] > now:
            profile[column + 1] = BLOCKED_TWICE
        elif scan.last[right] > now:
            profile[column + 1] = BLOCKED
        else:
            profile[column + 1] = FREE
    if corners_too and column > 0:
        return _block_below(scan, row, column - 1, now)
    return True


@kernel
def _start(scan: Scan, row: int, column: int, length: int, direction: int) -> bool:
    """Put a ship down at the scanned cell, which is free; False if it does not fit."""
    profile = scan.after
    end = column + (length if direction == 0 else 1)
    if direction == 0:
        for k in range(1, length):
            if profile[column + k] != FREE:
                return False
    if scan.contact != CONTACT_ANY and end < scan.columns and profile[end] >= FORCED:
        return False
    if direction == 1:
        return _cover(scan, row, column, length - 1)
    for k in range(1, length):
        profile[column + k] = FORCED
    return _cover(scan, row, column, 0)


@kernel
def advance(scan: Scan, cell: int, length: int, direction: int) -> bool:
    """Scan a cell, where a ship of this length starts (0: none), from `before` to `after`;
    False if that is impossible."""
    row, column = cell // scan.columns, cell % scan.columns
    symbol = np.int64(scan.before[column])
    for each in range(scan.columns):
        scan.after[each] = scan.before[each]
    if length > 0:
        return symbol == FREE and _start(scan, row, column, length, direction)
    if symbol >= FORCED:
        return _cover(scan, row, column, symbol - FORCED)
    if scan.hit[cell]:
        return False
    scan.after[column] = FREE
    return symbol != BLOCKED_TWICE or _block_below(scan, row, column, cell)


@kernel
def _pack(scan: Scan, packed: Bits) -> None:
    """Put the profile `after` into two words."""
    packed[0] = packed[1] = np.uint64(0)
    for column in range(scan.columns):
        shift = np.uint64(8 * (column & 7))
        packed[column >> 3] |= np.uint64(scan.after[column]) << shift


@kernel
def _unpack(low: np.uint64, high: np.uint64, scan: Scan) -> None:
    """Make two words the profile `before`."""
    for column in range(scan.columns):
        word = low if column < 8 else high
        scan.before[column] = np.uint8((word >> np.uint64(8 * (column & 7))) & np.uint64(255))


class Steps(NamedTuple):
    """What an event does to the subfleets of a profile."""

    begin: int
    end: int
    """the steps of the event in `Subfleets.source` and `target`"""
    codes: int
    """where the codes of the next layer begin"""
    room: int
    """the room that is left behind the event"""


@kernel
def _is_reachable(
    ways: Floats, node: int, steps: Steps, source: Int32s, target: Int32s, need: Int32s
) -> bool:
    """Whether any step begins with a subfleet that has been reached and leaves enough room.

    `ways` are those of the profile, from `node` on.
    """
    for step in range(steps.begin, steps.end):
        if ways[node + source[step]] != 0.0 and need[steps.codes + target[step]] <= steps.room:
            return True
    return False


@kernel
def _add_ways(
    ways: Floats,
    node: int,
    next_ways: Floats,
    to: int,
    steps: Steps,
    source: Int32s,
    target: Int32s,
    need: Int32s,
) -> None:
    """Add the ways to a profile, from `node` on, to those of the next one, from `to` on."""
    for step in range(steps.begin, steps.end):
        if need[steps.codes + target[step]] <= steps.room:
            next_ways[to + target[step]] += ways[node + source[step]]


@kernel
def _hash(low: np.uint64, high: np.uint64, size: int) -> int:
    return np.int64(mix(low ^ mix(high)) & np.uint64(size - 1))


@kernel
def _find_place(places: Int32s, low: Bits, high: Bits, packed: Bits) -> int:
    """Where a packed profile stands in the hash table, or would stand."""
    place = _hash(packed[0], packed[1], places.size)
    while True:
        node = np.int64(places[place]) - 1
        if node < 0 or (low[node] == packed[0] and high[node] == packed[1]):
            return place
        place = (place + 1) & (places.size - 1)


@kernel
def _rehashed(nodes: int, low: Bits, high: Bits, size: int) -> Int32s:
    """A larger hash table of the first `nodes` profiles."""
    places = np.zeros(size, dtype=np.int32)
    for node in range(nodes):
        place = _hash(low[node], high[node], size)
        while places[place] != 0:
            place = (place + 1) & (size - 1)
        places[place] = node + 1
    return places


@kernel
def build(
    task: FrontierTask, subfleets: Subfleets, scan: Scan, most_bytes: int
) -> tuple[int, Diagram, float]:
    """The diagram of a task and a close estimate of the number of its paths.

    Ends early with TOO_LARGE when diagram and working memory pass `most_bytes`.
    """
    cells, kinds, columns = task.hit.size, task.numbers.size, task.columns
    source, target, need = subfleets.source, subfleets.target, subfleets.need
    start_scan(task, scan)
    node_first = np.zeros(cells + 2, dtype=np.int64)
    edge_first = np.zeros(1024, dtype=np.int64)
    edge_to = np.empty(1024, dtype=np.int32)
    edge_label = np.empty(1024, dtype=np.int16)
    nodes, edges = 1, 0
    node_first[1] = 1

    # Packed profiles of the layer being read and of the next one, which is being filled,
    # with the (rounded) number of ways to reach each subfleet: a step that no way reaches
    # makes no node. `places` is a hash table of the next layer, node + 1 or 0.
    low, high = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    ways = np.ones(1, dtype=np.float64)
    next_low, next_high = np.zeros(64, dtype=np.uint64), np.zeros(64, dtype=np.uint64)
    places = np.zeros(256, dtype=np.int32)
    packed = np.zeros(2, dtype=np.uint64)
    status = BUILT
    for cell in range(cells):
        here = node_first[cell + 1] - node_first[cell]
        width = subfleets.first[cell + 1] - subfleets.first[cell]
        next_width = subfleets.first[cell + 2] - subfleets.first[cell + 1]
        room = room_left(task.rows, columns, task.contact, cell + 1)
        found = 0
        places[:] = 0
        next_ways = np.zeros(max(64, here) * next_width, dtype=np.float64)
        if edge_first.size < nodes + 1:
            edge_first = _longer(edge_first, 2 * nodes + 2)
        for node in range(here):
            edge_first[node_first[cell] + node] = edges
            if status != BUILT:
                continue
            _unpack(low[node], high[node], scan)
            for label in range(2 * kinds + 1):
                kind, direction, length = (label - 1) >> 1, (label - 1) & 1, 0
                if label > 0:
                    if task.start[kind, direction, cell] < 0:
                        continue
                    length = task.lengths[kind]
                event = cell * (kinds + 1) + event_of(label)
                begin, end = subfleets.step_first[event], subfleets.step_first[event + 1]
                if begin == end or not advance(scan, cell, length, direction):
                    continue
                claimed = room_claimed(scan, cell % columns)
                steps = Steps(begin, end, subfleets.first[cell + 1], room - claimed)
                if not _is_reachable(ways, node * width, steps, source, target, need):
                    continue
                _pack(scan, packed)
                if 2 * found >= places.size:
                    places = _rehashed(found, next_low, next_high, 4 * places.size)
                place = _find_place(places, next_low, next_high, packed)
                to = np.int64(places[place]) - 1
                if to < 0:
                    to = found
                    found += 1
                    places[place] = found
                    if found > next_low.size:
                        next_low = _longer(next_low, 2 * found)
                        next_high = _longer(next_high, 2 * found)
                    if found * next_width > next_ways.size:
                        next_ways = _longer(next_ways, 2 * found * next_width)
                    next_low[to], next_high[to] = packed[0], packed[1]
                at, to_at = node * width, to * next_width
                _add_ways(ways, at, next_ways, to_at, steps, source, target, need)
                if edges == edge_to.size:
                    edge_to = _longer(edge_to, 2 * edges)
                    edge_label = _longer(edge_label, 2 * edges)
                edge_to[edges] = to
                edge_label[edges] = label
                edges += 1
            used = 8 * (ways.size + next_ways.size) + 16 * edge_first.size + 6 * edge_to.size
            if used + 36 * found > most_bytes:
                status = TOO_LARGE
        nodes += found
        node_first[cell + 2] = nodes
        low, next_low = next_low, low
        high, next_high = next_high, high
        ways = next_ways
    if edge_first.size < nodes + 1:
        edge_first = _longer(edge_first, nodes + 1)
    edge_first[node_first[cells] : nodes + 1] = edges
    paths = 0.0
    if status == BUILT and nodes > node_first[cells]:
        for index in range(ways.size):
            paths += ways[index]
    diagram = Diagram(
        cells,
        kinds,
        node_first,
        edge_first[: nodes + 1],
        edge_to[:edges],
        edge_label[:edges],
        subfleets,
    )
    return status, diagram, paths


@kernel
def event_of(label: int) -> int:
    """What an edge does to the subfleet: 0 for nothing, else the kind that starts, plus 1."""
    return (label + 1) >> 1


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
            subfleets = 1.0
            for kind in range(kinds):
                number = task.numbers[kind]
                subfleets *= min(number, behind[kind]) - max(0, number - ahead[kind]) + 1
                if task.start[kind, 0, cell] >= 0 or task.start[kind, 1, cell] >= 0:
                    behind[kind] += 1
                    ahead[kind] -= 1
            nodes += found
            values += found * subfleets
    return nodes, values
