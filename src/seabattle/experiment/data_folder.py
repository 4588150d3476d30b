"""The folder where a user's results and games are stored."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def data_folder() -> Path:
    """`seabattle` in the user's data folder, wherever this system keeps that."""
    return _user_data() / "seabattle"


def _user_data() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home())
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
