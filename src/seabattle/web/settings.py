"""What a server may be told about itself."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

HOUR = 3600.0
DAY = 24 * HOUR


@dataclass(frozen=True)
class ServerSettings:
    """One server's place and limits."""

    data: Path
    """where games are kept"""
    reports: tuple[Path, ...] = (Path("out"),)
    """folders whose pages are shown as results, beside `data/reports`"""
    hosts: tuple[str, ...] = ()
    """names that the page may be called by; none means any"""
    imports: tuple[str, ...] = ()
    """modules to import for the players that they register"""

    think_seconds: float = 10.0
    """a player that takes longer for a move loses it to a random one; a heat map has half of
    that to be exact, is sampled otherwise, and is given up after three times as long"""
    first_use_seconds: float = 60.0
    """on top of that once for each player, since its code may have to be compiled"""
    queue_seconds: float = 60.0
    """how long a move may wait for a free process"""
    quick_workers: int = 2
    """processes for players that answer at once"""
    slow_workers: int = 1
    """processes for players that take their time"""
    belief_workers: int = 1
    """processes for heat maps"""
    warm_up: bool = True
    """start processes and compile before the first visitor comes"""

    games_per_client: int = 100
    """unfinished games and open streams of one address"""
    requests_per_second: float = 50.0
    """of one address, in the long run"""
    burst: int = 300
    """requests of one address that may come at once"""
    body_bytes: int = 65_536
    """largest request"""
    idle_seconds: float = 2 * DAY
    """a game that nobody touches for this long is removed"""
    keep_seconds: float = 90 * DAY
    """a finished one stays this long, for its replay"""

    @property
    def search_seconds(self) -> float:
        """The longest time that a search may be given for a move: it needs some to begin and
        to report in."""
        return 0.8 * self.think_seconds

    @property
    def database(self) -> Path:
        return self.data / "games.sqlite"

    @property
    def report_folders(self) -> tuple[Path, ...]:
        return (*self.reports, self.data / "reports")


def default_data() -> Path:
    """The folder for a user's data, by the custom of the system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "seabattle"
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "seabattle"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "seabattle"
