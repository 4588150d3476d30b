"""How long the settings of `ismcts` think in the same positions.

    python -m benchmarks.same_positions [--games 10]

A weak setting is not always faster in its own games: they come to positions in which layouts
are harder to draw. This takes every eighth position of the games of a strong and of a weak
setting, and prints the processor time per move of every setting in each set of positions.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from seabattle import Game, Observation, Rules, make_player
from seabattle.experiment.play import layout_of, place_games, play_batch

SETTINGS = [
    f"ismcts:iterations={iterations},determinizations={layouts}"
    for iterations in (50, 500)
    for layouts in (5, 50, 0)
]


def positions_of(player: str, rules: Rules, games: int) -> list[Observation]:
    """Every eighth position of these games, from the fifth on."""
    batch = play_batch(make_player(player), rules, 1, range(games))
    found = []
    for row, placement in enumerate(place_games(rules, 1, range(games))):
        game = Game(layout_of(rules, placement))
        for number, cell in enumerate(batch.fired[row][: batch.shots[row]]):
            if number % 8 == 4:
                found.append(Observation(rules, game.shots))
            game.fire(int(cell))
    return found


def milliseconds_per_move(player: str, positions: list[Observation]) -> float:
    chosen = make_player(player)
    chosen.choose(positions[0], np.random.default_rng(0))  # compiles
    began = time.process_time()
    for position in positions:
        chosen.choose(position, np.random.default_rng(0))
    return 1e3 * (time.process_time() - began) / len(positions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10, help="games that the positions are from")
    games = parser.parse_args().games
    rules = Rules.from_text("classic")
    for source in ("ismcts:iterations=500", "ismcts:iterations=50"):
        positions = positions_of(source, rules, games)
        print(f"{len(positions)} positions of {source}")
        for setting in SETTINGS:
            print(f"  {setting}: {milliseconds_per_move(setting, positions):.2f} ms", flush=True)


if __name__ == "__main__":
    main()
