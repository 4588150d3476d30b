"""From rules to the tables that compiled code reads."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from .rules import ANSWERS, CONTACTS, Rules

if TYPE_CHECKING:
    from .kernels.board import Board
    from .kernels.symmetry import Symmetries


@lru_cache(maxsize=64)
def board_of(rules: Rules) -> Board:
    """The tables of these rules."""
    from .kernels.board import make_board

    return make_board(
        rules.rows,
        rules.columns,
        rules.fleet,
        CONTACTS.index(rules.contact),
        ANSWERS.index(rules.answers),
    )


@lru_cache(maxsize=64)
def symmetries_of(rules: Rules) -> Symmetries:
    """The symmetries of the board of these rules."""
    from .kernels.symmetry import make_symmetries

    return make_symmetries(board_of(rules))
