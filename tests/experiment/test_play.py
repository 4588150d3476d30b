"""Games of one player and of two."""

from __future__ import annotations

import pytest

from seabattle import play, play_duel
from seabattle.errors import PlayerError
from tests.sample_players import Stuck


def test_a_player_that_names_a_known_cell_is_stopped() -> None:
    with pytest.raises(PlayerError, match="Stuck chose 0"):
        play(Stuck(), "mini")


def test_two_players_against_each_other() -> None:
    for rules in ("classic", "mini", "russian"):
        record = play_duel("density", "random", rules, seed=4)
        assert record.players == ("density", "random")
        assert record.replay(len(record.cells)).finished
    assert play_duel("hlp", "hlp", seed=1) == play_duel("hlp", "hlp", seed=1)
