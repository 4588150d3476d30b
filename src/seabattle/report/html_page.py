"""The parts of every report page: one HTML file, no scripts, light and dark.

A page is readable at any width and without colour. Text is HTML and never part of a chart,
so that it keeps its size when charts stretch (see `charts`).
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
    """`name` is the heading of its row, `number` is right-aligned, `text` left-aligned"""


def page(title: str, body: str) -> str:
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
    """A section of a page: a heading, an explanation, the content."""
    before = f'<p class="lead">{lead}</p>\n' if lead else ""
    return f"<section>\n<h2>{escape(title)}</h2>\n{before}{content}\n</section>"


def header(title: str, paragraphs: str, figures: Iterable[tuple[str, str]]) -> str:
    """The top of a page: its title, an introduction, and the key figures."""
    return (
        f'<header>\n<p class="kicker">seabattle</p>\n<h1>{escape(title)}</h1>\n{paragraphs}\n'
        f"{facts(figures)}\n</header>"
    )


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """The key figures in large type: (figure, meaning)."""
    entries = "".join(
        f"<div><dt>{escape(what)}</dt><dd>{escape(figure)}</dd></div>" for figure, what in pairs
    )
    return f'<dl class="facts">{entries}</dl>'


def table(caption: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> str:
    """A table of HTML cells, shown as a list of cards on a narrow screen."""
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


def terms(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of terms, each with an HTML explanation."""
    entries = "".join(f"<dt>{escape(term)}</dt><dd>{text}</dd>" for term, text in pairs)
    return f'<dl class="terms">{entries}</dl>'


def how_made(command: str, notes: Iterable[tuple[str, str]]) -> str:
    """The last section of a page: the command that makes it, notes, and the version."""
    listed = [*notes, ("Version", f"seabattle {__version__}")]
    return section(
        "How this was made",
        f"<pre><code>$ {escape(command)}</code></pre>"
        + terms((term, escape(text)) for term, text in listed),
    )
