"""The calls that the page makes. Every refusal is `{"error": a sentence}`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response

from .. import __version__
from ..layout import Layout
from ..observation import Observation
from ..players import all_players
from ..record import read_record
from ..rules import ANSWERS, CONTACTS, PRESETS, TURNS
from .event_stream import EventStream
from .game_service import GameService
from .player_workers import USUAL_OPPONENT, PlayerWorkers
from .qr_code import qr_svg
from .remembered_games import checked_memory
from .reports import list_reports
from .requests import Client, GameId, Token, content, read_rules
from .schemas import (
    ChoiceRequest,
    ChoiceResponse,
    ErrorResponse,
    FleetRequest,
    HideRequest,
    InvitationRequest,
    JoinRequest,
    NewGameRequest,
    PositionRequest,
    QrCodeRequest,
    RecordRequest,
    RulesRequest,
    ShotRequest,
)
from .settings import ServerSettings


def _read_observation(position: PositionRequest) -> Observation:
    return Observation.from_text(position.shots, read_rules(position.rules))


def _json(text: str) -> Response:
    """A response of JSON that is encoded already."""
    return Response(text, media_type="application/json")


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

    _add_site(api, workers, settings)
    _add_positions(api, workers)
    _add_games(api, service, event_stream)
    return api


def _add_site(api: APIRouter, workers: PlayerWorkers, settings: ServerSettings) -> None:
    """What there is to choose from, records, and what needs no game."""
    # Not at the first request: loading the players takes a second, and nobody else is answered.
    choices = json.dumps(
        {
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
    )

    @api.get("/about", responses=content("application/json"))
    async def about() -> Response:
        """The presets, players and options to choose from."""
        return _json(choices)

    @api.get("/preparation")
    async def preparation() -> dict[str, Any]:
        """What is being compiled for its first use, and how far that is."""
        return workers.preparation.to_json()

    @api.post("/qr-code", responses=content("image/svg+xml"))
    def qr_code(query: QrCodeRequest) -> Response:
        """A link as a QR code."""
        return Response(qr_svg(query.link), media_type="image/svg+xml")

    @api.post("/replay")
    def replay(query: RecordRequest) -> dict[str, Any]:
        """All moves of a record."""
        return read_record(query.record).to_json()

    @api.get("/reports")
    def reports() -> dict[str, Any]:
        """The report pages on this machine."""
        return {"reports": list_reports(settings.report_folders)}


def _add_positions(api: APIRouter, workers: PlayerWorkers) -> None:
    """Rules, layouts and positions that belong to no game."""

    @api.post("/rules")
    async def rules(query: RulesRequest) -> dict[str, Any]:
        """Rules in full, if they are valid."""
        return read_rules(query.rules).to_json()

    @api.post("/players")
    async def players(query: RulesRequest, client: Client) -> dict[str, Any]:
        """The players that cannot play under some rules, with the reason."""
        return {"cannot_play": await workers.cannot_play(read_rules(query.rules), client)}

    @api.post("/layouts")
    async def layouts(query: RulesRequest, client: Client) -> dict[str, Any]:
        """A random layout, uniform over all legal ones."""
        return {"ships": (await workers.deal(read_rules(query.rules), client)).to_json()}

    @api.post("/belief")
    async def belief(position: PositionRequest, client: Client) -> dict[str, Any]:
        """How likely a ship is on each cell: the object that `analyze --json` prints."""
        return await workers.belief(_read_observation(position), client)

    @api.post("/hide")
    async def hide(query: HideRequest, client: Client) -> dict[str, Any]:
        """How well a layout hides: the object that `hide --json` prints."""
        ships = [ship.model_dump() for ship in query.ships]
        layout = Layout.from_json(ships, read_rules(query.rules))
        return await workers.advise(layout, client)

    @api.post("/sunk-ships")
    async def sunk(position: PositionRequest, client: Client) -> dict[str, Any]:
        """The cells that certainly belong to sunk ships, and the ships known whole."""
        return await workers.sunk_ships(_read_observation(position), client)

    @api.post("/choice")
    async def choice(question: ChoiceRequest, client: Client) -> ChoiceResponse:
        """What a player would shoot at, what its search found, if it searches, and the numbers
        that it goes by, if it shows them."""
        observation = _read_observation(question)
        return ChoiceResponse(**await workers.consult(question.player, observation, client))


def _add_games(api: APIRouter, service: GameService, event_stream: EventStream) -> None:
    """Games, from the first call to the record."""

    @api.get("/tally")
    def tally() -> dict[str, Any]:
        """How many games people have finished against each player on this server."""
        return {"opponents": [asdict(each) for each in service.tally()]}

    @api.post("/games", status_code=201)
    async def new_game(wanted: NewGameRequest, client: Client) -> dict[str, Any]:
        """Start a game; the response contains the token of your seat."""
        chosen = read_rules(wanted.rules)
        if wanted.kind == "people":
            return await service.between_people(
                chosen,
                name=wanted.name,
                client=client,
                hints=wanted.hints,
                spectators=wanted.spectators,
                repeats=wanted.repeats,
            )
        if wanted.kind == "watch":
            return await service.between_players(chosen, wanted.players, client=client)
        return await service.against_player(
            chosen,
            wanted.opponent,
            first=wanted.first,
            name=wanted.name,
            client=client,
            repeats=wanted.repeats,
            memory=None if wanted.memory is None else await checked_memory(wanted.memory, chosen),
        )

    @api.post("/games/{game}/invitation")
    async def invitation(game: GameId, query: InvitationRequest) -> dict[str, Any]:
        """Who invites to which rules, for somebody who holds an unused invitation."""
        return await service.invitation(game, query.invite)

    @api.post("/games/{game}/join")
    async def join(game: GameId, invitation: JoinRequest) -> dict[str, Any]:
        """Take the second seat of a game of two people."""
        return await service.join(game, invitation.invite, invitation.name)

    @api.get("/games/{game}", responses=content("application/json"))
    async def see(game: GameId, token: Token) -> Response:
        """The game as your seat may see it."""
        _, text = await service.view(game, await service.side(game, token))
        return _json(text)

    @api.put("/games/{game}/layout", responses=content("application/json"))
    async def place(game: GameId, token: Token, fleet: FleetRequest) -> Response:
        """Place your fleet, once."""
        return _json(await service.place(game, token, [ship.model_dump() for ship in fleet.ships]))

    @api.post("/games/{game}/shots", responses=content("application/json"))
    async def fire(game: GameId, token: Token, shot: ShotRequest) -> Response:
        """Shoot at a cell or, under salvo rules, at all cells of your turn. If one of them is not
        allowed, none is fired."""
        return _json(await service.fire(game, token, shot.chosen, waste=shot.waste))

    @api.post("/games/{game}/hint")
    async def hint(game: GameId, token: Token, client: Client) -> dict[str, Any]:
        """How likely a ship is on each cell of the enemy waters, if the game allows hints."""
        return await service.hint(game, token, client)

    @api.post("/games/{game}/step", responses=content("application/json"))
    async def step(game: GameId, token: Token, client: Client) -> Response:
        """Let the player whose turn it is shoot, in a game that you watch."""
        return _json(await service.step(game, token, client))

    @api.post("/games/{game}/resign", responses=content("application/json"))
    async def resign(game: GameId, token: Token) -> Response:
        """Give up."""
        return _json(await service.resign(game, token))

    @api.post("/games/{game}/rematch")
    async def rematch(game: GameId, token: Token, client: Client) -> dict[str, Any]:
        """Get your seat in the rematch."""
        return await service.rematch(game, token, client)

    @api.get("/games/{game}/record", responses=content("text/plain"))
    async def record(game: GameId) -> PlainTextResponse:
        """The record of a finished game."""
        return PlainTextResponse((await service.record(game)).to_text())

    @api.get("/games/{game}/events", responses=content("text/event-stream"))
    async def events(game: GameId, token: Token, client: Client) -> Response:
        """The game as your seat may see it, sent again whenever it changes."""
        side = await service.side(game, token)
        return event_stream.response(game, client, lambda: service.view(game, side))
