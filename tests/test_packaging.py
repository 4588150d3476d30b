"""What people install: the wheel, the source distribution, and the core without extras."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
import yaml

import seabattle

ROOT = Path(__file__).parent.parent
SOURCES = ("src", "tests", "docs", "examples", "benchmarks")
IGNORED = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*_cache", ".hypothesis")
EXTRAS = ("torch", "matplotlib", "fastapi", "gymnasium", "pettingzoo", "pyarrow", "distributed")
EXTRAS += ("xlsxwriter", "onnx", "neat", "sphinx", "pytest")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution and the wheel made from it."""
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=IGNORED)
    for file in ROOT.iterdir():
        if file.is_file() and not file.name.startswith("."):
            shutil.copy(file, source)
    out = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def files_under(folder: str) -> set[str]:
    """The files that belong to the project, as paths from its root."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
        and not re.search(r"__pycache__|\.egg-info|/\.", path.relative_to(ROOT).as_posix())
    }


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert wheel.name == f"seabattle-{seabattle.__version__}-py3-none-any.whl"
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == {name.removeprefix("src/") for name in files_under("src")}


def test_the_source_distribution_has_tests_docs_and_examples(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    for folder in SOURCES:
        assert files_under(folder) <= names, folder
    assert {path.name for path in ROOT.glob("*.md")} <= names
    assert {"LICENSE", "CITATION.cff", "Makefile", "constraints.txt"} <= names
    assert not {name for name in names if "__pycache__" in name}


def test_the_metadata_name_one_version_and_pin_nothing(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    packed = zipfile.Path(wheel, f"seabattle-{seabattle.__version__}.dist-info/")
    found = metadata.PathDistribution(packed).metadata
    assert found["Version"] == seabattle.__version__
    assert found["Author"] == "seabattle contributors"
    assert found["Requires-Python"] == ">=3.11"
    requirements = found.get_all("Requires-Dist") or []
    assert requirements
    assert not [line for line in requirements if "==" in line.partition(";")[0]]


def core() -> Iterator[metadata.Distribution]:
    """The packages that an installation without extras brings, and theirs in turn."""
    wanted, seen = ["seabattle"], set()
    while wanted:
        name = wanted.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system
        if name != "seabattle":
            yield found
        wanted += [
            re.match(r"[\w.-]+", line)[0]  # type: ignore[index]
            for line in found.requires or ()
            if "extra ==" not in line
        ]


@pytest.fixture(scope="module")
def clean(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that has the wheel and the core alone."""
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
            *("--no-deps", "--no-index", "--disable-pip-version-check", wheel),
        ],
        check=True,
        timeout=120,
    )
    (site,) = folder.glob("lib/python*/site-packages")
    for package in core():
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(package.locate_file(top))).resolve())
    return python.parent


def outcome(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """How a program ends that sees nothing of the environment the tests run in."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [program, *arguments],
        env=own,  # two copies of the same sources share one cache of compiled code
        cwd=program.parent,
        capture_output=True,
        text=True,
        timeout=300,
    )


def run(program: Path, *arguments: str) -> str:
    done = outcome(program, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_core_installs_no_extra(clean: Path) -> None:
    code = (
        "import sys; from importlib.util import find_spec; print(*filter(find_spec, sys.argv[1:]))"
    )
    assert run(clean / "python", "-c", code, *EXTRAS) == "\n"
    assert run(clean / "python", "-c", code, "numpy", "seabattle") == "numpy seabattle\n"
    assert "site-packages" in run(
        clean / "python", "-c", "import seabattle; print(seabattle.__file__)"
    )


def test_the_core_plays_with_a_shipped_network(clean: Path) -> None:
    out = run(clean / "seabattle", "compare", "random", "cnn", "--games", "3", "--json")
    random, cnn = json.loads(out)["players"]
    # Three games of random shooting take 286 shots, with a standard deviation of 8.
    assert sum(cnn["shots"]) < 240 < sum(random["shots"])


def test_the_core_analyzes(clean: Path) -> None:
    out = run(
        clean / "seabattle", "analyze", "--rules", "mini", "--shots", "C3 hit, C4 miss", "--json"
    )
    found = json.loads(out)
    assert (found["method"], found["layouts"], found["suggestion"]) == ("exact", 71, "B3")


def test_a_part_that_is_missing_says_what_to_install(clean: Path) -> None:
    done = outcome(clean / "seabattle", "serve")
    assert done.returncode == 2
    assert "pip install 'seabattle[web]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_citation_can_be_read() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["authors"] == [{"name": "seabattle contributors"}]
