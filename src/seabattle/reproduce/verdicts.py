"""How each row of an exhibit compares with its document, in words.

A row gets one of these verdicts: it agrees, it differs for a reason that a trial shows, it
differs and nobody knows why, it cannot be played again, or there is nothing to compare with. A
row with fewer games than the document has is left undecided.

Many rows are compared, so some lie beyond 1.96 standard errors by chance alone. Only beyond
`STRICT` standard errors is a row said to differ: at that threshold, chance alone would cause a
difference in some row in one reproduction out of twenty (Bonferroni). The rows of one search
share their layouts and tend to err together, so `joint_verdicts` also compares them as one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from .exhibits import ExhibitResult, RowResult, peak, peaks
from .source_results import (
    COUNT,
    DUEL,
    EXHIBITS,
    GROUPS,
    HEAT,
    HISTOGRAM,
    HUMAN,
    MAPS,
    MEANS,
    MEMORY,
    RUNNING,
    RUNTIME,
    Exhibit,
    Row,
)

FEW = 10
"""with fewer games, a difference is not judged"""
SAMPLES = 20
"""with fewer samples of as many games as the document's, a peak is not judged"""
LINEAR = 0.98
"""the least R² of a line that is called linear"""
USUAL = 1.96

AGREES, DIFFERS, UNEXPLAINED, IMPOSSIBLE, NOTHING, UNDECIDED = KINDS = (
    "agrees",
    "differs because",
    "differs, unexplained",
    "cannot be played again",
    "nothing to compare with",
    "undecided",
)

_STATED = [(row, each) for each in EXHIBITS.values() for row in each.rows]
MEANS_COMPARED = len(
    {(row.player, row.rules or each.rules) for row, each in _STATED if row.mean is not None}
)
"""players whose means under some rules the documents state; twice, some of them, with different
rounding"""
SHARES_COMPARED = sum(row.share is not None for row, _ in _STATED)
COMPARISONS = MEANS_COMPARED + SHARES_COMPARED
BY_CHANCE = 0.05 * COMPARISONS
"""how many of them are expected to lie beyond 1.96 standard errors by chance"""
STRICT = NormalDist().inv_cdf(1 - 0.05 / (2 * COMPARISONS))
JOINT = NormalDist().inv_cdf(1 - 0.05 / (2 * len(GROUPS)))
"""the same threshold for the groups"""


@dataclass(frozen=True)
class Verdict:
    """What is said of one row."""

    kind: str
    """one of `KINDS`; empty of a row that was not played or that others are compared with"""
    text: str
    unclear: bool = False
    """whether it agrees only because so many rows are compared: beyond 1.96 standard errors"""


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
    if kind == MAPS:
        return [_map(row_result) for row_result in result.rows]
    if kind == COUNT:
        return [_count(row_result) for row_result in result.rows]
    return [_shots(row_result, result.exhibit) for row_result in result.rows]


def distinct_verdicts(results: Sequence[ExhibitResult]) -> list[Verdict]:
    """The verdicts on rows that were played, and on exhibits that nobody can play again; a row
    that several exhibits share counts once."""
    found: dict[Hashable, Verdict] = {}
    for result in results:
        exhibit = result.exhibit
        if exhibit.kind == HUMAN:
            found[exhibit.name] = Verdict(IMPOSSIBLE, "")
        for row_result, verdict in zip(result.rows, verdicts(result), strict=False):
            if verdict.kind:
                found.setdefault(_compared(exhibit, row_result.row), verdict)
    return list(found.values())


def _compared(exhibit: Exhibit, row: Row) -> Hashable:
    """What tells a row from others: the same player under the same rules is the same row, unless
    something else is measured."""
    own = row.label if exhibit.kind in (HEAT, COUNT, MAPS) else row.player
    measured = "shots" if exhibit.kind in (MEANS, RUNNING, HISTOGRAM) else exhibit.kind
    return exhibit.document, measured, own, row.rules or exhibit.rules, row.share


def joint_verdicts(results: Sequence[ExhibitResult]) -> dict[str, Verdict]:
    """A verdict on each group of rows as a whole, by its name, if all its exhibits are there."""
    by_name = {result.exhibit.name: result for result in results}
    return {
        title: verdict
        for title, names in GROUPS.items()
        if all(name in by_name for name in names)
        and (verdict := _joint([by_name[name] for name in names])) is not None
    }


def _joint(results: Sequence[ExhibitResult]) -> Verdict | None:
    """Compare the mean over all rows with the document's.

    Rows under the same rules have the same layouts, so the shots of game i are averaged over
    them first; the standard deviation of these averages has what the rows have in common. The
    document's rows are taken to share their layouts as well. If they do not, its error is
    smaller than assumed.
    """
    parts: dict[str, list[tuple[RowResult, int]]] = {}
    for result in results:
        for each in result.played:
            if each.row.mean is not None:
                their_games = _their_games(each.row, result.exhibit)
                parts.setdefault(each.rules.to_text(), []).append((each, their_games))
    rows = [each for part in parts.values() for each, _ in part]
    if not rows:
        return None
    apart = variance = 0.0
    enough = True
    for part in parts.values():
        games = min(len(_moves(each)) for each, _ in part)
        their_games = min(theirs for _, theirs in part)
        if games < FEW:
            return Verdict(UNDECIDED, f"Undecided: some rows have fewer than {FEW} games.")
        enough &= games >= their_games
        averages = np.mean([_moves(each)[:games] for each, _ in part], axis=0)
        weight = len(part) / len(rows)
        theirs = float(np.mean([each.row.mean for each, _ in part if each.row.mean is not None]))
        apart += weight * (float(averages.mean()) - theirs)
        variance += weight**2 * float(averages.var(ddof=1)) * (1 / games + 1 / their_games)
    far = abs(apart) / math.sqrt(variance) if variance else 0.0
    below = sum(float(np.mean(_moves(each))) < (each.row.mean or 0.0) for each in rows)
    measured = (
        f"{_signed(apart)} shots on average over {len(rows)} rows, {below} of them below the "
        f"document's; {far:.1f} standard errors, threshold {JOINT:.1f}"
    )
    if far > JOINT:
        return Verdict(UNEXPLAINED, f"Differs as a whole, unexplained ({measured}).")
    if not enough:
        return Verdict(UNDECIDED, f"Undecided ({measured}): fewer games than in the document.")
    return Verdict(AGREES, f"Agrees as a whole ({measured}).")


def _moves(row_result: RowResult) -> Sequence[int]:
    """What a row's mean is compared with: our shots, or our moves until a side has won."""
    if row_result.duels is not None:
        return row_result.duels.moves
    assert row_result.ours is not None
    return row_result.ours.shots


def _their_games(row: Row, exhibit: Exhibit) -> int:
    if row.won:
        return row.won[1]
    return row.games or exhibit.games


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
    if row.no_figures:
        return Verdict(NOTHING, f"Nothing to compare with: {row.claim}.")
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


def _map(row_result: RowResult) -> Verdict:
    """Whether a player's highest and lowest cells are those that the document names."""
    row = row_result.row
    if row_result.map is None:
        return Verdict("", "")
    if row.no_figures:
        return Verdict(NOTHING, f"Nothing to compare with: {row.claim}.")
    seen, found = row_result.map
    for extreme, cells in (
        (np.nanmax(found.values), row.highest),
        (np.nanmin(found.values), row.lowest),
    ):
        there = [seen.rules.cell_name(int(k)) for k in np.flatnonzero(found.values == extreme)]
        if cells and there != cells.split():
            return Verdict(UNEXPLAINED, f"Differs, unexplained: {', '.join(there)} instead.")
    return Verdict(AGREES, f"Agrees: {row.claim}.")


def _shots(row_result: RowResult, exhibit: Exhibit) -> Verdict:
    if row_result.ours is None:
        return Verdict("", "")
    row, ours, games = row_result.row, row_result.ours, row_result.games
    their_games = _their_games(row, exhibit)
    if row.no_figures:
        return Verdict(NOTHING, f"Nothing to compare with: {row.claim}.")
    if row.peak:
        return _peak(row_result, their_games)
    assert row.mean is not None
    judged = difference(row, their_games, ours.mean, ours.sd, games)
    if row.share is None or games < FEW:
        return judged
    share = _share(row_result, *row.share, their_games)
    if share.kind == UNEXPLAINED:
        return Verdict(UNEXPLAINED, f"{share.text} The mean: {judged.text}")
    return Verdict(judged.kind, f"{judged.text} {share.text}", judged.unclear)


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
        return Verdict(UNEXPLAINED, _join(f"Differs, unexplained ({measured}).", row.tried))
    if games < their_games:
        text = f"Undecided ({measured}): {games:,} games here, {their_games:,} in the document."
        return Verdict(UNDECIDED, text)
    if far > USUAL:
        text = (
            f"No clear difference ({measured}; the threshold for {COMPARISONS} comparisons is "
            f"{STRICT:.1f})."
        )
        return Verdict(AGREES, _join(text, row.tried), unclear=True)
    return Verdict(AGREES, f"Agrees ({measured}).")


def _share(row_result: RowResult, low: int, high: int, theirs: float, their_games: int) -> Verdict:
    ours, (least, most) = row_result.share(low, high)
    where = f"{low} shots" if low == high else f"{low} to {high} shots"
    text = f"{100 * ours:.0f}% of our games take {where} ({100 * least:.0f} to {100 * most:.0f}%)"
    error = math.sqrt(max(ours * (1 - ours), 1e-9) * (1 / row_result.games + 1 / their_games))
    if abs(ours - theirs) <= STRICT * error:
        text += f", which agrees with the document's {100 * theirs:.0f}%."
        return Verdict(AGREES, text)
    earlier, later = (100 * row_result.share(0, shots)[0] for shots in (low, high))
    within = f"{earlier:.0f}% of ours take at most {low} and {later:.0f}% at most {high}"
    return Verdict(
        UNEXPLAINED,
        f"Differs, unexplained: {text}, but {100 * theirs:.0f}% of the document's. {within}.",
    )


def _peak(row_result: RowResult, their_games: int) -> Verdict:
    """Whether samples of as many games as the document's peak where its histogram does, at least
    one in twenty, and whether most of our games lie where its curve reaches."""
    row, ours = row_result.row, row_result.ours
    assert ours is not None
    low, high = peak(ours.shots)
    samples = peaks(ours.shots, their_games)
    if len(samples) < SAMPLES:
        return Verdict(
            UNDECIDED,
            f"Undecided: our games peak at {low} to {high} shots, the document's at {row.peak}, "
            f"but {row_result.games:,} games are too few to judge.",
        )
    first, last = row.peak_range
    there = sum(first <= end and start <= last for start, end in samples)
    within = 1.0 if row.spread is None else row_result.share(*row.spread)[0]
    agrees = there >= 0.05 * len(samples) and within > 0.5
    return Verdict(
        AGREES if agrees else UNEXPLAINED,
        _join(
            f"{'Agrees' if agrees else 'Differs, unexplained'}: the document's {their_games} games "
            f"peak at {row.peak} shots, as do {there} of {len(samples)} samples of {their_games} "
            f"of ours. All of ours together peak at {low} to {high}, with a standard deviation of "
            f"{ours.sd:.1f}.",
            *(
                f"In the document, {who} from {span[0]} to {span[1]} shots, as do "
                f"{_percent(row_result.share(*span)[0])} of ours."
                for who, span in (("most games take", row.spread), ("a few take", row.outliers))
                if span is not None
            ),
            "" if agrees else row.tried,
        ),
    )


def _percent(share: float) -> str:
    """A small share has more digits."""
    return f"{100 * share:.{0 if share >= 0.1 else 2}f}%"


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
        kind = DIFFERS if row.why else ""
        parts += [f"In the document, {row.claim}.", _sentence(row.why)]
    parts.append(_wins(row_result))
    if duels.winning_shots:
        parts.append(_winning_shots(row_result))
    if row.seconds:
        parts.append(_speed(row.seconds / max(ours.seconds_per_game, 1e-9)))
    return Verdict(kind, _join(*parts))


def _setting(row_result: RowResult, result: ExhibitResult) -> Verdict:
    """Whether a setting is weaker and faster than the largest one on the same board, as E says."""
    duels = row_result.duels
    last = [each for each in result.rows if each.rules == row_result.rules][-1]
    largest = last.duels
    if duels is None or largest is None:
        return Verdict("", "")
    wins = _wins(row_result)
    if duels is largest:
        return Verdict("", f"The largest setting; the others are compared with it. {wins}")
    assert row_result.processor_seconds is not None
    assert last.processor_seconds is not None
    share = row_result.processor_seconds / last.processor_seconds
    time = f"{100 * share:.0f}% of its processor time per move"
    apart = duels.mean_moves - largest.mean_moves
    error = math.hypot(
        duels.sd_moves / math.sqrt(duels.games), largest.sd_moves / math.sqrt(largest.games)
    )
    far = abs(apart) / error if error else 0.0
    measured = (
        f"{_signed(apart)} moves against the largest setting, {far:.1f} standard errors; {time}"
    )
    if share >= 1 and row_result.row.why:
        text = f"Differs: it is not faster ({measured}), because {row_result.row.why}. {wins}"
        return Verdict(DIFFERS, text)
    if share >= 1:
        return Verdict(UNEXPLAINED, f"Differs, unexplained: it is not faster ({measured}). {wins}")
    if duels.games < FEW or far <= USUAL:
        return Verdict(
            UNDECIDED, f"Faster; undecided whether weaker ({measured}): too few games. {wins}"
        )
    if apart > 0:
        return Verdict(AGREES, f"Agrees, it is weaker and faster ({measured}). {wins}")
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
    most, least = (
        ("slowest", "fastest") if result.exhibit.kind == RUNTIME else ("highest", "lowest")
    )
    place = _place(every.index(last), len(every), least, most)
    text = f"{line}; {place}"
    if times >= 1.005:
        text += f", {times:.2f} times the {least}"
    expected = row_result.row.place
    if expected and expected != place:
        return Verdict(
            UNEXPLAINED, f"Differs, unexplained: the {expected} in the document. {text}."
        )
    return Verdict(AGREES if linear else UNEXPLAINED, f"{text}.")


def _place(index: int, count: int, least: str, most: str) -> str:
    """`fastest`, `second fastest`, ..., `slowest`."""
    if index == count - 1:
        return most
    return " ".join(filter(None, (("", "second", "third", "fourth", "fifth")[index], least)))


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    return f"{_upper(text)}." if text else ""


def _join(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
