"""The golden cases come out as they were recorded (see `golden`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.golden import RECORDINGS
from tests.golden.recording import FOLDER, differences

ROOT = Path(__file__).parents[1]

Played = dict[str, dict[str, Any]]
"""recording -> case -> what it gave"""


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """What the cases of the selected recordings give today.

    A process of its own plays them: in this one, other tests register players.
    """
    folder = tmp_path_factory.mktemp("golden")
    ours = [item for item in request.session.items if item.path == request.path]
    names = dict.fromkeys(item.callspec.params["name"] for item in ours)
    command = [sys.executable, "-m", "tests.golden", *names, "--to", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return {name: RECORDINGS[name].read(folder) for name in names}


@pytest.mark.parametrize(
    ("name", "case"), [(each.name, case) for each in RECORDINGS.values() for case in each.cases]
)
def test_a_case_matches_its_recording(played: Played, name: str, case: str) -> None:
    old, new = RECORDINGS[name].read(FOLDER)[case], played[name][case]
    changes = list(differences(old, new))
    assert not changes, f"{name}, {case}:\n" + "\n".join(changes)


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_whole_file_matches_its_recording(played: Played, name: str) -> None:
    """Also the order of the cases, and of the keys of every object."""
    assert repr(played[name]) == repr(RECORDINGS[name].read(FOLDER))
