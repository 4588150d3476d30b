"""Exact posteriors by enumeration, and games of `exact`, on one core unless said.

One core is measured in processor time, so that other processes do not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from seabattle import Game, Observation, Rules, make_player
from seabattle.belief import infer
from seabattle.dealing.uniform import layout_for
from seabattle.experiment.play import play_batch
from seabattle.players.posterior_player import cached_posterior

from .timing import Line, show


def main() -> None:
    lines = []
    for preset, share in (("classic", 1.0), ("thesis", 0.5)):
        rules = Rules.from_text(preset)
        lopsided = Observation.from_text("A2 miss", rules)
        infer(lopsided, engine="enumeration")
        lines += [
            Line(f"{preset}, empty board", empty(rules), "s", 0.3 * share),
            Line(f"{preset}, one miss at A2: no symmetry", seconds(lopsided), "s", share),
            Line(f"{preset}, after 10 random shots, median", after(rules, 10), "ms", 100 * share),
            Line(f"{preset}, after 20 random shots, median", after(rules, 20), "ms"),
        ]
        positions, cached = whole_games(rules)
        lines += [
            Line(f"{preset}, games of exact, per new position", positions, "ms", 2 * share),
            Line(
                f"{preset}, games of exact, per game with openings cached", cached, "ms", 8 * share
            ),
        ]
    ten_thousand = two_cores("classic", 10_000)
    lines.append(Line("classic, 10,000 games of exact on 2 cores", ten_thousand, "s", 120))
    show(lines)


def seconds(observation: Observation) -> float:
    return min(_timed(lambda: infer(observation, engine="enumeration")) for _ in range(5))


def empty(rules: Rules) -> float:
    return seconds(Observation(rules))


def after(rules: Rules, shots: int, games: int = 51) -> float:
    """Median milliseconds over positions of random games."""
    rng = np.random.default_rng(shots)
    taken = []
    for number in range(games):
        game = Game(layout_for(rules, 1, number))
        for cell in rng.permutation(rules.cells)[:shots]:
            game.fire(int(cell))
        observation = Observation(rules, game.shots)
        taken.append(1000 * seconds(observation))
    return float(np.median(taken))


def whole_games(rules: Rules, games: int = 1000) -> tuple[float, float]:
    """Milliseconds per new position with an empty cache, and per game once openings are
    cached."""
    player = make_player("exact")
    cached_posterior.cache_clear()
    spent = _timed(lambda: play_batch(player, rules, 1, range(games)))
    positions = int((cached_posterior(rules).cache.work > 0).sum())
    later = _timed(lambda: play_batch(player, rules, 1, range(games, games + 500)))
    return 1000 * spent / positions, 1000 * later / 500


def two_cores(preset: str, games: int) -> float:
    """Seconds for two processes with empty caches, including their start."""
    halves = [range(games // 2), range(games // 2, games)]
    began = time.perf_counter()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(_play, [preset] * 2, halves))
    return time.perf_counter() - began


def _play(preset: str, games: range) -> float:
    batch = play_batch(make_player("exact"), Rules.from_text(preset), 1, games)
    return float(batch.shots.mean())


def _timed(action: Callable[[], object]) -> float:
    began = time.process_time()
    action()
    return time.process_time() - began
