"""The source documents' tables and figures, played again.

`documents` has their numbers, `run` plays an exhibit under its document's rules and
finds what comes out, `sentences` says how the two compare.
"""

from __future__ import annotations

from .exhibits import Effort, ExhibitResult, RowResult, reproduce
from .source_results import EXHIBITS, Exhibit, Row, exhibit

__all__ = [
    "EXHIBITS",
    "Effort",
    "Exhibit",
    "ExhibitResult",
    "Row",
    "RowResult",
    "exhibit",
    "reproduce",
]
