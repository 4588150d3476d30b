"""`seabattle reproduce`: the tables of the source documents beside ours."""

from __future__ import annotations

import json
import math
import shlex
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ExperimentError
from . import completion
from .experiments import experiment
from .options import Jobs, Json, Scheduler, Seed, StoreOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..reproduce import Effort, Exhibit, ExhibitResult, RowResult
    from ..reproduce.verdicts import Verdict


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TABLE",
            help="Tables such as T-4.5. Without any, lists all of them.",
            autocompletion=completion.tables,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Reproduce every table and figure.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few games: everything in under ten minutes.")
    ] = False,
    games: Annotated[
        int | None,
        typer.Option(help="Games per row.", show_default="10000, or 500 with --quick"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Approximate time limit per row.", show_default="120, or 2 with --quick"),
    ] = None,
    least: Annotated[
        int, typer.Option("--at-least", help="Games per row even if they take longer.")
    ] = 1,
    seed: Seed = 1,
    jobs: Jobs = 1,
    json_output: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for a report page (index.html) and the same as Markdown (results.md) "
            "with figures.",
            show_default="out/reproduce with --all",
        ),
    ] = None,
    store: StoreOption = None,
    scheduler: Scheduler = None,
) -> None:
    """Reproduce tables and figures of the source documents.

    Examples:
      seabattle reproduce
      seabattle reproduce T-4.5 E-1 --quick
      seabattle reproduce --all --jobs 2 --store default
    """
    from ..report import outputs
    from ..reproduce import EXHIBITS, Effort, exhibit

    if not tables and not every and not quick:
        _list(json_output)
        return
    chosen = [exhibit(name) for name in tables] if tables else list(EXHIBITS.values())
    usual = Effort.quick() if quick else Effort()
    effort = Effort(
        _positive("The number of games", usual.games if games is None else games),
        _positive("The time limit", usual.seconds if seconds is None else seconds),
        _positive("The least number of games", least),
        seed,
        _positive("The number of jobs", jobs),
    )
    if every and out is None:
        out = Path("out/reproduce")
    if out is not None:
        outputs.needs("matplotlib", "plots", "A folder with plots")
        outputs.checked_folder(out)
    results = _play(chosen, effort, store=store, scheduler=scheduler, quiet=json_output)
    if out is not None:
        command = _command(tables, every, quick, games, seconds, least, seed, store)
        _write(results, out, command)
    if json_output:
        print(json.dumps(_results_as_json(results), allow_nan=False))
        return
    _print_joint_verdicts(results)
    if out is not None:
        print(f"Report page: {out / 'index.html'}")
    _print_sources()


def _play(
    exhibits: Sequence[Exhibit],
    effort: Effort,
    *,
    store: str | None,
    scheduler: str | None,
    quiet: bool,
) -> list[ExhibitResult]:
    """Play the exhibits and print each when it is done."""
    from ..experiment.results_log import InMemoryLog
    from ..report.reproduction import text_of
    from ..reproduce import reproduce as play

    settings = {
        "tables": [each.name for each in exhibits],
        "games": effort.games,
        "seconds": effort.seconds,
        "at_least": effort.least,
        "seed": effort.seed,
    }
    results = []
    with experiment(
        "reproduction",
        settings,
        jobs=effort.jobs,
        store=store,
        scheduler=scheduler,
        progress=False,
        table=None if quiet else text_of,
    ) as setup:
        log = InMemoryLog() if setup.log is None else setup.log
        effort = replace(effort, jobs=setup.jobs)
        for each in exhibits:
            results.append(play(each, effort, log, None if quiet else _tell, setup.executor))
            if not quiet:
                print(text_of(results[-1]) + "\n", flush=True)
    return results


def _write(results: list[ExhibitResult], out: Path, command: str) -> None:
    """The page, and the same as Markdown with figures."""
    from ..report.reproduction import markdown_of, write_figures, write_page

    write_page(results, out / "index.html", command=command)
    figures = write_figures(results, out / "figures")
    (out / "results.md").write_text(markdown_of(results, command, figures), encoding="utf-8")


def _tell(where: str) -> None:
    print(where, file=sys.stderr, flush=True)


def _list(json_output: bool) -> None:
    from ..reproduce import DOCUMENTS, EXHIBITS

    states = {each.name: _state(each) for each in EXHIBITS.values()}
    if json_output:
        listed = [
            {"name": each.name, "title": each.title, "missing": states[each.name]}
            for each in EXHIBITS.values()
        ]
        print(json.dumps({"exhibits": listed}))
        return
    wide = max(len(name) for name in EXHIBITS)
    for letter, document in DOCUMENTS.items():
        citation = f"{letter}: {document.citation}"
        print(textwrap.fill(citation, 80, subsequent_indent=" " * 3))
        for each in EXHIBITS.values():
            if each.document == letter:
                print(f"  {each.name:<{wide}}  {each.title}")
                if states[each.name]:
                    print(f"  {'':<{wide}}  ({states[each.name]})")
        print()
    _print_sources()


def _state(exhibit: Exhibit) -> str:
    """Why an exhibit, or a part of it, cannot be reproduced; empty if it can."""
    from ..reproduce.exhibits import unavailable
    from ..reproduce.source_results import COUNT, HEAT, HUMAN

    if exhibit.kind == HUMAN:
        return "needs human opponents"
    if exhibit.kind in (COUNT, HEAT):
        return ""
    missing = [row for row in exhibit.rows if unavailable(row.player)]
    if not missing:
        return ""
    names = ", ".join(sorted({row.player.partition(":")[0] for row in missing}))
    if len(missing) < len(exhibit.rows):
        return f"without {names}"
    return f"not available in this version: {names}"


def _print_joint_verdicts(results: list[ExhibitResult]) -> None:
    from ..report.reproduction import joint_lines

    for line in joint_lines(results):
        print(textwrap.fill(line, 80, subsequent_indent="  ") + "\n")


def _results_as_json(results: list[ExhibitResult]) -> dict[str, Any]:
    from ..reproduce.verdicts import joint_verdicts

    together = [
        {"rows": title, "verdict": verdict.kind, "difference": verdict.text}
        for title, verdict in joint_verdicts(results).items()
    ]
    return {"exhibits": [_as_json(each) for each in results], "together": together}


def _print_sources() -> None:
    from ..players import SOURCES_PAGE

    print(f"Sources: {SOURCES_PAGE}")


def _as_json(result: ExhibitResult) -> dict[str, Any]:
    from ..reproduce.verdicts import verdicts

    exhibit = result.exhibit
    return {
        "name": exhibit.name,
        "title": exhibit.title,
        "kind": exhibit.kind,
        "rows": [
            _row_as_json(row_result, verdict)
            for row_result, verdict in zip(result.rows, verdicts(result), strict=True)
        ],
    }


def _row_as_json(row_result: RowResult, verdict: Verdict) -> dict[str, Any]:
    row, ours, duels, costs = row_result.row, row_result.ours, row_result.duels, row_result.costs
    return {
        "label": row.label,
        "player": row.player,
        "rules": row_result.rules.to_text(),
        "document": {
            "mean": row.mean,
            "range": row.range,
            "seconds_per_game": row.seconds,
            "peak": row.peak or None,
            "won": row.won,
        },
        "missing": row_result.missing or None,
        "mean": ours.mean if ours else None,
        "ci95": ours.to_json()["ci95"] if ours else None,
        "range": [ours.min, ours.max] if ours else None,
        "games": row_result.games,
        "seconds_per_game": ours.seconds_per_game if ours else None,
        "won": [duels.won, duels.games] if duels else None,
        "costs": list(costs.values) if costs else None,
        "verdict": verdict.kind or None,
        "difference": verdict.text or None,
    }


def _positive(what: str, value: Any) -> Any:
    if not 0 < value < math.inf:
        raise ExperimentError(f"{what} must be a number above 0, not {value:g}.")
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
    """The command that gives the same results."""
    words = ["seabattle", "reproduce", *(tables or [])]
    words += ["--all"] * every + ["--quick"] * quick
    if games is not None:
        words += ["--games", str(games)]
    if seconds is not None:
        words += ["--seconds", f"{seconds:g}"]
    if least > 1:
        words += ["--at-least", str(least)]
    words += ["--seed", str(seed)]
    if store is not None:
        words += ["--store", Path(store).name]
    return shlex.join(words)
