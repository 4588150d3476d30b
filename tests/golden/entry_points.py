"""Everything the recordings use that `seabattle` itself does not export.

If one of these moves, this is the only file to change.
"""

from __future__ import annotations

from seabattle.cli import main as run_command
from seabattle.dealing import make_placer
from seabattle.experiment.play import play_batch
from seabattle.web.app import create_app

__all__ = ["create_app", "make_placer", "play_batch", "run_command"]
