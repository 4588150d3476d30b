"""How each row of an exhibit compares with its document, in words."""

from __future__ import annotations

import math

from .exhibits import ExhibitResult, RowResult, peak
from .source_results import DUEL, HUMAN, MEMORY, RUNTIME

FEW = 10
"""with fewer games, a difference is not judged"""
LINEAR = 0.98
"""the least R² of a line that is called linear"""


def verdicts(result: ExhibitResult) -> list[str]:
    """A verdict on each row, in order; empty for a row that could not be played."""
    exhibit = result.exhibit
    if exhibit.kind == HUMAN:
        return []
    if exhibit.kind in (RUNTIME, MEMORY):
        return [_cost(row_result, result) for row_result in result.rows]
    if exhibit.kind == DUEL:
        return [_duel(row_result) for row_result in result.rows]
    return [_shots(row_result, exhibit.games) for row_result in result.rows]


def _shots(row_result: RowResult, their_games: int) -> str:
    if row_result.ours is None:
        return ""
    row, ours, games = row_result.row, row_result.ours, row_result.games
    parts = []
    if row.mean is not None:
        parts.append(difference(row.mean, their_games, ours.mean, ours.sd, games, row.why))
    if row.peak:
        low, high = peak(ours.shots)
        parts.append(f"Our games peak at {low} to {high} shots, the document's at {row.peak}.")
        if row.why:
            parts.append(f"{_upper(row.why)}.")
    if row.share is not None and games >= FEW:
        parts.append(_share(row_result, *row.share, their_games))
    return " ".join(parts)


def difference(
    their_mean: float, their_games: int, mean: float, sd: float, games: int, why: str = ""
) -> str:
    """Compare two means, assuming that both have our standard deviation."""
    apart = mean - their_mean
    if games < FEW or math.isnan(sd):
        few = "1 game is" if games == 1 else f"{games} games are"
        return f"{_signed(apart)} shots, but {few} too few to judge."
    error = sd * math.sqrt(1 / games + 1 / their_games)
    if error == 0:
        return f"{_signed(apart)} shots."
    far = abs(apart) / error
    if far <= 1.96:
        return f"Agrees: {_signed(apart)} shots is within sampling error."
    reason = why or "the document does not describe its player in enough detail to say why"
    return f"Differs by {_signed(apart)} shots ({far:.1f} standard errors): {reason}."


def _share(row_result: RowResult, low: int, high: int, theirs: float, their_games: int) -> str:
    ours, (least, most) = row_result.share(low, high)
    where = f"{low} shots" if low == high else f"{low} to {high} shots"
    text = f"{100 * ours:.0f}% of our games take {where} ({100 * least:.0f} to {100 * most:.0f}%)"
    error = math.sqrt(max(ours * (1 - ours), 1e-9) * (1 / row_result.games + 1 / their_games))
    if abs(ours - theirs) <= 1.96 * error:
        return f"{text}, which agrees with the document's {100 * theirs:.0f}%."
    by_then = 100 * row_result.share(0, high)[0]
    return (
        f"{text}, but {100 * theirs:.0f}% of the document's; {by_then:.0f}% of ours take {high} "
        "or fewer."
    )


def _duel(row_result: RowResult) -> str:
    if row_result.ours is None or row_result.duels is None:
        return ""
    row, ours = row_result.row, row_result.ours
    parts = [_wins(row_result)]
    if row.mean is not None and row.won:
        games = row_result.games
        parts.append(difference(row.mean, row.won[1], ours.mean, ours.sd, games, row.why))
    if row_result.duels.winning_shots:
        parts.append(_winning_shots(row_result))
    if row.claim:
        parts.append(f"In the document, {row.claim}.")
        if row.why:
            parts.append(f"{_upper(row.why)}.")
    if row.seconds:
        parts.append(_speed(row.seconds / max(ours.seconds_per_game, 1e-9)))
    return " ".join(parts)


def _wins(row_result: RowResult) -> str:
    """`Wins 40 of 50 (67 to 89%), the document's 4 of 5: within sampling error.`"""
    duels, won = row_result.duels, row_result.row.won
    assert duels is not None
    low, high = duels.ci95
    text = f"Wins {duels.won} of {duels.games} ({100 * low:.0f} to {100 * high:.0f}%)"
    if won is None:
        return f"{text}."
    text += f", the document's {won[0]} of {won[1]}"
    if duels.games < FEW:
        return f"{text}."
    share = won[0] / won[1]
    spread = math.sqrt(max(share * (1 - share), 0.05) / won[1])
    agrees = abs(duels.won / duels.games - share) <= 1.96 * spread + (high - low) / 2
    return f"{text}: {'within' if agrees else 'beyond'} sampling error."


def _winning_shots(row_result: RowResult) -> str:
    """P's second and third plot: moves to win, and the share of the board that they are."""
    assert row_result.duels is not None
    shots, cells = row_result.duels.winning_shots, row_result.rules.cells
    mean = sum(shots) / len(shots)
    text = f"Games won take {mean:.1f} shots, {100 * mean / cells:.0f}% of the board"
    if (theirs := row_result.row.winning_shots) is not None:
        text += f" (document: {theirs:.1f}, {100 * theirs / cells:.0f}%)"
    return text + "."


def _speed(times: float) -> str:
    """`172 times as fast as the document.`"""
    if times >= 1.5:
        return f"{times:,.0f} times as fast as the document."
    if times <= 1 / 1.5:
        return f"{1 / times:,.0f} times as slow as the document."
    return "About as fast as the document."


def _cost(row_result: RowResult, result: ExhibitResult) -> str:
    if row_result.costs is None:
        return ""
    r_squared = row_result.costs.r_squared
    line = (
        f"Linear in the number of games, as in the document (R² {r_squared:.3f})"
        if r_squared >= LINEAR
        else f"Not linear in the number of games, unlike in the document (R² {r_squared:.2f})"
    )
    every = [row.costs.values[-1] for row in result.rows if row.costs]
    times = row_result.costs.values[-1] / max(min(every), 1e-9)
    lowest = "the lowest" if times < 1.005 else f"{times:.2f} times the lowest"
    return f"{line}; {lowest}."


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
