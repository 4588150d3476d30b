"""Shared by all tests: quiet compilation, running commands, and a browser."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

os.environ.setdefault("SEABATTLE_QUIET", "1")  # the notice would mix with expected output

# A shell ignores Ctrl-C in what it starts in the background, and child processes inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


Run = Callable[..., tuple[int, str, str]]

LONGEST = (
    "web/test_browser.py",
    "test_golden.py",
    "web/test_browser_features.py",
    "search/test_search.py",
    "learn/test_training.py",
    "admiral/test_admiral.py",
    "engine/test_exec_player.py",
    "belief/test_infer.py",
    "learn/test_policy_gradients.py",
    "test_docs.py",
    "compiled/test_jit.py",
    "experiment/test_store.py",
    "learn/test_neat.py",
    "players/test_strategies.py",
    "solver/test_solver.py",
    "test_site.py",
    "reproduce/test_reproduce.py",
    "dataset/test_dataset.py",
    "experiment/test_cluster.py",
    "terminal/test_pseudo_terminal.py",
    "experiment/test_compare.py",
    "test_examples.py",
    "test_packaging.py",
)
"""files of a quarter of a minute and more. They come first: if one of them came last, the other
test processes would have nothing left to do"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        name = item.path.as_posix().rpartition("/tests/")[2]
        return LONGEST.index(name) if name in LONGEST else len(LONGEST)

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """What was imported stays, so it need not be looked at in every collection of garbage."""
    gc.collect()
    gc.freeze()


@contextmanager
def players_forgotten() -> Iterator[None]:
    """Undo what is registered inside, and forget modules first imported there that did it: they
    register their players again when they are imported again."""
    from seabattle.players import all_players, temporary_registry

    with temporary_registry():
        players, modules = all_players(), set(sys.modules)
        yield
        for name, info in all_players().items():
            module = getattr(info.make, "__module__", "")
            if name not in players and module not in modules:
                sys.modules.pop(module, None)


@pytest.fixture(autouse=True, scope="module")
def players_of_one_module() -> Iterator[None]:
    """What the fixtures of a module register is unknown to the next module."""
    with players_forgotten():
        yield


@pytest.fixture(autouse=True)
def players_of_one_test(players_of_one_module: None) -> Iterator[None]:
    """What a test registers is unknown to the next one, whichever runs first."""
    with players_forgotten():
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
    # The first two are pages of the browser itself: every context would load them for its window.
    features = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "HttpsUpgrades", "MediaRouter")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=where,
            args=[
                *("--headless", "--no-sandbox", f"--disable-features={','.join(features)}"),
                *(f"--disable-{flag}" for flag in flags),
            ],
        )
        yield browser
        browser.close()
