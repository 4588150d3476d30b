"""Pages that stand outside `docs/`: the README, the changelog, how to contribute.

A page of the site takes one in with

    :::{include} ../README.md
    :::

and links are followed as GitHub follows them: from the folder of the file that they
stand in. Links between the two kinds of pages lead to the page of the site.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

INCLUDE = re.compile(r"^:::\{include\} (\S+)\n:::$", re.MULTILINE)
LINK = re.compile(r"(?<=\]\()(?!\w+:|#|/)([^)#\s]+)")
"""The path of a Markdown link or picture, without the heading; not a URL."""


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", _find_pages)
    app.connect("source-read", _take_in)
    return {"parallel_read_safe": True}


def _find_pages(app: Sphinx, config: object) -> None:
    """Which page of the site takes in which file."""
    app.taken_in = {  # type: ignore[attr-defined]
        (page.parent / path).resolve(): page
        for page in Path(app.srcdir).rglob("*.md")
        for path in INCLUDE.findall(page.read_text(encoding="utf-8"))
    }


def _take_in(app: Sphinx, docname: str, source: list[str]) -> None:
    taken_in: dict[Path, Path] = app.taken_in  # type: ignore[attr-defined]
    page = Path(app.env.doc2path(docname))

    def moved(text: str, folder: Path) -> str:
        """The text, with links that stood in a file of `folder` as links of the page."""

        def path(link: re.Match[str]) -> str:
            target = (folder / link[1]).resolve()
            return Path(os.path.relpath(taken_in.get(target, target), page.parent)).as_posix()

        return LINK.sub(path, text)

    def included(directive: re.Match[str]) -> str:
        file = (page.parent / directive[1]).resolve()
        app.env.note_dependency(str(file))
        return moved(file.read_text(encoding="utf-8"), file.parent)

    text = INCLUDE.sub(included, moved(source[0], page.parent))
    # A doctest ends with an empty line, which a reader of the page need not see.
    source[0] = re.sub(r"\n\n```$", "\n```", text, flags=re.MULTILINE)
