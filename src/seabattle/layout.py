"""Layouts: where a fleet lies, the hidden truth of a game.

>>> import numpy as np
>>> rules = Rules.from_text("mini")
>>> layout = random_layout(rules, np.random.default_rng(1))
>>> Layout.from_text(layout.to_text(), rules) == layout
True
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from .board import board_of
from .errors import FleetDoesNotFit, LayoutError, TooLarge
from .rules import Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .kernels.tight import Dealer

DIRECTIONS = ("across", "down")


@dataclass(frozen=True)
class Placement:
    """Where one ship lies: its top left cell and its direction."""

    cell: int
    direction: str
    """`across` or `down`; a ship of one cell is always `across`"""

    def cells(self, rules: Rules, length: int) -> tuple[int, ...]:
        """The cells a ship of this length covers; an error if it leaves the board."""
        if self.direction not in DIRECTIONS:
            raise LayoutError(f"A ship lies across or down, not {self.direction!r}.")
        row, column = divmod(rules.checked_cell(self.cell), rules.columns)
        across = self.direction == "across"
        if (column if across else row) + length > (rules.columns if across else rules.rows):
            raise LayoutError(
                f"A ship of {length} cells at {rules.cell_name(self.cell)} {self.direction} "
                "leaves the board."
            )
        step = 1 if across else rules.columns
        return tuple(self.cell + k * step for k in range(length))


@dataclass(frozen=True)
class Layout:
    """A legal placement of every ship, in fleet order."""

    rules: Rules
    ships: tuple[Placement, ...]

    def __post_init__(self) -> None:
        if len(self.ships) != len(self.rules.fleet):
            raise LayoutError(
                f"A layout places all {len(self.rules.fleet)} ships of the fleet, "
                f"not {len(self.ships)}."
            )
        ships = tuple(
            Placement(ship.cell, "across") if length == 1 else ship
            for ship, length in zip(self.ships, self.rules.fleet, strict=True)
        )
        object.__setattr__(self, "ships", ships)
        for ship in range(len(ships)):
            check_contact(self.rules, self.ship_cells[ship], self.ship_cells[:ship])

    @cached_property
    def ship_cells(self) -> tuple[tuple[int, ...], ...]:
        """The cells of each ship."""
        return tuple(
            ship.cells(self.rules, length)
            for ship, length in zip(self.ships, self.rules.fleet, strict=True)
        )

    @cached_property
    def ship_at(self) -> dict[int, int]:
        """The ship on each covered cell."""
        return {cell: ship for ship, cells in enumerate(self.ship_cells) for cell in cells}

    def _repr_html_(self) -> str:
        from .draw import picture_of_layout, to_html

        return to_html(picture_of_layout(self))

    def to_text(self) -> str:
        """`carrier A1 across, battleship C3 down, ...`"""
        return ", ".join(
            f"{name} {self.rules.cell_name(ship.cell)} {ship.direction}"
            for name, ship in zip(self.rules.ship_names, self.ships, strict=True)
        )

    @classmethod
    def from_text(cls, text: str, rules: Rules) -> Layout:
        placed: dict[int, Placement] = {}
        for entry in text.split(","):
            words = entry.split()
            if len(words) != 3:
                raise LayoutError(
                    f"Cannot read the ship {entry.strip()!r}; write its name, its top left cell "
                    "and its direction, such as 'carrier A1 across'."
                )
            ship = rules.ship(words[0])
            if ship in placed:
                raise LayoutError(f"The {rules.ship_names[ship]} is placed twice.")
            placed[ship] = Placement(rules.cell(words[1]), words[2].lower())
        missing = [name for ship, name in enumerate(rules.ship_names) if ship not in placed]
        if missing:
            raise LayoutError(f"The layout does not place the {missing[0]}.")
        return cls(rules, tuple(placed[ship] for ship in range(len(rules.fleet))))

    def to_json(self) -> list[dict[str, str]]:
        return [
            {
                "ship": name,
                "cell": self.rules.cell_name(ship.cell),
                "direction": ship.direction,
            }
            for name, ship in zip(self.rules.ship_names, self.ships, strict=True)
        ]

    @classmethod
    def from_json(cls, value: Any, rules: Rules) -> Layout:
        try:
            entries = [f"{each['ship']} {each['cell']} {each['direction']}" for each in value]
        except (TypeError, KeyError):
            raise LayoutError(
                "A layout in JSON is a list of objects with ship, cell and direction."
            ) from None
        return cls.from_text(", ".join(entries), rules)


def check_contact(rules: Rules, ship: tuple[int, ...], others: tuple[tuple[int, ...], ...]) -> None:
    """Raise an error that says which cell of `ship` meets one of `others` illegally."""
    taken = {cell for other in others for cell in other}
    for cell in ship:
        if cell in taken:
            raise LayoutError(f"Two ships lie on {rules.cell_name(cell)}.")
    if rules.contact == "any":
        return
    for cell in ship:
        row, column = divmod(cell, rules.columns)
        for other in taken:
            other_row, other_column = divmod(other, rules.columns)
            down, right = abs(row - other_row), abs(column - other_column)
            if down + right == 1 or (rules.contact == "none" and max(down, right) == 1):
                raise LayoutError(
                    f"Ships touch at {rules.cell_name(cell)} and {rules.cell_name(other)}, "
                    f"which contact={rules.contact} forbids."
                )


def layout_of(rules: Rules, placements: npt.NDArray[np.int32]) -> Layout:
    """The layout with these placement numbers (of `board_of`), one per ship."""
    board = board_of(rules)
    ships = []
    for placement in placements:
        start, second = int(board.cover[placement, 0]), int(board.cover[placement, 1])
        ships.append(Placement(start, "down" if second > start + 1 else "across"))
    return Layout(rules, tuple(ships))


@lru_cache(maxsize=16)
def placement_texts(rules: Rules) -> list[str]:
    """`A1 across` for each placement number (of `board_of`), as in the text form of a layout."""
    board = board_of(rules)
    texts = []
    for placement in range(int(board.placements)):
        start, second = int(board.cover[placement, 0]), int(board.cover[placement, 1])
        texts.append(f"{rules.cell_name(start)} {'down' if second > start + 1 else 'across'}")
    return texts


def placements_of(layout: Layout) -> npt.NDArray[np.int32]:
    """The placement numbers of a layout: the inverse of `layout_of`."""
    import numpy as np

    board = board_of(layout.rules)
    numbers = []
    for ship, cells in enumerate(layout.ship_cells):
        span = range(int(board.first[ship]), int(board.last[ship]))
        covers = board.cover[span.start : span.stop, : len(cells)]
        numbers.append(span[int(np.flatnonzero((covers == cells).all(axis=1))[0])])
    return np.array(numbers, dtype=np.int32)


REJECTIONS = 200_000
"""Tries before a layout is dealt the way tight fleets are (see `kernels.tight`)."""


def random_layout(rules: Rules, rng: np.random.Generator) -> Layout:
    """A layout drawn uniformly from all legal ones."""
    return layout_of(rules, deal_games(rules, int(rng.integers(0, 2**63)), range(1))[0])


def layout_for(rules: Rules, seed: int, game: int) -> Layout:
    """The layout of one game of an experiment: a function of these three alone."""
    return layout_of(rules, deal_games(rules, seed, range(game, game + 1))[0])


def deal_games(rules: Rules, seed: int, games: range) -> npt.NDArray[np.int32]:
    """The layouts of these games as placement numbers, a row each."""
    import numpy as np

    from .kernels.deal import deal_many

    board = board_of(rules)
    placements = np.empty((len(games), len(rules.fleet)), dtype=np.int32)
    if (board.last[: board.ships] == board.first[: board.ships]).any():
        raise FleetDoesNotFit(_no_room(rules))
    tries, tight = tries_worth(rules), []
    filled = 0
    while filled < len(games):
        filled += deal_many(
            board, np.uint64(seed), games.start + filled, tries, placements[filled:]
        )
        if filled < len(games):
            tight.append(filled)
            filled += 1
    if tight:
        placements[tight] = deal_tight(rules, seed, [games[row] for row in tight])
    return placements


@lru_cache(maxsize=64)
def tries_worth(rules: Rules) -> int:
    """How often rejection is worth trying: not at all if a first run finds nothing.

    The run has its own fixed seed, so that a layout depends on nothing but rules, seed
    and number of the game.
    """
    import numpy as np

    from .kernels.deal import deal_many

    row = np.empty((1, len(rules.fleet)), dtype=np.int32)
    return REJECTIONS if deal_many(board_of(rules), np.uint64(0), 0, REJECTIONS, row) else 0


@lru_cache(maxsize=1)
def _dealer(rules: Rules) -> Dealer:
    from .kernels.tight import Dealer

    return Dealer(board_of(rules))


def deal_tight(rules: Rules, seed: int, games: list[int]) -> npt.NDArray[np.int32]:
    """The layouts of games whose fleet random placements almost never fit, a row each.

    See `kernels.tight` for what is exactly uniform and what is so only in the limit.
    """
    import numpy as np

    from .kernels.deal import TIGHT_STREAM
    from .kernels.rng import stream
    from .kernels.sampling import NotFound

    seeds = [stream(np.uint64(seed), game, TIGHT_STREAM) for game in games]
    try:
        return _dealer(rules).deal(np.array(seeds, dtype=np.uint64))
    except NotFound as failure:
        if failure.proven:
            raise FleetDoesNotFit(_no_room(rules)) from None
        raise TooLarge(
            f"No layout of this fleet on a board of {rules.rows}x{rules.columns} with "
            f"contact={rules.contact} was found, and there are too many ways to try them all; "
            "take a larger board or fewer ships."
        ) from None


def _no_room(rules: Rules) -> str:
    return (
        f"The fleet {','.join(map(str, rules.fleet))} does not fit on a board of "
        f"{rules.rows}x{rules.columns} with contact={rules.contact}; take a larger board "
        "or fewer ships."
    )
