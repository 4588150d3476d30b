"""Shots and streams, past the framework's layers.

Nearly all requests are one of these two, and a framework that finds the route, the dependencies
and the error handler of a request anew takes more time than the move itself; the layers of a
stream also stay in memory while it is open. Here they are answered at once if they are
well-formed. Whatever is not goes on to the application, which says what is wrong with it. The
calls are described there, too (see `api`).
"""

from __future__ import annotations

import sqlite3

from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import SeabattleError
from .event_stream import EventStream
from .game_service import GameService
from .refusals import refusal_response
from .requests import LONGEST_AUTHORIZATION, LONGEST_ID, bearer_token
from .schemas import ShotRequest


class DirectCalls:
    """Answers shots and streams, and hands everything else on."""

    def __init__(self, app: ASGIApp, service: GameService, event_stream: EventStream) -> None:
        self._app, self._service, self._event_stream = app, service, event_stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = _named_call(scope) if scope["type"] == "http" else None
        if named is None:
            await self._app(scope, receive, send)
            return
        what, game, token = named
        try:
            if what == "events":
                response = await self._events(scope, game, token)
            else:
                message = await receive()
                shot = _read_shot(message)
                if shot is None:
                    await self._app(scope, _again(message, receive), send)
                    return
                text = await self._service.fire(game, token, shot.chosen, waste=shot.waste)
                response = Response(text, media_type="application/json")
        except (SeabattleError, sqlite3.Error) as error:
            response = refusal_response(error)
        await response(scope, receive, send)

    async def _events(self, scope: Scope, game: str, token: str) -> Response:
        side = await self._service.side(game, token)
        client = scope["client"][0] if scope.get("client") else "unknown"
        return self._event_stream.response(game, client, lambda: self._service.view(game, side))


def _named_call(scope: Scope) -> tuple[str, str, str] | None:
    """What is called, the game and the token; None if it is for the application."""
    parts = scope["path"].split("/")
    if len(parts) != 5 or (scope["method"], parts[4]) not in CALLS:
        return None
    if parts[1:3] != ["api", "games"] or not 0 < len(parts[3]) <= LONGEST_ID:
        return None
    authorization = b""
    for name, value in scope["headers"]:
        if name == b"authorization":
            if authorization:
                return None
            authorization = value
        elif name == b"content-type" and value != b"application/json":
            return None
    if len(authorization) > LONGEST_AUTHORIZATION:
        return None
    token = bearer_token(authorization.decode("latin-1"))
    return None if token is None else (parts[4], parts[3], token)


CALLS = {("POST", "shots"), ("GET", "events")}


def _read_shot(message: Message) -> ShotRequest | None:
    """The shot in the body of a request; None if it is not well-formed."""
    try:
        return ShotRequest.model_validate_json(message.get("body", b""))
    except ValidationError:
        return None


def _again(message: Message, receive: Receive) -> Receive:
    """The messages of a request from which one has been read."""
    messages = [message]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
