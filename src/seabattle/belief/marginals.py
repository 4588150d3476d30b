"""The result of an exact engine: numbers of layouts, per ship and cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt


@dataclass(frozen=True)
class Marginals:
    """Layouts that agree with an observation, with all ships told apart."""

    labelled: int | float
    """how many there are, or their total weight under a prior"""
    cell_totals: list[list[int]] | npt.NDArray[Any]
    """(ships, cells) the number (or weight) of those in which this ship covers this cell;
    Python integers if they may exceed 2**63"""
