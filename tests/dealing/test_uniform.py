"""Random layouts are legal, uniform, and a function of the rules, the seed and the game."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

from seabattle import Layout, Rules, random_layout
from seabattle.dealing.placement_numbers import layout_of
from seabattle.dealing.plain_dealing import plain_layout
from seabattle.dealing.uniform import deal_games, layout_for
from seabattle.rules import ANSWERS, CONTACTS
from tests.oracle import all_layouts
from tests.strategies import small_rules


def compiled_layouts(rules: Rules, count: int) -> list[Layout]:
    return [layout_of(rules, row) for row in deal_games(rules, 5, range(count))]


def plain_layouts(rules: Rules, count: int) -> list[Layout]:
    rng = random.Random(5)
    found = [plain_layout(rules, rng) for _ in range(count)]
    return [layout for layout in found if layout is not None]


@pytest.mark.parametrize("deal", [compiled_layouts, plain_layouts])
@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize(
    ("rows", "columns", "fleet"), [(4, 4, (3, 2)), (3, 5, (2, 2)), (2, 6, (3, 1))]
)
def test_random_layouts_are_uniform_over_all_legal_ones(
    rows: int,
    columns: int,
    fleet: tuple[int, ...],
    contact: str,
    deal: Callable[[Rules, int], list[Layout]],
) -> None:
    """Chi-square over all labelled layouts; 60 draws each, 4.5 standard deviations allowed."""
    rules = Rules(rows, columns, fleet, contact)
    legal = all_layouts(rows, columns, fleet, contact)
    draws = deal(rules, 60 * len(legal))
    assert len(draws) == 60 * len(legal)
    seen = Counter(tuple(map(frozenset, layout.ship_cells)) for layout in draws)
    assert set(seen) == set(legal)
    chi_square = sum((count - 60) ** 2 / 60 for count in seen.values())
    freedom = len(legal) - 1
    assert abs(chi_square - freedom) < 4.5 * np.sqrt(2 * freedom)


def test_plain_dealing_gives_up_where_there_is_hardly_any_room() -> None:
    rng = random.Random(1)
    for size in (10, 16):  # masks of two and of four words
        layout = plain_layout(Rules(size, size), rng)
        assert layout is not None
        assert Layout.from_text(layout.to_text(), layout.rules) == layout  # legal
    assert plain_layout(Rules(4, 4, (4, 4, 4, 4)), rng, tries=1) is None
    assert plain_layout(Rules(4, 4, (4, 4, 4, 4)), rng, tries=10**5) is not None
    assert plain_layout(Rules(3, 3, (2, 2, 2, 2), contact="none"), rng) is None


@pytest.mark.parametrize("answers", ANSWERS)
def test_a_layout_depends_on_rules_seed_and_game_alone(answers: str) -> None:
    rules = Rules(answers=answers)
    one_by_one = [layout_for(rules, 3, game) for game in range(20)]
    together = [layout_of(rules, row) for row in deal_games(rules, 3, range(20))]
    later = [layout_of(rules, row) for row in deal_games(rules, 3, range(10, 20))]
    assert one_by_one == together
    assert one_by_one[10:] == later
    assert len(set(one_by_one)) == 20
    assert layout_for(rules, 4, 0) != one_by_one[0]


@given(small_rules())
@settings(deadline=None, max_examples=50)
def test_random_layouts_are_legal(rules: Rules) -> None:
    layout = random_layout(rules, np.random.default_rng(0))
    assert sorted(map(len, layout.ship_cells), reverse=True) == list(rules.fleet)
    assert len(layout.ship_at) == rules.ship_cells
