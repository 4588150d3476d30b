"""The protocol: its messages, its page, and our players as engines.

To regenerate the exchanges of the page: `python -m tests.engine.test_protocol`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Observation, Rules
from seabattle.engine.protocol import (
    FROM_ENGINE,
    KINDS,
    TO_ENGINE,
    Messages,
    decode,
    encode,
    shot_from_text,
    shot_text,
)
from seabattle.engine.server import EngineServer, serve
from seabattle.errors import ProtocolError
from tests.forking import Seabattle
from tests.strategies import observations

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
EXCHANGE = re.compile(r"(<!-- exchange: (.*?) -->\n```text\n)(.*?)(?=^```)", re.DOTALL | re.M)


def rerun(page: str) -> str:
    """The page with what the engines answer today."""

    def run(block: re.Match[str]) -> str:
        program, *arguments = shlex.split(block[2])
        assert program == "seabattle"
        engine = Seabattle(
            *arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "SEABATTLE_QUIET": "1"},
            text=True,
            bufsize=1,
        )
        lines = []
        with engine:
            assert engine.stdin is not None
            assert engine.stdout is not None
            for line in block[3].splitlines():
                if not line.startswith("> "):
                    continue
                lines.append(line)
                print(line[2:], file=engine.stdin, flush=True)
                if needs_answer(json.loads(line[2:])):
                    lines.append(f"< {engine.stdout.readline().rstrip()}")
            engine.stdin.close()
            assert engine.stdout.read() == ""
        assert engine.returncode == 0
        return block[1] + "".join(f"{line}\n" for line in lines)

    return EXCHANGE.sub(run, page)


def needs_answer(message: dict[str, Any]) -> bool:
    return message["type"] in ("hello", "rules", "choose", "place")


def test_the_exchanges_of_the_page_are_what_happens() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(EXCHANGE.findall(text)) == 4
    assert rerun(text) == text


def test_every_line_of_the_page_is_a_message() -> None:
    lines = re.findall(r"^([<>] \{.*)$", PAGE.read_text(encoding="utf-8"), re.M)
    assert len(lines) == 75
    for line in lines:
        decode(line[2:].encode(), TO_ENGINE if line[0] == ">" else FROM_ENGINE)


@pytest.mark.parametrize(
    ("heading", "known"),
    [("## Messages to the engine", TO_ENGINE), ("## Messages from the engine", FROM_ENGINE)],
)
def test_the_tables_of_the_page_list_every_message(heading: str, known: Messages) -> None:
    section = PAGE.read_text(encoding="utf-8").split(heading)[1].split("\n## ")[0]
    listed = {}
    for row in re.findall(r"^\| `([a-z-]+)` \|(.*?)\|", section, re.M):
        listed[row[0]] = re.findall(r"`(.*?)`", row[1])
    assert listed == {
        kind: [name if field.required else f"{name}?" for name, field in fields.items()]
        for kind, fields in known.items()
    }


# ---- messages

VALUES = {
    "a whole number": st.integers(0, 2**64 - 1),
    "a number": st.floats(0, 1e9) | st.integers(0, 10**9),
    "a text": st.text(),
    "true or false": st.booleans(),
    "a list of texts": st.lists(st.text(), max_size=3),
    "an object": st.dictionaries(st.text(), st.integers(), max_size=3),
}


@given(st.data(), st.sampled_from([TO_ENGINE, FROM_ENGINE]))
def test_messages_round_trip_and_need_their_fields(data: st.DataObject, known: Messages) -> None:
    kind = data.draw(st.sampled_from(sorted(known)))
    fields = {name: data.draw(VALUES[field.kind]) for name, field in known[kind].items()}
    message = {"type": kind, **fields}
    line = encode(kind, **fields)
    assert line.count(b"\n") == 1
    assert decode(line, known) == message
    for name, field in known[kind].items():
        less = {each: value for each, value in fields.items() if each != name}
        if field.required:
            with pytest.raises(ProtocolError, match=f"has no '{name}'"):
                decode(encode(kind, **less), known)
        else:
            assert decode(encode(kind, **less), known) == {"type": kind, **less}
        with pytest.raises(ProtocolError, match=f"must be {field.kind}"):
            decode(encode(kind, **{**fields, name: None}), known)


def test_every_kind_of_value_is_checked() -> None:
    assert set(VALUES) == set(KINDS)


@pytest.mark.parametrize(
    "line",
    [
        b"", b"x", b"[]", b"5", b"null", b"{}", b'{"type": 5}', b'{"type": "shoot"}', b"\xff\xfe",
        b'{"type": "shot", "id": -1, "cell": "A1"}', b'{"type": "shot", "id": true, "cell": "A1"}',
        b"[" * 50_000, b'{"type": "shot", "id": 1.5, "cell": "A1"}',
    ],
)  # fmt: skip
def test_lines_that_are_no_messages_are_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(line, FROM_ENGINE)


@given(observations())
@settings(deadline=None)
def test_shots_round_trip(observation: Observation) -> None:
    for shot in observation.shots:
        assert shot_from_text(shot_text(shot, observation.rules), observation.rules) == shot


# ---- our players as engines


def ready(player: str = "random") -> EngineServer:
    server = EngineServer(player)
    rules = Rules.from_text("mini").to_json()
    assert json.loads(server.answer(encode("rules", rules=rules)))["type"] == "ready"
    return server


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (encode("choose", id=1, game=9, shots=[], seconds=1), "no game 9"),
        (encode("game", game=1, seed=1, shots=["A1 mist"]), "Cannot read the shot"),
        (encode("game", game=1, seed=1, shots=["A1 miss", "A1 miss"]), "shot at already"),
        (encode("game", game=1, seed=1, shots=["A1 sunk cruiser"]), "nobody is told"),
        (encode("game", game=1, seed=1, shots=["Q1 miss"]), "not a cell"),
        (encode("over", game=9, shots=[], result="finished"), "no game 9"),
        (encode("rules", rules={"rows": 99}), "2 to 16 rows"),
        (encode("rules", rules={"fleet": [3] * 90}), "does not fit"),
        (encode("hello", protocol=0), "version 1"),
        (encode("hello", protocol=1, options={"x": "1"}), "no option 'x'"),
        (b"garbage", "not JSON"),
        (encode("dance"), "Unknown message type"),
    ],
)
def test_mistakes_of_a_host_are_answered_with_an_error(message: bytes, told: str) -> None:
    server = ready()
    answer = decode(server.answer(message), FROM_ENGINE)
    assert answer["type"] == "error"
    assert told in answer["message"]


def test_a_finished_game_has_no_next_shot() -> None:
    server = ready()
    shots = [f"{cell} hit" for cell in ("A1", "A2", "A3", "C1", "C2")]
    assert server.answer(encode("game", game=1, seed=1, shots=shots)) == b""
    answer = json.loads(server.answer(encode("choose", id=4, game=1, shots=[], seconds=1)))
    assert (answer["type"], answer["id"]) == ("error", 4)


def test_the_number_of_open_games_is_limited() -> None:
    server = ready()
    for game in range(256):
        assert server.answer(encode("game", game=game, seed=1, shots=[])) == b""
    refused = json.loads(server.answer(encode("game", game=256, seed=1, shots=[])))
    assert "at most 256 games" in refused["message"]
    server.answer(encode("over", game=3, shots=[], result="stopped"))
    assert server.answer(encode("game", game=256, seed=1, shots=[])) == b""


def test_messages_that_wait_are_answered_together() -> None:
    (read, to_engine), (from_engine, write) = os.pipe(), os.pipe()
    os.write(to_engine, encode("hello", protocol=1) * 50 + encode("quit") + b"never read\n")
    serve(EngineServer("random"), read, write)
    os.close(write)
    with os.fdopen(from_engine) as answers:
        assert len(answers.readlines()) == 50
    os.close(to_engine)
    os.close(read)


def test_a_rule_set_that_the_player_cannot_play_is_refused() -> None:
    server = EngineServer("cnn")
    refused = json.loads(server.answer(encode("rules", rules={"rows": 5, "columns": 5})))
    assert refused["type"] == "error"


if __name__ == "__main__":
    PAGE.write_text(rerun(PAGE.read_text(encoding="utf-8")), "utf-8")
