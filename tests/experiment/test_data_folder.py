"""Where a user's data is stored on each system."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from seabattle.experiment.data_folder import data_folder
from seabattle.experiment.store import default_path


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ann"))
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", "/home/ann/.local/share/seabattle"),
        ("freebsd14", "/home/ann/.local/share/seabattle"),
        ("darwin", "/home/ann/Library/Application Support/seabattle"),
        ("win32", "/home/ann/seabattle"),
    ],
)
def test_the_folder_without_any_setting(
    monkeypatch: pytest.MonkeyPatch, platform: str, folder: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert data_folder() == Path(folder)
    assert default_path() == Path(folder) / "results.sqlite"


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", "/xdg/seabattle"),
        ("darwin", "/home/ann/Library/Application Support/seabattle"),
        ("win32", "/local/seabattle"),
    ],
)
def test_each_system_follows_its_own_variable(
    monkeypatch: pytest.MonkeyPatch, platform: str, folder: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("XDG_DATA_HOME", "/xdg")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert data_folder() == Path(folder)
