"""Worker processes end when they are told to, whatever they are doing."""

from __future__ import annotations

import os
import struct
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from seabattle.errors import ExperimentError
from seabattle.experiment.workers import Workers, executor_for, results_in_order


def send_half_a_result(begun: Path) -> None:
    """In a worker: write the beginning of a message into the pipe of results, and no more."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        assert frame.f_back is not None
        frame = frame.f_back
    message = struct.pack("!i", 1000) + b"half"
    os.write(frame.f_locals["result_queue"]._writer.fileno(), message)
    begun.touch()
    time.sleep(600)


def test_a_worker_that_ends_while_it_sends_a_result_keeps_nobody_waiting(tmp_path: Path) -> None:
    workers = Workers(1)
    result = workers.submit(send_half_a_result, tmp_path / "begun")
    while not (tmp_path / "begun").exists():
        assert not result.done()
        time.sleep(0.01)
    stopping = threading.Thread(target=workers.stop, daemon=True)
    stopping.start()
    stopping.join(30)
    assert not stopping.is_alive()
    assert result.exception() is not None


@pytest.mark.parametrize(
    ("error", "words"),
    [(BrokenProcessPool(), "worker process ended"), (CancelledError(), "The cluster cancelled")],
)
def test_what_ends_the_workers_of_any_experiment_is_a_sentence(
    error: BaseException, words: str
) -> None:
    with pytest.raises(ExperimentError, match=words), executor_for(1):
        raise error


def test_results_come_in_order_and_only_a_few_calls_are_submitted_ahead() -> None:
    submitted: list[int] = []

    def arguments() -> Iterator[tuple[int]]:
        for number in range(20):
            submitted.append(number)
            yield (number,)

    def later_calls_are_quicker(number: int) -> int:
        time.sleep((20 - number) / 2000)
        return number

    with ThreadPoolExecutor(4) as executor:
        results = results_in_order(executor, 2, later_calls_are_quicker, arguments())
        assert next(results) == 0
        assert len(submitted) == 4
        assert list(results) == list(range(1, 20))


def variable(name: str) -> str | None:
    """In a worker."""
    return os.environ.get(name)


def test_workers_have_the_environment_of_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Although those of Linux are forked from a process that was started earlier."""
    for value in ("first", "second", None):
        if value:
            monkeypatch.setenv("SEABATTLE_SAMPLE", value)
        else:
            monkeypatch.delenv("SEABATTLE_SAMPLE")
        with executor_for(2) as executor:
            assert executor.submit(variable, "SEABATTLE_SAMPLE").result() == value
