"""A few seconds of the mixed traffic of `benchmarks.soak`."""

from __future__ import annotations

import asyncio

from benchmarks.soak import soak


def test_mixed_traffic_and_a_killed_server_lose_nothing() -> None:
    lines, answers = asyncio.run(soak(6, "--no-warm-up"))
    checked = [line for line in lines if line.target == 0]
    assert [line.what for line in checked if not line.met] == [], answers
    assert len(checked) == 2
    assert answers["201"] > 0
