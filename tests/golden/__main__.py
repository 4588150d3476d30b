"""Record everything again: `python -m tests.golden [--to FOLDER] [NAME ...]`."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path

os.environ.setdefault("SEABATTLE_QUIET", "1")


def main() -> None:
    from tests.golden import RECORDINGS
    from tests.golden.recording import FOLDER

    parser = ArgumentParser(prog="python -m tests.golden")
    parser.add_argument("names", nargs="*", help=f"{', '.join(RECORDINGS)}; all of them by default")
    parser.add_argument("--to", type=Path, default=FOLDER, metavar="FOLDER")
    given = parser.parse_args()
    for name in given.names or RECORDINGS:
        recording = RECORDINGS[name]
        recording.write(given.to)
        print(f"wrote {recording.file}: {len(recording.cases)} cases")


if __name__ == "__main__":
    main()
