"""The calls that the page makes. Every refusal is `{"error": a sentence}`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Request
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from .. import __version__
from ..observation import Observation
from ..players import all_players
from ..record import read_record
from ..rules import ANSWERS, CONTACTS, LARGEST_SIDE, PRESETS, SMALLEST_SIDE, TURNS, Rules
from .event_stream import EventStream
from .game_service import GameService, random_fleet, read_observation
from .player_workers import PlayerWorkers
from .refusals import NoSuchGame, NotYourSeat
from .reports import list_reports
from .settings import ServerSettings

STREAM_BEAT = 15.0
"""Seconds between signs of life in a stream."""


class ErrorBody(BaseModel):
    """Why a call was refused."""

    error: str


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RulesBody(_Body):
    """Rules part by part; what is left out is as in `classic`."""

    rows: Annotated[int, Field(ge=SMALLEST_SIDE, le=LARGEST_SIDE)] = 10
    columns: Annotated[int, Field(ge=SMALLEST_SIDE, le=LARGEST_SIDE)] = 10
    fleet: Annotated[
        list[Annotated[int, Field(ge=1, le=LARGEST_SIDE)]], Field(min_length=1, max_length=256)
    ] = [5, 4, 3, 3, 2]
    contact: Literal["any", "corners", "none"] = "any"
    answers: Literal["hit-miss", "sunk", "sunk-named", "named"] = "sunk-named"
    turns: Literal["alternate", "rounds", "again"] = "alternate"


AnyRules = Annotated[str, Field(max_length=1000)] | RulesBody
PlayerName = Annotated[str, Field(min_length=1, max_length=200)]


def _one_line(name: str) -> str:
    name = " ".join(name.split())
    if not name.isprintable():
        raise ValueError("a name is printable text")
    return name


PersonName = Annotated[str, Field(max_length=30), AfterValidator(_one_line)]


class RulesQuery(_Body):
    rules: AnyRules = "classic"


class PositionBody(_Body):
    """Some rules, and the shots fired under them in order."""

    rules: AnyRules = "classic"
    shots: Annotated[str, Field(max_length=8000)] = ""


class Choice(PositionBody):
    player: PlayerName


class SearchBody(BaseModel):
    """What a search found at its root; cells by row."""

    player: str
    suggestion: str
    """the cell that it chooses"""
    unit: str
    """what a value is"""
    simulations: int
    seconds: float
    note: str
    """what you should know about how it was run, if anything"""
    visits: list[list[float]]
    """simulations that began with each cell; 0 where it was not tried"""
    values: list[list[float | None]]
    """how good each cell looked, higher being better; null where it was not tried"""


class Chosen(BaseModel):
    """What a player would do."""

    player: str
    cell: str
    search: SearchBody | None
    """null for a player that does not search"""


class NewGame(_Body):
    kind: Literal["computer", "people", "watch"] = "computer"
    rules: AnyRules = "classic"
    opponent: PlayerName = "random"
    """for `computer`"""
    players: tuple[PlayerName, PlayerName] = ("random", "random")
    """for `watch`"""
    first: Literal["me", "opponent", "either"] = "me"
    """who shoots first, for `computer`"""
    name: PersonName = ""


class Join(_Body):
    invite: Annotated[str, Field(max_length=100)]
    name: PersonName = ""


class Ship(_Body):
    ship: Annotated[str, Field(max_length=20)]
    cell: Annotated[str, Field(max_length=5)]
    direction: Literal["across", "down"]


class FleetBody(_Body):
    ships: Annotated[list[Ship], Field(max_length=256)]


class Fire(_Body):
    cell: Annotated[str, Field(max_length=5)]


class RecordText(_Body):
    record: Annotated[str, Field(max_length=20_000)]


GameId = Annotated[str, Path(min_length=1, max_length=40)]


async def _token(authorization: Annotated[str, Header(max_length=200)] = "") -> str:
    """The seat token of a call: `Authorization: Bearer ...`."""
    kind, _, token = authorization.partition(" ")
    if kind.lower() != "bearer" or not token:
        raise NotYourSeat
    return token


Token = Annotated[str, Depends(_token)]


async def client_of(request: Request) -> str:
    return request.client.host if request.client else "unknown"


Client = Annotated[str, Depends(client_of)]


def read_rules(rules: str | RulesBody) -> Rules:
    return Rules.from_json(rules if isinstance(rules, str) else rules.model_dump())


def _observation(knowledge: PositionBody) -> Observation:
    rules = knowledge.rules if isinstance(knowledge.rules, str) else knowledge.rules.model_dump()
    return read_observation(rules, knowledge.shots)


def _content(kind: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {kind: {"schema": {"type": "string"}}}}}


def routes(
    games: GameService, thinking: PlayerWorkers, live: EventStream, settings: ServerSettings
) -> APIRouter:
    """The calls, bound to one server's parts."""
    api = APIRouter(
        prefix="/api", responses={"4XX": {"model": ErrorBody}, "5XX": {"model": ErrorBody}}
    )

    @api.get("/about")
    def about() -> dict[str, Any]:
        """What can be chosen here."""
        return {
            "version": __version__,
            "presets": {name: rules.to_json() for name, rules in PRESETS.items()},
            "contact": CONTACTS,
            "answers": ANSWERS,
            "turns": TURNS,
            "players": [
                {
                    "name": info.name,
                    "summary": info.summary,
                    "source": info.source,
                    "needs": info.needs,
                    "slow": info.slow,
                    "searches": info.searches,
                    "parameters": [
                        {
                            "name": parameter.name,
                            "default": parameter.default,
                            "kind": parameter.kind.__name__,
                            "choices": parameter.choices,
                            "help": parameter.help,
                        }
                        for parameter in info.parameters.values()
                        if not parameter.names_a_file
                    ],
                }
                for info in all_players().values()
            ],
            "think_seconds": settings.think_seconds,
        }

    @api.post("/rules")
    def rules(query: RulesQuery) -> dict[str, Any]:
        """Rules in full, if they make a game."""
        return read_rules(query.rules).to_json()

    @api.post("/layouts")
    def layouts(query: RulesQuery) -> dict[str, Any]:
        """A random layout, uniform over all legal ones."""
        return {"ships": random_fleet(read_rules(query.rules)).to_json()}

    @api.post("/belief")
    def belief(knowledge: PositionBody) -> dict[str, Any]:
        """How likely a ship lies on each cell."""
        return thinking.belief(_observation(knowledge))

    @api.post("/choice")
    def choice(question: Choice) -> Chosen:
        """What a player would shoot at and, if it searches, what its search found."""
        return Chosen(**thinking.consult(question.player, _observation(question)))

    @api.post("/games", status_code=201)
    def new_game(wanted: NewGame, client: Client) -> dict[str, Any]:
        """Begin a game; the answer holds the token of your seat."""
        chosen = read_rules(wanted.rules)
        if wanted.kind == "people":
            return games.of_people(chosen, name=wanted.name, client=client)
        if wanted.kind == "watch":
            return games.of_players(chosen, wanted.players, client=client)
        return games.against_player(
            chosen, wanted.opponent, first=wanted.first, name=wanted.name, client=client
        )

    @api.post("/games/{game}/join")
    def join(game: GameId, invitation: Join) -> dict[str, Any]:
        """Take the second seat of a game of two people."""
        return games.join(game, invitation.invite, invitation.name)

    @api.get("/games/{game}")
    def see(game: GameId, token: Token) -> dict[str, Any]:
        """The game as your seat may see it."""
        return games.view(game, games.side(game, token))

    @api.put("/games/{game}/layout")
    def place(game: GameId, token: Token, fleet: FleetBody) -> dict[str, Any]:
        """Place your fleet, once."""
        return games.place(game, token, [ship.model_dump() for ship in fleet.ships])

    @api.post("/games/{game}/shots")
    def fire(game: GameId, token: Token, shot: Fire) -> dict[str, Any]:
        """Shoot at a cell."""
        return games.fire(game, token, shot.cell)

    @api.post("/games/{game}/step")
    def step(game: GameId, token: Token) -> dict[str, Any]:
        """Let the player whose turn it is shoot, in a game that you watch."""
        return games.step(game, token)

    @api.post("/games/{game}/resign")
    def resign(game: GameId, token: Token) -> dict[str, Any]:
        """Give up."""
        return games.resign(game, token)

    @api.post("/games/{game}/rematch")
    def rematch(game: GameId, token: Token, client: Client) -> dict[str, Any]:
        """Your seat in the next game against the same opponent."""
        return games.rematch(game, token, client)

    @api.get("/games/{game}/record", responses=_content("text/plain"))
    def record(game: GameId) -> PlainTextResponse:
        """The record of a finished game."""
        return PlainTextResponse(games.record(game).to_text())

    @api.get("/games/{game}/events", responses=_content("text/event-stream"))
    async def events(game: GameId, token: Token, client: Client) -> StreamingResponse:
        """The game as your seat may see it, again whenever it changes."""
        side = await run_in_threadpool(games.side, game, token)
        live.check_room(client)

        async def stream() -> AsyncIterator[str]:
            seen = None
            with live.watching(game, client) as changed:
                while not live.closing:
                    changed.clear()
                    try:
                        view = await run_in_threadpool(games.view, game, side)
                    except NoSuchGame:
                        yield "event: gone\ndata: {}\n\n"
                        return
                    if view["version"] != seen:
                        seen = view["version"]
                        yield f"id: {seen}\nevent: game\ndata: {json.dumps(view)}\n\n"
                    try:
                        await asyncio.wait_for(changed.wait(), STREAM_BEAT)
                    except TimeoutError:
                        yield ": still here\n\n"

        return StreamingResponse(
            stream(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
        )

    @api.post("/replay")
    def replay(query: RecordText) -> dict[str, Any]:
        """A record, read and replayed."""
        return read_record(query.record).to_json()

    @api.get("/reports")
    def reports() -> dict[str, Any]:
        """The report pages that were made on this machine."""
        return {"reports": list_reports(settings.report_folders)}

    return api
