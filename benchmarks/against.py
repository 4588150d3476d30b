"""This tree beside another revision of it, in the same run: is anything slower than before?

    python -m benchmarks.against REVISION [--rounds N] [CASE...]

Each revision runs in a process of its own, and its processor time counts. The two take turns, so
that other work on the machine slows both, and the result is the median of the ratios of
neighbouring calls: 1.10 means that this tree is 10% faster. Without a revision, uncommitted
changes are compared with the last commit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.timing import Line, show

ROOT = Path(__file__).parent.parent
FLOOR = 0.97
ROUNDS = 30

# Runs under both revisions, so it may use only names that both have.
WORKER = r"""
import sys, time
import numpy as np
import seabattle
from seabattle import Game, Observation, Rules, compare
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


def measure(revision: str, rounds: int, chosen: list[str]) -> list[Line]:
    lines = []
    with ExitStack() as stack:
        before = stack.enter_context(Tree(stack.enter_context(checked_out(revision))))
        after = stack.enter_context(Tree(ROOT))
        for case in chosen or after.cases:
            before.seconds(case, 0), after.seconds(case, 0)  # compiles
            ratios = []
            for turn in range(rounds):
                # Whoever goes first may find the machine in another state.
                first, second = (before, after) if turn % 2 else (after, before)
                one, other = first.seconds(case, turn + 1), second.seconds(case, turn + 1)
                ratios.append(one / other if turn % 2 else other / one)
            lines.append(Line(case, statistics.median(ratios), "× the speed", FLOOR, at_least=True))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="only these cases")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args(sys.argv[1:] if sys.argv[0].endswith("against.py") else [])
    if chosen.revision == "HEAD":
        changed = subprocess.run(["git", "-C", ROOT, "diff", "--quiet", "HEAD", "--", "src"])
        if changed.returncode == 0:
            print("   Nothing to compare: no uncommitted changes in src.")
            return
    show(measure(chosen.revision, chosen.rounds, chosen.cases))


if __name__ == "__main__":
    main()
