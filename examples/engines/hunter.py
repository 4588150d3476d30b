#!/usr/bin/env python3
"""An engine in plain Python: next to a hit if it can, else a random cell of one colour.

seabattle engine --check 'python examples/engines/hunter.py'
seabattle compare 'exec:python examples/engines/hunter.py' random
"""

import json
import random
import sys

rules = {}
games = {}  # number: its cells not shot at, its hits, and its random numbers


def answer(message):
    """The answer to a message, if it needs one."""
    kind = message["type"]
    if kind == "hello":
        return {"type": "hello", "protocol": 1, "name": "hunter", "games": 1000, "places": True}
    if kind == "rules":
        rules.update(message["rules"])
        games.clear()
        return {"type": "ready"}
    if kind == "game":
        cells = {(row, c) for row in range(rules["rows"]) for c in range(rules["columns"])}
        games[message["game"]] = (cells, [], random.Random(message["seed"]))
        tell(games[message["game"]], message["shots"])
    elif kind == "choose":
        game = games[message["game"]]
        tell(game, message["shots"])
        game[0].difference_update(map(spot, message.get("pending", [])))  # of this salvo
        return {"type": "shot", "id": message["id"], "cell": name(choose(*game))}
    elif kind == "place":
        ships = place(random.Random(message["seed"]))
        return {"type": "layout", "id": message["id"], "ships": ships}
    elif kind == "over":
        games.pop(message["game"], None)
    elif kind == "quit":
        sys.exit()
    elif kind not in ("match", "match-over", "stop", "error"):
        return {"type": "error", "message": f"I do not know {kind!r}."}
    return None


def tell(game, shots):
    """Take note of shots such as 'E5 hit'."""
    unknown, hits, _ = game
    for cell, told, *_ in map(str.split, shots):
        unknown.discard(spot(cell))
        hits += [spot(cell)] * (told != "miss")


def choose(unknown, hits, dice):
    steps = ((-1, 0), (1, 0), (0, -1), (0, 1))
    around = unknown.intersection((r + down, c + right) for r, c in hits for down, right in steps)
    colour = [cell for cell in unknown if sum(cell) % 2 == 0]
    return dice.choice(sorted(around or colour or unknown))


def spot(name):
    return (ord(name[0]) - ord("A"), int(name[1:]) - 1)


def name(cell):
    return f"{chr(ord('A') + cell[0])}{cell[1] + 1}"


def place(dice):
    """A legal fleet: one random ship after another, from the start again if one cannot fit."""
    while True:
        taken, ships = set(), []
        for ship, length in zip(rules["ships"], rules["fleet"], strict=True):
            down, right = dice.choice([(0, 1), (1, 0)])
            row, column = dice.randrange(rules["rows"]), dice.randrange(rules["columns"])
            cells = [(row + down * k, column + right * k) for k in range(length)]
            off = cells[-1][0] >= rules["rows"] or cells[-1][1] >= rules["columns"]
            if off or taken.intersection(cells):
                break
            taken.update(cell for each in cells for cell in closed_by(each))
            ships.append(f"{ship} {name(cells[0])} {'down' if down and length > 1 else 'across'}")
        else:
            return ", ".join(ships)


def closed_by(cell):
    """The cells that a ship on this cell closes to other ships."""
    (row, column), square = cell, (-1, 0, 1)
    reach = {"any": 0, "corners": 1, "none": 2}[rules["contact"]]
    return [(row + d, column + r) for d in square for r in square if abs(d) + abs(r) <= reach]


for line in iter(sys.stdin.readline, ""):
    try:
        reply = answer(json.loads(line))
    except (ValueError, KeyError, TypeError) as error:
        reply = {"type": "error", "message": f"{type(error).__name__}: {error}"}
    if reply is not None:
        print(json.dumps(reply), flush=True)
