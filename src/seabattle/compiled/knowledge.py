"""What one shooter knows, as arrays that compiled players read.

`Knowledge` is to compiled code what `Observation` is to Python: the answers so far and
nothing else. Only `tell` changes it; in a salvo, `hold`, `release` and `tell_held`.

Which cells a sunk ship lay on is often not told. It was a straight run of open hits
through the last shot, of the named length if the answer named one; otherwise `tell`
assumes the longest run that a ship afloat could be. Where several runs are possible, only
the cells that they share are closed. An exact belief does better and does not use this.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from .board_tables import (
    HIT_MISS,
    LONGEST,
    MOST_CELLS,
    MOST_PLACEMENTS,
    NAMED,
    SUNK_NAMED,
    Board,
    Cells,
    Ints,
)
from .jit import kernel
from .structs import new_struct, struct_type

UNKNOWN, MISSED, OPEN, CLOSED, PENDING = range(5)
"""Status of a cell; OPEN is a hit on a ship not known to be sunk, CLOSED on a sunk one. PENDING
is a cell already chosen in this salvo, which is no longer unknown and not yet answered."""

MISS, HIT, SANK = range(3)
"""The kind of an answer; an answer that names ship s is kind + 4 × (s + 1)."""


class CellKnowledge:
    """One shooter's knowledge, kept by `tell`."""

    shots: Annotated[int, "i8"]
    hits: Annotated[int, "i8"]
    open_hits: Annotated[int, "i8"]
    even: Annotated[int, "i8"]
    """unknown cells of even colour (row + column even)"""
    odd: Annotated[int, "i8"]
    status: Annotated[npt.NDArray[np.uint8], "u1", (MOST_CELLS,)]
    """UNKNOWN, MISSED, OPEN, CLOSED or PENDING for each cell"""
    owner: Annotated[npt.NDArray[np.int16], "i2", (MOST_CELLS,)]
    """the ship that each hit was on, where told or deduced, else -1"""
    afloat: Annotated[npt.NDArray[np.uint8], "u1", (MOST_CELLS,)]
    """1 for each ship not known to be sunk; under `sunk`, by length and not by name"""
    fired: Annotated[Cells, "i2", (MOST_CELLS,)]
    """the cells shot at, in order"""
    unknown: Annotated[Cells, "i2", (MOST_CELLS,)]
    """unknown cells: even ones from the start, odd ones from (cells + 1) // 2"""
    where: Annotated[Cells, "i2", (MOST_CELLS,)]
    """the place of each unknown cell in `unknown`"""
    covered: Annotated[Cells, "i2", (MOST_CELLS,)]
    """all zero; scratch memory of `tell`"""


class Knowledge(CellKnowledge):
    """The same with fields for a player's own state."""

    own_mode: Annotated[int, "i8"]
    own_anchor: Annotated[int, "i8"]
    own_targets: Annotated[int, "i8"]
    own_stack: Annotated[Cells, "i2", (4 * MOST_CELLS,)]
    own_counts: Annotated[Ints, "i8", (MOST_CELLS,)]
    own_ships: Annotated[Ints, "i8", (LONGEST + 1,)]
    own_worth: Annotated[Ints, "i8", (MOST_PLACEMENTS,)]


def new_knowledge() -> Knowledge:
    """A knowledge to be set to the start of a game by `clear`."""
    return new_struct(Knowledge)


KnowledgeArray = npt.NDArray[np.void]
"""(games,) a `Knowledge` each"""


def new_knowledge_array(games: int = 1) -> KnowledgeArray:
    """The same for several games, or for functions that Python calls at every shot."""
    return np.zeros(games, dtype=struct_type(Knowledge))


@kernel
def clear(board: Board, knowledge: Knowledge) -> None:
    """Forget everything: the start of a game."""
    knowledge.status[: board.cells] = UNKNOWN
    knowledge.owner[: board.cells] = -1
    knowledge.afloat[: board.ships] = 1
    knowledge.shots = knowledge.hits = knowledge.open_hits = 0
    even, odd = 0, (board.cells + 1) // 2
    cell = 0
    for row in range(board.rows):
        for column in range(board.columns):
            if (row + column) & 1 == 0:
                knowledge.unknown[even] = cell
                knowledge.where[cell] = even
                even += 1
            else:
                knowledge.unknown[odd] = cell
                knowledge.where[cell] = odd
                odd += 1
            cell += 1
    knowledge.even = even
    knowledge.odd = board.cells - even


@kernel
def unknown_cells(knowledge: Knowledge) -> int:
    """How many cells have not been shot at."""
    return knowledge.even + knowledge.odd


@kernel
def nth_unknown(board: Board, knowledge: Knowledge, n: int) -> int:
    """The n-th unknown cell, in no particular order."""
    if n < knowledge.even:
        return np.int64(knowledge.unknown[n])
    return np.int64(knowledge.unknown[(board.cells + 1) // 2 + n - knowledge.even])


@kernel
def tell(board: Board, knowledge: Knowledge, cell: int, answer: int) -> None:
    """Add one shot and its answer."""
    _no_longer_unknown(board, knowledge, cell)
    tell_held(board, knowledge, cell, answer)


@kernel
def hold(board: Board, knowledge: Knowledge, cell: int) -> None:
    """Choose a cell of a salvo, to be answered later."""
    _no_longer_unknown(board, knowledge, cell)
    knowledge.status[cell] = PENDING


@kernel
def release(knowledge: Knowledge, cells: Cells) -> None:
    """End a salvo: its cells are told next. Until then they are as they were before, so that the
    answers leave what they would leave if they had come one by one."""
    for k in range(cells.size):
        knowledge.status[cells[k]] = UNKNOWN


@kernel
def _no_longer_unknown(board: Board, knowledge: Knowledge, cell: int) -> None:
    """Take a cell from the list of unknown ones."""
    half = (board.cells + 1) // 2
    place = knowledge.where[cell]
    if place < half:
        knowledge.even -= 1
        moved = knowledge.unknown[knowledge.even]
    else:
        knowledge.odd -= 1
        moved = knowledge.unknown[half + knowledge.odd]
    knowledge.unknown[place] = moved
    knowledge.where[moved] = place


@kernel
def tell_held(board: Board, knowledge: Knowledge, cell: int, answer: int) -> None:
    """Add the answer to a cell that was held."""
    knowledge.fired[knowledge.shots] = cell
    knowledge.shots += 1
    kind = answer & 3
    if kind == MISS:
        knowledge.status[cell] = MISSED
        return
    knowledge.status[cell] = OPEN
    knowledge.hits += 1
    knowledge.open_hits += 1
    ship = (answer >> 2) - 1
    if board.answers == NAMED:
        knowledge.owner[cell] = ship
    if kind == SANK:
        _sink(board, knowledge, cell, ship)


@kernel
def _sink(board: Board, knowledge: Knowledge, cell: int, ship: int) -> None:
    """Mark the ship just sunk and close its cells, as far as they are certain."""
    length = board.fleet[ship] if ship >= 0 else _longest_run(board, knowledge, cell)
    if ship < 0:
        for other in range(board.ships):
            if knowledge.afloat[other] and board.fleet[other] == length:
                ship = other
    if ship < 0:
        return
    knowledge.afloat[ship] = 0
    runs = 0
    for index in range(board.through_start[cell], board.through_start[cell + 1]):
        p = board.through[index]
        if board.length[p] == length and _all_open(board, knowledge, p, ship):
            runs += 1
            for k in range(length):
                knowledge.covered[board.cover[p, k]] += 1
    for index in range(board.through_start[cell], board.through_start[cell + 1]):
        p = board.through[index]
        if board.length[p] != length:
            continue
        for k in range(length):
            part = board.cover[p, k]
            if runs > 0 and knowledge.covered[part] == runs:
                knowledge.status[part] = CLOSED
                knowledge.owner[part] = ship
                knowledge.open_hits -= 1
            knowledge.covered[part] = 0


@kernel
def _longest_run(board: Board, knowledge: Knowledge, cell: int) -> int:
    """Length of the longest ship afloat that could have been sunk here, or 0."""
    longest = 0
    for index in range(board.through_start[cell], board.through_start[cell + 1]):
        p = board.through[index]
        length = board.length[p]
        if (
            length > longest
            and _afloat(board, knowledge, length)
            and _all_open(board, knowledge, p, -1)
        ):
            longest = length
    return longest


@kernel
def _all_open(board: Board, knowledge: Knowledge, placement: int, ship: int) -> bool:
    """Whether every cell of a placement is an open hit (on this ship, where hits are named)."""
    for k in range(board.length[placement]):
        part = board.cover[placement, k]
        if knowledge.status[part] != OPEN:
            return False
        if board.answers == NAMED and knowledge.owner[part] != ship:
            return False
    return True


@kernel
def _afloat(board: Board, knowledge: Knowledge, length: int) -> bool:
    for ship in range(board.ships):
        if knowledge.afloat[ship] and board.fleet[ship] == length:
            return True
    return False


@kernel
def smallest_afloat(board: Board, knowledge: Knowledge) -> int:
    """Length of the shortest ship not known to be sunk (of the fleet if none is)."""
    for ship in range(board.ships - 1, -1, -1):
        if knowledge.afloat[ship]:
            return board.fleet[ship]
    return board.fleet[board.ships - 1]


@kernel
def salvo_size(board: Board, salvo: int, sunk: int, unknown: int) -> int:
    """The compiled twin of `Rules.salvo_size`; `salvo` is 0 for `ships`."""
    return min(board.ships - sunk if salvo == 0 else salvo, unknown)


@kernel
def count_turns(
    board: Board,
    salvo: int,
    placements: npt.NDArray[np.int32],
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
    turns: npt.NDArray[np.int32],
) -> None:
    """How many turns each game of one shooter took, from its layout and shots."""
    ship_at, left = hidden_fleet(board)
    for game in range(shots.size):
        lay(board, placements[game], ship_at, left)
        shot = sunk = 0
        turns[game] = 0
        while shot < shots[game]:
            end = shot + salvo_size(board, salvo, sunk, board.cells - shot)
            for k in range(shot, end):
                if fire(board, ship_at, left, fired[game, k]) & 3 == SANK:
                    sunk += 1
            shot = end
            turns[game] += 1


@kernel
def largest_afloat(board: Board, knowledge: Knowledge) -> int:
    """Length of the longest ship not known to be sunk (of the fleet if none is)."""
    for ship in range(board.ships):
        if knowledge.afloat[ship]:
            return board.fleet[ship]
    return board.fleet[0]


@kernel
def hidden_fleet(board: Board) -> tuple[npt.NDArray[np.int16], Ints]:
    """Room for what `lay` fills in: `ship_at` and `left`."""
    return np.empty(board.cells, dtype=np.int16), np.empty(board.ships, dtype=np.int64)


@kernel
def lay(
    board: Board,
    placements: npt.NDArray[np.int32],
    ship_at: npt.NDArray[np.int16],
    left: Ints,
) -> None:
    """Place a fleet: `ship_at` is the ship on each cell, or -1, `left` its cells not hit."""
    ship_at[: board.cells] = -1
    for ship in range(board.ships):
        left[ship] = board.fleet[ship]
        for k in range(board.fleet[ship]):
            ship_at[board.cover[placements[ship], k]] = ship


@kernel
def fire(board: Board, ship_at: npt.NDArray[np.int16], left: Ints, cell: int) -> int:
    """Answer a shot as the rules say: the compiled twin of `Game.fire`."""
    ship = ship_at[cell]
    if ship < 0:
        return MISS
    left[ship] -= 1
    return answer_code(board.answers, ship, left[ship] == 0)


@kernel
def answer_code(answers: int, ship: int, sunk: bool) -> int:
    """What the rules tell of a hit on a ship; `sunk` if it was the last of its cells."""
    name = 4 * (ship + 1)
    if answers == NAMED:
        return (SANK if sunk else HIT) + name
    if not sunk or answers == HIT_MISS:
        return HIT
    return SANK + (name if answers == SUNK_NAMED else 0)
