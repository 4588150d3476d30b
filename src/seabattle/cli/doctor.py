"""`seabattle doctor`: versions, the machine, the cache, and which optional parts work."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def doctor(
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = (
        False
    ),
) -> None:
    """Check this installation: versions, cores, memory, cache, optional parts.

    The exit code is 1 if the core does not work. Optional parts may be missing.

    Examples:
      seabattle doctor
      seabattle doctor --json
    """
    from ..report.diagnosis import diagnose

    found = diagnose()
    print(json.dumps(found.to_json()) if json_output else found.to_text())
    if not found.works:
        raise typer.Exit(1)
