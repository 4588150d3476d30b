"""The source documents beside our results: as text, as Markdown, and as one page."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..experiment.comparison import Comparison, PlayerResult, shot_counts
from ..experiment.statistics import half_width
from ..reproduce import DOCUMENTS, Document, ExhibitResult, RowResult
from ..reproduce.source_results import (
    COUNT,
    DUEL,
    HEAT,
    HUMAN,
    KILLED,
    MAPS,
    MEMORY,
    RUNNING,
    RUNTIME,
)
from ..reproduce.verdicts import (
    BY_CHANCE,
    FEW,
    KINDS,
    MEANS_COMPARED,
    SHARES_COMPARED,
    STRICT,
    Verdict,
    distinct_verdicts,
    joint_verdicts,
    verdicts,
)
from . import charts, drawing, html_page
from .comparison_table import WIDTH, markdown_rows
from .formatting import duration, number, percent, rules_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cells = tuple[str, ...]

SECONDS = "seconds per game"
"""the quantity of P's first plot"""
JOINTLY = (
    "Rows that are settings of one search share their layouts, so they err together, and counting "
    "how many lie on one side of the document would not be a test. Instead, each game's shots are "
    "averaged over the rows, and the means of these averages are compared."
)


def headers(result: ExhibitResult) -> Cells:
    """The column headers of an exhibit."""
    kind = result.exhibit.kind
    if kind in (RUNTIME, MEMORY):
        counts = next((row.costs.games for row in result.rows if row.costs), ())
        per_shot = ("per shot",) if kind == RUNTIME else ()
        return ("player", *(f"{games:,} games" for games in counts), *per_shot)
    if kind == COUNT:
        return ("row", "document", "ours")
    if kind == HEAT:
        return ("row", "layouts left", "likeliest cell", "its chance")
    if kind == MAPS:
        return ("row", "best cells", "highest", "lowest")
    if kind == DUEL:
        return (
            "row", "doc. won", "won", "doc. moves", "moves", "doc. time", "time", "per move",
            "games",
        )  # fmt: skip
    more = [title for title, shown in _T_COLUMNS.items() if any(map(shown, result.rows))]
    return ("row", "document", "ours", *more, "range", "games", "per game")


def _doc(ours: str, theirs: str) -> str:
    return f"{ours} (doc. {theirs})"


def _improvement(row_result: RowResult) -> str:
    theirs, ours = row_result.row.improvement, row_result.improvement
    if theirs is None or ours is None:
        return ""
    return _doc(f"{100 * ours:.1f}%".replace("-", "−"), f"{100 * theirs:.1f}%")


def _iterations(row_result: RowResult) -> str:
    theirs, ours = row_result.row.total_iterations, row_result.total_iterations
    return "" if theirs is None or ours is None else _doc(f"{ours:,.0f}", f"{theirs:,}")


def _per_iteration(row_result: RowResult) -> str:
    theirs, ours = row_result.row.seconds_per_iteration, row_result.seconds_per_iteration
    return "" if theirs is None or ours is None else _doc(duration(ours), duration(theirs))


def _per_move(row_result: RowResult) -> str:
    """Of T's searches also where the document has no figure for the row."""
    theirs, ours = row_result.row.seconds_per_move, row_result.seconds_per_move
    if ours is None or (theirs is None and row_result.row.iterations is None):
        return ""
    return duration(ours) if theirs is None else _doc(duration(ours), duration(theirs))


_T_COLUMNS = {
    "improvement": _improvement,
    "iterations": _iterations,
    "per iteration": _per_iteration,
    "per move": _per_move,
}
"""columns of some of T's tables"""


def cells(result: ExhibitResult, row_result: RowResult) -> Cells:
    """One row of an exhibit that was played: the document's figures beside ours."""
    kind, row, ours = result.exhibit.kind, row_result.row, row_result.ours
    if row_result.costs is not None:
        each = row_result.costs.seconds_per_shot
        per_shot = () if each is None else (f"{1e9 * each:,.0f} ns",)
        return (row.label, *(_cost(kind, value) for value in row_result.costs.values), *per_shot)
    if row_result.count is not None:
        return (row.label, f"{row.count:,}", f"{row_result.count:,}")
    if row_result.belief is not None:
        belief = row_result.belief
        shown = "–"
        if belief.suggestion is not None:
            shown = row_result.rules.cell_name(belief.suggestion)
        best = _picture(row_result).highest
        return (row.label, f"{belief.layouts:,}", shown, f"{best:.2f}")
    if row_result.map is not None:
        seen, found = row_result.map
        high, low = np.nanmax(found.values), np.nanmin(found.values)
        names = [seen.rules.cell_name(int(k)) for k in np.flatnonzero(found.values == high)]
        return (row.label, _some(names, "cells"), f"{high:g}", f"{low:g}")
    assert ours is not None
    mean = f"{number(ours.mean)} ±{number(half_width(ours.ci95))}"
    games = f"{row_result.games:,}"
    if row_result.duels is not None:
        duels = row_result.duels
        return (
            row.label,
            f"{row.won[0]}/{row.won[1]}" if row.won else "killed" if row.claim == KILLED else "–",
            percent(duels.won / duels.games),
            number(row.mean, 1) if row.mean is not None else "–",
            number(duels.mean_moves, 1),
            duration(row.seconds) if row.seconds else "–",
            duration(ours.seconds_per_game),
            duration(ours.seconds_per_game / ours.mean),
            games,
        )
    more = [
        shown(row_result) or "–" for shown in _T_COLUMNS.values() if any(map(shown, result.rows))
    ]
    span = f"{ours.min}–{ours.max}"
    if row.range:
        span = _doc(span, f"{row.range[0]}–{row.range[1]}")
    time = duration(ours.seconds_per_game)
    if row.seconds:
        time = _doc(time, duration(row.seconds))
    theirs = f"{row.mean:g}" if row.mean is not None else f"peak {row.peak}" if row.peak else "–"
    return (row.label, theirs, mean, *more, span, games, time)


def text_of(result: ExhibitResult) -> str:
    """An exhibit for a terminal."""
    lines = _wrapped(f"{result.exhibit.name}  {result.exhibit.title}", "  ")
    lines += _wrapped(_about(result), "  ")
    if result.played:
        lines += ["", *_text_table(result), ""]
        for row_result, verdict in _judged(result):
            lines += _wrapped(f"{row_result.row.label}: {verdict.text}", "  ")
    reasons: dict[str, list[str]] = {}
    for row_result in result.missing:
        reasons.setdefault(row_result.missing, []).append(row_result.row.label)
    for reason, labels in reasons.items():
        lines += _wrapped(f"{_some(labels)}: {reason}", "  ")
    if result.exhibit.note:
        lines += ["", *_wrapped(result.exhibit.note, "")]
    return "\n".join(lines)


def _text_table(result: ExhibitResult) -> Iterator[str]:
    table = [headers(result), *(cells(result, row_result) for row_result in result.played)]
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    for row in table:
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        whole = "  ".join(rest)
        half = len(rest) // 2
        if widths[0] + 2 + len(whole) <= WIDTH:
            yield f"{row[0]:<{widths[0]}}  {whole}"
        elif 2 + len(whole) <= WIDTH:
            yield from (row[0], f"  {whole}")
        else:
            yield from (row[0], f"  {'  '.join(rest[:half])}", f"  {'  '.join(rest[half:])}")


def markdown_of(
    results: Sequence[ExhibitResult], command: str, figures: Collection[str] = ()
) -> str:
    """All exhibits as a Markdown page; `figures` names those that have a plot."""
    lines = [
        "# The source documents, reproduced",
        "The tables and figures about play in the five source documents, reproduced under each "
        "document's own rules. Means are shots per game, with 95% intervals; all players under "
        "the same rules play against the same layouts. [sources.md](sources.md) describes the "
        "documents, "
        "[players.md](players.md) says where our players differ from theirs, and "
        "[strength.md](strength.md) has results beyond them. Times are wall-clock times, so other "
        "work on the machine makes them longer. Produced by",
        "",
        "<!-- not run: takes long -->",
        "```console",
        f"$ {command}",
        "```",
        "",
        f"with seabattle {__version__}. Rows of slow players have fewer games; rows with fewer "
        f"than {FEW} games allow no conclusion. With `--out DIR`, the same command also writes a "
        "page with plots.",
        "",
        f"**Verdicts.** {summary_of(results)}",
    ]
    if joint := joint_lines(results):
        lines += ["", f"**Together.** {JOINTLY}", "", *(f"- {line}" for line in joint)]
    for document, its_results in _by_document(results):
        lines += ["", f"## {document.letter}: {document.title}", f"{document.details}."]
        for result in its_results:
            lines += _markdown_section(result, figures)
    return "\n".join(lines) + "\n"


def summary_of(results: Sequence[ExhibitResult]) -> str:
    """How the verdicts are reached, and how many there are of each kind."""
    every = distinct_verdicts(results)
    counts = Counter(verdict.kind for verdict in every)
    said = [f"{kind}: {counts[kind]}" for kind in KINDS if counts[kind]]
    if unclear := sum(verdict.unclear for verdict in every):
        said[0] += f" ({unclear} of them beyond 1.96 standard errors)"
    return (
        "Two means are compared by the sampling error of both. The documents state "
        f"{MEANS_COMPARED} means and {SHARES_COMPARED} shares of games, so about {BY_CHANCE:.0f} "
        f"of them are expected to lie beyond 1.96 standard errors by chance; only beyond "
        f"{STRICT:.1f} is a row said to differ, which chance alone would cause in some row in one "
        "reproduction out of twenty. A reason is given only if a trial shows it. A row that does "
        "not differ but has fewer games than the document's is undecided. Rows by verdict (a row "
        f"that several exhibits share counts once): {'; '.join(said)}."
    )


def joint_lines(results: Sequence[ExhibitResult]) -> list[str]:
    """A sentence on each group of rows that is also compared as a whole."""
    return [f"{title}: {verdict.text}" for title, verdict in joint_verdicts(results).items()]


def _markdown_section(result: ExhibitResult, figures: Collection[str]) -> list[str]:
    name, title = result.exhibit.name, result.exhibit.title
    lines = ["", f"### {name}: {title}", "", _about(result) + "."]
    if result.played:
        header = (*headers(result), "verdict")
        alignment = ["---", *["---:"] * (len(header) - 2), "---"]
        rows = [
            (*cells(result, row_result), verdict.text) for row_result, verdict in _judged(result)
        ]
        lines += ["", *markdown_rows(header, alignment, rows)]
    if name in figures:
        lines += ["", f"![{name}: {title}](figures/{name}.svg)"]
    if result.missing:
        labels = "; ".join(row_result.row.label for row_result in result.missing)
        lines += ["", f"Not played: {labels}."]
    if result.exhibit.note:
        lines += ["", result.exhibit.note]
    return lines


def write_figures(results: Sequence[ExhibitResult], folder: Path) -> set[str]:
    """Write a plot of each exhibit as SVG; returns the names of those that have one."""
    import matplotlib

    from . import plots

    folder.mkdir(exist_ok=True)
    written = set()
    with matplotlib.rc_context(plots.SETTINGS):  # type: ignore[arg-type]
        for result in results:
            name = result.exhibit.name
            if result.exhibit.kind in (HEAT, MAPS):
                drawn = drawing.to_svg(*map(_picture, result.rows))
                (folder / f"{name}.svg").write_text(drawn, encoding="utf-8")
                written.add(name)
            elif (figure := _figure(result)) is not None:
                metadata: dict[str, Any] = {"Date": None}
                figure.savefig(folder / f"{name}.svg", metadata=metadata, bbox_inches="tight")
                written.add(name)
    return written


def _figure(result: ExhibitResult) -> Figure | None:
    from . import plots

    exhibit = result.exhibit
    if not result.played:
        return None
    if exhibit.kind in (RUNTIME, MEMORY):
        lines = {each.row.label: each.costs for each in result.played if each.costs}
        return plots.costs(
            {name: (line.games, line.values) for name, line in lines.items()},
            f"{exhibit.name}: {exhibit.title}",
            "seconds" if exhibit.kind == RUNTIME else "MB",
        )
    if exhibit.kind in (COUNT, HEAT, MAPS):
        return None
    if exhibit.kind == DUEL:
        return _duel_figure(result)
    if len({each.rules.cells for each in result.played}) > 1:
        return None
    draw = plots.running_mean if exhibit.kind == RUNNING else plots.histogram
    return draw(_as_comparison(result, whole=exhibit.kind != RUNNING))


def _picture(row_result: RowResult) -> drawing.Picture:
    """A player's numbers, or a heat map in T's colours; a cell shot at has no number once its
    answer is known."""
    if row_result.map is not None:
        seen, found = row_result.map
        best = int(np.nanargmax(found.values))
        return drawing.picture_of_values(seen, found.values.tolist(), best, row_result.row.label)
    assert row_result.belief is not None
    return replace(
        drawing.picture_of_belief(row_result.belief), title=row_result.row.label, scale="thesis"
    )


def _duel_figure(result: ExhibitResult) -> Figure | None:
    """P's plots: against the length of the board, a line per number of threads (or per source)."""
    from . import plots

    quantity = result.exhibit.quantity
    title = f"{result.exhibit.name}: {result.exhibit.title}"
    if not quantity:
        return None
    if result.exhibit.by_settings:
        return _settings_figure(result, title)
    lines: dict[str, list[tuple[str, float]]] = {}
    above: dict[str, str] = {}
    for each in result.played:
        where, _, threads = each.row.label.rpartition(", ")
        theirs, ours = _plotted(quantity, each)
        which = {"1 thread": "1 thread"}.get(threads, "")
        if not which:
            branch = int(each.row.player.partition("branch=")[2].partition(",")[0])
            which = "branch threads" if threads == f"{branch} threads" else "branch/2 threads"
        if theirs is not None:
            lines.setdefault(f"document, {which}", []).append((where, theirs))
        if ours is not None:
            lines.setdefault(f"ours, {which}", []).append((where, ours))
        if quantity == SECONDS and each.row.branches is not None:
            above[where] = f"{each.row.branches:,}"
    panel = plots.LabelPanel(lines, quantity, quantity == SECONDS, above)
    return plots.by_label([panel], title)


def _settings_figure(result: ExhibitResult, title: str) -> Figure:
    """Moves and time against the last part of the label, a line per rest of it."""
    from . import plots

    moves: dict[str, list[tuple[str, float]]] = {}
    times: dict[str, list[tuple[str, float]]] = {}
    for each in result.played:
        which, _, where = each.row.label.rpartition(", ")
        if each.duels is not None and each.processor_seconds is not None:
            moves.setdefault(which, []).append((where, each.duels.mean_moves))
            times.setdefault(which, []).append((where, each.processor_seconds))
    return plots.by_label(
        [
            plots.LabelPanel(moves, result.exhibit.quantity),
            plots.LabelPanel(times, "processor seconds per move", logarithmic=True),
        ],
        title,
    )


def _plotted(quantity: str, each: RowResult) -> tuple[float | None, float | None]:
    """The document's value and ours of one row."""
    row, won = each.row, each.duels.winning_shots if each.duels else ()
    if quantity == SECONDS:
        return row.seconds, each.ours.seconds_per_game if each.ours else None
    scale = each.rules.cells if quantity == "share of the board" else 1
    theirs = None if row.winning_shots is None else row.winning_shots / scale
    return theirs, sum(won) / len(won) / scale if won else None


def _as_comparison(result: ExhibitResult, *, whole: bool) -> Comparison:
    """All games of each row, or the games that all rows have, under the document's names."""
    games = min(row_result.games for row_result in result.played)
    players = tuple(
        PlayerResult(
            each.row.label,
            each.ours.shots if whole else each.ours.shots[:games],
            each.ours.seconds_per_game,
            None,
        )
        for each in result.played
        if each.ours
    )
    return Comparison(result.played[0].rules, games, result.effort.seed, players)


def write_page(results: Sequence[ExhibitResult], path: Path, *, command: str) -> None:
    path.write_text(page_of(results, command), encoding="utf-8")


def page_of(results: Sequence[ExhibitResult], command: str) -> str:
    """All exhibits as one HTML file."""
    rows = [row_result for result in results for row_result in result.rows]
    played = sum(not row_result.missing for row_result in rows)
    title = "Five Battleship documents, reproduced"
    parts = [
        html_page.header(
            title,
            "<p>The tables and figures about play in the five source documents, reproduced under "
            "each document's own rules: their results beside ours, and an explanation of each "
            "difference.</p>",
            [
                (f"{len(results)}", "tables and figures"),
                (f"{played}", f"of {len(rows)} rows can be played in this version"),
                (f"{sum(row_result.games for row_result in rows):,}", "games"),
            ],
        ),
        _contents(results),
    ]
    parts += [_section(result) for result in results]
    parts.append(_how_made(results, command))
    return html_page.page(title, "\n".join(parts))


def _by_document(
    results: Sequence[ExhibitResult],
) -> Iterator[tuple[Document, list[ExhibitResult]]]:
    """The documents that the results belong to, in order."""
    for document in DOCUMENTS.values():
        its_results = [each for each in results if each.exhibit.document == document.letter]
        if its_results:
            yield document, its_results


def _contents(results: Sequence[ExhibitResult]) -> str:
    entries = []
    for document, its_results in _by_document(results):
        names = [escape(result.exhibit.name) for result in its_results]
        links = " · ".join(f'<a href="#{name}">{name[2:]}</a>' for name in names)
        entries.append(
            (f"{document.letter}: {document.title}", f"{escape(document.details)}<br>{links}")
        )
    return f'<nav aria-label="Contents">{html_page.terms(entries)}</nav>'


def _section(result: ExhibitResult) -> str:
    exhibit = result.exhibit
    parts = []
    if result.played:
        columns = [
            html_page.Column(title, "name" if k == 0 else "number")
            for k, title in enumerate(headers(result))
        ]
        table = [[escape(cell) for cell in cells(result, each)] for each in result.played]
        parts += [html_page.table(exhibit.title, columns, table), _plot(result)]
        items = "".join(
            f"<li><b>{escape(row_result.row.label)}.</b> {escape(verdict.text)}</li>"
            for row_result, verdict in _judged(result)
        )
        parts.append(f'<ul class="verdicts">{items}</ul>')
    if result.missing:
        labels = _some([row_result.row.label for row_result in result.missing])
        players = {row_result.row.player.partition(":")[0] for row_result in result.missing}
        parts.append(
            f'<p class="soft">Not available in this version: {escape(labels)} '
            f"(needs {escape(', '.join(sorted(players)))}).</p>"
        )
    if exhibit.note:
        parts.append(f'<p class="soft">{escape(exhibit.note)}</p>')
    body = html_page.section(
        f"{exhibit.name}: {exhibit.title}", "\n".join(parts), escape(_about(result)) + "."
    )
    return body.replace("<section>", f'<section id="{escape(exhibit.name)}">', 1)


def _plot(result: ExhibitResult) -> str:
    if result.exhibit.kind in (RUNTIME, MEMORY):
        return _cost_panels(result)
    if result.exhibit.kind == RUNNING:
        return _running_panels(result.played)
    if result.exhibit.kind == COUNT:
        return ""
    if result.exhibit.kind in (HEAT, MAPS):
        return f"<figure>{drawing.to_svg(*map(_picture, result.rows))}</figure>"
    if result.exhibit.quantity:
        return _drawn(result)
    boards: dict[int, list[RowResult]] = {}
    for row_result in result.played:
        boards.setdefault(row_result.rules.cells, []).append(row_result)
    return "".join(_ridges(row_results) for row_results in boards.values())


def _drawn(result: ExhibitResult) -> str:
    """The figure of an exhibit as a part of the page."""
    from io import StringIO

    import matplotlib

    from . import plots

    text = StringIO()
    with matplotlib.rc_context(plots.SETTINGS):  # type: ignore[arg-type]
        figure = _figure(result)
        assert figure is not None
        metadata: dict[str, Any] = {"Date": None}
        figure.savefig(text, format="svg", metadata=metadata, bbox_inches="tight")
    svg = text.getvalue()
    return f"<figure>{svg[svg.index('<svg') :]}</figure>"


def _ridges(row_results: list[RowResult]) -> str:
    """Histograms of our games, with a dashed line at the document's mean."""
    played = [(each.row, each.rules, each.ours) for each in row_results if each.ours]
    low = max(0, min(ours.min for _, _, ours in played) - 1)
    high = max(ours.max for _, _, ours in played) + 1
    rows = []
    for row, rules, ours in played:
        counts = np.append(shot_counts(ours.shots, rules.cells), 0)
        shape = charts.silhouette(counts.tolist(), low, high, ours.mean, float(counts.max()))
        label = f"{row.label}: our mean {number(ours.mean)}"
        if row.mean is not None:
            label += f", the document's {row.mean:g}"
            shape += f'<path class="rival" d="M{row.mean:.2f} 0V{charts.HEIGHT}"/>'
        half = number(half_width(ours.ci95))
        rows.append(charts.ridge(row.label, label, shape, low, high, number(ours.mean), half))
    dashed = any(row.mean is not None for row, _, _ in played)
    legend = [("mean", "our mean")] + [("rival", "the document's mean")] * dashed
    return charts.key(legend) + charts.ridges(rows, low, high, "shots per game")


def _running_panels(row_results: list[RowResult]) -> str:
    """The mean after every twenty games, as T drew it."""
    curves = []
    for row_result in row_results:
        assert row_result.ours is not None
        shots = np.array(row_result.ours.shots, dtype=np.float64)
        at = np.arange(20, min(len(shots), 1000) + 1, 20)
        if not at.size:
            at = np.array([len(shots)])
        curves.append((at, np.cumsum(shots)[at - 1] / at))
    least = min(float(values.min()) for _, values in curves) - 1
    most = max(float(values.max()) for _, values in curves) + 1
    end = max(int(at[-1]) for at, _ in curves)
    start = min(20, end - 1)

    def height(value: float) -> float:
        return charts.HEIGHT * (1 - (value - least) / (most - least))

    panels = []
    for row_result, (at, values) in zip(row_results, curves, strict=True):
        row = row_result.row
        points = "L".join(
            f"{x} {height(y):.1f}" for x, y in zip(at.tolist(), values.tolist(), strict=True)
        )
        lines = f'<path class="own" d="M{points}"/>'
        label = f"{row.label}: mean after {at[-1]} games {values[-1]:.2f}"
        caption = f"{values[-1]:.2f} after {at[-1]:,} games"
        if row.mean is not None and least <= row.mean <= most:
            lines += f'<path class="rival" d="M{start} {height(row.mean):.1f}H{end}"/>'
            caption += f", document {row.mean:g}"
        panels.append(charts.panel(row.label, caption, label, lines, start, end))
    legend = charts.key([("own", "our running mean"), ("rival", "the document's final mean")])
    scale = (
        f'<p class="unit">Vertical axis: {least:.1f} to {most:.1f} shots. '
        f"Horizontal axis: {start} to {end:,} games.</p>"
    )
    return legend + charts.panels(panels) + scale


def _cost_panels(result: ExhibitResult) -> str:
    kind = result.exhibit.kind
    played = [(each.row, each.costs) for each in result.played if each.costs]
    top = max(max(costs.values) for _, costs in played) or 1.0
    panels = []
    for row, costs in played:
        points = "L".join(
            f"{x} {charts.HEIGHT * (1 - y / top):.1f}"
            for x, y in zip(costs.games, costs.values, strict=True)
        )
        caption = f"{_cost(kind, costs.values[-1])} for {costs.games[-1]:,} games"
        lines = f'<path class="own" d="M{points}"/>'
        label = f"{row.label}: {caption}"
        panels.append(
            charts.panel(row.label, caption, label, lines, costs.games[0], costs.games[-1])
        )
    scale = f'<p class="unit">Vertical axis: 0 to {_cost(kind, top)}. Horizontal axis: games.</p>'
    return charts.panels(panels) + scale


def _cost(kind: str, value: float) -> str:
    return duration(value) if kind == RUNTIME else f"{value:.1f} MB"


def _about(result: ExhibitResult) -> str:
    exhibit = result.exhibit
    if exhibit.kind == HUMAN:
        return "Cannot be played again by a command"
    if exhibit.kind == COUNT:
        return "Exact numbers"
    if exhibit.kind == MAPS:
        return f"{rules_line(result.rows[0].rules)}; placements over each cell, by the player"
    if exhibit.kind == HEAT:
        return f"{rules_line(result.rows[0].rules)}; exact probabilities after each shot"
    games = f"{exhibit.games:,} game{'s' if exhibit.games > 1 else ''} per row in the document"
    if exhibit.games_assumed:
        games = f"the document does not say how many games ({exhibit.games:,} per row assumed)"
    elif exhibit.games == 0:
        games = "the document has no figures"
    rules = {row_result.rules for row_result in result.rows}
    where = rules_line(result.rows[0].rules) if len(rules) == 1 else "Rules differ by row"
    return f"{where}; {games}; ours use seed {result.effort.seed}"


def _how_made(results: Sequence[ExhibitResult], command: str) -> str:
    effort = results[0].effort
    least = f" (but at least {effort.least:,})" if effort.least > 1 else ""
    notes = (
        (
            "Games",
            f"At most {effort.games:,} per row, fewer if a row would take longer than about "
            f"{effort.seconds:g} s per core{least}. Game i has the same layout for every player "
            "under the same rules.",
        ),
        (
            "Differences",
            "The standard error of a document's mean is estimated from its number of games and "
            f"our standard deviation. {summary_of(results)}",
        ),
        *((("Together", " ".join((JOINTLY, *joint))),) if (joint := joint_lines(results)) else ()),
    )
    return html_page.how_made(command, notes)


def _judged(result: ExhibitResult) -> list[tuple[RowResult, Verdict]]:
    """The rows that were played, each with its verdict."""
    every = zip(result.rows, verdicts(result), strict=True) if result.played else ()
    return [(row_result, verdict) for row_result, verdict in every if not row_result.missing]


def _some(labels: list[str], what: str = "rows") -> str:
    return "; ".join(labels) if len(labels) < 5 else f"{len(labels)} {what}"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent)
