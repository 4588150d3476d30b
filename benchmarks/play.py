"""The Python side: shots of a plain Python player in `compare`, games of `play` and `play_duel`.

Each figure is the speed of the calls that nothing else on the machine disturbed: the tenth
percentile of the times of many calls. The obvious way, which builds and checks the whole
observation for every shot, is measured in turns with the quick one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from seabattle import Duel, Game, Observation, Rules, compare, make_player, play, play_duel
from seabattle.dealing.uniform import random_layout

from .envs import open_spiel_speed
from .timing import Line, show

CALLS = 200
PLAYERS = ("random", "even", "density")
RULES = Rules()


class First:
    """The first unknown cell: a player that takes no time of its own."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return observation.unknown[0]


class Hunter:
    """Next to the last hit if it can, else any unknown cell."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        unknown = observation.unknown
        if observation.shots and observation.shots[-1].answer.hit:
            for cell in observation.rules.neighbours(observation.shots[-1].cell):
                if cell in unknown:
                    return cell
        return unknown[int(rng.random() * len(unknown))]


def main() -> None:
    numbers = iter(range(10**9))
    first, hunter, rebuilt = speeds(
        lambda: compared(First(), next(numbers)),
        lambda: compared(Hunter(), next(numbers)),
        lambda: slow_game(First(), next(numbers), shots=True),
    )
    lines = [
        Line("First in compare", first, "shots/s", 200_000, at_least=True),
        Line("Hunter in compare", hunter, "shots/s"),
        Line("First, observations rebuilt", rebuilt, "shots/s"),
    ]
    for name in PLAYERS:
        lines += game_lines(name, numbers)
    peer = open_spiel_speed()
    if peer is not None:
        lines.append(Line("OpenSpiel's battleship", peer[1], "games/s"))
    show(lines)


def game_lines(name: str, numbers: Iterator[int]) -> list[Line]:
    """Games of one player alone and against itself. The targets are 20 times what `play` and
    `play_duel` did when they rebuilt the observations and checked the records."""
    game, rebuilt, duel, again, rebuilt_duel = speeds(
        lambda: one(play(name, seed=next(numbers))),
        lambda: slow_game(make_player(name), next(numbers)),
        lambda: one(play_duel(name, name, seed=next(numbers))),
        lambda: one(play_duel(name, name, "russian", seed=next(numbers))),
        lambda: slow_duel(name, next(numbers)),
    )
    return [
        Line(f"play {name}", game, "games/s", 2_800, at_least=True),
        Line("  rebuilt", rebuilt, "games/s"),
        Line(f"play_duel {name}", duel, "games/s", 1_340, at_least=True),
        Line("  under russian", again, "games/s"),
        Line("  rebuilt", rebuilt_duel, "games/s"),
    ]


def speeds(*calls: Callable[[], int]) -> list[float]:
    """How much per second each call does when nothing disturbs it; a call says how much it did."""
    for call in calls:
        call()
    rates: list[list[float]] = [[] for _ in calls]
    for _ in range(CALLS):
        for call, found in zip(calls, rates, strict=True):
            began = time.perf_counter()
            done = call()
            found.append(done / (time.perf_counter() - began))
    return [sorted(found)[-CALLS // 10] for found in rates]


def one(_: object) -> int:
    return 1


def compared(player: First | Hunter, seed: int) -> int:
    return sum(compare([player], RULES, games=10, seed=seed).players[0].shots)


def slow_game(player: object, seed: int, shots: bool = False) -> int:
    """What `play` did: observations are built and checked anew, and so is the record."""
    rng = np.random.default_rng(seed)
    game = Game(random_layout(RULES, rng))
    while not game.finished:
        observation = Observation(RULES, game.shots)
        cell = player.choose(observation, rng)  # type: ignore[attr-defined]
        assert int(cell) in observation.unknown
        game.fire(int(cell))
    return len(game.shots) if shots else 1


def slow_duel(name: str, seed: int) -> int:
    rng, player = np.random.default_rng(seed), make_player(name)
    duel = Duel(random_layout(RULES, rng), random_layout(RULES, rng))
    while (side := duel.to_move) is not None:
        observation = Observation(RULES, duel.targets[side].shots)
        cell = player.choose(observation, rng)
        assert int(cell) in observation.unknown
        duel.fire(int(cell))
    return 1
