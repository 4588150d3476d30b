"""The numbers that players go by: counted placement by placement, and the choice is the highest."""

from __future__ import annotations

import numpy as np
import pytest

from seabattle import Observation, Rules, make_player
from seabattle.players import MapPlayer
from tests.oracle import ways_to_lie

SHOTS = "E5 hit, E6 miss, A1 miss, G7 hit, G8 sunk destroyer, C3 miss"


def slow_counts(observation: Observation, length: int, weight: int) -> dict[int, int]:
    """Weight of the placements of one ship over each unknown cell."""
    rules = observation.rules
    closed = {rules.cell("G7"), rules.cell("G8")}
    counts = dict.fromkeys(observation.unknown, 0)
    for ship in ways_to_lie(rules.rows, rules.columns, length):
        if ship & observation.misses or ship & closed:
            continue
        for cell in ship & counts.keys():
            counts[cell] += weight ** len(ship & observation.hits)
    return counts


@pytest.mark.parametrize(("name", "weight"), [("greedy", 0), ("density:weight=7", 7)])
def test_maps_count_the_placements_of_each_ship_afloat(name: str, weight: int) -> None:
    observation = Observation.from_text(SHOTS, Rules.from_text("classic"))
    player = make_player(name)
    assert isinstance(player, MapPlayer)
    *parts, total = player.maps(observation)
    titles = ["carrier", "battleship", "cruiser", "submarine"]
    assert [each.title for each in parts][:4] == titles
    for each, length in zip(parts, (5, 4, 3, 3), strict=False):
        expected = slow_counts(observation, length, weight)
        assert {cell: each.values[cell] for cell in expected} == expected
        assert np.isnan(each.values[sorted(observation.hits | observation.misses)]).all()
    assert np.allclose(total.values, sum(each.values for each in parts), equal_nan=True)
    chosen = player.choose(observation, np.random.default_rng(0))
    assert total.values[chosen] == np.nanmax(total.values)


def test_the_game_tree_takes_the_highest_cell_of_its_pattern() -> None:
    observation = Observation.from_text("A1 miss, E6 miss", Rules.from_text("named"))
    player = make_player("game-tree")
    assert isinstance(player, MapPlayer)
    *_, deciding = player.maps(observation)
    chosen = player.choose(observation, np.random.default_rng(0))
    assert chosen == int(np.nanargmax(deciding.values))
