"""From rules to the tables that compiled code reads."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ..rules import ANSWERS, CONTACTS, Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .board_tables import Board
    from .symmetries import Symmetries


@lru_cache(maxsize=64)
def board_of(rules: Rules) -> Board:
    """The tables of these rules."""
    from .board_tables import make_board

    return make_board(
        rules.rows,
        rules.columns,
        rules.fleet,
        CONTACTS.index(rules.contact),
        ANSWERS.index(rules.answers),
    )


def salvo_number(rules: Rules) -> int:
    """Shots per turn as compiled code takes them: 0 for `ships`."""
    return 0 if rules.salvo == "ships" else rules.salvo


@lru_cache(maxsize=64)
def board_array_of(rules: Rules) -> npt.NDArray[np.void]:
    """The same tables as an array of one record, which Numba is passed ten times as fast."""
    import numpy as np

    from .board_tables import Board
    from .structs import struct_type

    return np.array([board_of(rules)], dtype=struct_type(Board))


@lru_cache(maxsize=64)
def symmetries_of(rules: Rules) -> Symmetries:
    """The symmetries of the board of these rules."""
    from .symmetries import make_symmetries

    return make_symmetries(board_of(rules))
