"""What an exact engine finds: whole numbers of layouts, per ship and cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt


@dataclass(frozen=True)
class Marginals:
    """Layouts that agree with an observation, every ship told from the others."""

    labelled: int | float
    """how many there are, or their total weight under a prior"""
    cell_totals: list[list[int]] | npt.NDArray[Any]
    """(ships, cells) in how many of them (with what weight) this ship covers this cell;
    Python integers where they may pass 2**63"""
