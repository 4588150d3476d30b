"""Refusals: errors with an HTTP status and a sentence."""

from __future__ import annotations

import logging
import sqlite3

from starlette.responses import JSONResponse

from ..errors import SeabattleError

log = logging.getLogger("seabattle.web")


class Refused(SeabattleError):
    """A request that is refused and changes nothing; `status` is the HTTP status."""

    status = 422


class NoSuchGame(Refused):
    status = 404

    def __init__(self) -> None:
        super().__init__("There is no such game; it may have expired.")


class NotYourSeat(Refused):
    status = 403

    def __init__(self) -> None:
        super().__init__("This game is not yours: the seat token is missing or wrong.")


class NotInvited(Refused):
    status = 403

    def __init__(self) -> None:
        super().__init__("This is not a valid invitation; ask for the link again.")


class NotPossibleNow(Refused):
    """A move out of turn, repeated, too early or too late."""

    status = 409


class TooMany(Refused):
    status = 429


class TooManyNow(TooMany):
    """The same request may pass in a moment; the page asks again."""


class NoAnswer(Refused):
    """A computation that took too long or crashed."""

    status = 503


def refusal_response(error: SeabattleError | sqlite3.Error) -> JSONResponse:
    """What whoever asked is told."""
    if isinstance(error, sqlite3.Error):
        log.error("The store failed: %s", error)
        sentence = "The server could not save that; nothing has changed. Try again."
        return JSONResponse({"error": sentence}, 503)
    status = error.status if isinstance(error, Refused) else 422
    headers = {"Retry-After": "1"} if isinstance(error, TooManyNow) else None
    return JSONResponse({"error": str(error)}, status, headers)
