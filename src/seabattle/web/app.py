"""The application: all parts of a server together."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from .. import __version__
from ..errors import SeabattleError
from .api import routes
from .direct_calls import DirectCalls
from .event_stream import EventStream
from .game_service import GameService
from .game_store import GameStore
from .installable import STATIC, installable_routes
from .middleware import Middleware
from .opponents import opponent_routes
from .player_workers import PlayerWorkers
from .puzzles import puzzle_routes
from .refusals import refusal_response
from .remembered_games import memory_routes
from .reports import serve_report
from .reviews import review_routes
from .settings import ServerSettings
from .solo_routes import solo_routes
from .solo_store import SoloGames
from .spectators import spectator_routes
from .worker_pool import Closing

SWEEP_SECONDS = 60.0
"""Time between two removals of idle games."""

RETRY_SECONDS = 10.0
"""Time after which a reply that failed is tried again."""

log = logging.getLogger("seabattle.web")


def create_app(settings: ServerSettings) -> FastAPI:
    """The application of one server; its parts start and stop with it."""
    for module in settings.imports:
        _import(module)
    store = GameStore(settings.database)
    workers = PlayerWorkers(settings)
    event_stream = EventStream(settings.games_per_client)
    service = GameService(store, workers, settings, event_stream.changed)
    solo_games = SoloGames(settings, store.now)

    async def stop() -> None:
        """End what would keep requests waiting."""
        event_stream.close()
        await workers.close()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        tasks = [
            asyncio.create_task(_logged(service.resume)),
            asyncio.create_task(_repeat(service.forget_idle, SWEEP_SECONDS)),
            asyncio.create_task(_repeat(service.retry_failed_replies, RETRY_SECONDS)),
        ]
        if settings.warm_up:
            tasks.append(asyncio.create_task(_warm_up(workers)))
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await service.close()
        await stop()
        store.close()
        solo_games.close()

    app = FastAPI(
        title="seabattle",
        version=__version__,
        description="Play Battleship against computer players and people, and analyse games.",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.stop, app.state.service, app.state.workers = stop, service, workers
    api = routes(service, workers, event_stream, settings)
    # Listed, not included: an included router is matched anew for every request.
    app.router.routes += api.routes
    features = APIRouter(prefix=api.prefix, responses=api.responses)
    features.include_router(review_routes(workers))
    features.include_router(opponent_routes(workers))
    features.include_router(puzzle_routes(workers))
    features.include_router(memory_routes(workers))
    features.include_router(solo_routes(solo_games, workers))
    features.include_router(spectator_routes(service, event_stream))
    app.include_router(features)
    app.include_router(installable_routes())
    _explain_errors(app)

    @app.get("/reports/{number}/{name:path}", include_in_schema=False)
    def report(number: int, name: str) -> FileResponse:
        return serve_report(settings.report_folders, number, name)

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    # In front of the framework's own layers, not among them.
    inner = DirectCalls(app.build_middleware_stack(), service, event_stream)
    app.middleware_stack = Middleware(inner, settings)
    return app


def _explain_errors(app: FastAPI) -> None:
    """Every refusal as one sentence."""

    @app.exception_handler(SeabattleError)
    @app.exception_handler(sqlite3.Error)
    async def refused(request: Request, error: SeabattleError | sqlite3.Error) -> JSONResponse:
        return refusal_response(error)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        first: dict[str, Any] = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        what = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        return JSONResponse({"error": f"Cannot read {where or 'the request'}: {what}."}, 422)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": f"{error.detail}."}, error.status_code, error.headers)


async def _repeat(action: Callable[[], Awaitable[None]], seconds: float) -> None:
    """Do something now, and again after each pause."""
    while True:
        await _logged(action)
        await asyncio.sleep(seconds)


async def _logged(action: Callable[[], Awaitable[None]]) -> None:
    """Do something; a failing store is logged."""
    try:
        await action()
    except sqlite3.Error as error:
        log.error("The store failed: %s", error)


async def _warm_up(workers: PlayerWorkers) -> None:
    """Start processes and compile before the first visitor comes."""
    try:
        await workers.warm_up()
    except Closing:
        pass
    except SeabattleError as error:
        log.warning("The warm-up ended early: %s", error)


def _import(module: str) -> None:
    """Import a module of the operator's own players."""
    try:
        importlib.import_module(module)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise SeabattleError(f"Cannot import {module!r} ({reason}).") from None
