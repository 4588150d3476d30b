"""Learning from a person's games, and what is said about the person."""

from __future__ import annotations

import numpy as np
import pytest

from seabattle import Observation, Rules, make_player, random_layout
from seabattle.dealing import make_placer
from seabattle.errors import RecordError
from seabattle.experiment.play import play_alone
from seabattle.game import Game
from seabattle.layout import Layout
from seabattle.learners.person_habits import habits
from seabattle.learners.person_memory import RememberedGame, learned, read_games
from tests.learners.people import game_of

RULES = Rules.from_text("5x5 fleet=3,2 contact=any answers=hit-miss")
RIGHT = "cruiser A5 down, destroyer D5 down"


def test_the_learner_knows_what_a_match_would_have_told_it() -> None:
    game = game_of(RULES, RIGHT)
    told = game.revealed
    assert told.enemy_layout == Layout.from_text(RIGHT, RULES)
    assert (told.layout, told.moved_first) == (game.record.second, False)
    duel = game.record.replay(len(game.record.cells))
    assert (told.shots, told.enemy_shots) == (duel.targets[1].shots, duel.targets[0].shots)
    assert told.result == ("won" if duel.winner == 1 else "lost")


def test_a_habit_is_found_faster_by_a_learner() -> None:
    games = [game_of(RULES, RIGHT, seed) for seed in range(8)]
    shots = []
    for player in (make_player("exact"), learned(make_player("learning-exact"), games)):
        game = Game(Layout.from_text(RIGHT, RULES))
        play_alone(player, game, np.random.default_rng(0))
        shots.append(len(game.shots))
    assert shots[1] < shots[0]
    assert learned(make_player("exact"), games) == make_player("exact")
    placer = learned(make_placer("dreadnought"), games)
    layout = placer.place(RULES, np.random.default_rng(0))
    # She shoots in reading order, so the fleet is hidden near the end of it.
    assert min(layout.ship_at) >= 10


def test_habits_are_told_in_words_once_they_are_certain() -> None:
    games = [game_of(RULES, RIGHT, seed) for seed in range(6)]
    assert habits(games[:2]) == []
    told = {habit.words for habit in habits(games)}
    assert "You like the right edge" in told
    assert "Your ships mostly lie down" in told
    assert "You start at the top" in told
    assert not told & {"You like the left edge", "You avoid the edges"}
    for habit in habits(games):
        assert abs(habit.errors) >= 3
        assert habit.to_json()["words"] in habit.to_text()


def test_nothing_is_said_of_somebody_who_hides_and_shoots_at_random() -> None:
    wrong = 0
    for person in range(40):
        rng = np.random.default_rng(person)
        games = [
            game_of(
                RULES,
                random_layout(RULES, rng).to_text(),
                int(rng.integers(2**31)),
                rng.permutation(RULES.cells).tolist(),
            )
            for _ in range(8)
        ]
        wrong += bool(habits(games))
    assert wrong <= 4  # about one in forty is expected


def test_games_from_elsewhere_are_checked() -> None:
    game = game_of(RULES, RIGHT)
    assert read_games([game.to_json()], RULES) == (game,)
    with pytest.raises(RecordError, match="other rules"):
        read_games([game.to_json()], Rules.from_text("mini"))
    persons = [{**game.to_json(), "person": person} for person in (2, 1.0, True, None)]
    for wrong in (1, {}, *persons, {"record": "x"}):
        with pytest.raises(RecordError):
            RememberedGame.from_json(wrong)
    assert Observation(RULES, game.revealed.shots).finished in (True, False)
