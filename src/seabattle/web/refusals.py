"""Refusals: what a call may not do, each with its status and a sentence."""

from __future__ import annotations

from ..errors import SeabattleError


class Refused(SeabattleError):
    """A call that changes nothing; `status` is its HTTP status."""

    status = 422


class NoSuchGame(Refused):
    status = 404

    def __init__(self) -> None:
        super().__init__("There is no such game here; it may have expired.")


class NotYourSeat(Refused):
    status = 403

    def __init__(self) -> None:
        super().__init__("This game is not yours: the seat token is missing or wrong.")


class NotPossibleNow(Refused):
    """Out of turn, twice, too early or too late."""

    status = 409


class TooMany(Refused):
    status = 429


class NoAnswer(Refused):
    """A computation that took too long or broke down."""

    status = 503
