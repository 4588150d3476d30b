"""The settings of a server: where its data is, and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HOUR = 3600.0
DAY = 24 * HOUR


@dataclass(frozen=True)
class ServerSettings:
    """One server's folders and limits."""

    data: Path
    """where games are stored"""
    reports: tuple[Path, ...] = (Path("out"),)
    """folders of report pages to list, besides `data/reports`"""
    hosts: tuple[str, ...] = ()
    """host names to accept; none means any"""
    ip_hosts: bool = False
    """also accept every IP address as the host"""
    address: str | None = None
    """the URL for others on the network; None if only this machine can reach the server"""
    proxies: tuple[str, ...] = ()
    """IP addresses or networks of reverse proxies, which say for whom they ask"""
    imports: tuple[str, ...] = ()
    """modules to import for the players that they register"""

    think_seconds: float = 10.0
    """time limit of a player's move, after which a random cell is shot at; a heat map has half
    of it to be exact, is sampled otherwise, and is given up after three times as long"""
    first_use_seconds: float = 180.0
    """added to the time limit at the first move of each player, which may have to compile"""
    patience_seconds: float = 3.5
    """how long games wait for a player's first use; from then on, a stand-in shoots for it"""
    queue_seconds: float = 60.0
    """how long a move may wait for a free worker"""
    quick_workers: int = 2
    """processes for quick players"""
    slow_workers: int = 1
    """processes for slow players"""
    belief_workers: int = 1
    """processes for heat maps"""
    thoughts_per_client: int = 8
    """heat maps, searches and layouts that an address may wait for at a time"""
    deal_seconds: float = 60.0
    """time limit of dealing a tight fleet, a compilation included"""
    deal_bytes: int = 3 << 29
    """most memory of the process that deals tight fleets"""
    warm_up: bool = True
    """start workers and compile before the first visitor comes"""

    games_per_client: int = 100
    """unfinished games, and open streams, per address"""
    games_per_day: int = 1000
    """new games per address and day"""
    kept_games: int = 100_000
    """finished games that are kept; the oldest of more are deleted"""
    requests_per_second: float = 50.0
    """per address, on average"""
    burst: int = 300
    """requests per address that may come at once"""
    body_bytes: int = 65_536
    """largest request"""
    idle_seconds: float = 2 * DAY
    """an unfinished game is deleted after this long without a change"""
    keep_seconds: float = 90 * DAY
    """a finished game is kept this long, for its replay"""

    @property
    def connections_per_client(self) -> int:
        """Connections per address: its streams, and as many for requests."""
        return 2 * self.games_per_client + 50

    @property
    def search_seconds(self) -> float:
        """The largest `seconds` that a search may be given per move; it needs some time to start
        and to report."""
        return 0.8 * self.think_seconds

    @property
    def database(self) -> Path:
        return self.data / "games.sqlite"

    @property
    def report_folders(self) -> tuple[Path, ...]:
        return (*self.reports, self.data / "reports")
