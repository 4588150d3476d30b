"""The games of an agent as tools of the Model Context Protocol, over standard input and output.

One client talks to one server process. Its calls are handled one at a time, in a thread, so
that the server still answers while a player thinks; a client that sends many calls at once is
told to wait for some of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import ValidationError

from .. import __version__
from ..errors import SeabattleError
from .agent_games import AgentGames, Told

MOST_WAITING = 10
"""calls under way at once"""

INSTRUCTIONS = """Play Battleship. Start a game with start_game, or a scored task with
list_tasks and start_task, then call shoot with the game's id and a cell such as B3 until the
game is over. Against an opponent, place your fleet first."""


class GameServer(MCPServer[Any]):
    """An MCP server whose errors are single sentences."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            return _refused(_sentence(name, error, self))

    @property
    def tool_names(self) -> list[str]:
        return [tool.name for tool in self._tool_manager.list_tools()]


def make_server(seed: int | None = None, *, analysis: bool = True) -> GameServer:
    """A server with the games of one agent; without `analysis`, it has no such tool."""
    games = AgentGames(seed, analysis=analysis)
    server = GameServer(
        "seabattle", version=__version__, instructions=INSTRUCTIONS, log_level="ERROR"
    )
    turns = _Turns()

    async def list_rules(name: str = "") -> CallToolResult:
        """List the rules that can be played and the opponents, or explain one set of rules."""
        return await turns.take(games.list_rules, name)

    async def start_game(
        rules: str = "classic", opponent: str = "", first: str = "me"
    ) -> CallToolResult:
        """Start a game. Without an opponent you shoot at a hidden fleet. With one, both sides
        have a fleet: call place next. `first` says who moves first: me or them."""
        return await turns.take(games.start, rules, opponent, first)

    async def place(game: str, ships: str = "random") -> CallToolResult:
        """Place your fleet, such as 'carrier A1 across, battleship C3 down, ...', or 'random'."""
        return await turns.take(games.place, game, ships)

    async def shoot(game: str, cell: str) -> CallToolResult:
        """Fire at a cell, such as B3. Under salvo rules, name all cells of the turn: B3 C4 D5."""
        return await turns.take(games.shoot, game, cell)

    async def show(game: str) -> CallToolResult:
        """Show the position of a game."""
        return await turns.take(games.show, game)

    async def end_game(game: str) -> CallToolResult:
        """Give up a game or a task."""
        return await turns.take(games.end, game)

    async def list_tasks() -> CallToolResult:
        """List the tasks, whose moves are scored against exact play."""
        return await turns.take(games.list_tasks)

    async def start_task(task: str) -> CallToolResult:
        """Start a task; play it with shoot. There is no analysis in tasks."""
        return await turns.take(games.start_task, task)

    async def analyze(game: str) -> CallToolResult:
        """Show the best shots of a game by their chance of a hit. Not in tasks."""
        return await turns.take(games.analyze, game)

    tools: list[Callable[..., Any]] = [
        list_rules, start_game, place, shoot, show, end_game, list_tasks, start_task,
    ]  # fmt: skip
    for tool in [*tools, analyze] if analysis else tools:
        server.add_tool(tool)
    return server


class _Turns:
    """Handles calls one at a time, and refuses them when too many wait."""

    def __init__(self) -> None:
        self._waiting = 0
        self._one: anyio.CapacityLimiter | None = None

    async def take(self, call: Callable[..., Told], *arguments: Any) -> CallToolResult:
        if self._waiting >= MOST_WAITING:
            raise ToolError(
                f"{MOST_WAITING} calls are waiting already; send the next one when some of them "
                "are answered."
            )
        if self._one is None:
            self._one = anyio.CapacityLimiter(1)
        self._waiting += 1
        try:
            told = await anyio.to_thread.run_sync(
                functools.partial(call, *arguments), limiter=self._one
            )
        except SeabattleError as error:
            raise ToolError(str(error)) from error
        finally:
            self._waiting -= 1
        return CallToolResult(
            content=[TextContent(type="text", text=told.text)], structured_content=told.facts
        )


def _sentence(name: str, error: ToolError, server: GameServer) -> str:
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        first = cause.errors()[0]
        argument = ".".join(map(str, first["loc"])) or "arguments"
        if first["type"] == "missing":
            return f"The tool {name} needs the argument {argument!r}."
        return f"The argument {argument!r} of the tool {name} must be a text."
    if isinstance(cause, ToolError):
        return str(cause)
    return f"There is no such tool; there are {', '.join(server.tool_names)}."


def _refused(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=sentence)], is_error=True)
