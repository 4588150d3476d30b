"""The calls that the page makes. Every refusal is `{"error": a sentence}`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from .. import __version__
from ..belief.sunk_cells import sunk_ships
from ..observation import Observation
from ..players import all_players
from ..record import read_record
from ..rules import ANSWERS, CONTACTS, PRESETS, TURNS, Rules
from .event_stream import EventStream
from .game_service import GameService, random_fleet
from .player_workers import USUAL_OPPONENT, PlayerWorkers
from .qr_code import qr_svg
from .refusals import NoSuchGame, NotYourSeat
from .reports import list_reports
from .schemas import (
    ChoiceRequest,
    ChoiceResponse,
    ErrorResponse,
    FleetRequest,
    InvitationRequest,
    JoinRequest,
    NewGameRequest,
    PositionRequest,
    QrCodeRequest,
    RecordRequest,
    RulesParts,
    RulesRequest,
    ShotRequest,
)
from .settings import ServerSettings

HEARTBEAT_SECONDS = 15.0
"""Time between signs of life in an event stream."""

GameId = Annotated[str, Path(min_length=1, max_length=40)]


async def _token(authorization: Annotated[str, Header(max_length=200)] = "") -> str:
    """The seat token of a call: `Authorization: Bearer ...`."""
    kind, _, token = authorization.partition(" ")
    if kind.lower() != "bearer" or not token:
        raise NotYourSeat
    return token


Token = Annotated[str, Depends(_token)]


async def _client(request: Request) -> str:
    return request.client.host if request.client else "unknown"


Client = Annotated[str, Depends(_client)]


def _read_rules(rules: str | RulesParts) -> Rules:
    return Rules.from_json(rules if isinstance(rules, str) else rules.model_dump())


def _read_observation(position: PositionRequest) -> Observation:
    return Observation.from_text(position.shots, _read_rules(position.rules))


def _content(kind: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {kind: {"schema": {"type": "string"}}}}}


def routes(
    service: GameService,
    workers: PlayerWorkers,
    event_stream: EventStream,
    settings: ServerSettings,
) -> APIRouter:
    """The calls, bound to one server's parts."""
    api = APIRouter(
        prefix="/api",
        responses={"4XX": {"model": ErrorResponse}, "5XX": {"model": ErrorResponse}},
    )

    @api.get("/about")
    def about() -> dict[str, Any]:
        """The presets, players and options to choose from."""
        return {
            "version": __version__,
            "presets": {name: rules.to_json() for name, rules in PRESETS.items()},
            "contact": CONTACTS,
            "answers": ANSWERS,
            "turns": TURNS,
            "players": [
                info.to_json(files=False)
                for info in all_players().values()
                if not info.runs_programs
            ],
            "think_seconds": settings.think_seconds,
            "usual_opponent": USUAL_OPPONENT,
            "address": settings.address,
        }

    @api.get("/preparation")
    def preparation() -> dict[str, Any]:
        """What is being compiled for its first use, and how far that is."""
        return workers.preparation.to_json()

    @api.post("/rules")
    def rules(query: RulesRequest) -> dict[str, Any]:
        """Rules in full, if they are valid."""
        return _read_rules(query.rules).to_json()

    @api.post("/players")
    def players(query: RulesRequest) -> dict[str, Any]:
        """The players that cannot play under some rules, with the reason."""
        return {"cannot_play": workers.cannot_play(_read_rules(query.rules))}

    @api.post("/layouts")
    def layouts(query: RulesRequest) -> dict[str, Any]:
        """A random layout, uniform over all legal ones."""
        return {"ships": random_fleet(_read_rules(query.rules)).to_json()}

    @api.post("/belief")
    def belief(position: PositionRequest) -> dict[str, Any]:
        """How likely a ship is on each cell: the object that `analyze --json` prints."""
        return workers.belief(_read_observation(position))

    @api.post("/sunk-ships")
    def sunk(position: PositionRequest) -> dict[str, Any]:
        """The cells that certainly belong to sunk ships, and the ships known whole."""
        observation = _read_observation(position)
        return sunk_ships(observation).to_json(observation.rules)

    @api.post("/choice")
    def choice(question: ChoiceRequest) -> ChoiceResponse:
        """What a player would shoot at and, if it searches, what its search found."""
        return ChoiceResponse(**workers.consult(question.player, _read_observation(question)))

    @api.post("/games", status_code=201)
    def new_game(wanted: NewGameRequest, client: Client) -> dict[str, Any]:
        """Start a game; the response contains the token of your seat."""
        chosen = _read_rules(wanted.rules)
        if wanted.kind == "people":
            return service.between_people(
                chosen, name=wanted.name, client=client, hints=wanted.hints
            )
        if wanted.kind == "watch":
            return service.between_players(chosen, wanted.players, client=client)
        return service.against_player(
            chosen, wanted.opponent, first=wanted.first, name=wanted.name, client=client
        )

    @api.post("/games/{game}/invitation")
    def invitation(game: GameId, query: InvitationRequest) -> dict[str, Any]:
        """Who invites to which rules, for somebody who holds an unused invitation."""
        return service.invitation(game, query.invite)

    @api.post("/qr-code", responses=_content("image/svg+xml"))
    def qr_code(query: QrCodeRequest) -> Response:
        """A link as a QR code."""
        return Response(qr_svg(query.link), media_type="image/svg+xml")

    @api.post("/games/{game}/join")
    def join(game: GameId, invitation: JoinRequest) -> dict[str, Any]:
        """Take the second seat of a game of two people."""
        return service.join(game, invitation.invite, invitation.name)

    @api.get("/games/{game}")
    def see(game: GameId, token: Token) -> dict[str, Any]:
        """The game as your seat may see it."""
        return service.view(game, service.side(game, token))

    @api.put("/games/{game}/layout")
    def place(game: GameId, token: Token, fleet: FleetRequest) -> dict[str, Any]:
        """Place your fleet, once."""
        return service.place(game, token, [ship.model_dump() for ship in fleet.ships])

    @api.post("/games/{game}/shots")
    def fire(game: GameId, token: Token, shot: ShotRequest) -> dict[str, Any]:
        """Shoot at a cell."""
        return service.fire(game, token, shot.cell)

    @api.post("/games/{game}/hint")
    def hint(game: GameId, token: Token) -> dict[str, Any]:
        """How likely a ship is on each cell of the enemy waters, if the game allows hints."""
        return service.hint(game, token)

    @api.post("/games/{game}/step")
    def step(game: GameId, token: Token) -> dict[str, Any]:
        """Let the player whose turn it is shoot, in a game that you watch."""
        return service.step(game, token)

    @api.post("/games/{game}/resign")
    def resign(game: GameId, token: Token) -> dict[str, Any]:
        """Give up."""
        return service.resign(game, token)

    @api.post("/games/{game}/rematch")
    def rematch(game: GameId, token: Token, client: Client) -> dict[str, Any]:
        """Get your seat in the rematch."""
        return service.rematch(game, token, client)

    @api.get("/games/{game}/record", responses=_content("text/plain"))
    def record(game: GameId) -> PlainTextResponse:
        """The record of a finished game."""
        return PlainTextResponse(service.record(game).to_text())

    @api.get("/games/{game}/events", responses=_content("text/event-stream"))
    async def events(game: GameId, token: Token, client: Client) -> StreamingResponse:
        """The game as your seat may see it, sent again whenever it changes."""
        side = await run_in_threadpool(service.side, game, token)
        event_stream.check_room(client)

        async def stream() -> AsyncIterator[str]:
            seen = None
            with event_stream.watching(game, client) as changed:
                while not event_stream.closing:
                    changed.clear()
                    try:
                        view = await run_in_threadpool(service.view, game, side)
                    except NoSuchGame:
                        yield "event: gone\ndata: {}\n\n"
                        return
                    if view["version"] != seen:
                        seen = view["version"]
                        yield f"id: {seen}\nevent: game\ndata: {json.dumps(view)}\n\n"
                    try:
                        await asyncio.wait_for(changed.wait(), HEARTBEAT_SECONDS)
                    except TimeoutError:
                        yield ": still here\n\n"

        return StreamingResponse(
            stream(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
        )

    @api.post("/replay")
    def replay(query: RecordRequest) -> dict[str, Any]:
        """All moves of a record."""
        return read_record(query.record).to_json()

    @api.get("/reports")
    def reports() -> dict[str, Any]:
        """The report pages on this machine."""
        return {"reports": list_reports(settings.report_folders)}

    return api
