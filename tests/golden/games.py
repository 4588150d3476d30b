"""Recorded games, duels and layouts."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from seabattle import Observation, Rules, make_player, play, play_duel
from tests.golden.entry_points import make_placer, play_batch
from tests.golden.recording import Recording

SEED = 2026

HEURISTICS = (
    "in-order", "random", "n-parity", "n-parity-hunt", "game-tree", "human-like", "even",
    "hlp", "ohlp", "phlp", "ophlp", "greedy", "density", "density:ties=first",
)  # fmt: skip
RULES = ("mini", "trio", "classic", "thesis", "named", "russian", "7x11 fleet=4,3,1 answers=sunk")

VARIANTS = ("even:colour=even", "game-tree:count=all", "greedy:boost=10", "density:weight=3")

BELIEF = ("exact", "heat-map")
# The whole russian game takes these players and the searches too long.
BELIEF_RULES = (
    *(rules for rules in RULES if rules != "russian"),
    "blind",
    "patrol",
    "7x7 fleet=3,2,2,1,1 contact=none answers=sunk",
    "5x6 fleet=4,2,2 contact=corners answers=sunk",
)

# Iterations are few because a recording pins the search, not its strength.
SEARCHES = (
    "mcts:iterations=5",
    "mcts:iterations=5,reward=ships-squared",
    "mcts:iterations=5,reward=full-ships",
    "mcts:iterations=5,select=hits",
    "mcts:iterations=5,reward=ships-squared,select=hits",
    "ismcts:iterations=200",
    "ismcts:iterations=200,determinizations=20,exploration=0.7",
    "pomcp:iterations=100,particles=100",
    "pomcp:iterations=100,particles=100,rollout=random",
    "pomcp:iterations=100,particles=100,rollout=density",
    "pomcp:iterations=100,particles=50,exploration=2,sharpness=1",
    "branch-mcts:nodes=2000",
    "branch-mcts:branch=4,decay=2,nodes=1000,iterations=3",
)
SEARCH_RULES = (
    "mini",
    "trio",
    "classic",
    "thesis",
    "patrol",
    "named",
    "7x7 fleet=3,2,2,1,1 contact=none answers=sunk",
)

NETWORKS = ("cnn", "cnn-deep", "policy-gradient", "policy-gradient-deep")
NETWORK_RULES = ("blind", "classic")

SMALL_RULES = (
    "mini",
    *(
        f"4x4 fleet=3,2 contact={contact} answers={answers}"
        for contact in ("any", "corners", "none")
        for answers in ("hit-miss", "sunk", "sunk-named", "named")
    ),
)

CASES = tuple(
    f"{name} | {rules}"
    for names, boards in (
        (HEURISTICS, RULES),
        (VARIANTS, ("classic", "named")),
        (BELIEF, BELIEF_RULES),
        (SEARCHES, SEARCH_RULES),
        (NETWORKS, NETWORK_RULES),
        (("neat",), ("mini",)),
        (("optimal",), SMALL_RULES),
    )
    for name, rules in product(names, boards)
)

DUELS = (
    "even | density | classic",
    "hlp | n-parity-hunt | named",
    "human-like | greedy | russian",
    "heat-map | exact | mini",
    "exact | ismcts:iterations=100 | thesis",
    "cnn | policy-gradient | blind",
    "mcts:iterations=5 | branch-mcts:nodes=500 | patrol",
    "pomcp:iterations=50,particles=50 | optimal | 4x4 fleet=3,2 answers=sunk turns=again",
    "optimal | neat | mini",
)

LAYOUTS = tuple(
    f"{placer} | {rules}"
    for placer, rules in product(
        ("uniform", "edges", "spread", "clustered"),
        (*RULES, "10x10 fleet=6,6,6,6,6,6 contact=none"),
    )
)


def batch_game(case: str) -> str:
    """The cells of game 0, as experiments play it."""
    name, rules = _read(case)
    batch = play_batch(make_player(name), rules, SEED, range(1))
    return " ".join(rules.cell_name(int(cell)) for cell in batch.fired[0, : batch.shots[0]])


def single_game(case: str) -> str:
    """The shots of one game and their answers, as `play` asks for them one by one."""
    name, rules = _read(case)
    record = play(name, rules, seed=SEED)
    return Observation(record.rules, record.shots).to_text()


def duel(case: str) -> Any:
    first, second, rules = case.split(" | ")
    return play_duel(first, second, rules, seed=SEED).to_json()


def layouts(case: str) -> list[str]:
    """Three layouts drawn one after the other."""
    name, rules = _read(case)
    rng = np.random.default_rng(SEED)
    return [make_placer(name).place(rules, rng).to_text() for _ in range(3)]


def _read(case: str) -> tuple[str, Rules]:
    name, rules = case.split(" | ")
    return name, Rules.from_text(rules)


RECORDINGS = (
    Recording("batch-games", CASES, batch_game),
    Recording("single-games", CASES, single_game),
    Recording("duels", DUELS, duel),
    Recording("layouts", LAYOUTS, layouts),
)
