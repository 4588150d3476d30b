"""Levels, strengths, ratings and tallies."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from seabattle.errors import PlayerError
from seabattle.opponents import (
    LEVELS,
    PlayedGame,
    level_player,
    measure_strength,
    opponent_name,
    shipped_strength,
    tally,
)
from seabattle.opponents.rating import START, after_game, expected_score, opponent_rating
from seabattle.opponents.strength import Strength
from seabattle.opponents.tally import rating_history
from seabattle.rules import PRESETS, Rules


@pytest.mark.parametrize("name", PRESETS)
def test_every_level_is_stronger_than_the_one_before(name: str) -> None:
    rules = PRESETS[name]
    players = [level_player(level.name, rules) for level in LEVELS]
    assert None not in players
    assert len(set(players)) == 4
    found = [shipped_strength(player or "", rules) for player in players]
    known = [strength for strength in found if strength is not None]
    assert len(known) >= 2
    for weaker, stronger in pairwise(known):  # as far as the games tell them apart
        assert stronger.mean <= weaker.mean + stronger.error + weaker.error
    assert known[-1].mean < known[0].mean


def test_levels_by_name() -> None:
    assert opponent_name("Perfect", PRESETS["mini"]) == "optimal"
    assert opponent_name("perfect", Rules()) == "admiral:effort=normal"
    assert opponent_name("mcts:iterations=10", Rules()) == "mcts:iterations=10"
    with pytest.raises(PlayerError, match="easy, medium, hard, perfect"):
        level_player("impossible", Rules())
    assert level_player("easy", Rules(), lambda _player, _rules: "no") is None


def test_the_table_agrees_with_games_on_other_layouts() -> None:
    """Within four standard errors of both, which a right table passes 9,999 times in 10,000."""
    for player in ("random", "ophlp", "density"):
        table = shipped_strength(player, PRESETS["mini"])
        measured = measure_strength(player, PRESETS["mini"], games=300)
        assert table is not None
        assert measured.games == 300
        error = np.hypot(table.error, measured.error) / 1.96
        assert abs(table.mean - measured.mean) < 4 * error
    assert measure_strength("random", PRESETS["mini"], games=10**9, seconds=0.05).games < 10**9
    assert shipped_strength("random", Rules(5, 6, (2,))) is None


def test_ratings_follow_strength_and_results() -> None:
    strong, medium, weak = (Strength(mean, 8.0, 0.1, 1000) for mean in (42.0, 50.0, 95.0))
    assert opponent_rating(medium, medium) == START
    assert opponent_rating(weak, medium) < START < opponent_rating(strong, medium)
    assert opponent_rating(Strength(10, 0, 0, 2), Strength(10, 0, 0, 2)) == START
    assert opponent_rating(Strength(1, 0.1, 0, 2), weak) == pytest.approx(START + 800)
    # Whoever plays at the expected score stays where they are.
    assert after_game(1600, 1500, expected_score(1600, 1500), 3) == pytest.approx(1600)
    assert after_game(START, START, 1.0, 0) == START + 20
    assert after_game(START, START, 1.0, 20) == START + 10


def test_a_tally_counts_results_and_means() -> None:
    games = [
        PlayedGame("ophlp", "classic", "won", 40, 90.0),
        PlayedGame("ophlp", "classic", "lost", 30, 70.0, complete=False),
        PlayedGame("Bob", "classic", "drawn", 45, person=True),
        PlayedGame("", "mini", "solo", 11, 95.0),
        PlayedGame("", "mini", "solo", 14, None),
    ]
    first, *rest = tally(games)
    assert (first.opponent, first.won, first.lost, first.games) == ("ophlp", 1, 1, 2)
    assert first.mean_shots == 40
    assert first.accuracy == 80
    assert first.win_share == 0.5
    solo = next(each for each in rest if each.solo)
    assert solo.mean_shots == 12.5
    assert solo.best_shots == 11
    assert solo.win_share is None
    assert solo.to_json()["accuracy"] == 95
    assert solo.to_json()["win_ci95"] is None
    ratings = rating_history(games, lambda player, _: START if player == "ophlp" else None)
    assert ratings[0] == START + 20
    assert ratings[2:] == [None, None, None]
    assert ratings[1] is not None
    assert START - 2 < ratings[1] < START
    assert tally([]) == []
