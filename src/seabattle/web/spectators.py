"""Spectators: anybody who knows a game between two people, if these allow it.

They see what both sides have been told, and nothing else until the game is over.
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from .event_stream import EventStream
from .game_service import GameService
from .game_view import SPECTATOR
from .requests import Client, GameId, content


def spectator_routes(service: GameService, event_stream: EventStream) -> APIRouter:
    api = APIRouter()

    @api.get("/games/{game}/public", responses=content("application/json"))
    async def watch(game: GameId) -> Response:
        """A game between people as spectators may see it."""
        await service.check_spectators(game)
        _, text = await service.view(game, SPECTATOR)
        return Response(text, media_type="application/json")

    @api.get("/games/{game}/public/events", responses=content("text/event-stream"))
    async def events(game: GameId, client: Client) -> Response:
        """The same, sent again whenever it changes."""
        await service.check_spectators(game)
        return event_stream.response(game, client, lambda: service.view(game, SPECTATOR))

    return api
