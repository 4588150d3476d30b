"""What the calls read from a request besides its body."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Path, Request
from starlette.types import Receive

from ..rules import Rules
from .refusals import NoAnswer, NotYourSeat
from .schemas import RulesParts

LONGEST_ID = 40
LONGEST_AUTHORIZATION = 200

T = TypeVar("T")

GameId = Annotated[str, Path(min_length=1, max_length=LONGEST_ID)]
Authorization = Annotated[str, Header(max_length=LONGEST_AUTHORIZATION)]


def bearer_token(authorization: str) -> str | None:
    """The token in `Authorization: Bearer ...`."""
    kind, _, token = authorization.partition(" ")
    return token if kind.lower() == "bearer" and token else None


async def _token(authorization: Authorization = "") -> str:
    """The seat token of a call."""
    token = bearer_token(authorization)
    if token is None:
        raise NotYourSeat
    return token


Token = Annotated[str, Depends(_token)]


async def _client(request: Request) -> str:
    return request.client.host if request.client else "unknown"


Client = Annotated[str, Depends(_client)]


async def disconnected(receive: Receive) -> None:
    """Waits until whoever made a request has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def while_connected(request: Request, answer: Coroutine[Any, Any, T]) -> T:
    """An answer that is given up when nobody waits for it any more."""
    working = asyncio.create_task(answer)
    leaving = asyncio.create_task(disconnected(request.receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise NoAnswer("Nobody is waiting for this answer any more.")
    finally:
        working.cancel()
        leaving.cancel()


def read_rules(rules: str | RulesParts) -> Rules:
    return Rules.from_json(rules if isinstance(rules, str) else rules.model_dump())


def content(kind: str) -> dict[int | str, dict[str, Any]]:
    """The description of a response that is not made from a value."""
    schema = "object" if kind == "application/json" else "string"
    return {200: {"content": {kind: {"schema": {"type": schema}}}}}
