"""How each row of an exhibit compares with its document, in words.

Each row that states a number gets one of four verdicts: it agrees, it differs for a reason
that a trial shows, it differs and nobody knows why, or it cannot be played again. A row
with fewer games than the document has is left undecided.

Many rows are compared, so some lie beyond 1.96 standard errors by chance alone. Only beyond
`STRICT` standard errors is a row said to differ: at that line, one of all comparisons fails
by chance in one reproduction out of twenty (Bonferroni).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from .exhibits import ExhibitResult, RowResult, peak
from .source_results import COUNT, DUEL, EXHIBITS, HEAT, HUMAN, MEMORY, RUNTIME, Row

FEW = 10
"""with fewer games, a difference is not judged"""
LINEAR = 0.98
"""the least R² of a line that is called linear"""
USUAL = 1.96

AGREES, DIFFERS, UNEXPLAINED, IMPOSSIBLE, UNDECIDED = (
    "agrees",
    "differs because",
    "differs, unexplained",
    "cannot be played again",
    "undecided",
)

COMPARISONS = len(
    {
        (row.player, row.rules or each.rules, row.mean)
        for each in EXHIBITS.values()
        for row in each.rows
        if row.mean is not None
    }
)
"""distinct means in the documents that ours are compared with"""
BY_CHANCE = 0.05 * COMPARISONS
"""how many of them are expected to lie beyond 1.96 standard errors by chance"""
STRICT = NormalDist().inv_cdf(1 - 0.05 / (2 * COMPARISONS))


@dataclass(frozen=True)
class Verdict:
    """What is said of one row."""

    kind: str
    """AGREES, DIFFERS, UNEXPLAINED, IMPOSSIBLE or UNDECIDED; empty if the document states
    nothing to compare with"""
    text: str


def verdicts(result: ExhibitResult) -> list[Verdict]:
    """A verdict on each row, in order; of a row that could not be played, with empty text."""
    kind = result.exhibit.kind
    if kind == HUMAN:
        return []
    if kind in (RUNTIME, MEMORY):
        return [_cost(row_result, result) for row_result in result.rows]
    if kind == DUEL and result.exhibit.by_settings:
        return [_setting(row_result, result) for row_result in result.rows]
    if kind == DUEL:
        return [_duel(row_result) for row_result in result.rows]
    if kind == HEAT:
        return [_heat(row_result) for row_result in result.rows]
    if kind == COUNT:
        return [_count(row_result) for row_result in result.rows]
    return [_shots(row_result, result.exhibit.games) for row_result in result.rows]


def _count(row_result: RowResult) -> Verdict:
    if row_result.count is None:
        return Verdict("", "")
    theirs, ours = row_result.row.count, row_result.count
    if theirs == ours:
        return Verdict(AGREES, _join("Agrees exactly.", _sentence(row_result.row.why)))
    return Verdict(UNEXPLAINED, f"Differs, unexplained: ours is {ours:,}.")


def _heat(row_result: RowResult) -> Verdict:
    row, belief = row_result.row, row_result.belief
    if belief is None:
        return Verdict("", "")
    if row.cannot:
        return Verdict(IMPOSSIBLE, f"Cannot be compared: {row.claim}.")
    pairs = [
        (theirs, ours)
        for theirs, ours in zip(row.heat, belief.probability.ravel(), strict=True)
        if not math.isnan(theirs)
    ]
    apart = sum(abs(theirs - ours) > 0.005 + 1e-9 for theirs, ours in pairs)
    if apart:
        return Verdict(
            UNEXPLAINED, f"Differs, unexplained: {apart} of {len(pairs)} cells that it prints."
        )
    return Verdict(AGREES, f"Agrees in all {len(pairs)} cells that the document prints.")


def _shots(row_result: RowResult, their_games: int) -> Verdict:
    if row_result.ours is None:
        return Verdict("", "")
    row, ours, games = row_result.row, row_result.ours, row_result.games
    kind, parts = "", []
    if row.mean is not None:
        judged = difference(row, their_games, ours.mean, ours.sd, games)
        kind = judged.kind
        parts.append(judged.text)
    if row.peak:
        low, high = peak(ours.shots)
        parts.append(
            f"Our games peak at {low} to {high} shots, the document's at {row.peak}; ours have "
            f"a standard deviation of {ours.sd:.1f}."
        )
        if row.mean is None:
            kind = row.peak_verdict or UNEXPLAINED
            parts.insert(0, f"{_upper(kind)}{': ' + row.why if row.why else ''}.")
    if row.share is not None and games >= FEW:
        parts.append(_share(row_result, *row.share, their_games))
    if row.claim and row.mean is None and not row.peak:
        kind = IMPOSSIBLE if row.cannot else kind
        parts.append(f"{_upper(row.claim)}.")
    return Verdict(kind, " ".join(parts))


def difference(row: Row, their_games: int, mean: float, sd: float, games: int) -> Verdict:
    """Compare two means, assuming that both have our standard deviation."""
    assert row.mean is not None
    apart = mean - row.mean
    if games < FEW or math.isnan(sd):
        few = "1 game is" if games == 1 else f"{games} games are"
        text = f"Undecided: {_signed(apart)} shots, but {few} too few to judge."
        return Verdict(UNDECIDED, text)
    error = sd * math.sqrt(1 / games + 1 / their_games)
    far = abs(apart) / error if error else 0.0
    measured = f"{_signed(apart)} shots, {far:.1f} standard errors"
    if far > STRICT:
        if row.why:
            return Verdict(DIFFERS, f"Differs ({measured}) because {row.why}.")
        return Verdict(
            UNEXPLAINED, _join(f"Differs, unexplained ({measured}).", _sentence(row.tried))
        )
    if games < their_games:
        text = f"Undecided ({measured}): {games:,} games here, {their_games:,} in the document."
        return Verdict(UNDECIDED, text)
    if far > USUAL:
        text = (
            f"Agrees by the line for {COMPARISONS} comparisons ({measured}; beyond {STRICT:.1f} "
            "it would differ), but a real difference may hide here."
        )
        return Verdict(AGREES, _join(text, _sentence(row.tried)))
    return Verdict(AGREES, f"Agrees ({measured}).")


def _share(row_result: RowResult, low: int, high: int, theirs: float, their_games: int) -> str:
    ours, (least, most) = row_result.share(low, high)
    where = f"{low} shots" if low == high else f"{low} to {high} shots"
    text = f"{100 * ours:.0f}% of our games take {where} ({100 * least:.0f} to {100 * most:.0f}%)"
    error = math.sqrt(max(ours * (1 - ours), 1e-9) * (1 / row_result.games + 1 / their_games))
    if abs(ours - theirs) <= USUAL * error:
        return f"{text}, which agrees with the document's {100 * theirs:.0f}%."
    by_then = 100 * row_result.share(0, high)[0]
    return (
        f"{text}, but {100 * theirs:.0f}% of the document's; {by_then:.0f}% of ours take {high} "
        "or fewer."
    )


def _duel(row_result: RowResult) -> Verdict:
    if row_result.ours is None or row_result.duels is None:
        return Verdict("", "")
    row, ours, duels = row_result.row, row_result.ours, row_result.duels
    kind, parts = "", []
    if row.mean is not None and row.won:
        judged = difference(row, row.won[1], duels.mean_moves, duels.sd_moves, duels.games)
        kind = judged.kind
        parts.append(judged.text)
    if row.claim:
        kind = IMPOSSIBLE if row.cannot else DIFFERS if row.why else UNEXPLAINED
        if not row.cannot and not row.why:
            kind = ""
        parts.append(f"In the document, {row.claim}.")
        if row.why:
            parts.append(_sentence(row.why))
    parts.append(_wins(row_result))
    if duels.winning_shots:
        parts.append(_winning_shots(row_result))
    if row.seconds:
        parts.append(_speed(row.seconds / max(ours.seconds_per_game, 1e-9)))
    return Verdict(kind, " ".join(parts))


def _setting(row_result: RowResult, result: ExhibitResult) -> Verdict:
    """Whether a setting is weaker than the largest one on the same board, as E says."""
    duels = row_result.duels
    largest = [each for each in result.rows if each.rules == row_result.rules][-1].duels
    if duels is None or largest is None:
        return Verdict("", "")
    wins = _wins(row_result)
    if duels is largest:
        return Verdict(AGREES, f"The largest setting; the others are compared with it. {wins}")
    apart = duels.mean_moves - largest.mean_moves
    error = math.hypot(
        duels.sd_moves / math.sqrt(duels.games), largest.sd_moves / math.sqrt(largest.games)
    )
    far = abs(apart) / error if error else 0.0
    measured = f"{_signed(apart)} moves against the largest setting, {far:.1f} standard errors"
    if duels.games < FEW or far <= USUAL:
        return Verdict(UNDECIDED, f"Undecided ({measured}): too few games to tell. {wins}")
    if apart > 0:
        return Verdict(AGREES, f"Agrees, it is weaker ({measured}). {wins}")
    return Verdict(UNEXPLAINED, f"Differs, unexplained: it is stronger ({measured}). {wins}")


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
    agrees = abs(duels.won / duels.games - share) <= USUAL * spread + (high - low) / 2
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


def _cost(row_result: RowResult, result: ExhibitResult) -> Verdict:
    if row_result.costs is None:
        return Verdict("", "")
    r_squared = row_result.costs.r_squared
    linear = r_squared >= LINEAR
    line = (
        f"Linear in the number of games, as in the document (R² {r_squared:.3f})"
        if linear
        else f"Not linear in the number of games, unlike in the document (R² {r_squared:.2f})"
    )
    every = sorted(row.costs.values[-1] for row in result.rows if row.costs)
    last = row_result.costs.values[-1]
    times = last / max(every[0], 1e-9)
    lowest = "the lowest" if times < 1.005 else f"{times:.2f} times the lowest"
    place = f"{every.index(last) + 1} of {len(every)} from the lowest"
    text = f"{line}; {place}, {lowest}."
    return Verdict(AGREES if linear else UNEXPLAINED, text)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    return f"{_upper(text)}." if text else ""


def _join(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
