"""The catalogues of the page's texts."""

from __future__ import annotations

import json
from pathlib import Path

import seabattle.web

STATIC = Path(seabattle.web.__file__).parent / "static"
Texts = dict[str, str | dict[str, str]]


def catalogue(language: str) -> Texts:
    path = STATIC / "texts" / f"{language}.json"
    texts: Texts = json.loads(path.read_text(encoding="utf-8"))
    return texts
