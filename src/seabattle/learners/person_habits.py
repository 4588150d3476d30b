"""What a person's games say about the person, in words.

A habit is a count per game, such as the ships that lie in the right column. Over n games its
total is compared with that of n layouts dealt at random: a habit is told if it differs by
`THRESHOLD` standard errors or more, and from `FEWEST_GAMES` games on. There are sixteen things to
say. By the normal approximation each is said by chance with probability 0.13%, so about one in
fifty people who place and shoot at random is told something; after few games, somewhat more.

The first shots of a game are compared with shots at random cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Floats
from ..compiled.rules_tables import board_of
from ..dealing.placement_numbers import placements_of
from ..dealing.uniform import deal_games
from ..rules import Rules
from .person_memory import RememberedGame
from .shot_times import touching

THRESHOLD = 3.0
FEWEST_GAMES = 3
FIRST_SHOTS = 6
"""shots of a game that show where somebody looks first"""
MOST_TOLD = 5
"""habits that people are shown, the most striking ones"""
SAMPLE = 4_000
"""random layouts to compare with"""


@dataclass(frozen=True)
class Habit:
    """Something that a person does more or less often than chance."""

    words: str
    seen: float
    """per game"""
    expected: float
    """per game, at random"""
    errors: float
    """how many standard errors apart the two are"""

    def to_json(self) -> dict[str, Any]:
        return {
            "words": self.words,
            "seen": self.seen,
            "expected": self.expected,
            "errors": self.errors,
        }

    def to_text(self) -> str:
        return f"{self.words} ({self.seen:.1f} per game, {self.expected:.1f} at random)."


def habits(games: Sequence[RememberedGame]) -> list[Habit]:
    """What stands out in games under the same rules, the most striking first."""
    if len(games) < FEWEST_GAMES:
        return []
    rules = games[0].rules
    revealed = [game.revealed for game in games]
    placements = np.array(
        [placements_of(game.enemy_layout) for game in revealed if game.enemy_layout is not None]
    )
    found = [
        _habit(words, counts(rules, placements), *_at_random(rules, place))
        for place, (_, words, counts) in enumerate(_hiding(rules))
    ]
    first = [[shot.cell for shot in game.enemy_shots[:FIRST_SHOTS]] for game in revealed]
    fired = np.array([len(cells) for cells in first], dtype=np.float64)
    for words, region in _looking(rules):
        inside = np.array([sum(bool(region[cell]) for cell in cells) for cells in first])
        share = float(region.mean())
        # Drawn without replacement: the hypergeometric variance.
        spread = share * (1 - share) * fired * (rules.cells - fired) / max(1, rules.cells - 1)
        mean, deviation = float((share * fired).mean()), math.sqrt(float(spread.mean()))
        found.append(_habit((words, ""), inside.astype(np.float64), mean, deviation))
    told = [each for each in found if each is not None]
    return sorted(told, key=lambda each: -abs(each.errors))


def _habit(
    words: tuple[str, str], counts: Floats, expected: float, deviation: float
) -> Habit | None:
    """The habit of counting more or less than expected; None if it is neither."""
    if deviation == 0:
        return None
    seen = float(counts.mean())
    errors = (seen - expected) / (deviation / math.sqrt(len(counts)))
    said = words[0] if errors > 0 else words[1]
    return Habit(said, seen, expected, errors) if said and abs(errors) >= THRESHOLD else None


Count = Callable[[Rules, npt.NDArray[np.int32]], Floats]


def _hiding(rules: Rules) -> list[tuple[str, tuple[str, str], Count]]:
    """What a layout is counted for, and the words for more and for less of it than usual."""
    rows, columns = np.divmod(np.arange(rules.cells), rules.columns)
    edges = {
        "top": rows == 0,
        "bottom": rows == rules.rows - 1,
        "left": columns == 0,
        "right": columns == rules.columns - 1,
    }
    border = np.logical_or.reduce(list(edges.values()))

    def ships_in(region: npt.NDArray[np.bool_]) -> Count:
        def count(rules: Rules, placements: npt.NDArray[np.int32]) -> Floats:
            """Ships that lie in the region with all their cells."""
            board = board_of(rules)
            whole = np.array(
                [
                    bool(region[cover[:length].astype(np.int64)].all())
                    for cover, length in zip(board.cover, board.length, strict=True)
                ]
            )
            return np.asarray(whole[placements].sum(axis=1), dtype=np.float64)

        return count

    return [
        *(
            (name, (f"You like the {name} edge", ""), ships_in(region))
            for name, region in edges.items()
        ),
        ("border", ("You like to hide at the edges", "You avoid the edges"), ships_in(border)),
        ("across", ("Your ships mostly lie across", "Your ships mostly lie down"), _lying_across),
        (
            "touching",
            ("You let your ships touch", "You keep your ships apart"),
            touching if rules.contact == "any" else _none,
        ),
    ]


def _looking(rules: Rules) -> list[tuple[str, npt.NDArray[np.bool_]]]:
    """Where the first shots may go, as regions of the board."""
    rows, columns = np.divmod(np.arange(rules.cells), rules.columns)
    from_top = np.minimum(rows, rules.rows - 1 - rows) / rules.rows
    from_left = np.minimum(columns, rules.columns - 1 - columns) / rules.columns
    return [
        ("You look in the middle first", (from_top >= 0.25) & (from_left >= 0.25)),
        ("You look at the edges first", (from_top == 0) | (from_left == 0)),
        ("You start at the top", rows < rules.rows / 2),
        ("You start at the bottom", rows >= rules.rows / 2),
        ("You start on the left", columns < rules.columns / 2),
        ("You start on the right", columns >= rules.columns / 2),
    ]


def _lying_across(rules: Rules, placements: npt.NDArray[np.int32]) -> Floats:
    board = board_of(rules)
    across = np.array(
        [
            length > 1 and int(cover[1]) == int(cover[0]) + 1
            for cover, length in zip(board.cover, board.length, strict=True)
        ]
    )
    return np.asarray(across[placements].sum(axis=1), dtype=np.float64)


def _none(rules: Rules, placements: npt.NDArray[np.int32]) -> Floats:
    return np.zeros(len(placements))


@lru_cache(maxsize=64)
def _at_random(rules: Rules, place: int) -> tuple[float, float]:
    """The mean of a count over random layouts, and its standard deviation."""
    dealt = deal_games(rules, 0, range(SAMPLE))
    counts = _hiding(rules)[place][2](rules, dealt)
    return float(counts.mean()), float(counts.std())
