"""Every text that the page shows is in the catalogue, and nothing else is.

`python -m tests.web.test_texts` writes the English catalogue anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from seabattle.opponents import LEVELS
from seabattle.web import installable
from tests.web.page_texts import STATIC, catalogue

STRING = r'"((?:[^"\\]|\\.)*)"'


def used_texts() -> set[str]:
    """The texts in calls of `t` and `tn`, and those that the server names."""
    found = {word for level in LEVELS for word in (level.title, level.summary)}
    for script in STATIC.glob("*.js"):
        code = script.read_text(encoding="utf-8")
        found.update(re.findall(rf"\bt\({STRING}", code))
        for one, several in re.findall(rf"\btn\([^\"]*?{STRING}, {STRING}", code):
            found |= {one, several}
    return found


def test_the_catalogue_has_every_text() -> None:
    assert set(catalogue("en")) == used_texts()
    assert len(used_texts()) > 400


def test_every_language_translates_every_text_with_the_same_names() -> None:
    for path in sorted((STATIC / "texts").glob("*.json")):
        texts = catalogue(path.stem)
        assert set(texts) == used_texts(), path.name
        for text, translation in texts.items():
            forms = [translation] if isinstance(translation, str) else list(translation.values())
            for form in forms:
                assert form
                names = [set(re.findall(r"\{\w+\}", each)) for each in (text, form)]
                assert names[0] == names[1]


def test_a_language_is_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert 'data-languages="en"' in installable.page_text()
    (tmp_path / "texts").mkdir()
    for language in ("en", "de"):
        (tmp_path / "texts" / f"{language}.json").write_text("{}")
    (tmp_path / "index.html").write_text((STATIC / "index.html").read_text())
    monkeypatch.setattr(installable, "STATIC", tmp_path)
    assert 'data-languages="de en"' in installable.page_text()


class Literal(NamedTuple):
    """A string or template of a script; `${…}` is left out of a template."""

    before: str
    text: str


STRING_AT = re.compile(STRING)
COMMENT_AT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
PLAIN_AT = re.compile(r"[^\"`/]+|/")


def literals(code: str) -> Iterator[Literal]:
    """The literals of JavaScript, also those inside templates, with the code before each.

    Regular expressions are read as code: none of the page's holds a quotation mark.
    """
    place = 0
    while place < len(code):
        before = code[max(0, place - 300) : place]
        if string := STRING_AT.match(code, place):
            yield Literal(before, string[1])
            place = string.end()
        elif code[place] == "`":
            end, pieces, inner = template(code, place + 1)
            yield Literal(before, "\0".join(pieces))
            for part in inner:
                for literal in literals(part):
                    yield Literal(before + "${" + literal.before, literal.text)
            place = end
        else:
            other = COMMENT_AT.match(code, place) or PLAIN_AT.match(code, place)
            assert other
            place = other.end()


def template(code: str, place: int) -> tuple[int, list[str], list[str]]:
    """The end of a template, its texts, and the code in its `${…}`."""
    pieces, inner = [""], []
    while code[place] != "`":
        if code.startswith("${", place):
            depth, start = 1, place + 2
            place = start
            while depth:
                if code[place] == "`":
                    place = template(code, place + 1)[0]
                elif string := STRING_AT.match(code, place):
                    place = string.end()
                else:
                    depth += {"{": 1, "}": -1}.get(code[place], 0)
                    place += 1
            inner.append(code[start : place - 1])
            pieces.append("")
        else:
            pieces[-1] += code[place]
            place += 1
    return place + 1, pieces, inner


SHOWN = r"(aria-label\"?: |title: |alt: |placeholder: |textContent = |toast\(|announce\(|\}, )$"
"""What stands before a literal that a visitor reads, whatever it looks like."""
CATALOGUED = rf"\b(t\(|tn\((?:[^\"]*?{STRING}, )?[^\"]*?)$"
TECHNICAL = (
    r"(class: |className = |viewBox: |points: |transform: |\.font = |fillStyle = |"
    r"import .* from |querySelector(All)?\(|matches\(|closest\(|"
    r"memory\.[sg]et\(|[!=]== |startsWith\(|matchMedia\(|isBeingPrepared\()$"
)
"""What stands before a literal that only the browser reads."""
OTHERS = {
    "game: seabattle-game 1\\nrules: classic\\n…",  # the beginning of every record
    "Bearer \0",
    "no stream",  # an error that is caught at once
    "seabattle leaderboard --out out/leaderboard",
    "seabattle serve --host 0.0.0.0",
    "\0 · seabattle",  # the title of the tab
    "\0x\0 fleet=\0 contact=\0 answers=\0 turns=\0\0",  # rules as text
    " salvo=\0",
}


def is_wording(literal: Literal) -> bool:
    """Whether a literal is something that people read, and not from the catalogue."""
    before = literal.before
    if literal.text in OTHERS or re.search(CATALOGUED, before):
        return False
    if re.search(SHOWN, before) and re.search("[A-Za-z]{2}", literal.text):
        return True
    if re.search(TECHNICAL, before):
        return False
    words = re.search(r"[A-Za-z]{2}\S*\s|\s\S*[A-Za-z]{2}", literal.text)
    return bool(words or re.match("[A-Z][a-z]+$", literal.text))


def test_the_scanner_knows_wording_from_code() -> None:
    code = r"""
      import { t } from "./a b.js"; // "a comment"
      h("p", { class: "card setup", title: "hello" }, t("in it"), "Bypassing words",
        `${n} "left" ${t("x y")} of`);
      s.replace(/[/]/g, "Old"); tn(n, "{n} a", "{n} b"); h("b", {}, "word"); a / b;
      x = y ? "One" : `${q}px`;
    """
    found = [literal.text for literal in literals(code) if is_wording(literal)]
    assert found == ["hello", "Bypassing words", '\0 "left" \0 of', "Old", "word", "One"]


@pytest.mark.parametrize("script", sorted(path.name for path in STATIC.glob("*.js")))
def test_no_wording_bypasses_the_catalogue(script: str) -> None:
    code = (STATIC / script).read_text(encoding="utf-8")
    assert [literal.text for literal in literals(code) if is_wording(literal)] == []


if __name__ == "__main__":
    english = json.dumps(
        {text: text for text in sorted(used_texts())}, ensure_ascii=False, indent=1
    )
    (STATIC / "texts" / "en.json").write_text(english + "\n", encoding="utf-8")
