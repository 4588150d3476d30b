"""A sentence on how each row compares with its document."""

from __future__ import annotations

import math

from .exhibits import ExhibitResult, RowResult, peak
from .source_results import DUEL, HUMAN, MEMORY, RUNTIME

FEW = 10
"""below so many games there is nothing to say about a difference"""
STRAIGHT = 0.98
"""share of the variation that a line explains if a thing is to be called linear"""


def verdicts(finding: ExhibitResult) -> list[str]:
    """One on each row that could be played, in order; an empty one where it could not."""
    exhibit = finding.exhibit
    if exhibit.kind == HUMAN:
        return []
    if exhibit.kind in (RUNTIME, MEMORY):
        return [_cost(row, finding) for row in finding.rows]
    if exhibit.kind == DUEL:
        return [_duel(row) for row in finding.rows]
    return [_shots(row, exhibit.games) for row in finding.rows]


def _shots(found: RowResult, their_games: int) -> str:
    if found.ours is None:
        return ""
    row, ours = found.row, found.ours
    parts = []
    if row.mean is not None:
        parts.append(difference(row.mean, their_games, ours.mean, ours.sd, found.games, row.why))
    if row.peak:
        low, high = peak(ours.shots)
        parts.append(f"Ours peaks at {low} to {high}, the document's chart at {row.peak}.")
        if row.why:
            parts.append(f"{_upper(row.why)}.")
    if row.share is not None and found.games >= FEW:
        parts.append(_share(found, *row.share, their_games))
    return " ".join(parts)


def difference(
    their_mean: float, their_games: int, mean: float, sd: float, games: int, why: str = ""
) -> str:
    """What two means say about each other, the spread taken to be ours in both."""
    apart = mean - their_mean
    if games < FEW or math.isnan(sd):
        return f"{_signed(apart)} shots, but so few games ({games}) say little."
    error = sd * math.sqrt(1 / games + 1 / their_games)
    if error == 0:
        return f"{_signed(apart)} shots."
    far = abs(apart) / error
    if far <= 1.96:
        return (
            f"Agrees: {_signed(apart)} shots is within the chance of {their_games:,} and "
            f"{games:,} games."
        )
    reason = why or "the document says too little about its player to tell why"
    return f"{_signed(apart)} shots, {far:.1f} standard errors from the document's: {reason}."


def _share(found: RowResult, low: int, high: int, theirs: float, their_games: int) -> str:
    ours, (least, most) = found.share(low, high)
    where = f"{low} shots" if low == high else f"{low} to {high} shots"
    error = math.sqrt(max(ours * (1 - ours), 1e-9) * (1 / found.games + 1 / their_games))
    if abs(ours - theirs) <= 1.96 * error:
        verdict = "agrees"
    else:
        verdict = f"differs, but {100 * found.share(0, high)[0]:.0f}% of ours are over by then"
    return (
        f"{100 * ours:.0f}% of our games take {where} ({100 * least:.0f} to {100 * most:.0f}%), "
        f"{100 * theirs:.0f}% of the document's: {verdict}."
    )


def _duel(found: RowResult) -> str:
    if found.ours is None or found.duels is None:
        return ""
    row, duels = found.row, found.duels
    low, high = duels.ci95
    parts = [
        f"Wins {duels.won} of {duels.games} ({100 * low:.0f} to {100 * high:.0f}%)"
        + (f", the document's {row.won[0]} of {row.won[1]}." if row.won else ".")
    ]
    if row.won and duels.games >= FEW:
        share = row.won[0] / row.won[1]
        spread = math.sqrt(max(share * (1 - share), 0.05) / row.won[1])
        if abs(duels.won / duels.games - share) <= 1.96 * spread + (high - low) / 2:
            parts.append("So few games of the document agree with that.")
        else:
            parts.append("That is more than so few games would differ by chance.")
    if row.mean is not None and row.won:
        parts.append(
            difference(row.mean, row.won[1], found.ours.mean, found.ours.sd, found.games, row.why)
        )
    if duels.winning_shots:
        parts.append(_winning(found))
    if row.claim:
        parts.append(f"The document: {row.claim}.")
        if row.why:
            parts.append(f"{_upper(row.why)}.")
    if row.seconds:
        times = row.seconds / max(found.ours.seconds_per_game, 1e-9)
        parts.append(f"A game takes us 1/{times:,.0f} of the document's time.")
    return " ".join(parts)


def _winning(found: RowResult) -> str:
    """P's second and third plot: moves to win, and the share of the board that they are."""
    assert found.duels is not None
    shots, cells = found.duels.winning_shots, found.rules.cells
    mean = sum(shots) / len(shots)
    told = f"Where it wins it takes {mean:.1f} shots, {100 * mean / cells:.0f}% of the board"
    if (theirs := found.row.winning_shots) is not None:
        told += f" (document: {theirs:.1f}, {100 * theirs / cells:.0f}%)"
    return told + "."


def _cost(found: RowResult, finding: ExhibitResult) -> str:
    if found.costs is None:
        return ""
    straight = found.costs.straightness
    line = (
        f"Linear in the games, as in the document (a line explains {100 * straight:.1f}%)"
        if straight >= STRAIGHT
        else f"Not linear here, unlike in the document (a line explains {100 * straight:.0f}%)"
    )
    every = [row.costs.values[-1] for row in finding.rows if row.costs]
    times = found.costs.values[-1] / max(min(every), 1e-9)
    least = "the least of all" if times == 1 else f"{times:.2f} times the least of all"
    return f"{line}; {least}."


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
