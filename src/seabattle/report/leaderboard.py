"""The leaderboard: a page that ranks the players of one comparison."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

import numpy as np

from .. import __version__
from ..experiment import Comparison, PairedDifference, PlayerResult
from ..experiment.comparison import finished_share, shot_counts
from ..players import SOURCES, PlayerInfo
from . import charts, html_page
from .formatting import duration, megabytes, number, per_game, reach, rules_line, signed

COLUMNS = (
    html_page.Column("#", "rank"),
    html_page.Column("player", "name"),
    html_page.Column("mean"),
    html_page.Column("95% interval", "number wide"),
    html_page.Column("behind the best", "number whole"),
    html_page.Column("median"),
    html_page.Column("min to max"),
    html_page.Column("95 of 100 by"),
    html_page.Column("time a game"),
    html_page.Column("memory"),
)


def write_leaderboard(
    comparison: Comparison, players: Mapping[str, PlayerInfo], path: Path, *, command: str
) -> None:
    """Write the page. `players` tells where each comes from, `command` makes it again."""
    path.write_text(leaderboard_page(comparison, players, command), encoding="utf-8")


def leaderboard_page(
    comparison: Comparison, players: Mapping[str, PlayerInfo], command: str
) -> str:
    """The page as HTML."""
    ranking = comparison.ranking
    parts = [
        _header(comparison, ranking),
        html_page.section(
            "Shots per game",
            _ridges(comparison, ranking),
            "How often each number of shots was needed, each hill to its own height. Further left "
            "is better; the upright line is the mean, the figure beside it has its 95% interval.",
        ),
        html_page.section(
            "The figures",
            _table(comparison, ranking),
            "“Behind the best” sets each player against the winner, fleet by fleet, so that luck "
            "with the fleets falls on both alike. An interval holds the true value 95 times in "
            "100; where it includes zero the two are too close to call.",
        ),
        html_page.section(
            "Games finished by shot",
            _panels(comparison, ranking),
            "The share of games that are over by each shot, from none at the bottom to all at "
            "the top.",
        ),
        html_page.section("The players", _players(ranking, players)),
        html_page.section("How this was made", _making(comparison, command)),
    ]
    return html_page.document("Battleship leaderboard", "\n".join(parts))


def _header(comparison: Comparison, ranking: tuple[PlayerResult, ...]) -> str:
    best = ranking[0]
    count, games = len(ranking), comparison.games
    many = f"{count} players each searched" if count > 1 else "One player searched"
    fleets = f"the same {games:,} hidden fleets" if games > 1 else "the same hidden fleet"
    return f"""<header>
<p class="kicker">seabattle</p>
<h1>Battleship leaderboard</h1>
<p>{many} {fleets}. A score is the number of shots until every ship is found, so fewer is
better.</p>
<p class="soft">{escape(rules_line(comparison.rules))}</p>
{
        html_page.facts(
            [
                (best.name, f"finds the fleet soonest: {number(best.mean)} shots on average"),
                (f"{count}", "players compared" if count > 1 else "player"),
                (f"{games:,}", "games each" if count > 1 else "games"),
                (duration(best.seconds_per_game), f"is what {best.name} takes for a game"),
            ]
        )
    }
</header>"""


def _span(comparison: Comparison) -> tuple[int, int]:
    """The shots that any game took, with a little room."""
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
        rows.append(
            f'<div class="ridge"><div class="who">{escape(player.name)}</div>'
            f'<div class="plot">{charts.drawing(low, high, label, shape)}</div>'
            f'<div class="score"><b>{number(player.mean)}</b> '
            f"<small>±{number(reach(player.ci95))}</small></div></div>"
        )
    axis = f'<div class="ridge-axis"><div></div>{charts.axis(low, high)}<div></div></div>'
    foot = (
        '<div class="ridge-axis"><div></div><p class="unit">shots to find the whole fleet</p></div>'
    )
    return f'<figure class="ridges">{"".join(rows)}{axis}{foot}</figure>'


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
        panels.append(
            f'<figure class="panel"><figcaption><b>{escape(player.name)}</b>'
            f"<small>half by shot {half}, 95% by {player.p95}</small></figcaption>"
            f"{charts.drawing(low, high, label, lines, most=4)}{charts.axis(low, high, most=4)}"
            "</figure>"
        )
    entries = [("own", "the player named above")]
    if len(ranking) > 1:
        entries.append(("rival", f"{ranking[0].name}, the best"))
    if len(ranking) > 2:
        entries.append(("other", "all others"))
    return (
        charts.definitions("".join(shapes))
        + charts.key(entries)
        + f'<div class="panels">{"".join(panels)}</div>'
    )


def _players(ranking: tuple[PlayerResult, ...], players: Mapping[str, PlayerInfo]) -> str:
    entries = []
    for player in ranking:
        info = players.get(player.name.partition(":")[0])
        source = f"<small>{escape(_source(info.source))}</small>" if info and info.source else ""
        summary = escape(info.summary) if info else ""
        entries.append(f"<div><dt>{escape(player.name)}{source}</dt><dd>{summary}</dd></div>")
    return f'<dl class="players">{"".join(entries)}</dl>'


def _source(source: str) -> str:
    """The documents that handles such as `T E` stand for; other sources as they are."""
    handles = source.replace(",", " ").split()
    if not all(handle in SOURCES for handle in handles):
        return source
    return ", ".join(f"{SOURCES[handle]} ({handle})" for handle in handles)


def _making(comparison: Comparison, command: str) -> str:
    rules = comparison.rules
    ships = ", ".join(
        f"{name} {length}" for name, length in zip(rules.ship_names, rules.fleet, strict=True)
    )
    terms = (
        ("Rules", f"{rules_line(rules)}. Ships: {ships}."),
        (
            "Layouts",
            "Drawn uniformly from all legal ones. Game number i has the same layout for every "
            f"player, decided by the rules, the seed ({comparison.seed}) and i alone.",
        ),
        (
            "Intervals",
            "Student's t on the mean, 95%; differences are paired game by game.",
        ),
        (
            "Time and memory",
            "Measured on the machine that played: the player's own time a game without compiling, "
            "and the largest resident size of the process, interpreter included. Everything else "
            "comes out the same on any machine.",
        ),
        ("Version", f"seabattle {__version__}"),
    )
    listed = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in terms)
    return f'{html_page.command(command)}<dl class="terms">{listed}</dl>'


def _quantile(player: PlayerResult, share: float) -> int:
    return int(np.quantile(np.array(player.shots), share, method="inverted_cdf"))
