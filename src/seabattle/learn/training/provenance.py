"""The provenance of a model, stored in its metadata."""

from __future__ import annotations

import datetime
import json
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from ...rules import Rules

PACKAGES = ("seabattle", "torch", "numpy", "onnx", "neat-python")


def commit() -> str:
    """The commit of the running code, with `+changes` if it was edited since, or `unknown`."""
    here = Path(__file__).parent

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=here, capture_output=True, text=True, check=True, timeout=30
        ).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "..")
        return git("rev-parse", "HEAD") + ("+changes" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def versions() -> str:
    found = [f"python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


class TrainingEffort(NamedTuple):
    """How far a training got, and what it took."""

    step: int
    minutes: float
    processor_minutes: float
    seen: dict[str, int]
    """how many games, and how many positions"""
    commits: list[str]
    """of the code that it ran on, one after the other"""


def provenance(
    player: str,
    form: str,
    architecture: str,
    rules: Rules,
    command: str,
    seed: int,
    effort: TrainingEffort,
) -> dict[str, str]:
    """The metadata of a model file."""
    today = datetime.datetime.now(datetime.UTC).date()
    return {
        "player": player,
        "form": form,
        "architecture": architecture,
        "rules": json.dumps(rules.to_json()),
        "command": command,
        "seed": str(seed),
        "commit": " then ".join(effort.commits),
        "date": today.isoformat(),
        "steps": str(effort.step),
        "data": ", ".join(f"{count:,} {what}" for what, count in effort.seen.items()),
        "minutes": f"{effort.minutes:.1f}",
        "processor minutes": f"{effort.processor_minutes:.1f}",
        "versions": versions(),
    }
