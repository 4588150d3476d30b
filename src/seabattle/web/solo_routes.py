"""The calls of solo games, and what their player may know."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse
from starlette.concurrency import run_in_threadpool

from ..belief.sunk_cells import sunk_ships
from ..observation import Observation
from ..record import GameRecord
from .commitment import commitment
from .player_workers import PlayerWorkers
from .refusals import NotPossibleNow
from .requests import Client, GameId, Token, content, read_rules
from .schemas import RulesRequest, ShotRequest
from .solo_store import SoloGame, SoloGames


def solo_view(solo: SoloGame) -> dict[str, Any]:
    """What the player may know: the layout only once the whole fleet is found."""
    game = solo.game
    rules, over = game.rules, game.finished
    seen = Observation(rules, game.shots)
    return {
        "id": solo.id,
        "rules": rules.to_json(),
        "state": "over" if over else "playing",
        "salvo": game.salvo,
        "shots": [shot.to_json(rules) for shot in game.shots],
        "sunk": sunk_ships(seen).to_json(rules),
        "commitment": commitment(solo.layout.to_text(), solo.nonce),
        "ships": solo.layout.to_json() if over else None,
        "nonce": solo.nonce if over else None,
        "layout": solo.layout.to_text() if over else None,
    }


def solo_routes(games: SoloGames, workers: PlayerWorkers) -> APIRouter:
    api = APIRouter()

    @api.post("/solo", status_code=201)
    async def start(wanted: RulesRequest, client: Client) -> dict[str, Any]:
        """Hide a fleet; the response contains the token of the game."""
        rules = read_rules(wanted.rules)
        layout = await workers.deal(rules, client)
        return await run_in_threadpool(games.create, layout, client)

    @api.get("/solo/{game}")
    def see(game: GameId, token: Token) -> dict[str, Any]:
        """A solo game as its player may see it."""
        return solo_view(games.game(game, token))

    @api.post("/solo/{game}/shots")
    def fire(game: GameId, token: Token, shot: ShotRequest) -> dict[str, Any]:
        """Shoot at a cell or, under salvo rules, at all cells of your turn. If one of them is not
        allowed, none is fired."""
        return solo_view(games.fire(game, token, shot.chosen))

    @api.get("/solo/{game}/record", responses=content("text/plain"))
    def record(game: GameId, token: Token) -> PlainTextResponse:
        """The record of a finished solo game."""
        found = games.game(game, token).game
        if not found.finished:
            raise NotPossibleNow("The record of a game is available once it is over.")
        return PlainTextResponse(GameRecord.of(found, "You").to_text())

    return api
