"""A whole game, side by side.

    accuracy = 100 x (sum of p) / (sum of q)

over a side's shots, p and q being the hit chances of the cell that was shot at and of the
best one (see `shot_review`): the hits that its shots could expect, as a percentage of those
that the best shots could expect in the same positions. It is the mean accuracy of the shots,
weighted by q, so a certain hit that is passed over counts for more than a poor choice on an
empty board. Luck does not enter into it. Always taking the likeliest cell is 100%.

    luck = hits - sum of p
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..belief import infer
from ..record import DuelRecord, GameRecord
from .shot_review import EQUAL, ShotReview, ShotToReview, positions

COSTLIEST = 3
"""how many of the costliest shots are named"""

SECONDS = 3.0
"""for one exact belief; beyond it, layouts are sampled"""


@dataclass(frozen=True)
class SideReview:
    """The shots of one side."""

    side: int
    shots: tuple[ShotReview, ...]

    @property
    def hits(self) -> int:
        return sum(each.position.shot.answer.hit for each in self.shots)

    @property
    def wasted(self) -> int:
        """Moves spent on known cells; they count as shots."""
        return sum(each.position.shot.wasted for each in self.shots)

    @property
    def accuracy(self) -> float | None:
        """In percent; None without a shot."""
        best = sum(each.best_chance for each in self.shots)
        return 100 * sum(each.chance for each in self.shots) / best if best else None

    @property
    def luck(self) -> float:
        """Hits beyond those that its shots could expect."""
        return sum(each.luck for each in self.shots)

    @property
    def given_away(self) -> float:
        """Hits that the best shots could expect beyond that."""
        return sum(each.cost for each in self.shots)

    @property
    def costliest(self) -> tuple[ShotReview, ...]:
        """The shots that gave most away, the worst first."""
        wrong = [each for each in self.shots if each.cost > EQUAL]
        order = sorted(wrong, key=lambda each: (-each.cost, each.position.number))
        return tuple(order[:COSTLIEST])

    @property
    def mistakes(self) -> tuple[ShotReview, ...]:
        """The shots that were worse than good, in order."""
        return tuple(each for each in self.shots if each.judgement not in ("best", "good"))

    def to_json(self) -> dict[str, Any]:
        return {
            "side": self.side,
            "shots": len(self.shots),
            "hits": self.hits,
            "wasted": self.wasted,
            "accuracy": self.accuracy,
            "luck": self.luck,
            "given_away": self.given_away,
            "exact": all(each.exact for each in self.shots),
            "costliest": [each.position.number for each in self.costliest],
            "mistakes": [each.position.number for each in self.mistakes],
        }


@dataclass(frozen=True)
class GameReview:
    """The shots of all sides of a game."""

    sides: tuple[SideReview, ...]

    @classmethod
    def of(cls, shots: Iterable[ShotReview], sides: int) -> GameReview:
        reviews = list(shots)
        return cls(
            tuple(
                SideReview(side, tuple(each for each in reviews if each.position.side == side))
                for side in range(sides)
            )
        )

    def to_json(self) -> dict[str, Any]:
        return {"sides": [side.to_json() for side in self.sides]}


def review_position(position: ShotToReview) -> ShotReview:
    """The review of one shot; by counting, if that does not take too long."""
    found = infer(position.known, seconds=SECONDS)
    return ShotReview.of(
        position, found.probability.ravel().tolist(), exact=found.method == "exact"
    )


def review_record(
    record: GameRecord | DuelRecord, *, sides: Sequence[int] | None = None
) -> GameReview:
    """The review of a recorded game; only of some `sides`, if they are given."""
    reviews = (
        review_position(each) for each in positions(record) if sides is None or each.side in sides
    )
    return GameReview.of(reviews, 2 if isinstance(record, DuelRecord) else 1)
