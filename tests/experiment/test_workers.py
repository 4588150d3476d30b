"""Worker processes end when they are told to, whatever they are doing."""

from __future__ import annotations

import os
import struct
import sys
import threading
import time
from pathlib import Path

from seabattle.experiment.workers import Workers


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
