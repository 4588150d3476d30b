"""Docstrings as this project writes them, turned into what autodoc reads.

They are plain text that reads well in an editor: `code` in single backticks, examples
that start with >>>, indented blocks, lists, and terms with their meaning beside them.
A name of the public API in backticks becomes a link to its entry.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import seabattle

CODE = re.compile(r"`([^`]+)`")
SPECIAL = re.compile(r"([\\*_|])")
"""characters that are markup in reStructuredText and mean themselves here"""
ITEM = re.compile(r"(- |\d+\. )")
TERM = re.compile(r"(\S.*?)(?: {2,}|$)(.*)")
MODULE = re.compile(r"^\.\. automodule:: ([\w.]+)", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-before-read-docs", _find_entries)
    app.connect("autodoc-process-docstring", _rewrite)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True}


def _find_entries(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Where the reference has each class and function, by its short name."""
    pages = [Path(env.doc2path(docname)).read_text(encoding="utf-8") for docname in env.found_docs]
    app.entries = {  # type: ignore[attr-defined]
        name: f"{module}.{name}"
        for page in pages
        for module in MODULE.findall(page)
        for name, value in _public(module)
        if module == "seabattle" or not _exported(name, value)
    }


def _public(module: str) -> Iterator[tuple[str, Any]]:
    home = importlib.import_module(module)
    listed = getattr(home, "__all__", None)
    for name in listed or vars(home):
        value = getattr(home, name)
        own = listed or getattr(value, "__module__", None) == module
        if own and callable(value) and not name.startswith("_"):
            yield name, value


def _exported(name: str, value: Any) -> bool:
    return name in seabattle.__all__ and getattr(seabattle, name) is value


def _skip(app: Sphinx, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """What `seabattle` itself exports has its entry there, and none in its module."""
    elsewhere = what == "module" and app.env.docname != "reference/seabattle"
    return True if elsewhere and _exported(name, value) else None


def _rewrite(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    # Neither its own name nor a parameter's leads anywhere else.
    here = {name.rpartition(".")[2], *_parameters(value)}
    entries = {k: v for k, v in app.entries.items() if k not in here}  # type: ignore[attr-defined]
    blocks = re.split(r"\n\n+", "\n".join(lines).strip("\n"))
    lines[:] = [*"\n\n".join(_block(block, entries) for block in blocks).splitlines(), ""]


def _parameters(value: Any) -> list[str]:
    try:
        return list(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return []


def _block(block: str, entries: dict[str, str]) -> str:
    """A paragraph, an example, a list, a table of terms or a block to be left as it is."""
    rows = block.split("\n")
    if rows[0].startswith(">>>"):
        return block
    if ITEM.match(rows[0]) or not any(row.startswith(" ") for row in rows):
        return _inline(block, entries)
    if rows[0].startswith(" ") or not re.search(r"\S {2,}\S", rows[0]):
        return "::\n\n" + textwrap.indent(textwrap.dedent(block), "    ")
    terms: list[list[str]] = []
    for row in rows:
        if row.startswith(" "):
            terms[-1].append(row.strip())
        else:
            terms.append(list(TERM.match(row).groups()))  # type: ignore[union-attr]
    return "\n\n".join(
        f"{_inline(term, entries)}\n    {_inline(' '.join(meaning), entries)}"
        for term, *meaning in terms
    )


def _inline(text: str, entries: dict[str, str]) -> str:
    parts = CODE.split(text)
    parts[::2] = [SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [_code(" ".join(part.split()), entries) for part in parts[1::2]]
    return "".join(parts)


def _code(text: str, entries: dict[str, str]) -> str:
    name = text.removesuffix("()")
    if name in entries:
        return rf"\ :py:obj:`{text} <{entries[name]}>`\ "
    return rf"\ ``{text}``\ "
