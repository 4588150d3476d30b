"""Fleets that fit in few ways are dealt uniformly; fleets that do not fit are an error."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import numpy as np
import pytest

from seabattle.dealing import tight_dealing, uniform
from seabattle.dealing.placement_numbers import layout_of, placements_of
from seabattle.dealing.uniform import deal_games, layout_for, random_layout
from seabattle.errors import FleetDoesNotFit
from seabattle.rules import Rules
from tests import oracle


@pytest.mark.parametrize("rejections", [True, False])
@pytest.mark.parametrize(
    "rules",
    [
        Rules(3, 3, (2, 1), "corners"),
        Rules(2, 4, (2, 2), "any"),
        Rules(4, 3, (2, 1, 1), "none"),
        Rules(4, 4, (4, 4, 4), "any"),
        Rules(2, 2, (2, 2), "any"),
    ],
)
def test_layouts_are_uniform_over_all_legal_ones(
    rules: Rules, rejections: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chi-square over all layouts; the bound is five standard deviations of its law."""
    if not rejections:
        monkeypatch.setattr(uniform, "tries_worth", lambda _: 0)
        monkeypatch.setattr(tight_dealing, "PILOT", 0)
        uniform.tight_dealer.cache_clear()
    legal = oracle.all_layouts(rules.rows, rules.columns, rules.fleet, rules.contact)
    count = 60 * len(legal)
    seen = Counter(map(tuple, deal_games(rules, 3, range(count)).tolist()))
    found = {
        tuple(map(frozenset, layout_of(rules, np.array(row)).ship_cells)): n
        for row, n in seen.items()
    }
    assert set(found) == set(legal)
    statistic = sum((n - 60) ** 2 / 60 for n in found.values())
    freedom = len(legal) - 1
    assert abs(statistic - freedom) < 5 * sqrt(2 * freedom)
    uniform.tight_dealer.cache_clear()


@pytest.mark.parametrize(
    ("size", "fleet", "contact"),
    [
        ((2, 2), (2, 2), "any"),
        ((5, 5), (5, 5, 5, 5, 5), "any"),
        ((9, 9), (4,) * 10, "none"),
        ((10, 10), (2,) * 20, "none"),
        ((10, 10), (1,) * 25, "none"),
        ((7, 4), (4, 4, 3, 3), "corners"),
        ((8, 8), (8,) * 8, "any"),
        ((16, 2), (16, 16), "any"),
    ],
)
def test_fleets_near_the_limit_are_found(
    size: tuple[int, int], fleet: tuple[int, ...], contact: str
) -> None:
    rules = Rules(*size, fleet, contact)
    rows = deal_games(rules, 1, range(20))
    for row in rows:
        assert np.array_equal(placements_of(layout_of(rules, row)), row)
    alone = placements_of(layout_for(rules, 1, 7))
    assert np.array_equal(alone, rows[7])


def test_five_long_ships_fill_a_square_in_two_ways() -> None:
    """All across or all down, each as likely: within five standard deviations of half."""
    rules = Rules(5, 5, (5, 5, 5, 5, 5), "any")
    across = sum(layout_for(rules, 8, game).ships[0].direction == "across" for game in range(400))
    assert abs(across - 200) < 5 * 10


def test_many_ships_on_the_largest_board() -> None:
    """Too many ways to count: found by search and shuffled, and legal."""
    rules = Rules(16, 16, (4, 4, 4, *(3,) * 6, *(2,) * 9, *(1,) * 12), "none")
    first, second = (random_layout(rules, np.random.default_rng(seed)) for seed in (1, 2))
    assert first != second


@pytest.mark.parametrize(
    ("size", "fleet", "contact"),
    [
        ((2, 2), (1, 1), "none"),
        ((3, 3), (2, 2, 2), "none"),
        ((6, 6), (4,) * 9, "any"),
        ((10, 10), (4,) * 25, "any"),
        ((10, 10), (1,) * 26, "none"),
        ((16, 16), (3,) * 37, "none"),
    ],
)
def test_fleets_that_do_not_fit_are_an_error(
    size: tuple[int, int], fleet: tuple[int, ...], contact: str
) -> None:
    with pytest.raises(FleetDoesNotFit, match=r"does not fit"):
        layout_for(Rules(*size, fleet, contact), 0, 0)
