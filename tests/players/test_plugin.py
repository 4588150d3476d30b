"""A player of another package, installed for real, is known everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forking import seabattle

HERE = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the package in `tests/plugin` is installed."""
    folder = tmp_path_factory.mktemp("plugin")
    source = shutil.copytree(HERE / "plugin", folder / "source")
    site = folder / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run(
        [*install, "--no-build-isolation", "--target", str(site), str(source)],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


def run(environment: dict[str, str], *arguments: str) -> str:
    out: str = seabattle(*arguments, env=environment, check=True).stdout
    return out


def test_an_installed_player_is_listed(installed: dict[str, str]) -> None:
    listed = json.loads(run(installed, "players", "backwards", "--json"))["players"]
    assert listed[0]["source"] == "seabattle-test-plugin"
    assert listed[0]["parameters"][0]["name"] == "middle"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_installed_player_can_be_compared(installed: dict[str, str], jobs: str) -> None:
    out = run(
        installed, "compare", "backwards", "backwards:middle=true", "random",
        "--rules", "mini", "--games", "20", "--jobs", jobs, "--json",
    )  # fmt: skip
    players = json.loads(out)["players"]
    assert [player["name"] for player in players] == [
        "backwards",
        "backwards:middle=true",
        "random",
    ]
    assert all(5 <= player["mean"] <= 25 for player in players)
