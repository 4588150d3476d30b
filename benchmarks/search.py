"""Simulations a second of the tree searches on one core, what threads add, and P's table."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from seabattle import Observation, Rules, make_player
from seabattle.experiment.play import play_batch
from seabattle.players import SearchPlayer

from .timing import Line, show

SPEEDS = [
    ("mini", "mcts", 500_000),
    ("thesis", "mcts:iterations=200", 150_000),
    ("classic", "pomcp", 50_000),
    ("classic", "ismcts", 50_000),
]
P_ROWS = ["branch-mcts:branch=30,decay=2", "branch-mcts:branch=30,decay=1.8"]
THREADED = {
    "mcts": ("mcts:iterations={}", 500),
    "ismcts": ("ismcts:determinizations=10000,iterations={}", 100_000),
    "pomcp": ("pomcp:iterations={}", 8000),
    "branch-mcts": ("branch-mcts:branch=30,decay=1.8,nodes={}", 2_000_000),
}
"""What is searched with several threads, and its budget."""
ROUNDS = 20
FORMS = ("leaf", "root", "tree")


def main() -> None:
    show(
        [
            Line(f"{name} on {rules}", speed(rules, name), "simulations/s", target, at_least=True)
            for rules, name, target in SPEEDS
        ]
        + [Line("a game of mcts:iterations=1000 on thesis", game_seconds(), "s", 30)]
        + [Line(f"a game of {name} on 8x8", p_seconds(name), "s", 10) for name in P_ROWS]
        + [line for player in THREADED for line in speed_ups(player)]
    )


def speed(rules: str, name: str) -> float:
    """Over the moves of whole games, drawing layouts included."""
    player, chosen = make_player(name), Rules.from_text(rules)
    assert isinstance(player, SearchPlayer)
    best = 0.0
    player.report(Observation(chosen), np.random.default_rng(0))
    for game in range(3):
        observations = moves(chosen, game)
        began = time.perf_counter()
        done = sum(
            player.report(each, np.random.default_rng(game)).simulations for each in observations
        )
        best = max(best, done / (time.perf_counter() - began))
    return best


def moves(rules: Rules, seed: int) -> list[Observation]:
    """Every fourth position of a game of `density`."""
    from seabattle import play

    shots = play("density", rules, seed=seed).shots
    return [Observation(rules, shots[:count]) for count in range(0, len(shots), 4)]


def game_seconds() -> float:
    player = make_player("mcts:iterations=1000,reward=ships-squared,select=hits")
    play_batch(make_player("mcts:iterations=1"), Rules.from_text("thesis"), 1, range(1))
    return play_batch(player, Rules.from_text("thesis"), 1, range(1)).seconds


def p_seconds(name: str) -> float:
    rules = Rules.from_text("patrol size=8")
    play_batch(make_player("branch-mcts:nodes=1"), rules, 1, range(1))
    return play_batch(make_player(name), rules, 1, range(5)).seconds / 5


@dataclass(frozen=True)
class Way:
    """A way to run one of `THREADED`."""

    form: str = "root"
    threads: int = 1
    budget: int = 1
    """times the usual"""


def speed_ups(player: str) -> list[Line]:
    """What two threads make of the simulations per second of one.

    First what the machine has to give: the same search twice at once, with a tree for each
    (but layouts drawn once).
    """
    alone, apart = Way(), Way("root", 2, budget=2)
    found = rates(player, [alone, apart, *(Way(form, 2) for form in FORMS)])
    one = found.pop(alone)
    return [Line(f"{player} twice at once", found.pop(apart) / one, "×")] + [
        Line(f"{player}, 2 threads, {way.form}", rate / one, "×", 1.7, at_least=True)
        for way, rate in found.items()
    ]


def rates(player: str, ways: list[Way]) -> dict[Way, float]:
    """Simulations a second on an empty 10×10 board, the best of `ROUNDS` searches each; they
    take turns, so that a slow spell of the machine meets all alike."""
    seen = Observation(Rules.from_text("patrol" if player == "branch-mcts" else "thesis"))
    name, budget = THREADED[player]
    best = dict.fromkeys(ways, 0.0)
    for attempt in range(1 + ROUNDS):
        for way in ways:
            given = name.format(way.budget * budget)
            searcher = make_player(f"{given},threads={way.threads},parallel={way.form}")
            assert isinstance(searcher, SearchPlayer)
            report = searcher.report(seen, np.random.default_rng(attempt))
            # The first compiles.
            if attempt > 0:
                best[way] = max(best[way], report.simulations / report.seconds)
    return best
