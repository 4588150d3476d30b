"""Shared by all tests: quiet compilation, running commands, and a browser."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

os.environ.setdefault("SEABATTLE_QUIET", "1")  # the notice would mix with expected output

# A shell ignores Ctrl-C in what it starts in the background, and child processes inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def players_of_one_test() -> Iterator[None]:
    """What a test registers is unknown to the next one, whichever runs first."""
    from seabattle.players import temporary_registry

    with temporary_registry():
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process: its exit code, standard output and standard error."""
    from seabattle.cli import main

    def command(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return command


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window; tests that want it are skipped where it is not installed."""
    where = shutil.which("chromium")
    if where is None:
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    flags = ("gpu", "background-networking", "component-update", "sync")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=where,
            args=["--headless", "--no-sandbox", *(f"--disable-{flag}" for flag in flags)],
        )
        yield browser
        browser.close()
