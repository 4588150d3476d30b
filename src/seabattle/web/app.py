"""The application: all parts of a server put together."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from .. import __version__
from ..errors import SeabattleError
from ..rules import Rules
from .api import routes
from .event_stream import EventStream
from .game_service import GameService, random_fleet
from .game_store import GameStore
from .middleware import Middleware
from .player_workers import PlayerWorkers
from .refusals import Refused
from .reports import serve_report
from .settings import ServerSettings

STATIC = Path(__file__).parent / "static"
SWEEP_SECONDS = 60.0

log = logging.getLogger("seabattle.web")


def create_app(settings: ServerSettings) -> FastAPI:
    """A server's application; its parts start and end with it."""
    for module in settings.imports:
        importlib.import_module(module)
    store = GameStore(settings.database)
    thinking = PlayerWorkers(settings)
    live = EventStream(settings.games_per_client)
    games = GameService(store, thinking, settings, live.changed)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        live.attach()
        sweeping = asyncio.create_task(_sweep(games))
        if settings.warm_up:
            threading.Thread(target=_warm_up, args=(thinking,), daemon=True).start()
        yield
        sweeping.cancel()
        live.close()
        games.close()
        thinking.close()
        store.close()

    app = FastAPI(
        title="seabattle",
        version=__version__,
        description="Battleship against players and people, and what there is to know about it.",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.live = live
    app.include_router(routes(games, thinking, live, settings))
    _explain_errors(app)

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    @app.get("/reports/{number}/{name:path}", include_in_schema=False)
    def report(number: int, name: str) -> FileResponse:
        return serve_report(settings.report_folders, number, name)

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Middleware, settings=settings)
    return app


def _explain_errors(app: FastAPI) -> None:
    """Every refusal as one sentence."""

    @app.exception_handler(SeabattleError)
    async def refused(request: Request, error: SeabattleError) -> JSONResponse:
        status = error.status if isinstance(error, Refused) else 422
        return JSONResponse({"error": str(error)}, status)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        first: dict[str, Any] = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        what = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        return JSONResponse({"error": f"Cannot read {where or 'the request'}: {what}."}, 422)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": f"{error.detail}."}, error.status_code, error.headers)

    @app.exception_handler(sqlite3.Error)
    async def not_kept(request: Request, error: sqlite3.Error) -> JSONResponse:
        log.error("The store failed: %s", error)
        sentence = "The server could not keep that; nothing has changed. Try again."
        return JSONResponse({"error": sentence}, 503)


async def _sweep(games: GameService) -> None:
    """Remove idle games now and then."""
    while True:
        try:
            await asyncio.to_thread(games.forget_idle)
        except sqlite3.Error as error:
            log.error("Idle games were not removed: %s", error)
        await asyncio.sleep(SWEEP_SECONDS)


def _warm_up(thinking: PlayerWorkers) -> None:
    """Pay for starting and compiling before the first visitor does."""
    try:
        random_fleet(Rules())
        thinking.warm_up()
    except SeabattleError as error:
        if not thinking.closed:
            log.warning("The warm-up ended early: %s", error)
