"""A tournament as text and as a page: ladder, cross table, the first move."""

from __future__ import annotations

from html import escape
from pathlib import Path

from .. import __version__
from ..experiment.tournament import Standing, Tournament
from . import charts, html_page
from .formatting import number, percent, rules_line, signed

COLUMNS = (
    html_page.Column("#", "rank"),
    html_page.Column("entrant", "name"),
    html_page.Column("Elo"),
    html_page.Column("95% interval", "number wide"),
    html_page.Column("won"),
    html_page.Column("drawn"),
    html_page.Column("lost"),
    html_page.Column("score"),
    html_page.Column("shots for a fleet"),
)


def text_tables(result: Tournament) -> str:
    """The ladder, the cross table and the first move in plain text."""
    standings = result.standings
    wide = max(len("entrant"), *(len(each.name) for each in standings))
    lines = [
        rules_line(result.rules) + f", turns {result.rules.turns}",
        f"{result.games:,} games of each pair, seed {result.seed}",
        "",
        f"{'entrant':<{wide}}   Elo  ±95%     won  drawn    lost   score  shots",
    ]
    for each in standings:
        score = each.score
        lines.append(
            f"{each.name:<{wide}}  {each.elo:>4.0f}  {_reach(each):>4.0f}  {score.wins:>6,} "
            f"{score.draws:>6,}  {score.losses:>6,}  {percent(score.points / score.games):>6}  "
            f"{each.mean_shots:>5.1f}"
        )
    lines += ["", "Score of the row against the column:"]
    lines.append(" " * (wide + 4) + "".join(f"{k:>7}" for k in range(1, len(standings) + 1)))
    for k, row in enumerate(standings, start=1):
        cells = "".join(f"{_cell(result, row.name, column.name):>7}" for column in standings)
        lines.append(f"{k:>2}  {row.name:<{wide}}{cells}")
    return "\n".join([*lines, "", *first_move_lines(result)])


def first_move_lines(result: Tournament) -> list[str]:
    """What moving first is worth, in words."""
    score, (share, (low, high)) = result.first_move, result.first_move_share
    low_elo, high_elo = result.ratings.first_move_ci95
    drawn = f" {score.draws:,} were drawn." if score.draws else ""
    return [
        f"The first to move won {score.wins:,} of {score.wins + score.losses:,} decided games, "
        f"{percent(share)} ({percent(low)} to {percent(high)}).{drawn}",
        f"Moving first is worth {signed(result.ratings.first_move, 0)} Elo points "
        f"({signed(low_elo, 0)} to {signed(high_elo, 0)}).",
    ]


def write_tournament(result: Tournament, path: Path, *, command: str) -> None:
    path.write_text(tournament_page(result, command), encoding="utf-8")


def tournament_page(result: Tournament, command: str) -> str:
    """The page as HTML."""
    standings = result.standings
    best = standings[0]
    header = f"""<header>
<p class="kicker">seabattle</p>
<h1>Battleship tournament</h1>
<p>{len(standings)} entrants played each other, {result.games:,} games of every pair, each moving
first in half of them.</p>
<p class="soft">{escape(rules_line(result.rules))}, turns {result.rules.turns}</p>
{
        html_page.facts(
            [
                (best.name, f"is the strongest, with {best.elo:.0f} Elo points"),
                (f"{sum(each.score.games for each in standings) // 2:,}", "games"),
                (percent(result.first_move_share[0]), "of decided games go to the first to move"),
                (f"{result.first_move.draws:,}", "draws"),
            ]
        )
    }
</header>"""
    parts = [
        header,
        html_page.section(
            "Strength",
            _ladder(standings),
            "Elo points with their 95% intervals, around a mean of 1500. A lead of 100 points "
            "wins 64 games of 100, one of 400 points 91.",
        ),
        html_page.section("The figures", _table(standings)),
        html_page.section(
            "Who beats whom",
            _cross(result, standings),
            "The share of points that the row takes from the column: a win is one, a draw a half.",
        ),
        html_page.section(
            "The first move",
            "".join(f"<p>{escape(line)}</p>" for line in first_move_lines(result)),
        ),
        html_page.section("How this was made", _making(result, command)),
    ]
    return html_page.document("Battleship tournament", "\n".join(parts))


def _ladder(standings: tuple[Standing, ...]) -> str:
    low = int(min(each.ci95[0] for each in standings)) - 20
    high = int(max(each.ci95[1] for each in standings)) + 20
    rows = []
    for each in standings:
        start, end = each.ci95
        label = f"{each.name}: {each.elo:.0f} Elo points, {start:.0f} to {end:.0f}"
        shape = (
            f'<path class="own" d="M{start:.1f} 50H{end:.1f}"/>'
            f'<path class="mean" d="M{each.elo:.1f} 20V80"/>'
        )
        rows.append(
            f'<div class="ridge"><div class="who">{escape(each.name)}</div>'
            f'<div class="plot">{charts.drawing(low, high, label, shape)}</div>'
            f'<div class="score"><b>{each.elo:.0f}</b> <small>±{_reach(each):.0f}</small></div>'
            "</div>"
        )
    axis = f'<div class="ridge-axis"><div></div>{charts.axis(low, high)}<div></div></div>'
    foot = '<div class="ridge-axis"><div></div><p class="unit">Elo points</p></div>'
    return f'<figure class="ridges">{"".join(rows)}{axis}{foot}</figure>'


def _table(standings: tuple[Standing, ...]) -> str:
    rows = [
        (
            str(place),
            escape(each.name),
            f"<b>{each.elo:.0f}</b>",
            f'<span class="nowrap">{each.ci95[0]:.0f} to {each.ci95[1]:.0f}</span>',
            f"{each.score.wins:,}",
            f"{each.score.draws:,}",
            f"{each.score.losses:,}",
            percent(each.score.points / each.score.games),
            number(each.mean_shots, 1),
        )
        for place, each in enumerate(standings, start=1)
    ]
    return html_page.table("Entrants by Elo", COLUMNS, rows)


def _cross(result: Tournament, standings: tuple[Standing, ...]) -> str:
    columns = [html_page.Column("", "name")] + [html_page.Column(each.name) for each in standings]
    rows = [
        [
            escape(row.name),
            *(escape(_cell(result, row.name, column.name)) for column in standings),
        ]
        for row in standings
    ]
    return f'<div class="scroll">{html_page.table("Who beats whom", columns, rows)}</div>'


def _cell(result: Tournament, a: str, b: str) -> str:
    score = result.score(a, b)
    return percent(score.points / score.games) if score.games else "·"


def _reach(standing: Standing) -> float:
    return (standing.ci95[1] - standing.ci95[0]) / 2


def _making(result: Tournament, command: str) -> str:
    terms = (
        (
            "Games",
            "Each side's shots are a function of the rules, the seed "
            f"({result.seed}), the two names and the game's number alone.",
        ),
        (
            "Elo",
            "Bradley and Terry's model with an advantage for the first move, fitted by maximum "
            "likelihood; a draw is half a win; every pair is given one drawn game beyond those "
            "it played.",
        ),
        ("Version", f"seabattle {__version__}"),
    )
    listed = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in terms)
    return f'{html_page.command(command)}<dl class="terms">{listed}</dl>'
