"""Reviews of recorded games, shot by shot, as they are computed."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from ..errors import SeabattleError
from ..record import DuelRecord, GameRecord, read_record
from ..review import GameReview, ShotReview, ShotToReview, positions
from .player_workers import PlayerWorkers
from .request_rates import PendingThoughts
from .requests import Client, content
from .schemas import RecordRequest

PER_CLIENT = 2
"""reviews that an address may wait for at a time"""
REMEMBERED = 1000
"""positions whose probabilities are kept: the end of a game and its replay ask for the same"""


def review_routes(workers: PlayerWorkers) -> APIRouter:
    api = APIRouter()
    running = PendingThoughts(PER_CLIENT)
    known: OrderedDict[tuple[str, str], tuple[list[float], bool]] = OrderedDict()

    async def review(position: ShotToReview, client: str) -> ShotReview:
        seen = position.known
        key = seen.rules.to_text(), seen.to_text()
        found = known.get(key)
        if found is None:
            belief = await workers.belief(seen, client)
            chances = [chance for row in belief["probability"] for chance in row]
            found = known[key] = chances, belief["method"] == "exact"
            while len(known) > REMEMBERED:
                known.popitem(last=False)
        return ShotReview.of(position, found[0], exact=found[1])

    async def lines(record: GameRecord | DuelRecord, client: str) -> AsyncIterator[str]:
        try:
            with running.one_more(client):
                shots = []
                for position in positions(record):
                    shots.append(await review(position, client))
                    yield _line({"shot": shots[-1].to_json()})
                sides = 2 if isinstance(record, DuelRecord) else 1
                yield _line({"review": GameReview.of(shots, sides).to_json()})
        except SeabattleError as error:
            yield _line({"error": str(error)})

    @api.post("/review", responses=content("application/x-ndjson"))
    async def review_game(query: RecordRequest, client: Client) -> StreamingResponse:
        """How good and how lucky each shot of a recorded game was: a line of JSON per shot
        (`shot`), then one for the whole game (`review`); `error` if it could not be computed."""
        record = read_record(query.record)
        return StreamingResponse(lines(record, client), media_type="application/x-ndjson")

    return api


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value) + "\n"
