"""`seabattle doctor`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from seabattle import __version__
from seabattle.report import diagnosis
from tests.conftest import Run


def test_a_working_installation(run: Run) -> None:
    code, out, err = run("doctor", "--json")
    found = json.loads(out)
    assert (code, err, found["works"], found["version"]) == (0, "", True, __version__)
    assert found["cores"] == diagnosis.cores() >= 1
    assert found["memory_mb"] > 100
    assert Path(found["cache"]["folder"]).is_dir()
    assert found["cache"]["compiled"] > 0
    assert all(part["works"] for part in found["core"])
    assert {"web", "plots", "training", "cluster", "browser"} <= {
        part["name"] for part in found["optional"]
    }
    code, out, _ = run("doctor")
    assert code == 0
    assert f"seabattle {__version__}, Python" in out
    assert "ok  numba" in out


def test_a_missing_optional_part_is_told_and_is_no_failure(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(diagnosis.PARTS, "web", ("web", ("no_such_web_server",)))
    monkeypatch.setitem(diagnosis.PROGRAMS, "browser", (("no-such-browser",), "install one"))
    code, out, _ = run("doctor")
    assert code == 0
    assert "--  web" in out
    assert "no_such_web_server is not installed; pip install 'seabattle[web]'" in out
    assert "--  browser" in out
    assert "install one" in out


def test_a_package_that_breaks_when_imported_is_told(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise OSError('libpng is missing')\n")
    done = subprocess.run(
        [sys.executable, "-m", "seabattle", "doctor", "--json"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    (plots,) = (part for part in json.loads(done.stdout)["optional"] if part["name"] == "plots")
    assert not plots["works"]
    assert "cannot be imported (OSError: libpng is missing)" in plots["detail"]


def test_a_broken_core_has_exit_code_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "CORE", ("no_such_core",))
    code, out, _ = run("doctor")
    assert code == 1
    assert "The core does not work" in out
