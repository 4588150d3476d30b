"""Puzzles over HTTP. The solution is sent only in reply to an answer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from ..puzzles import KINDS, PUZZLE_RULES
from .player_workers import PlayerWorkers
from .requests import Client

PuzzleId = Annotated[str, Path(min_length=1, max_length=200)]


class AnswerRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    cells: Annotated[list[Annotated[str, Field(max_length=5)]], Field(max_length=256)]
    """none to give up"""


def puzzle_routes(workers: PlayerWorkers) -> APIRouter:
    api = APIRouter()

    @api.get("/puzzles")
    def puzzles() -> dict[str, Any]:
        """The kinds of puzzles, and rules that they exist under."""
        return {"kinds": KINDS, "rules": PUZZLE_RULES}

    @api.get("/puzzles/{puzzle}")
    async def puzzle(puzzle: PuzzleId, client: Client) -> dict[str, Any]:
        """A puzzle by its id: `daily-2026-11-17` or `best-classic-17`."""
        return await workers.puzzle(puzzle, client)

    @api.post("/puzzles/{puzzle}/answer")
    async def answer(puzzle: PuzzleId, query: AnswerRequest, client: Client) -> dict[str, Any]:
        """Whether an answer is right, and the solution."""
        return await workers.puzzle(puzzle, client, query.cells)

    return api
