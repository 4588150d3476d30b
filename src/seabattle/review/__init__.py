"""Reviews of finished games: how good each shot was, how lucky, and what was better."""

from __future__ import annotations

from .shot_review import Judgement, ShotReview, ShotToReview, positions
from .side_review import GameReview, SideReview, review_record

__all__ = [
    "GameReview",
    "Judgement",
    "ShotReview",
    "ShotToReview",
    "SideReview",
    "positions",
    "review_record",
]
