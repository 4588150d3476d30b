"""Record everything again: `python -m tests.golden`, or only the files that are named."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("SEABATTLE_QUIET", "1")


def main(names: list[str]) -> None:
    from . import commands, games, web

    for recording in (*games.RECORDINGS, commands.RECORDING):
        if not names or recording.name in names:
            recording.write()
            print(f"wrote {recording.file.name}: {len(recording.cases)} cases")
    if not names or "web" in names:
        with web.recording() as recording:
            recording.write()
            print(f"wrote {recording.file.name}: {len(recording.cases)} cases")


if __name__ == "__main__":
    main(sys.argv[1:])
