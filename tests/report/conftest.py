"""A comparison that several pages and tables show."""

from __future__ import annotations

import pytest

from seabattle import Comparison, compare


@pytest.fixture(scope="module")
def three() -> Comparison:
    return compare(["even", "random", "in-order"], "mini", games=60, seed=9)
