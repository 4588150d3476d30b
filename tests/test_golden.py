"""The golden cases come out as they were recorded (see `golden`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .golden import commands, games, web
from .golden.recording import Recording

RECORDINGS = {each.name: each for each in (*games.RECORDINGS, commands.RECORDING)}


@pytest.fixture(scope="module")
def web_recording() -> Iterator[Recording]:
    with web.recording() as recording:
        yield recording


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, case) for name, recording in RECORDINGS.items() for case in recording.cases],
)
def test_a_case_comes_out_as_recorded(name: str, case: str) -> None:
    RECORDINGS[name].check(case)


@pytest.mark.parametrize("case", web.SCENES)
def test_the_web_api_answers_as_recorded(web_recording: Recording, case: str) -> None:
    web_recording.check(case)


def test_every_recorded_case_is_still_played(web_recording: Recording) -> None:
    for recording in (*RECORDINGS.values(), web_recording):
        assert list(recording.read()) == list(recording.cases)
