"""This tree beside another revision of it, in the same run: is anything slower than before?

    python -m benchmarks.against [REVISION] [--only WORDS] [--rounds N]

Each revision runs in a process of its own, and its processor time counts. The two take turns, so
that other work on the machine slows both, and the result is the median of the ratios of
neighbouring calls with its 95% interval: 1.10 means that this tree is 10% faster. A case ends as
soon as its interval lies above or below the floor, and is printed then. Without a revision,
uncommitted changes are compared with the last commit.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
FLOOR = 0.97
FEWEST_ROUNDS, MOST_ROUNDS = 6, 30

# Runs under both revisions, so it may use only names that both have.
WORKER = r"""
import sys, time
import numpy as np
import seabattle
from seabattle import Game, Observation, Rules, compare
from seabattle.players import all_players
try:
    from seabattle import infer, random_layout
except ImportError:
    from seabattle.belief import infer
    from seabattle.layout import random_layout
try:
    from seabattle.solver import solve
except ImportError:
    from seabattle.solve import solve


def games(player, rules, count):
    # Other games every time: some players remember positions that they have seen.
    return lambda turn: compare([player], rules, games=count, seed=turn)


class First:
    # A player in plain Python: the first unknown cell.
    def choose(self, observation, rng):
        return observation.unknown[0]


class Hunter:
    # Another one: next to the last shot if that was a hit, else at random.
    def choose(self, observation, rng):
        unknown = observation.unknown
        if observation.shots and observation.shots[-1].answer.hit:
            for cell in observation.rules.neighbours(observation.shots[-1].cell):
                if cell in unknown:
                    return cell
        return unknown[int(rng.random() * len(unknown))]


def short_runs(player, rules, runs):
    def run(turn):
        for number in range(runs):
            compare([player], rules, games=10, seed=turn * runs + number)

    return run


def positions(name, shots, count, turn):
    # Random shots leave more layouts than good ones, and so more work.
    rules, rng = Rules.from_text(name), np.random.default_rng((shots, turn))
    found = []
    while len(found) < count:
        game = Game(random_layout(rules, rng))
        while len(game.shots) < shots and not game.finished:
            free = sorted(set(range(rules.cells)) - {shot.cell for shot in game.shots})
            game.fire(free[int(rng.integers(len(free)))])
        if not game.finished:
            found.append(Observation(game.rules, game.shots))
    return found


made = {}


def inference(name, shots, count):
    def run(turn):
        for one in made.pop((shots, turn)):
            infer(one)

    def make(turn):
        made[shots, turn] = positions(name, shots, count, turn)

    run.make = make
    return run


BOARD = "5x5 fleet=3,2 contact=any answers=hit-miss"
CASES = {
    "Python player, 10 games": short_runs(First(), "classic", 40),
    "Python player, 400 games": games(First(), "classic", 400),
    "Python hunter, 400 games": games(Hunter(), "classic", 400),
    "density on classic": games("density", "classic", 4000),
    "human-like on thesis": games("human-like", "thesis", 4000),
    "hlp on thesis": games("hlp", "thesis", 2000),
    "exact on classic": games("exact", "classic", 100),
    "exact on thesis": games("exact", "thesis", 100),
    "mcts on mini": games("mcts:iterations=1000", "mini", 40),
    "ismcts on trio": games("ismcts:iterations=1000", "trio", 20),
    "pomcp on mini": games("pomcp:iterations=400", "mini", 20),
    "infer after 12 shots": inference("classic", 12, 8),
    "infer after 18 shots": inference("classic", 18, 30),
    "infer after 25 shots": inference("classic", 25, 100),
    "infer after 32 shots": inference("classic", 32, 200),
    "solve 5x5 [3,2]": lambda turn: solve(Rules.from_text(BOARD)),
}
if "admiral" in all_players():
    CASES["admiral on classic"] = games("admiral:effort=quick", "classic", 200)
print("|".join(CASES), flush=True)
for line in sys.stdin:
    turn, case = line.strip().split(" ", 1)
    getattr(CASES[case], "make", lambda turn: None)(int(turn))
    began = time.process_time()
    CASES[case](int(turn))
    print(time.process_time() - began, flush=True)
"""


class Tree:
    """One revision, in a process that runs the cases it is told."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(folder / "src"), "NUMBA_NUM_THREADS": "1"},
            text=True,
        )
        self.cases = self._line().split("|")

    def seconds(self, case: str, turn: int) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{turn} {case}\n")
        self.process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("A revision stopped; its error is above.")
        return line.strip()

    def __enter__(self) -> Tree:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A work tree of the revision, gone afterwards."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", folder, revision], check=True)
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", folder], check=True)


def compared(before: Tree, after: Tree, case: str, rounds: int) -> list[float]:
    """How many times as fast the case is after as before, round by round."""
    before.seconds(case, 0), after.seconds(case, 0)  # compiles
    ratios: list[float] = []
    for turn in range(rounds):
        # Whoever goes first may find the machine in another state.
        first, second = (before, after) if turn % 2 else (after, before)
        one, other = first.seconds(case, turn + 1), second.seconds(case, turn + 1)
        ratios.append(one / other if turn % 2 else other / one)
        low, high = interval(ratios)
        if len(ratios) >= FEWEST_ROUNDS and (low >= FLOOR or high < FLOOR):
            break
    return ratios


def interval(values: list[float]) -> tuple[float, float]:
    """The 95% interval of a median: from one of the sorted values to another."""
    count = len(values)
    skipped = max(0, int((count - 1.96 * math.sqrt(count)) / 2))
    ordered = sorted(values)
    return ordered[skipped], ordered[count - 1 - skipped]


def report(case: str, ratios: list[float]) -> str:
    low, high = interval(ratios)
    verdict = "met" if low >= FLOOR else "MISSED" if high < FLOOR else "undecided"
    return (
        f"   {case:22} {statistics.median(ratios):5.2f} × the speed [{low:.2f}, {high:.2f}] "
        f"in {len(ratios):2} rounds; at least {FLOOR}: {verdict}"
    )


def chosen_cases(known: list[str], only: str) -> list[str]:
    """The cases whose names contain one of these words; all if there are none."""
    words = [word.strip() for word in only.split(",") if word.strip()]
    for word in words:
        if not any(word in case for case in known):
            raise SystemExit(f"No case contains {word!r}; the cases are {', '.join(known)}.")
    return [case for case in known if not words or any(word in case for word in words)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="cases with these words, such as exact,solve"
    )
    parser.add_argument("--rounds", type=int, default=MOST_ROUNDS, help="per case, at most")
    chosen = parser.parse_args(sys.argv[1:] if sys.argv[0].endswith("against.py") else [])
    if chosen.revision == "HEAD":
        changed = subprocess.run(["git", "-C", ROOT, "diff", "--quiet", "HEAD", "--", "src"])
        if changed.returncode == 0:
            print("   Nothing to compare: no uncommitted changes in src.")
            return
    with ExitStack() as stack:
        before = stack.enter_context(Tree(stack.enter_context(checked_out(chosen.revision))))
        after = stack.enter_context(Tree(ROOT))
        for case in chosen_cases(
            [each for each in after.cases if each in before.cases], chosen.only
        ):
            print(report(case, compared(before, after, case, chosen.rounds)), flush=True)


if __name__ == "__main__":
    main()
