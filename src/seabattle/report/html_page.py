"""What every report page shares: one HTML file, no scripts, light and dark.

A page is readable at any width and without colour. Text is HTML, never part of a
drawing, so that it keeps its size when drawings stretch (see `charts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from .. import __version__


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    title: str
    kind: str = "number"
    """`name` heads its row, `number` stands to the right, `text` to the left"""


def document(title: str, body: str) -> str:
    """A whole page around its body."""
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="seabattle {__version__}">
<title>{escape(title)}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def section(title: str, content: str, lead: str = "") -> str:
    """A part of a page: a heading, a sentence on how to read it, the content."""
    before = f'<p class="lead">{lead}</p>\n' if lead else ""
    return f"<section>\n<h2>{escape(title)}</h2>\n{before}{content}\n</section>"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """A few figures that matter most, large: (figure, what it is)."""
    entries = "".join(
        f"<div><dt>{escape(what)}</dt><dd>{escape(figure)}</dd></div>" for figure, what in pairs
    )
    return f'<dl class="facts">{entries}</dl>'


def table(caption: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    """A table of HTML cells that becomes a list of cards on a narrow screen."""
    head = "".join(
        f'<th scope="col" class="{column.kind}">{escape(column.title)}</th>' for column in columns
    )
    body = []
    for row in rows:
        cells = []
        for column, cell in zip(columns, row, strict=True):
            tag, scope = ("th", ' scope="row"') if column.kind == "name" else ("td", "")
            label = f' data-label="{escape(column.title)}"'
            cells.append(f'<{tag}{scope} class="{column.kind}"{label}>{cell}</{tag}>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f"<table>\n<caption>{escape(caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(body) + "\n</tbody>\n</table>"
    )


def command(text: str) -> str:
    """A command to copy."""
    return f"<pre><code>$ {escape(text)}</code></pre>"
