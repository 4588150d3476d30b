"""Advice on layouts, and the placers that hide from a player or from everyone."""

from __future__ import annotations

import json
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.dealing import layout_of, make_placer, place_games, placements_of, random_layout
from seabattle.equilibrium.adversarial import Adversarial
from seabattle.equilibrium.hide_advice import advise
from seabattle.equilibrium.large_boards import LargeBoardLoop, PosteriorShooter, WeightsShooter
from seabattle.equilibrium.layout_moves import moved, places_for
from seabattle.equilibrium.shipped import PRESETS_SHIPPED
from seabattle.equilibrium.weighted_placing import draw_style, kind_count, placement_kinds
from seabattle.errors import ExperimentError, PlacerError
from seabattle.layout import Layout
from seabattle.players import make_player
from seabattle.rules import Rules

MINI = Rules.from_text("mini")


@given(seed=st.integers(0, 2**32), contact=st.sampled_from(["any", "corners", "none"]))
@settings(max_examples=20, deadline=None)
def test_a_ship_may_move_wherever_the_result_is_legal(seed: int, contact: str) -> None:
    rules = Rules(5, 4, (3, 2, 1), contact)  # type: ignore[arg-type]
    layout = random_layout(rules, np.random.default_rng(seed))
    own = placements_of(layout)
    for ship, length in enumerate(rules.fleet):
        near = {layout_of(rules, each) for each in moved(own, ship, places_for(rules, own, ship))}
        legal = set()
        for cell in range(rules.cells):
            for direction in ("across", "down"):
                text = layout.to_text().split(", ")
                where = f"{rules.cell_name(cell)} {direction}"
                text[ship] = f"{rules.ship_names[ship]} {where}"
                try:
                    legal.add(Layout.from_text(", ".join(text), rules))
                except ValueError:
                    continue
        assert {each.ships for each in near} == {each.ships for each in legal} - {layout.ships}
        assert length == rules.fleet[ship]


def test_advice_counts_the_games_that_are_played() -> None:
    layout = Layout.from_text("cruiser B2 down, destroyer A5 down", MINI)
    advice = advise(layout, ["exact"], games=60, seed=1)
    (cost,) = advice.strategies
    shots, _ = make_player("exact").play_games(  # type: ignore[attr-defined]
        MINI, placements_of(layout)[None], np.zeros(1, dtype=np.uint64)
    )
    assert cost.shots == shots[0]
    assert cost.half_width == 0.0
    assert cost.gain == pytest.approx(cost.shots - cost.average)
    if advice.better is not None:
        better, _ = make_player("exact").play_games(  # type: ignore[attr-defined]
            MINI, placements_of(advice.better)[None], np.zeros(1, dtype=np.uint64)
        )
        assert better[0] - shots[0] == pytest.approx(advice.better_gain)
        changed = [a != b for a, b in zip(layout.ships, advice.better.ships, strict=True)]
        assert sum(changed) == 1
    with pytest.raises(ExperimentError, match="10 to 1,000,000 random layouts, not 3"):
        advise(layout, games=3)


def test_an_adversarial_layout_costs_more_than_an_average_one() -> None:
    placed = place_games(MINI, 5, range(12), "adversarial:against=exact,games=60")
    uniform = place_games(MINI, 5, range(200))
    exact = make_player("exact")
    hard, easy = (
        exact.play_games(MINI, each, np.zeros(len(each), dtype=np.uint64))[0].mean()  # type: ignore[attr-defined]
        for each in (placed, uniform)
    )
    assert hard > easy + 2
    assert (placed == place_games(MINI, 5, range(12), "adversarial:against=exact,games=60")).all()
    with pytest.raises(PlacerError, match="cannot hide from 'nobody'"):
        make_placer("adversarial:against=nobody")
    with pytest.raises(PlacerError, match="games must be from 30"):
        Adversarial(games=1)


def test_styles_draw_legal_layouts_in_proportion_to_their_weights() -> None:
    rules = Rules(4, 4, (2, 1), "none", "hit-miss")
    kinds = placement_kinds(rules)
    style = np.random.default_rng(2).normal(size=kind_count(rules))
    drawn = draw_style(rules, style, np.random.default_rng(3), 20_000)
    found: dict[tuple[int, ...], int] = {}
    for row in drawn.tolist():
        found[tuple(row)] = found.get(tuple(row), 0) + 1
    for row in found:
        Layout(rules, layout_of(rules, np.array(row, dtype=np.int32)).ships)
    weights = {row: np.exp(style[kinds[list(row)]].sum()) for row in found}
    total = sum(weights.values())
    error = max(abs(found[row] / 20_000 - weights[row] / total) for row in found)
    assert error < 0.01  # five standard errors of the likeliest layout


@pytest.mark.parametrize("answers", ["hit-miss", "sunk", "sunk-named", "named"])
def test_a_shooter_who_knows_the_only_layout_never_misses(answers: str) -> None:
    rules = Rules(5, 5, (3, 2, 2), "any", answers)  # type: ignore[arg-type]
    one = placements_of(random_layout(rules, np.random.default_rng(4)))
    shooter = PosteriorShooter(rules, np.repeat(one[None], 100, axis=0))
    assert shooter.play(one[None]).tolist() == [rules.ship_cells]


def test_a_round_adds_a_response_of_each_side() -> None:
    loop = LargeBoardLoop(MINI, games=20)
    value, hiders, shooters = loop.round()
    assert MINI.ship_cells < value < MINI.cells
    assert hiders.tolist() == shooters.tolist() == [1.0]
    assert loop.matrix().shape == (2, 2)


@pytest.mark.parametrize("name", PRESETS_SHIPPED)
def test_the_shipped_equilibria_place_legal_fleets(name: str) -> None:
    rules = Rules.of(name)
    drawn = place_games(rules, 3, range(5), "equilibrium")
    for row in drawn:
        Layout(rules, layout_of(rules, row).ships)
    assert (place_games(rules, 3, range(2, 4), "equilibrium") == drawn[2:4]).all()
    file = resources.files("seabattle.equilibrium") / "styles" / f"{name}.json"
    shipped = json.loads(file.read_text(encoding="utf-8"))
    assert Rules.from_json(shipped["rules"]) == rules
    assert sum(shipped["shares"]) == pytest.approx(1, abs=0.001)
    assert {"rounds", "games", "seed", "sure_by_scale"} <= set(shipped["provenance"])


def test_there_is_no_equilibrium_for_other_rules() -> None:
    with pytest.raises(PlacerError, match="is for the rules classic, blind, thesis only"):
        place_games(MINI, 3, range(1), "equilibrium")


def test_a_shooter_who_knows_a_style_does_better_than_one_who_expects_random_layouts() -> None:
    style = np.random.default_rng(5).normal(scale=2, size=kind_count(MINI))[None]
    hidden = draw_style(MINI, style[0], np.random.default_rng(6), 300)
    known = WeightsShooter.of(MINI, style, np.ones(1)).play(hidden)
    usual = WeightsShooter.of(MINI, 0 * style, np.ones(1)).play(hidden)
    # About 2 shots of difference with a standard error near 0.15.
    assert known.mean() < usual.mean() - 0.6
