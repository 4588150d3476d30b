"""Levels of difficulty, strengths, and what a person's own games add up to."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from ..errors import SeabattleError
from ..opponents import (
    LEVELS,
    MEDIUM,
    PlayedGame,
    Strength,
    level_player,
    shipped_strength,
    tally,
)
from ..opponents.rating import START, opponent_rating
from ..opponents.tally import PlayedResult, rating_history
from ..players import all_players
from ..rules import Rules
from .player_workers import PlayerWorkers
from .requests import Client, read_rules, while_connected
from .schemas import AnyRules, PlayerName, RulesRequest

MOST_GAMES = 500
"""games of a person that are added up"""

Line = tuple[
    Annotated[str, Field(max_length=200)],
    Annotated[str, Field(max_length=200)],
    PlayedResult,
    Annotated[int, Field(ge=0, le=256)],
    Annotated[float, Field(ge=0, le=100)] | None,
    bool,
    bool,
]


class StrengthRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    player: PlayerName
    rules: AnyRules = "classic"


class MyGamesRequest(BaseModel):
    """A person's finished games, the oldest first; each is opponent, rules, result, shots,
    accuracy, whether the whole fleet was found, and whether the opponent is a person."""

    model_config = ConfigDict(extra="forbid")

    games: Annotated[list[Line], Field(max_length=MOST_GAMES)]


def opponent_routes(workers: PlayerWorkers) -> APIRouter:
    api = APIRouter()

    @api.post("/opponents")
    async def opponents(query: RulesRequest, client: Client) -> dict[str, Any]:
        """The levels and all players under some rules, each with its strength if that is known,
        and why some cannot play."""
        rules = read_rules(query.rules)
        cannot = await workers.cannot_play(rules, client)
        levels = []
        for level in LEVELS:
            player = level_player(
                level.name, rules, lambda name, _: cannot.get(name.partition(":")[0], "")
            )
            if player is not None:
                shown = {"name": level.name, "title": level.title, "summary": level.summary}
                levels.append({**shown, "player": player, "strength": _shipped(player, rules)})
        strengths = {
            name: _shipped(name, rules)
            for name, info in all_players().items()
            if not info.runs_programs and name not in cannot
        }
        return {"levels": levels, "usual": MEDIUM, "strengths": strengths, "cannot_play": cannot}

    @api.post("/strength")
    async def strength(query: StrengthRequest, client: Client, request: Request) -> dict[str, Any]:
        """How many shots a player needs on average under some rules; measured if no table has
        it."""
        rules = read_rules(query.rules)
        shipped = _shipped(query.player, rules)
        if shipped is None:
            measuring = workers.strength(query.player, rules, client)
            shipped = await while_connected(request, measuring)
        return {"strength": shipped}

    @api.post("/my-games")
    def my_games(query: MyGamesRequest) -> dict[str, Any]:
        """Results, means and accuracy against each opponent, and the rating after each game."""
        games = [PlayedGame(*line) for line in query.games]
        history = rating_history(games, _rating)
        rated = [rating for rating in history if rating is not None]
        return {
            "opponents": [each.to_json() for each in tally(games)],
            "rating": rated[-1] if rated else None,
            "start": START,
            "history": history,
        }

    return api


def _shipped(player: str, rules: Rules) -> dict[str, Any] | None:
    found = shipped_strength(player, rules)
    return None if found is None else found.to_json()


@cache
def _medium(rules: Rules) -> Strength | None:
    player = level_player(MEDIUM, rules)
    return None if player is None else shipped_strength(player, rules)


def _rating(player: str, rules_text: str) -> float | None:
    """The rating of an opponent; None if no table has its strength."""
    try:
        rules = Rules.from_text(rules_text)
    except SeabattleError:
        return None
    if rules.name is None:
        return None
    strength, medium = shipped_strength(player, rules), _medium(rules)
    return None if strength is None or medium is None else opponent_rating(strength, medium)
