"""What is told when a game is over: shots, hits, luck, accuracy, and the costliest shots."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import SeabattleError
from ..experiment.interruptible import interruptible
from ..record import DuelRecord, GameRecord
from ..report.drawing.picture import percent
from ..review import ShotReview, SideReview, review_record
from .screen import Screen


def show_end_card(
    screen: Screen, record: GameRecord | DuelRecord, names: Sequence[str], sides: Sequence[int]
) -> list[SideReview]:
    """Review the shots of these sides and say how good they were."""
    try:
        with screen.waiting("reviewing the shots"):
            review = interruptible(review_record, record, sides=sides)
    except SeabattleError as error:
        screen.say(f"The shots could not be reviewed: {error}")
        return []
    found = [review.sides[side] for side in sides if review.sides[side].shots]
    for each in found:
        screen.say(*end_card(each, names[each.side]))
    return found


def end_card(review: SideReview, name: str) -> list[str]:
    """The lines of one side."""
    accuracy = "" if review.accuracy is None else f"accuracy {review.accuracy:.0f}%"
    estimated = "" if all(each.exact for each in review.shots) else " (estimated)"
    luck = f"luck {'+' if review.luck >= 0 else '-'}{abs(review.luck):.1f} hits"
    wasted = f" ({review.wasted} wasted)" if review.wasted else ""
    head = (
        f"{name}: {_some(len(review.shots), 'shot')}{wasted}, {_some(review.hits, 'hit')}, "
        f"{accuracy}{estimated}, {luck}"
    )
    if not review.costliest:
        return [f"{head}. Every shot was the best one."]
    return [f"{head}. Costliest shots:", *(f"  {_better(each)}" for each in review.costliest)]


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _better(shot: ShotReview) -> str:
    name = shot.position.known.rules.cell_name
    chance = "wasted" if shot.judgement == "wasted" else f"{percent(shot.chance)} to hit"
    return (
        f"move {shot.position.number}, {name(shot.position.shot.cell)}: {chance}; "
        f"{name(shot.best_cell)} had {percent(shot.best_chance)}"
    )
