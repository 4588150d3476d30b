"""An engine that breaks the protocol in the way its first argument says. No dependencies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

LISTENING = ("listens", "dies", "illegal-each")

mode = sys.argv[1]
after = int(sys.argv[2]) if len(sys.argv) > 2 else 3
"""how many questions are answered well before; with `illegal-each`, in each game"""
heard = sys.argv[3] if len(sys.argv) > 3 and mode in LISTENING else ""
"""the file in which every message is written down"""


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


def answer_badly(message: dict[str, Any], cell: str) -> None:
    match mode:
        case "garbage":
            print("I think I shoot at A1", flush=True)
        case "binary":
            sys.stdout.buffer.write(b"\xff\xfe\x00{]\n")
            sys.stdout.flush()
        case "silent":
            pass
        case "thinking":
            time.sleep(3600)
        case "halves":
            line = json.dumps({"type": "shot", "id": message["id"], "cell": cell})
            for part in (line[:9], line[9:] + "\n"):
                sys.stdout.write(part)
                sys.stdout.flush()
                time.sleep(0.01)
        case "half":
            sys.stdout.write('{"type": "shot", "id"')
            sys.stdout.flush()
        case "surrogate":
            say(type="error", id=message["id"], message="\ud800")
        case "huge-id":
            print('{"type": "shot", "cell": "A1", "id": 1' + "0" * 5000 + "}", flush=True)
            say(type="shot", id=message["id"], cell=cell)
        case "deep":
            print("[" * 60_000, flush=True)
            say(type="shot", id=message["id"], cell=cell)
        case "other-game":
            say(type="shot", id=message["id"] + 1000, cell=cell)
            say(type="shot", id=message["id"], cell=cell)
        case "illegal" | "illegal-each":
            say(type="shot", id=message["id"], cell="Z99")
        case "repeated":
            say(type="shot", id=message["id"], cell=(fired[message["game"]] or ["Z99"])[0])
        case "twice":
            say(type="shot", id=message["id"], cell=cell)
            say(type="shot", id=message["id"], cell=cell)
        case "no-cell":
            say(type="shot", id=message["id"])
        case "refuses":
            say(type="error", id=message["id"], message="out of ideas")
        case "layout":
            say(type="layout", id=message["id"], ships="carrier A1 across")
        case "dies":
            print("Traceback: the last words", file=sys.stderr, flush=True)
            os._exit(3)
        case "closes":
            os.close(1)
            time.sleep(60)
        case "floods":
            while True:
                sys.stdout.write('{"type": "info", "message": "la la la"}\n')
        case "long-line":
            while True:
                sys.stdout.write("x" * 100_000)
        case "stderr-flood":
            while True:
                sys.stderr.write("y" * 10_000 + "\n")
        case "parent":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            print(child.pid, file=sys.stderr, flush=True)
            time.sleep(600)


def choose(message: dict[str, Any]) -> None:
    global after
    shots = fired[message["game"]]
    shots += [shot.split()[0] for shot in message["shots"]]
    cell = next(
        name
        for row in range(rules["rows"])
        for column in range(rules["columns"])
        if (name := f"{chr(65 + row)}{column + 1}") not in [*shots, *message.get("pending", [])]
    )
    if mode == "illegal-each" and len(shots) >= after:
        return answer_badly(message, cell)
    if mode != "illegal-each":
        after -= 1
    if after >= 0 or mode == "stops-late":
        if mode == "stops-late" and after < 0:
            after = 1_000_000
            waiting.append((message["id"], cell))
            return None
        say(type="shot", id=message["id"], cell=cell)
    else:
        answer_badly(message, cell)
    return None


def place(message: dict[str, Any]) -> None:
    """Ships in the top rows, one below the other, or a bad answer."""
    ships = [f"{ship} {chr(65 + 2 * row)}1 across" for row, ship in enumerate(rules["ships"])]
    match mode:
        case "fleet-overlaps":
            ships = [f"{ship} A1 across" for ship in rules["ships"]]
        case "fleet-short":
            ships.pop()
        case "fleet-garbage":
            ships = ["somewhere"]
        case "fleet-outside":
            ships[0] = f"{rules['ships'][0]} Z9 down"
        case "fleet-shot":
            return say(type="shot", id=message["id"], cell="A1")
        case "fleet-error":
            return say(type="error", id=message["id"], message="no fleet")
        case "fleet-silent":
            return None
        case "fleet-dies":
            os._exit(3)
        case "fleet-other-id":
            return say(type="layout", id=message["id"] + 17, ships=", ".join(ships))
    return say(type="layout", id=message["id"], ships=", ".join(ships))


rules: dict[str, Any] = {}
fired: dict[int, list[str]] = {}
waiting: list[tuple[int, str]] = []

if mode == "ends-at-once":
    print("cannot find my model", file=sys.stderr)
    sys.exit(1)
if mode == "deaf":
    time.sleep(600)
for line in iter(sys.stdin.readline, ""):
    try:
        message = json.loads(line)
        assert isinstance(message, dict)
    except (ValueError, AssertionError):
        say(type="error", message="not a message")
        continue
    if heard:
        with open(heard, "a") as file:
            file.write(line)
    match message["type"]:
        case "hello":
            version = 2 if mode == "version" else 1
            if mode == "banner":
                print("Super Engine 3000, copyright me", flush=True)
            say(
                type="hello",
                protocol=version,
                name=mode,
                games=8,
                places=mode != "good",
                options={"depth": 3},
            )
        case "rules":
            rules = message["rules"]
            if mode == "no-rules":
                say(type="error", message="I play on 3x3 only")
            elif mode == "no-rules-surrogate":
                say(type="error", message="\ud800")
            else:
                say(type="ready")
        case "game":
            fired[message["game"]] = [shot.split()[0] for shot in message["shots"]]
        case "choose":
            choose(message)
        case "place":
            place(message)
        case "stop":
            for number, cell in waiting:
                say(type="shot", id=number, cell=cell)
            waiting.clear()
        case "quit":
            if mode != "stays":
                sys.exit()
