"""How long a person waits: for the import, the help, a first comparison."""

from __future__ import annotations

import subprocess
import sys

from .timing import Line, best_of, show

BARE = ("-c", "pass")
IMPORT = ("-c", "import seabattle")
HELP = ("-m", "seabattle", "--help")
COMPARE = ("-m", "seabattle", "compare", "random", "--games", "100")


def main() -> None:
    python(COMPARE)  # kernels are compiled and cached after this
    show(
        [
            Line("python itself", seconds(BARE), "s"),
            Line("import seabattle", seconds(IMPORT), "s", 0.3),
            Line("seabattle --help", seconds(HELP), "s", 0.5),
            Line("seabattle compare random --games 100", seconds(COMPARE), "s", 2),
        ]
    )


def seconds(arguments: tuple[str, ...]) -> float:
    return best_of(5, lambda: python(arguments))


def python(arguments: tuple[str, ...]) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
