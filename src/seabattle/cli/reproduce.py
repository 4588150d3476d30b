"""`seabattle reproduce`: the source documents' tables beside ours."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ExperimentError
from .compare import Scheduler, Seed, stopping, where_to_play
from .runs import StoreOption, book_of

if TYPE_CHECKING:
    from ..reproduce import ExhibitResult


def reproduce(
    tables: Annotated[
        list[str] | None, typer.Argument(help="Tables such as T-4.5; none lists them all.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every table and figure.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small runs: all of them in under ten minutes.")
    ] = False,
    games: Annotated[
        int | None,
        typer.Option(help="Games of each row.", show_default="10000; with --quick 500"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Time after which a slow row ends with the games it has.",
            show_default="120; with --quick 2",
        ),
    ] = None,
    least: Annotated[
        int, typer.Option("--at-least", help="Games of a row, however long they take.")
    ] = 1,
    seed: Seed = 1,
    jobs: Annotated[int, typer.Option(help="Processes that play at the same time.")] = 1,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for index.html, one page with tables, plots and sentences, and for "
            "results.md and figures, the same for a repository.",
            show_default="out/reproduce with --all",
        ),
    ] = None,
    store: StoreOption = None,
    scheduler: Scheduler = None,
) -> None:
    """Play the tables of the source documents; print theirs and ours side by side."""
    from ..reproduce import EXHIBITS, Effort, exhibit
    from ..reproduce import reproduce as play
    from ..reproduce.verdicts import verdicts

    if not tables and not every and not quick:
        _list(json_output)
        return
    chosen = [exhibit(name) for name in tables] if tables else list(EXHIBITS.values())
    usual = Effort.quick() if quick else Effort()
    effort = Effort(
        _positive("games", usual.games if games is None else games),
        _positive("seconds", usual.seconds if seconds is None else seconds),
        _positive("games of a row at least", least),
        seed,
        _positive("jobs", jobs),
    )
    if every and out is None:
        out = Path("out/reproduce")
    if out is not None:
        from ..report import outputs

        outputs.needs("matplotlib", "plots", "A folder with plots")
        outputs.checked_folder(out)
    settings = {
        "tables": [each.name for each in chosen],
        "games": effort.games,
        "seconds": effort.seconds,
        "at_least": effort.least,
        "seed": seed,
    }
    findings: list[ExhibitResult] = []
    with (
        stopping(store),
        book_of(store, "reproduction", settings) as kept,
        where_to_play(scheduler, jobs) as (executor, _),
    ):
        from ..experiment.results_log import InMemoryLog

        book = InMemoryLog() if kept is None else kept
        for each in chosen:
            findings.append(play(each, effort, book, None if json_output else _tell, executor))
            if not json_output:
                from ..report.reproduction import text_of

                print(text_of(findings[-1]) + "\n", flush=True)
    if out is not None:
        from ..report.reproduction import markdown_of, write_figures, write_page

        command = _command(tables, every, quick, games, seconds, least, seed, store)
        write_page(findings, out / "index.html", command=command)
        figures = write_figures(findings, out / "figures")
        text = markdown_of(findings, command, figures)
        (out / "results.md").write_text(text, encoding="utf-8")
    if json_output:
        value = [_json(finding, verdicts(finding)) for finding in findings]
        print(json.dumps({"exhibits": value}, allow_nan=False))
    elif out is not None:
        print(f"Report page: {out / 'index.html'}")


def _tell(where: str) -> None:
    print(where, file=sys.stderr, flush=True)


def _list(json_output: bool) -> None:
    from ..reproduce import EXHIBITS
    from ..reproduce.exhibits import unavailable
    from ..reproduce.source_results import HUMAN

    rows: list[tuple[str, str, str]] = []
    for each in EXHIBITS.values():
        missing = {row.player.partition(":")[0] for row in each.rows if unavailable(row.player)}
        can = [row for row in each.rows if not unavailable(row.player)]
        if each.kind == HUMAN:
            state = "needs people to play against"
        elif not missing:
            state = ""
        elif can:
            state = f"without {', '.join(sorted(missing))}"
        else:
            state = f"not available in this version: {', '.join(sorted(missing))}"
        rows.append((each.name, each.title, state))
    if json_output:
        keys = ("name", "title", "missing")
        print(json.dumps({"exhibits": [dict(zip(keys, row, strict=True)) for row in rows]}))
        return
    wide = max(len(name) for name, _, _ in rows)
    for name, title, state in rows:
        line = f"{name:<{wide}}  {title}"
        print(line if not state else f"{line}\n{'':<{wide}}  ({state})")


def _json(finding: ExhibitResult, said: list[str]) -> dict[str, Any]:
    exhibit = finding.exhibit
    rows = []
    for found, sentence in zip(finding.rows, said, strict=True):
        row, ours = found.row, found.ours
        rows.append(
            {
                "label": row.label,
                "player": row.player,
                "rules": found.rules.to_text(),
                "document": {
                    "mean": row.mean,
                    "range": row.range,
                    "seconds_per_game": row.seconds,
                    "peak": row.peak or None,
                    "won": row.won,
                },
                "missing": found.missing or None,
                "mean": ours.mean if ours else None,
                "ci95": ours.to_json()["ci95"] if ours else None,
                "range": [ours.min, ours.max] if ours else None,
                "games": found.games,
                "seconds_per_game": ours.seconds_per_game if ours else None,
                "won": [found.duels.won, found.duels.games] if found.duels else None,
                "costs": list(found.costs.values) if found.costs else None,
                "difference": sentence or None,
            }
        )
    return {"name": exhibit.name, "title": exhibit.title, "kind": exhibit.kind, "rows": rows}


def _positive(what: str, value: Any) -> Any:
    if not value > 0:
        raise ExperimentError(f"The number of {what} is above 0, not {value}.")
    return value


def _command(
    tables: list[str] | None,
    every: bool,
    quick: bool,
    games: int | None,
    seconds: float | None,
    least: int,
    seed: int,
    store: str | None,
) -> str:
    words = ["seabattle reproduce", *(tables or [])]
    words += ["--all"] * every + ["--quick"] * quick
    if games is not None:
        words.append(f"--games {games}")
    if seconds is not None:
        words.append(f"--seconds {seconds:g}")
    if least > 1:
        words.append(f"--at-least {least}")
    words.append(f"--seed {seed}")
    if store is not None:
        words.append(f"--store {Path(store).name}")
    return " ".join(words)
