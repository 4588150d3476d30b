"""Reproduce the tables and figures of the source documents.

`source_results` has the documents' numbers, `exhibits` plays an exhibit under its
document's rules, and `verdicts` compares the two in words.
"""

from __future__ import annotations

from .exhibits import Effort, ExhibitResult, RowResult, reproduce
from .source_results import DOCUMENTS, EXHIBITS, Document, Exhibit, Row, exhibit

__all__ = [
    "DOCUMENTS",
    "EXHIBITS",
    "Document",
    "Effort",
    "Exhibit",
    "ExhibitResult",
    "Row",
    "RowResult",
    "exhibit",
    "reproduce",
]
