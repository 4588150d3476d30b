"""Opponents who learn from a person's earlier games.

The person's browser keeps the games and sends those under the rules of a new game along with
it. They are checked here and stored with that game, as long as it is, so that it goes on after
a restart; the server keeps nothing else about anybody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter

from ..learners.person_habits import THRESHOLD
from ..learners.person_memory import MOST_GAMES, RememberedGame, read_games
from ..rules import Rules
from .player_workers import PlayerWorkers
from .requests import Client, read_rules
from .schemas import HabitsRequest, RememberedGameBody

Memory = list[dict[str, Any]]
"""remembered games as JSON, as a game's settings and a worker get them"""


async def checked_memory(games: Sequence[RememberedGameBody], rules: Rules) -> Memory:
    """The games, if they are finished ones under these rules."""
    given = [game.model_dump() for game in games]
    # Replaying them takes some milliseconds.
    return [game.to_json() for game in await asyncio.to_thread(read_games, given, rules)]


def and_game(memory: Memory, game: RememberedGame) -> Memory:
    """With one more game; too old a game is forgotten."""
    return [*memory, game.to_json()][-MOST_GAMES:]


def memory_routes(workers: PlayerWorkers) -> APIRouter:
    api = APIRouter()

    @api.post("/habits")
    async def habits(query: HabitsRequest, client: Client) -> dict[str, Any]:
        """What somebody's games under some rules say about them, in words: what differs from
        chance by `threshold` standard errors. Nothing of it is kept."""
        rules = read_rules(query.rules)
        memory = await checked_memory(query.games, rules)
        found = await workers.habits(rules, memory, client)
        return {"games": len(memory), "threshold": THRESHOLD, "habits": found}

    return api
