"""The page of a comparison or of the leaderboard: it ranks the players."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

import numpy as np

from ..dealing import UNIFORM
from ..experiment import Comparison, PairedDifference, PlayerResult
from ..experiment.comparison import finished_share, shot_counts
from ..experiment.placer_matrix import PlacerMatrix
from ..experiment.statistics import half_width
from ..players import PlayerInfo
from ..reproduce import DOCUMENTS
from . import charts, html_page
from .formatting import duration, layouts_line, megabytes, number, per_game, rules_line, signed
from .placer_matrix_table import matrix_section

COLUMNS = (
    html_page.Column("#", "rank"),
    html_page.Column("player", "name"),
    html_page.Column("mean"),
    html_page.Column("95% interval", "number wide"),
    html_page.Column("behind the best", "number whole"),
    html_page.Column("median"),
    html_page.Column("range"),
    html_page.Column("95% within"),
    html_page.Column("time per game"),
    html_page.Column("memory"),
)


def write_page(
    kind: str,
    comparison: Comparison,
    players: Mapping[str, PlayerInfo],
    path: Path,
    *,
    command: str,
    matrix: PlacerMatrix | None = None,
) -> None:
    """Write the page of a `leaderboard` or a `comparison`.

    `players` describes the players; `command` reproduces the page; the `matrix` gets a section.
    """
    path.write_text(ranking_page(kind, comparison, players, command, matrix), encoding="utf-8")


def ranking_page(
    kind: str,
    comparison: Comparison,
    players: Mapping[str, PlayerInfo],
    command: str,
    matrix: PlacerMatrix | None = None,
) -> str:
    """The page as HTML."""
    title, ranking = f"Battleship {kind}", comparison.ranking
    parts = [
        _header(title, comparison, ranking),
        html_page.section(
            "Shots per game",
            _ridges(comparison, ranking),
            "The distribution of shots per game, scaled to the same height for every player. "
            "Further left is better. The vertical line marks the mean, which is printed on the "
            "right with its 95% interval.",
        ),
        html_page.section(
            "Results",
            _table(comparison, ranking),
            "“Behind the best” is the mean difference from the best player, game by game on the "
            "same layouts, so that lucky layouts favour neither. If its 95% interval includes "
            "zero, the two are too close to call. “95% within” means that 95% of the games finish "
            "within this many shots.",
        ),
        html_page.section(
            "Games finished by each shot",
            _panels(comparison, ranking),
            "The share of games finished by each shot, from 0% at the bottom to 100% at the top.",
        ),
        *([matrix_section(matrix)] if matrix is not None else []),
        html_page.section("Players", _players(ranking, players)),
        _how_made(comparison, command),
    ]
    return html_page.page(title, "\n".join(parts))


def _header(title: str, comparison: Comparison, ranking: tuple[PlayerResult, ...]) -> str:
    best = ranking[0]
    count, games = len(ranking), comparison.games
    who = f"{count} players, each" if count > 1 else "One player"
    fleets = f"{games:,} hidden fleets" if games > 1 else "hidden fleet"
    same = "the same " if count > 1 else "" if games > 1 else "one "
    return html_page.header(
        title,
        f"<p>{who} against {same}{fleets}. The score is the number of shots needed to find every "
        "ship, so lower is better.</p>\n"
        f'<p class="soft">{escape(rules_line(comparison.rules))}</p>',
        [
            (best.name, f"is the best player, with {number(best.mean)} shots on average"),
            (f"{count}", "players" if count > 1 else "player"),
            (f"{games:,}", "games per player" if games > 1 else "game per player"),
            (duration(best.seconds_per_game), f"per game for {best.name}"),
        ],
    )


def _span(comparison: Comparison) -> tuple[int, int]:
    """The range of shots over all games, with a margin."""
    low = min(player.min for player in comparison.players)
    high = max(player.max for player in comparison.players)
    return max(0, low - 1), high + 1


def _ridges(comparison: Comparison, ranking: tuple[PlayerResult, ...]) -> str:
    low, high = _span(comparison)
    rows = []
    for player in ranking:
        counts = np.append(shot_counts(player.shots, comparison.rules.cells), 0)
        top = float(counts.max())
        label = (
            f"{player.name}: mean {number(player.mean)}, half of the games take "
            f"{_quantile(player, 0.25)} to {_quantile(player, 0.75)} shots"
        )
        shape = charts.silhouette(counts.tolist(), low, high, player.mean, top)
        half = number(half_width(player.ci95))
        rows.append(charts.ridge(player.name, label, shape, low, high, number(player.mean), half))
    return charts.ridges(rows, low, high, "shots to find the whole fleet")


def _table(comparison: Comparison, ranking: tuple[PlayerResult, ...]) -> str:
    rows = [
        (
            str(place),
            escape(player.name),
            f"<b>{number(player.mean)}</b>",
            f'<span class="nowrap">{number(player.ci95[0])} to {number(player.ci95[1])}</span>',
            _behind(PairedDifference.of(player, ranking[0])) if place > 1 else "best",
            number(player.median, 1).removesuffix(".0"),
            f'<span class="nowrap">{player.min} to {player.max}</span>',
            str(player.p95),
            f'<span class="nowrap">{per_game(player)}</span>',
            f'<span class="nowrap">{megabytes(player.peak_memory_mb)} MB</span>',
        )
        for place, player in enumerate(ranking, start=1)
    ]
    return html_page.table("Players by mean shots", COLUMNS, rows)


def _behind(pair: PairedDifference) -> str:
    low, high = pair.ci95
    doubt = "" if pair.clear else "<br><small>too close to call</small>"
    return (
        f'<span class="nowrap">{signed(pair.mean_difference)}</span> '
        f"<small>({signed(low)} to {signed(high)})</small>{doubt}"
    )


def _panels(comparison: Comparison, ranking: tuple[PlayerResult, ...]) -> str:
    low, high = _span(comparison)
    shapes, panels = [], []
    for place, player in enumerate(ranking):
        share = np.append(finished_share(player.shots, comparison.rules.cells), 1.0)
        shapes.append(charts.curve(f"c{place}", share, low, high))
        others = [charts.use(f"c{k}", "other") for k in range(1, len(ranking)) if k != place]
        best = [charts.use("c0", "rival")] if place else []
        lines = "".join([*others, *best, charts.use(f"c{place}", "own")])
        half = _quantile(player, 0.5)
        label = f"{player.name}: half of the games are finished by shot {half}, 95% by {player.p95}"
        caption = f"half by shot {half}, 95% by {player.p95}"
        panels.append(charts.panel(player.name, caption, label, lines, low, high))
    entries = [("own", "the player above the chart")]
    if len(ranking) > 1:
        entries.append(("rival", f"{ranking[0].name} (the best)"))
    if len(ranking) > 2:
        entries.append(("other", "all others"))
    return charts.definitions("".join(shapes)) + charts.key(entries) + charts.panels(panels)


def _players(ranking: tuple[PlayerResult, ...], players: Mapping[str, PlayerInfo]) -> str:
    """What each player does and where it comes from; below, the documents in full."""
    entries: list[str] = []
    letters: set[str] = set()
    for player in ranking:
        info = players.get(player.name.partition(":")[0])
        source = f"<small>{escape(info.source)}</small>" if info and info.source else ""
        summary = escape(info.summary) if info else ""
        entries.append(f"<div><dt>{escape(player.name)}{source}</dt><dd>{summary}</dd></div>")
        letters.update(_letters(info.source) if info else ())
    sources = [
        (f"{letter}: {document.title}", escape(document.details))
        for letter, document in DOCUMENTS.items()
        if letter in letters
    ]
    return f'<dl class="players">{"".join(entries)}</dl>' + (
        f"<h3>Sources</h3>{html_page.terms(sources)}" if sources else ""
    )


def _letters(source: str) -> set[str]:
    """The documents in a source such as `T E`; none for a source of another kind."""
    words = set(source.replace(",", " ").split())
    return words if words <= set(DOCUMENTS) else set()


def _how_made(comparison: Comparison, command: str) -> str:
    rules = comparison.rules
    ships = ", ".join(
        f"{name} {length}" for name, length in zip(rules.ship_names, rules.fleet, strict=True)
    )
    seed = f"the seed ({comparison.seed})"
    if comparison.layout_set is not None:
        seed = f"the set of layouts ({layouts_line(comparison.layout_set, comparison.seed)})"
    rule = comparison.precision
    notes = (
        *([("Number of games", rule.rule)] if rule else []),
        ("Rules", f"{rules_line(rules)}. Ships: {ships}."),
        (
            "Layouts",
            f"{_drawn(comparison.placer)} Game i has the same layout for every player; "
            f"it depends only on the rules, {seed} and i.",
        ),
        (
            "Intervals",
            "95%, Student's t for the mean; differences are paired game by game.",
        ),
        (
            "Time and memory",
            "Measured on the machine that played: the player's own time per game without "
            "compilation, and the peak resident memory of the process, including the interpreter. "
            "All other results are the same on any machine.",
        ),
    )
    return html_page.how_made(command, notes)


def _drawn(placer: str) -> str:
    if placer == UNIFORM:
        return "Drawn uniformly from all legal layouts."
    return f"Placed by {placer}."


def _quantile(player: PlayerResult, share: float) -> int:
    finished = finished_share(player.shots, int(player.max))
    return int(np.searchsorted(finished, share - 1e-12))
