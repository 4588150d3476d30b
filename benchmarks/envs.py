"""Steps a second of the environments with random masked actions, beside other ones.

Each figure is the best of several bursts, choosing the actions included. OpenSpiel's
battleship (the extra `peers`) is stepped from Python as its examples do: legal actions,
a random one, apply; both of its players place and shoot, and no observation is made.
POPGym's battleship (`peers` too) is a single environment whose observation is hit or miss, and
nothing else. It is measured beside ours in turns, on the same board and fleet, in whole games,
dealing included.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from seabattle import Rules
from seabattle.envs import BattleshipEnv, BattleshipVectorEnv
from seabattle.envs.duel import raw_env

from .timing import Line, show

GAMES = 4096
BURSTS, SECONDS = 50, 0.06
GAMES_BESIDE = 2000
"""games of each single environment, in turns"""


class PlainBattleship(gymnasium.Env[Any, int]):
    """What one writes by hand for `classic`, with the same planes and masks: a dictionary, a
    list, NumPy arrays, and one ship after another put down until it fits."""

    fleet = (5, 4, 3, 3, 2)

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(0, 1, (8, 10, 10), np.int8)
        self.action_space = gymnasium.spaces.Discrete(100)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.ship_at: dict[int, int] = {}
        for ship, length in enumerate(self.fleet):
            while True:
                across = bool(self.np_random.integers(2))
                row = int(self.np_random.integers(10 if across else 11 - length))
                column = int(self.np_random.integers(11 - length if across else 10))
                step = 1 if across else 10
                cells = [10 * row + column + k * step for k in range(length)]
                if not any(cell in self.ship_at for cell in cells):
                    self.ship_at.update(dict.fromkeys(cells, ship))
                    break
        self.left = list(self.fleet)
        self.planes = np.zeros((8, 10, 10), dtype=np.int8)
        self.planes[3:] = 1
        self.mask = np.ones(100, dtype=np.int8)
        self.shots = 0
        return self.planes.copy(), {"action_mask": self.mask.copy(), "shots": 0}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.shots += 1
        if self.mask[action]:
            self.mask[action] = 0
            row, column = divmod(action, 10)
            ship = self.ship_at.get(action)
            self.planes[0 if ship is None else 1, row, column] = 1
            if ship is not None:
                self.left[ship] -= 1
                if not self.left[ship]:
                    self.planes[3 + ship] = 0
                    for cell, other in self.ship_at.items():
                        if other == ship:
                            self.planes[2, cell // 10, cell % 10] = 1
        info = {"action_mask": self.mask.copy(), "shots": self.shots}
        return self.planes.copy(), -1.0, not any(self.left), False, info


def main() -> None:
    native = vector_speed(threads=2, copy=False)
    single = game_speed(BattleshipEnv("classic"))
    plain = game_speed(PlainBattleship())
    lines = [
        Line(f"{GAMES} games, 2 threads", native, "steps/s", 5_000_000, at_least=True),
        Line(f"{GAMES} games, 1 thread", vector_speed(threads=1, copy=False), "steps/s"),
        # The processor's own time: what one core does, whatever else the machine is busy with.
        Line("the same, of processor time", processor_speed(), "steps/s"),
        Line("2 threads, copies returned", vector_speed(threads=2, copy=True), "steps/s"),
        Line("single environment", single, "steps/s"),
        Line("two-sided game (PettingZoo)", duel_speed(), "steps/s"),
        Line("a hand-written environment", plain, "steps/s"),
        Line("2 threads over single", native / single, "×"),
        Line("2 threads over hand-written", native / plain, "×"),
    ]
    lines += single_lines()
    peer = open_spiel_speed()
    if peer is None:
        print("   OpenSpiel is not installed: pip install 'seabattle[peers]'")
    else:
        moves, games = peer
        lines += [
            Line("OpenSpiel's battleship", moves, "moves/s"),
            Line("OpenSpiel's battleship", games, "games/s"),
            Line("2 threads over OpenSpiel", native / moves, "×"),
        ]
    show(lines)


def single_lines() -> list[Line]:
    """The single environment beside POPGym's, bare and as `gymnasium.make` wraps them."""
    ours = {"bare": BattleshipEnv("classic"), "made": gymnasium.make("seabattle/Battleship-v0")}
    try:
        from popgym.envs.battleship import Battleship
    except ImportError:
        print("   POPGym is not installed: pip install 'seabattle[peers]'")
        return [Line(f"single, {how}", game_speed(env), "steps/s") for how, env in ours.items()]
    options = {"board_size": 10, "ship_sizes": list(PlainBattleship.fleet)}
    if "PopBattleship-v0" not in gymnasium.registry:
        gymnasium.register("PopBattleship-v0", entry_point=Battleship, kwargs=options)
    theirs = {"bare": Battleship(**options), "made": gymnasium.make("PopBattleship-v0")}
    lines = []
    for how in ours:
        rates: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(GAMES_BESIDE):
            rates["ours"].append(whole_game(ours[how], lambda cell: cell))
            rates["theirs"].append(whole_game(theirs[how], lambda cell: divmod(cell, 10)))
        # The games that nothing else on the machine disturbed.
        own, other = (sorted(each)[-GAMES_BESIDE // 10] for each in rates.values())
        lines += [
            Line(f"single, {how}", own, "steps/s"),
            Line(f"POPGym's, {how}", other, "steps/s"),
            Line(f"single over POPGym's, {how}", own / other, "×", 1, at_least=True),
        ]
    return lines


def whole_game(env: gymnasium.Env[Any, Any], action: Callable[[int], Any]) -> float:
    """Steps a second in one game, dealing included."""
    cells = list(map(action, np.random.default_rng(1).permutation(100).tolist()))
    began, steps = time.perf_counter(), 0
    env.reset()
    for cell in cells:
        steps += 1
        _, _, terminated, truncated, _ = env.step(cell)
        if terminated or truncated:
            break
    return steps / (time.perf_counter() - began)


def best_rate(burst: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> float:
    """Steps a second of the best of several bursts; a burst says how many it did."""
    burst()
    best = 0.0
    for _ in range(BURSTS):
        began, done = clock(), 0
        while (taken := clock() - began) < SECONDS:
            done += burst()
        best = max(best, done / taken)
    return best


def vector_speed(threads: int, copy: bool, clock: Callable[[], float] = time.perf_counter) -> float:
    env = BattleshipVectorEnv(GAMES, "classic", threads=threads, copy=copy)
    env.reset(seed=1)

    def burst() -> int:
        for _ in range(10):
            env.step(env.sample_actions())
        return 10 * GAMES

    for _ in range(30):
        burst()
    rate = best_rate(burst, clock)
    env.close()
    return rate


def processor_speed() -> float:
    return vector_speed(threads=1, copy=False, clock=time.process_time)


def game_speed(env: gymnasium.Env[Any, Any]) -> float:
    """Whole games; a random order of the cells is a random masked action each time."""
    rng = np.random.default_rng(1)

    def burst() -> int:
        env.reset()
        steps, over = 0, False
        cells = iter(rng.permutation(100).tolist())
        while not over:
            over = env.step(next(cells))[2]
            steps += 1
        return steps

    return best_rate(burst)


def duel_speed() -> float:
    env, rng = raw_env(Rules()), np.random.default_rng(1)

    def burst() -> int:
        env.reset()
        steps = 0
        while not env.terminations["player_0"]:
            mask = env.infos[env.agent_selection]["action_mask"]
            env.step(rng.choice(np.flatnonzero(mask)))
            steps += 1
        return steps

    return best_rate(burst)


def open_spiel_speed() -> tuple[float, float] | None:
    """Moves and games per second on the fleet of `classic`, if OpenSpiel is installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(
        "battleship",
        {
            "board_width": 10,
            "board_height": 10,
            "ship_sizes": "[2;3;3;4;5]",
            "ship_values": "[1;1;1;1;1]",
            "num_shots": 100,
            "allow_repeated_shots": False,
        },
    )
    chance = random.Random(1)
    best = (0.0, 0.0)
    for _ in range(BURSTS):
        began, moves, games = time.perf_counter(), 0, 0
        while (taken := time.perf_counter() - began) < SECONDS:
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
                moves += 1
            games += 1
        best = max(best, (moves / taken, games / taken))
    return best
