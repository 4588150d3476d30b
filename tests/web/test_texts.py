"""Every text that the page takes from the catalogue is in it, and nothing else is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import seabattle.web
from seabattle.opponents import LEVELS

STATIC = Path(seabattle.web.__file__).parent / "static"
STRING = r'"((?:[^"\\]|\\.)*)"'


def used_texts() -> set[str]:
    """The texts in calls of `t` and `tn`, and those that the server names."""
    found = {word for level in LEVELS for word in (level.title, level.summary)}
    for script in STATIC.glob("*.js"):
        code = script.read_text(encoding="utf-8")
        found.update(re.findall(rf"\bt\({STRING}", code))
        for one, several in re.findall(rf"\btn\([^\"]*{STRING}, {STRING}", code):
            found |= {one, several}
    return found


def catalogue(language: str) -> dict[str, str]:
    path = STATIC / "texts" / f"{language}.json"
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return texts


def test_the_catalogue_has_every_text() -> None:
    assert set(catalogue("en")) == used_texts()
    assert len(used_texts()) > 150


def test_every_language_translates_every_text_with_the_same_names() -> None:
    for path in sorted((STATIC / "texts").glob("*.json")):
        texts = catalogue(path.stem)
        assert set(texts) == used_texts(), path.name
        for text, translation in texts.items():
            assert translation
            names = [sorted(re.findall(r"\{\w+\}", each)) for each in (text, translation)]
            assert names[0] == names[1]
