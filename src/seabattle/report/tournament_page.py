"""A tournament as text and as a page: ratings, who beats whom, the first move."""

from __future__ import annotations

import textwrap
from html import escape
from pathlib import Path

from ..experiment.statistics import half_width
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
    html_page.Column("mean shots"),
)


def text_tables(result: Tournament) -> str:
    """The ratings, the cross table and the first move in plain text."""
    standings = result.standings
    wide = max(len("entrant"), *(len(each.name) for each in standings))
    lines = [
        rules_line(result.rules) + f", turns {result.rules.turns}",
        f"{_games_line(result)}, seed {result.seed}",
        "",
        f"{'entrant':<{wide}}   Elo  ±95%     won  drawn    lost   score  shots",
    ]
    for each in standings:
        score, half = each.score, half_width(each.ci95)
        lines.append(
            f"{each.name:<{wide}}  {each.elo:>4.0f}  {half:>4.0f}  {score.wins:>6,} "
            f"{score.draws:>6,}  {score.losses:>6,}  {percent(score.points / score.games):>6}  "
            f"{each.mean_shots:>5.1f}"
        )
    lines += ["", "Score of the row against the column:"]
    lines.append(" " * (wide + 4) + "".join(f"{k:>7}" for k in range(1, len(standings) + 1)))
    for k, row in enumerate(standings, start=1):
        cells = "".join(f"{_cell(result, row.name, column.name):>7}" for column in standings)
        lines.append(f"{k:>2}  {row.name:<{wide}}{cells}")
    told = [textwrap.fill(line, 80) for line in first_move_lines(result)]
    return "\n".join([*lines, "", *told])


def _games_line(result: Tournament) -> str:
    count = len(result.entrants)
    if result.played == result.games * count * (count - 1) // 2:
        return f"{result.games:,} games per pair"
    return f"{result.played:,} games, at most {result.games:,} per pair"


def first_move_lines(result: Tournament) -> list[str]:
    """How much moving first is worth, in words."""
    score, (share, (low, high)) = result.first_move, result.first_move_share
    return [
        f"The side moving first won {score.wins:,} of {score.wins + score.losses:,} decided games: "
        f"{percent(share)} ({percent(low)} to {percent(high)}).",
        *([f"{score.draws:,} games were draws."] if score.draws else []),
        _first_move_worth(result),
    ]


def _first_move_worth(result: Tournament) -> str:
    worth = result.first_move_elo
    if worth is None:
        return (
            "In every pair one side won all games, whoever moved first, so these games do not "
            "show what moving first is worth."
        )
    elo, (low, high) = worth
    points = f"{signed(elo, 0)} Elo points ({signed(low, 0)} to {signed(high, 0)})"
    if low <= 0 <= high:
        return f"These games do not show whether moving first helps: {points}."
    return f"Moving first is worth {points}."


def write_tournament(result: Tournament, path: Path, *, command: str) -> None:
    path.write_text(tournament_page(result, command), encoding="utf-8")


def tournament_page(result: Tournament, command: str) -> str:
    """The page as HTML."""
    standings = result.standings
    best = standings[0]
    parts = [
        html_page.header(
            "Battleship tournament",
            f"<p>{len(standings)} entrants; every pair played {result.games:,} games, and each "
            "side moved first in half of them.</p>\n"
            f'<p class="soft">{escape(rules_line(result.rules))}, turns {result.rules.turns}</p>',
            [
                (best.name, f"is the strongest, with an Elo rating of {best.elo:.0f}"),
                (f"{sum(each.score.games for each in standings) // 2:,}", "games"),
                (
                    percent(result.first_move_share[0]),
                    "of decided games are won by the side moving first",
                ),
                (f"{result.first_move.draws:,}", "draws"),
            ],
        ),
        html_page.section(
            "Strength",
            _ladder(standings),
            "Elo ratings with 95% intervals; the average is 1500. An entrant rated 100 points "
            "higher wins 64% of the games, one rated 400 points higher 91%.",
        ),
        html_page.section("Results", _table(standings)),
        html_page.section(
            "Who beats whom",
            _cross(result, standings),
            "The score of the row against the column: wins plus half of the draws, as a share of "
            "the games.",
        ),
        html_page.section(
            "The first move",
            "".join(f"<p>{escape(line)}</p>" for line in first_move_lines(result)),
        ),
        _how_made(result, command),
    ]
    return html_page.page("Battleship tournament", "\n".join(parts))


def _ladder(standings: tuple[Standing, ...]) -> str:
    low = int(min(each.ci95[0] for each in standings)) - 20
    high = int(max(each.ci95[1] for each in standings)) + 20
    rows = []
    for each in standings:
        start, end = each.ci95
        label = f"{each.name}: Elo rating {each.elo:.0f} ({start:.0f} to {end:.0f})"
        shape = (
            f'<path class="own" d="M{start:.1f} 50H{end:.1f}"/>'
            f'<path class="mean" d="M{each.elo:.1f} 20V80"/>'
        )
        half = f"{half_width(each.ci95):.0f}"
        rows.append(charts.ridge(each.name, label, shape, low, high, f"{each.elo:.0f}", half))
    return charts.ridges(rows, low, high, "Elo rating")


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


def _how_made(result: Tournament, command: str) -> str:
    notes = (
        (
            "Games",
            f"Each side's shots depend only on the rules, the seed ({result.seed}), the two names "
            "and the number of the game.",
        ),
        (
            "Elo",
            "The Bradley–Terry model with an advantage for the first move, fitted by maximum "
            "likelihood. A draw counts as half a win. Every pair gets one extra drawn game, which "
            "keeps all ratings finite.",
        ),
    )
    return html_page.how_made(command, notes)
