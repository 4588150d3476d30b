"""A scripted client plays whole games with the MCP server, a real process, and misuses it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters, stdio_client

from seabattle import Layout, Observation, Rules, make_player
from seabattle.agents import find_task
from seabattle.agents.agent_games import OPEN_GAMES, AgentGames
from seabattle.agents.mcp_server import MOST_WAITING
from seabattle.errors import AgentError
from tests.forking import seabattle

Play = Callable[[Client], Awaitable[None]]


def with_server(play: Play, *options: str) -> None:
    """Start the server as a process and let a client talk to it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "seabattle", "mcp", "--seed", "7", *options],
        env={**os.environ, "SEABATTLE_QUIET": "1"},
    )

    async def main() -> None:
        with anyio.fail_after(120):
            async with Client(stdio_client(server)) as client:
                await play(client)

    anyio.run(main)


async def call(client: Client, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """A call that succeeds: its text and its facts."""
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    assert not result.is_error, text
    assert result.structured_content is not None
    return text, result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """A call that is refused: the sentence."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    sentence = result.content[0].text
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    assert sentence.endswith((".", "?"))
    return str(sentence)


def next_cell(facts: dict[str, Any], rng: Any) -> str:
    """Where a simple player would shoot."""
    rules = Rules.from_text(facts["rules"])
    known = Observation.from_text(facts["shots"], rules)
    return rules.cell_name(make_player("even").choose(known, rng))


def rng() -> Any:
    import numpy as np

    return np.random.default_rng(5)


def test_a_client_plays_whole_games_and_a_task() -> None:
    async def play(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {
            "list_rules", "start_game", "place", "shoot", "show", "end_game",
            "list_tasks", "start_task", "analyze",
        }  # fmt: skip
        text, facts = await call(client, "list_rules")
        assert "russian: 10x10" in text
        assert "even" in facts["opponents"]
        await solo(client)
        await against(client)
        await salvos(client)
        await task(client)

    async def solo(client: Client) -> None:
        _, facts = await call(client, "start_game", rules="mini")
        game, chance = facts["game"], rng()
        while facts["stage"] == "shooting":
            assert "layout" not in facts
            _, analysis = await call(client, "analyze", game=game)
            assert analysis["method"] == "exact"
            cell = next_cell(facts, chance)
            text, facts = await call(client, "shoot", game=game, cell=cell)
        assert "you found the whole fleet" in text
        layout = Layout.from_text(facts["layout"], Rules.from_text("mini"))
        hits = Observation.from_text(facts["shots"], layout.rules).hits
        assert hits == frozenset(layout.ship_at)
        assert await refusal(client, "shoot", game=game, cell="A1") == (
            f"Game {game} is over; start another one."
        )

    async def against(client: Client) -> None:
        _, facts = await call(
            client, "start_game", rules="russian size=6 fleet=3,2,1", opponent="even", first="them"
        )
        game, chance = facts["game"], rng()
        assert facts["stage"] == "placing"
        assert await refusal(client, "shoot", game=game, cell="A1") == (
            f"Place your fleet in game {game} before you shoot."
        )
        assert "touch" in await refusal(
            client, "place", game=game, ships="cruiser A1 across, destroyer B1 across, boat F6 down"
        )
        text, facts = await call(
            client, "place", game=game, ships="cruiser A1 across, destroyer C1 across, boat F6 down"
        )
        assert "even: " in text
        assert await refusal(client, "place", game=game) == (
            f"Your fleet in game {game} is already placed."
        )
        while facts["stage"] == "shooting":
            text, facts = await call(client, "shoot", game=game, cell=next_cell(facts, chance))
        assert re.search(r"The game is over: (you win|even wins)\.", text)
        assert "The hidden fleet was: cruiser" in text

    async def salvos(client: Client) -> None:
        rules = "3x3 fleet=2 salvo=2"
        text, facts = await call(client, "start_game", rules=rules, opponent="in-order")
        game = facts["game"]
        assert "A turn is a salvo of 2 shots" in text
        await call(client, "place", game=game, ships="random")
        for wrong, why in (("A1", "This turn has 2 shots"), ("A1 A1", "is in the salvo twice"),
                           ("A1 D4", "not a cell")):  # fmt: skip
            refused, facts = await call(client, "shoot", game=game, cell=wrong)
            assert why in refused
            assert facts["shots"] == ""
        shots = 0
        for salvo in ("C3 C2", "C1 B3", "B2 B1", "A3 A2"):
            text, facts = await call(client, "shoot", game=game, cell=salvo)
            shots += 2
            assert f"You: {facts['shots'].split(', ', shots - 2)[-1]}." in text
            if facts["stage"] == "over":
                break
        assert facts["stage"] == "over"

    async def task(client: Client) -> None:
        _, listed = await call(client, "list_tasks")
        assert "layout" not in json.dumps(listed)
        _, facts = await call(client, "start_task", task="mini-game-1")
        game, chance = facts["game"], rng()
        hidden = find_task("mini-game-1").layout.to_text()
        assert "no analysis in a task" in await refusal(client, "analyze", game=game)
        told, facts = await call(client, "shoot", game=game, cell="Q1")
        assert told.startswith("Illegal move: 'Q1' is not a cell of this board")
        assert facts["legal"] is False
        while facts["stage"] == "shooting":
            assert hidden not in told + json.dumps(facts)
            cell = next_cell(facts, chance)
            told, facts = await call(client, "shoot", game=game, cell=cell)
            if facts["stage"] == "shooting":
                told, facts = await call(client, "shoot", game=game, cell=cell)
                assert told.startswith(f"Repeated cell: {cell} has been shot at already.")
        score = facts["score"]
        assert score["finished"]
        assert score["illegal"] == 1
        assert score["repeated"] == score["shots"] - 1
        assert 0 < score["mean_regret"] < 1
        assert hidden not in told + json.dumps(facts)
        assert "each task can be tried once" in await refusal(
            client, "start_task", task="mini-game-1"
        )

    with_server(play)


def test_analysis_can_be_switched_off() -> None:
    async def play(client: Client) -> None:
        assert "analyze" not in {tool.name for tool in (await client.list_tools()).tools}
        _, facts = await call(client, "start_game", rules="mini")
        assert "There is no such tool; there are list_rules" in await refusal(
            client, "analyze", game=facts["game"]
        )

    with_server(play, "--no-analysis")


def test_misuse_is_a_sentence_and_the_game_goes_on() -> None:
    async def play(client: Client) -> None:
        _, facts = await call(client, "start_game", rules="mini")
        game = facts["game"]
        for tool, arguments, sentence in (
            ("shoot", {"game": "game-99", "cell": "A1"}, "There is no game 'game-99'"),
            ("shoot", {"game": game}, "The tool shoot needs the argument 'cell'."),
            ("shoot", {"game": game, "cell": 5}, "The argument 'cell' of the tool shoot must be"),
            ("shoot", {"game": game, "cell": ["A1"]}, "must be a text."),
            ("shoot", {"game": game, "cell": "A" * 100_000}, "is too long"),
            ("shoot", {"game": "g" * 100_000, "cell": "A1"}, "is too long"),
            ("place", {"game": game, "ships": "random"}, "there is no fleet to place"),
            ("start_game", {"rules": "chess"}, "Unknown rules 'chess'"),
            ("start_game", {"rules": "99x99"}, "A board has 2 to 16 rows"),
            ("start_game", {"rules": "16x16 fleet=" + ",".join("2" * 100)}, "at most 20 ships"),
            ("start_game", {"rules": "2x2 fleet=2,2 contact=none"}, "some room around them"),
            ("start_game", {"rules": "mini", "opponent": "exec:true"}, "Unknown opponent"),
            ("start_game", {"rules": "mini", "opponent": "cnn"}, "cnn"),
            ("start_game", {"rules": "mini", "first": "us"}, "choose from me, them"),
            ("start_task", {"task": "x" * 10_000}, "Unknown task"),
            ("show", {"game": ""}, "There is no game ''"),
            ("end_game", {"game": "game-0"}, "There is no game"),
            ("list_rules", {"name": "mini size=0"}, "A board has 2 to 16 rows"),
            ("no_such_tool", {}, "There is no such tool; there are list_rules"),
        ):
            assert sentence in await refusal(client, tool, **arguments), (tool, sentence)
        _, facts = await call(client, "shoot", game=game, cell="C3", extra="ignored")
        assert facts["shots"].startswith("C3")

    with_server(play)


def test_a_flood_of_games_and_of_calls_is_refused_and_survived() -> None:
    async def play(client: Client) -> None:
        for _ in range(OPEN_GAMES):
            _, facts = await call(client, "start_game", rules="mini")
        assert "finish one, or end it" in await refusal(client, "start_game", rules="mini")
        assert "finish one, or end it" in await refusal(client, "start_task", task="mini-game-1")
        text, ended = await call(client, "end_game", game=facts["game"])
        assert "The fleet was: cruiser" in text
        assert ended["stage"] == "over"
        _, facts = await call(client, "start_game", rules="classic")
        results: list[Any] = []

        async def show() -> None:
            results.append(await client.call_tool("analyze", {"game": facts["game"]}))

        async with anyio.create_task_group() as group:
            for _ in range(10 * MOST_WAITING):
                group.start_soon(show)
        refused = [result.content[0].text for result in results if result.is_error]
        assert len(results) == 10 * MOST_WAITING
        assert refused
        assert all(text.startswith(f"{MOST_WAITING} calls are waiting") for text in refused)
        await call(client, "shoot", game=facts["game"], cell="A1")

    with_server(play)


def test_garbage_on_standard_input_does_not_stop_the_server() -> None:
    """A client that does not speak the protocol; the end of its input ends the server."""
    lines = [
        "this is not JSON",
        '{"jsonrpc": "2.0"',
        "[]",
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "no/such/method"}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": 3}}),
        "\x00\xff" * 1000,
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 3,
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "raw", "version": "0"},
                },
            }
        ),
    ]
    done = seabattle("mcp", input="\n".join(lines) + "\n", timeout=60)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    (hello,) = [each for each in answers if each.get("id") == 3]
    assert hello["result"]["serverInfo"]["name"] == "seabattle"
    assert all("error" in each for each in answers if each.get("id") in (1, 2))


def test_no_answer_before_the_end_has_the_layout() -> None:
    """Every method of a game, before and after, with the layout that its seed hides."""
    games = AgentGames(seed=3)
    known = AgentGames(seed=3)
    hidden = known.end(known.start("classic").facts["game"]).facts["layout"]
    game = games.start("classic").facts["game"]
    told = [games.show(game), games.analyze(game), games.shoot(game, "A1"), games.shoot(game, "A1")]
    for each in told:
        assert hidden not in each.text + json.dumps(each.facts)
        assert "across" not in each.text
    assert games.end(game).facts["layout"] == hidden


def test_finished_games_are_forgotten_in_time() -> None:
    games = AgentGames(seed=1)
    first = games.start("2x2 fleet=1").facts["game"]
    for _ in range(130):
        game = games.start("2x2 fleet=1").facts["game"]
        for cell in ("A1", "A2", "B1", "B2"):
            if games.shoot(game, cell).facts["stage"] == "over":
                break
    assert games.show(first).facts["stage"] == "shooting"
    with pytest.raises(AgentError, match="There is no game 'game-2'"):
        games.show("game-2")


def test_without_the_package_there_is_a_sentence() -> None:
    code = "import sys; sys.modules['mcp'] = None; from seabattle.cli import main; main(['mcp'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    assert done.stderr == "seabattle: The MCP server needs mcp: pip install 'seabattle[mcp]'\n"
