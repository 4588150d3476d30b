"""The code in the README and the docs runs: Python as doctests, commands for real.

A fenced block after the comment `<!-- not run: REASON -->` is left out.
"""

from __future__ import annotations

import doctest
import importlib
import io
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import seabattle
from tests.conftest import Run

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"(<!-- not run:[^>]*-->\s*)?^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
LIGHT = [
    module.name
    for module in pkgutil.walk_packages(seabattle.__path__, "seabattle.")
    if not module.name.endswith("__main__")
]


def blocks(page: Path, language: str) -> list[str]:
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [code for skipped, kind, code in found if kind == language and not skipped]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_docs_runs(page: Path) -> None:
    """All blocks of a page share one session, as a reader would type them."""
    source = "\n".join(blocks(page, "python"))
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    output: list[str] = []
    runner.run(test, out=output.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(output)


COMMANDS = [
    pytest.param(line[2:].partition("  #")[0], id=f"{page.name}: {line[2:60]}")
    for page in PAGES
    for block in blocks(page, "console")
    for line in block.splitlines()
    if line.startswith("$ ")
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_in_the_docs_run(
    command: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, *arguments = shlex.split(command)
    assert program == "seabattle", "only this program's commands are shown as console blocks"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # a game ends at once
    code, out, err = run(*arguments)
    assert code == 0, err
    assert out


@pytest.mark.parametrize("name", LIGHT)
def test_examples_in_docstrings_run(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def test_importing_the_package_is_light() -> None:
    heavy = {"numba", "torch", "matplotlib", "fastapi", "rich", "typer", "onnxruntime", "mcp"}
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, seabattle; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not heavy & set(loaded)
