"""The provenance of a model, stored in its metadata."""

from __future__ import annotations

import datetime
import json
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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


def provenance(
    player: str,
    form: str,
    architecture: str,
    rules: Rules,
    command: str,
    seed: int,
    commits: list[str],
    step: int,
    minutes: float,
    processor_minutes: float,
    seen: dict[str, int],
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
        "commit": " then ".join(commits),
        "date": today.isoformat(),
        "steps": str(step),
        "data": ", ".join(f"{count:,} {what}" for what, count in seen.items()),
        "minutes": f"{minutes:.1f}",
        "processor minutes": f"{processor_minutes:.1f}",
        "versions": versions(),
    }
