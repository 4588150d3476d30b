"""The source documents' tables and figures, played again.

`documents` has their numbers, `run` plays an exhibit under its document's rules and
finds what comes out, `sentences` says how the two compare.
"""

from __future__ import annotations

from .documents import EXHIBITS, Exhibit, Row, exhibit
from .run import Effort, Finding, RowFinding, reproduce

__all__ = [
    "EXHIBITS",
    "Effort",
    "Exhibit",
    "Finding",
    "Row",
    "RowFinding",
    "exhibit",
    "reproduce",
]
