"""Ctrl-C ends a command with one sentence."""

from __future__ import annotations

import subprocess
import sys

HALF_MADE = """
import sys
from seabattle import cli
from seabattle.cli.interrupts import Interrupted

class Half:
    def __init__(self):
        raise KeyboardInterrupt
    def __del__(self):
        del self.never_set

@cli.app.command("half")
def half():
    try:
        Half()
    except KeyboardInterrupt:
        raise Interrupted("Stopped.") from None

sys.argv = ["seabattle", "half"]
cli.main()
"""


def test_nothing_is_told_of_what_was_half_made() -> None:
    done = subprocess.run([sys.executable, "-c", HALF_MADE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "seabattle: Stopped.\n")
