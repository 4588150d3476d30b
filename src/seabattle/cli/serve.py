"""`seabattle serve`: the game in the browser."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated

import typer

from ..errors import SeabattleError

LARGEST_LIMIT = 1_000_000


def serve(
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on; 0.0.0.0 lets others on your network play.",
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any free port.")] = 8017,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the games.", show_default="your data folder"),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open a browser.")
    ] = False,
    allow_hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host", metavar="NAME", help="Further host name to accept; repeatable."
        ),
    ] = None,
    proxies: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            metavar="ADDRESS",
            help="IP address or network of a reverse proxy whose X-Forwarded-For and "
            "X-Forwarded-Proto are trusted; repeatable.",
        ),
    ] = None,
    reports: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of report pages to list.")
    ] = Path("out"),
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import", metavar="MODULE", help="Module that registers your own players; repeatable."
        ),
    ] = None,
    no_warm_up: Annotated[
        bool, typer.Option("--no-warm-up", help="Start worker processes only when needed.")
    ] = False,
    think_seconds: Annotated[float, typer.Option(help="Time limit per move of a player.")] = 10.0,
    games_per_client: Annotated[int, typer.Option(help="Unfinished games per address.")] = 100,
    games_per_day: Annotated[int, typer.Option(help="New games per address per day.")] = 1000,
    requests_per_second: Annotated[
        float, typer.Option(help="Requests per second per address.")
    ] = 50.0,
) -> None:
    """Play, watch, analyse and replay games in the browser.

    Examples:
      seabattle serve
      seabattle serve --host 0.0.0.0 --port 8080 --no-browser
      seabattle serve --import my_players
      seabattle serve --no-browser --proxy 127.0.0.1 --allow-host play.example.org
    """
    from ..experiment.data_folder import data_folder

    try:
        from ..web.addresses import accepted_hosts, is_loopback
        from ..web.settings import ServerSettings
        from ..web.web_server import run
    except ModuleNotFoundError as error:
        raise SeabattleError(
            f"The browser game needs {error.name}; install it with: pip install 'seabattle[web]'."
        ) from None
    for option, value in (
        ("--think-seconds", think_seconds),
        ("--games-per-client", games_per_client),
        ("--games-per-day", games_per_day),
        ("--requests-per-second", requests_per_second),
    ):
        if not 0 < value <= LARGEST_LIMIT:
            raise SeabattleError(
                f"{option} must be above 0 and at most {LARGEST_LIMIT:,}, not {value}."
            )
    for proxy in proxies or ():
        try:
            ip_network(proxy)
        except ValueError:
            raise SeabattleError(
                f"--proxy is an IP address such as 127.0.0.1 or a network such as 10.0.0.0/8, "
                f"not {proxy!r}."
            ) from None
    settings = ServerSettings(
        data=data or data_folder(),
        reports=(reports,),
        hosts=accepted_hosts(host, tuple(allow_hosts or ())),
        ip_hosts=not is_loopback(host),
        proxies=tuple(proxies or ()),
        imports=tuple(modules or ()),
        warm_up=not no_warm_up,
        think_seconds=think_seconds,
        games_per_client=games_per_client,
        games_per_day=games_per_day,
        requests_per_second=requests_per_second,
        burst=max(300, int(6 * requests_per_second)),
    )
    run(settings, host, port, browser=not no_browser)
