"""The lock file: every package that a release needs, with the digests of its files.

`python -m tests.lock_file` writes `requirements.lock` anew, from the versions that
constraints.txt pins, what the installed packages say they need, and the digests that the
package index gives for all files of these versions. `test_lock_file.py` checks without a
network that the file is current. Torch is left out, because its builds for different
processors are different files under one version.
"""

from __future__ import annotations

import re
import tomllib
import urllib.request
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements.lock"
FOR_DEVELOPERS = ("dev", "docs", "peers")
"""extras that nobody who installs a release needs"""
LEFT_OUT = ("torch",)

HEADER = """\
# Every package that seabattle and its extras need, torch aside, with the digests of its files.
# Linux, Python 3.11 to 3.13; made by 'make lock' from constraints.txt.
#
#   pip install --no-deps --require-hashes -r requirements.lock
#   pip install --no-deps seabattle
#
# Training needs torch too: pip install -c constraints.txt torch
"""


def pinned() -> dict[str, str]:
    """The versions in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text().split()
    return {
        canonicalize_name(name): version
        for name, version in (line.split("==") for line in lines if "==" in line)
    }


def needed() -> set[str]:
    """Every package that a user's extras need, directly or not."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    waiting = [Requirement(text) for text in project["dependencies"]]
    for name, texts in extras.items():
        if name not in FOR_DEVELOPERS:
            waiting += map(Requirement, texts)
    found: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        each = waiting.pop()
        name = canonicalize_name(each.name)
        key = (name, frozenset(each.extras))
        if name in (*LEFT_OUT, "seabattle") or key in found:
            continue
        found.add(key)
        waiting += _requirements(name, each.extras)
    return {name for name, _ in found}


def _requirements(name: str, extras: set[str]) -> Iterator[Requirement]:
    """What an installed package needs on this machine."""
    for text in metadata.requires(name) or ():
        each = Requirement(text)
        marker = each.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
            yield each


def locked() -> dict[str, tuple[str, list[str]]]:
    """The version and the digests of every package in the lock file."""
    text = LOCK.read_text().replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            pin, *hashes = line.split()
            name, version = pin.split("==")
            found[name] = (version, [each.removeprefix("--hash=") for each in hashes])
    return found


def write() -> None:
    """Ask the package index for digests, and write the lock file."""
    versions = pinned()
    parts = [HEADER]
    for name in sorted(needed()):
        digests = sorted(set(_digests(name, versions[name])))
        print(f"{name} {versions[name]}: {len(digests)} files", flush=True)
        lines = [f"{name}=={versions[name]}", *(f"    --hash=sha256:{each}" for each in digests)]
        parts.append(" \\\n".join(lines) + "\n")
    LOCK.write_text("\n".join(parts))


def _digests(name: str, version: str) -> Iterator[str]:
    from pip._internal.models.index import PyPI  # the index that pip itself would ask

    request = urllib.request.Request(f"{PyPI.simple_url}/{name}/", headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        page = answer.read().decode()
    for digest, filename in re.findall(r"#sha256=([0-9a-f]{64})\"[^>]*>([^<]+)</a>", page):
        if _version(filename.strip()) == version:
            yield digest


def _version(filename: str) -> str | None:
    try:
        if filename.endswith(".whl"):
            return str(parse_wheel_filename(filename)[1])
        return str(parse_sdist_filename(filename)[1])
    except (InvalidWheelFilename, InvalidSdistFilename):
        return None


if __name__ == "__main__":
    write()
