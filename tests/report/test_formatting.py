"""Numbers, durations and rules in words."""

from __future__ import annotations

import pytest

from seabattle import Rules
from seabattle.report.formatting import duration, rules_line, signed


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1.9e-6, "1.9 µs"), (4.2e-5, "42 µs"), (0.0123, "12 ms"), (3.44, "3.4 s"), (300, "5.0 min")],
)
def test_durations_have_suitable_units(seconds, words):
    assert duration(seconds) == words


def test_signs_and_missing_numbers_are_plain():
    assert (signed(0.314), signed(-2), signed(float("nan"))) == ("+0.31", "−2.00", "–")
    assert rules_line(Rules(3, 4, (2,))).startswith("3×4, fleet 2")
