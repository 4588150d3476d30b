"""The source documents beside our games: as text, as Markdown, and as one page."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from html import escape
from pathlib import Path

import numpy as np

from .. import __version__
from ..experiment.comparison import Comparison, PlayerResult, shot_counts
from ..players import SOURCES
from ..reproduce.exhibits import ExhibitResult, RowResult
from ..reproduce.source_results import DUEL, HUMAN, MEMORY, RUNNING, RUNTIME
from ..reproduce.verdicts import verdicts
from . import charts, html_page
from .formatting import duration, number, percent, reach, rules_line

WIDTH = 80
Cells = tuple[str, ...]


def headers(finding: ExhibitResult) -> Cells:
    """The titles of an exhibit's columns."""
    kind = finding.exhibit.kind
    if kind in (RUNTIME, MEMORY):
        unit = "" if kind == RUNTIME else " MB"
        counts = next((row.costs.games for row in finding.rows if row.costs), ())
        return ("player", *(f"{games:,}{unit}" for games in counts))
    if kind == DUEL:
        return ("row", "doc. won", "won", "doc. shots", "shots", "doc. time", "time", "games")
    return ("row", "document", "ours", "range", "games", "a game")


def cells(finding: ExhibitResult, found: RowResult) -> Cells:
    """One row of an exhibit: theirs and ours side by side."""
    kind, row, ours = finding.exhibit.kind, found.row, found.ours
    if found.missing:
        return (row.label, *["–"] * (len(headers(finding)) - 1))
    if kind in (RUNTIME, MEMORY):
        assert found.costs is not None
        shown = [
            duration(value) if kind == RUNTIME else number(value, 1) for value in found.costs.values
        ]
        return (row.label, *shown)
    assert ours is not None
    mean = f"{number(ours.mean)} ±{number(reach(ours.ci95))}"
    if kind == DUEL:
        assert found.duels is not None
        return (
            row.label,
            f"{row.won[0]}/{row.won[1]}" if row.won else "killed" if row.claim == "killed" else "–",
            f"{percent(found.duels.won / found.duels.games)}",
            number(row.mean, 1) if row.mean is not None else "–",
            mean,
            duration(row.seconds) if row.seconds else "–",
            duration(ours.seconds_per_game),
            f"{found.games:,}",
        )
    span = f"{ours.min}–{ours.max}"
    if row.range:
        span += f" (doc. {row.range[0]}–{row.range[1]})"
    time = duration(ours.seconds_per_game)
    if row.seconds:
        time += f" (doc. {duration(row.seconds)})"
    theirs = f"{row.mean:g}" if row.mean is not None else f"peak {row.peak}" if row.peak else "–"
    return (row.label, theirs, mean, span, f"{found.games:,}", time)


def text_of(finding: ExhibitResult) -> str:
    """An exhibit for a terminal."""
    lines = _wrapped(f"{finding.exhibit.name}  {finding.exhibit.title}", "  ")
    lines += _wrapped(_about(finding), "  ")
    played = [found for found in finding.rows if not found.missing]
    if played:
        table = [headers(finding), *(cells(finding, found) for found in played)]
        widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
        lines.append("")
        for row in table:
            rest = "  ".join(
                cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)
            )
            if widths[0] + 2 + len(rest) <= WIDTH:
                lines.append(f"{row[0]:<{widths[0]}}  {rest}")
            else:
                lines += [row[0], f"  {rest}"]
        lines.append("")
        for found, sentence in zip(finding.rows, verdicts(finding), strict=True):
            if sentence:
                lines += _wrapped(f"{found.row.label}: {sentence}", "  ")
    reasons: dict[str, list[str]] = {}
    for found in finding.rows:
        if found.missing:
            reasons.setdefault(found.missing, []).append(found.row.label)
    for reason, labels in reasons.items():
        who = "; ".join(labels) if len(labels) < 5 else f"{len(labels)} rows"
        lines += _wrapped(f"{who}: {reason}", "  ")
    if finding.exhibit.note:
        lines += ["", *_wrapped(finding.exhibit.note, "")]
    return "\n".join(lines)


def markdown_of(
    findings: Sequence[ExhibitResult], command: str, figures: Collection[str] = ()
) -> str:
    """All exhibits as a Markdown document; `figures` names those that have a plot beside it."""
    lines = [
        "# The documents, played again",
        "The tables and figures of the five source documents that are about play, played again "
        "under each document's rules. Means are shots to find the whole fleet, with 95% "
        "intervals; all players of a rule set met the same layouts. Differences are judged by "
        "the number of games on both sides. [players.md](players.md) says more about where the "
        "documents leave a choice, and [strength.md](strength.md) has what is not in any "
        "document. Times are by the clock, and other work on the machine adds to them. Made by",
        "",
        "<!-- not run: takes long -->",
        "```console",
        f"$ {command}",
        "```",
        "",
        f"with seabattle {__version__}. The same command with `--out DIR` also writes these as one "
        "page with plots.",
    ]
    for document, name in SOURCES.items():
        lines += ["", f"## {document}: {name}"]
        for finding in findings:
            if finding.exhibit.document != document:
                continue
            lines += ["", f"### {finding.exhibit.name}: {finding.exhibit.title}", ""]
            lines.append(_about(finding) + ".")
            played = [found for found in finding.rows if not found.missing]
            if played:
                head = (*headers(finding), "")
                marks = ["---", *["---:"] * (len(head) - 2), "---"]
                lines += ["", _pipes(head), _pipes(marks)]
                said = verdicts(finding)
                for found, sentence in zip(finding.rows, said, strict=True):
                    if not found.missing:
                        lines.append(_pipes((*cells(finding, found), sentence)))
            if finding.exhibit.name in figures:
                name = finding.exhibit.name
                lines += ["", f"![{name}: {finding.exhibit.title}](figures/{name}.svg)"]
            missing = [found.row.label for found in finding.rows if found.missing]
            if missing:
                lines += ["", f"Not available in this version: {'; '.join(missing)}."]
            if finding.exhibit.note:
                lines += ["", finding.exhibit.note]
    return "\n".join(lines) + "\n"


def write_figures(findings: Sequence[ExhibitResult], folder: Path) -> set[str]:
    """A plot of each exhibit as SVG; the names of those that have one."""
    import matplotlib

    from . import plots

    folder.mkdir(exist_ok=True)
    written = set()
    with matplotlib.rc_context(plots.SETTINGS):  # type: ignore[arg-type]
        for finding in findings:
            exhibit = finding.exhibit
            played = [found for found in finding.rows if not found.missing]
            if not played:
                continue
            if exhibit.kind in (RUNTIME, MEMORY):
                unit = "seconds" if exhibit.kind == RUNTIME else "MB"
                lines = {each.row.label: each.costs for each in played if each.costs}
                figure = plots.costs(
                    {name: (line.games, line.values) for name, line in lines.items()},
                    f"{exhibit.name}: {exhibit.title}",
                    unit,
                )
            elif len({each.rules for each in played}) == 1 and exhibit.kind != DUEL:
                comparison = _as_comparison(finding, played)
                draw = plots.running_mean if exhibit.kind == RUNNING else plots.histogram
                figure = draw(comparison)
            else:
                continue
            figure.savefig(
                folder / f"{exhibit.name}.svg", metadata={"Date": None}, bbox_inches="tight"
            )
            written.add(exhibit.name)
    return written


def _as_comparison(finding: ExhibitResult, played: list[RowResult]) -> Comparison:
    """The games that all rows have, under the document's names."""
    games = min(found.games for found in played)
    players = tuple(
        PlayerResult(found.row.label, found.ours.shots[:games], found.ours.seconds_per_game, None)
        for found in played
        if found.ours
    )
    return Comparison(played[0].rules, games, finding.effort.seed, players)


def write_page(findings: Sequence[ExhibitResult], path: Path, *, command: str) -> None:
    path.write_text(page_of(findings, command), encoding="utf-8")


def page_of(findings: Sequence[ExhibitResult], command: str) -> str:
    """All exhibits as one HTML file."""
    rows = [found for finding in findings for found in finding.rows]
    played = sum(not found.missing for found in rows)
    parts = [
        f"""<header>
<p class="kicker">seabattle</p>
<h1>Five documents, played again</h1>
<p>Every table and figure of the source documents that is about play, under each document's own
rules: their figures beside ours, and a sentence on each difference.</p>
{
            html_page.facts(
                [
                    (f"{len(findings)}", "tables and figures"),
                    (f"{played}", f"of {len(rows)} rows can be played in this version"),
                    (f"{sum(found.games for found in rows):,}", "games behind these rows"),
                ]
            )
        }
</header>""",
        _contents(findings),
    ]
    parts += [_section(finding) for finding in findings]
    parts.append(html_page.section("How this was made", _making(findings, command)))
    return html_page.document("Five Battleship documents, played again", "\n".join(parts))


def _contents(findings: Sequence[ExhibitResult]) -> str:
    lists = []
    for document, name in SOURCES.items():
        links = " · ".join(
            f'<a href="#{escape(each.exhibit.name)}">{escape(each.exhibit.name[2:])}</a>'
            for each in findings
            if each.exhibit.document == document
        )
        if links:
            lists.append(f"<dt>{document}: {name}</dt><dd>{links}</dd>")
    return f'<nav aria-label="Contents"><dl class="terms">{"".join(lists)}</dl></nav>'


def _section(finding: ExhibitResult) -> str:
    exhibit = finding.exhibit
    played = [found for found in finding.rows if not found.missing]
    parts = []
    if played:
        columns = [
            html_page.Column(title, "name" if k == 0 else "number")
            for k, title in enumerate(headers(finding))
        ]
        table = [[escape(cell) for cell in cells(finding, found)] for found in played]
        parts += [html_page.table(exhibit.title, columns, table), _plot(finding, played)]
        said = "".join(
            f"<li><b>{escape(found.row.label)}.</b> {escape(sentence)}</li>"
            for found, sentence in zip(finding.rows, verdicts(finding), strict=True)
            if sentence
        )
        if said:
            parts.append(f'<ul class="said">{said}</ul>')
    missing = [found.row.label for found in finding.rows if found.missing]
    if missing:
        shown = "; ".join(missing) if len(missing) < 5 else f"{len(missing)} rows"
        who = {found.row.player.partition(":")[0] for found in finding.rows if found.missing}
        parts.append(
            f'<p class="soft">Not available in this version: {escape(shown)} '
            f"(needs {escape(', '.join(sorted(who)))}).</p>"
        )
    if exhibit.note:
        parts.append(f'<p class="soft">{escape(exhibit.note)}</p>')
    body = html_page.section(
        f"{exhibit.name}: {exhibit.title}", "\n".join(parts), escape(_about(finding)) + "."
    )
    return body.replace("<section>", f'<section id="{escape(exhibit.name)}">', 1)


def _plot(finding: ExhibitResult, played: list[RowResult]) -> str:
    if finding.exhibit.kind in (RUNTIME, MEMORY):
        return _cost_panels(finding, played)
    if finding.exhibit.kind == RUNNING:
        return _running_panels(played)
    groups: dict[int, list[RowResult]] = {}
    for found in played:
        groups.setdefault(found.rules.cells, []).append(found)
    return "".join(_ridges(group) for group in groups.values())


def _ridges(played: list[RowResult]) -> str:
    """Histograms of our games, with a dashed line at the document's mean."""
    low = max(0, min(found.ours.min for found in played if found.ours) - 1)
    high = max(found.ours.max for found in played if found.ours) + 1
    rows, dashed = [], False
    for found in played:
        ours = found.ours
        assert ours is not None
        counts = np.append(shot_counts(ours.shots, found.rules.cells), 0)
        shape = charts.silhouette(counts.tolist(), low, high, ours.mean, float(counts.max()))
        label = f"{found.row.label}: our mean {number(ours.mean)}"
        if found.row.mean is not None:
            label += f", the document's {found.row.mean:g}"
            dashed = True
            shape += f'<path class="rival" d="M{found.row.mean:.2f} 0V{charts.HEIGHT}"/>'
        rows.append(
            f'<div class="ridge"><div class="who">{escape(found.row.label)}</div>'
            f'<div class="plot">{charts.drawing(low, high, label, shape)}</div>'
            f'<div class="score"><b>{number(ours.mean)}</b> '
            f"<small>±{number(reach(ours.ci95))}</small></div></div>"
        )
    axis = f'<div class="ridge-axis"><div></div>{charts.axis(low, high)}<div></div></div>'
    foot = '<div class="ridge-axis"><div></div><p class="unit">shots a game</p></div>'
    entries = [("mean", "our mean")] + [("rival", "the document's mean")] * dashed
    return f'{charts.key(entries)}<figure class="ridges">{"".join(rows)}{axis}{foot}</figure>'


def _running_panels(played: list[RowResult]) -> str:
    """The mean after every twenty games, as T drew it."""
    curves = []
    for found in played:
        assert found.ours is not None
        shots = np.array(found.ours.shots, dtype=np.float64)
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
    for found, (at, values) in zip(played, curves, strict=True):
        points = "L".join(
            f"{x} {height(y):.1f}" for x, y in zip(at.tolist(), values.tolist(), strict=True)
        )
        lines = f'<path class="own" d="M{points}"/>'
        label = f"{found.row.label}: mean after {at[-1]} games {values[-1]:.2f}"
        said = f"{values[-1]:.2f} after {at[-1]:,} games"
        if found.row.mean is not None and least <= found.row.mean <= most:
            lines += f'<path class="rival" d="M{start} {height(found.row.mean):.1f}H{end}"/>'
            said += f", document {found.row.mean:g}"
        panels.append(_panel(found.row.label, said, label, lines, start, end))
    keys = charts.key([("own", "our mean so far"), ("rival", "where the document's settles")])
    scale = (
        f'<p class="unit">Each panel spans {least:.1f} to {most:.1f} shots upwards and '
        f"{start} to {end:,} games across.</p>"
    )
    return f'{keys}<div class="panels">{"".join(panels)}</div>{scale}'


def _cost_panels(finding: ExhibitResult, played: list[RowResult]) -> str:
    panels = []
    top = max(max(found.costs.values) for found in played if found.costs) or 1.0
    for found in played:
        costs = found.costs
        assert costs is not None
        points = "L".join(
            f"{x} {charts.HEIGHT * (1 - y / top):.1f}"
            for x, y in zip(costs.games, costs.values, strict=True)
        )
        shown = (
            duration(costs.values[-1])
            if finding.exhibit.kind == RUNTIME
            else f"{costs.values[-1]:.1f} MB"
        )
        label = f"{found.row.label}: {shown} for {costs.games[-1]:,} games"
        lines = f'<path class="own" d="M{points}"/>'
        said = f"{shown} for {costs.games[-1]:,} games"
        panels.append(_panel(found.row.label, said, label, lines, costs.games[0], costs.games[-1]))
    unit = duration(top) if finding.exhibit.kind == RUNTIME else f"{top:.1f} MB"
    scale = f'<p class="unit">Each panel spans 0 to {escape(unit)} upwards.</p>'
    return f'<div class="panels">{"".join(panels)}</div>{scale}'


def _panel(name: str, said: str, label: str, lines: str, start: int, end: int) -> str:
    return (
        f'<figure class="panel"><figcaption><b>{escape(name)}</b><small>{escape(said)}</small>'
        f"</figcaption>{charts.drawing(start, end, label, lines, most=4)}"
        f"{charts.axis(start, end, most=4)}</figure>"
    )


def _about(finding: ExhibitResult) -> str:
    exhibit = finding.exhibit
    if exhibit.kind == HUMAN:
        return "Cannot be played again by a command"
    games = f"{exhibit.games:,} game{'s' if exhibit.games > 1 else ''} a row in the document"
    rules = {found.rules for found in finding.rows}
    where = rules_line(finding.rows[0].rules) if len(rules) == 1 else "rules as the rows say"
    return f"{where}; {games}; ours with seed {finding.effort.seed}"


def _making(findings: Sequence[ExhibitResult], command: str) -> str:
    effort = findings[0].effort
    kept = f" (but never fewer than {effort.least:,})" if effort.least > 1 else ""
    terms = (
        (
            "Games",
            f"Up to {effort.games:,} of each row, fewer where a row would take longer than about "
            f"{effort.seconds:g} s a core{kept}. Game number i has the same layout for every "
            "player of the same rules.",
        ),
        (
            "Differences",
            "A document's mean is judged by the standard error that its number of games has with "
            "the spread of ours. Within 1.96 standard errors, it agrees.",
        ),
        ("Version", f"seabattle {__version__}"),
    )
    listed = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in terms)
    return f'{html_page.command(command)}<dl class="terms">{listed}</dl>'


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent)


def _pipes(row: Sequence[str]) -> str:
    return "| " + " | ".join(row) + " |"
