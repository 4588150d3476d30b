"""Matches: who is told what, resuming, and players that learn."""

from __future__ import annotations

import copy
import json
import os
import signal
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from seabattle import Rules
from seabattle.dealing import register_placer
from seabattle.errors import ExperimentError, PlayerError
from seabattle.experiment import match as match_module
from seabattle.experiment.batches import ExperimentStopped
from seabattle.experiment.match import (
    GamesSoFar,
    MatchSide,
    MatchTask,
    match,
    match_settings,
    matches,
    play_portion,
    portions_of,
)
from seabattle.experiment.store import Store
from seabattle.experiment.tournament import Entrant, tournament
from seabattle.game import Game
from seabattle.layout import Layout, Placement
from seabattle.players import register
from seabattle.revealed import RevealedGame
from seabattle.testing import check_player, temporary_registry
from tests.experiment.stored_games import rows, start, wait_for_games

told: list[RevealedGame] = []


@dataclass(frozen=True)
class Listener:
    """Shoots in order, and notes what it is told."""

    games: int = field(default=0, metadata={"parameter": False})

    def choose(self, observation, rng):
        return observation.unknown[0]

    def after_game(self, game):
        told.append(game)
        return replace(self, games=self.games + 1)


@pytest.mark.parametrize("turns", ["alternate", "rounds", "again"])
def test_both_are_told_what_happened_before_the_end_and_no_more(turns):
    rules = Rules(4, 4, (2, 1), turns=turns)
    told.clear()
    with temporary_registry():
        register("listener")(Listener)
        result = match("listener", "random", rules, games=12, seed=3)
    assert len(told) == 12
    wins = sum(game.result == "won" for game in told)
    assert wins == result.score.wins
    for number, game in enumerate(told):
        own, enemy = Game(game.enemy_layout), Game(game.layout)
        for shot in game.shots:
            assert own.shoot(shot.cell) == shot
        for shot in game.enemy_shots:
            assert enemy.shoot(shot.cell) == shot
        assert (game.result == "won") == (own.finished and not enemy.finished)
        assert (game.result == "lost") == (enemy.finished and not own.finished)
        assert result.shots[0][number] >= len(game.shots)
        assert game.moved_first == (number % 2 == 0) == told[0].moved_first or number % 2


def test_nothing_is_revealed_but_the_shots_if_so_asked():
    told.clear()
    with temporary_registry():
        register("listener")(Listener)
        match("listener", "random", "mini", games=2, reveal="shots")
    assert all(game.enemy_layout is None and game.shots for game in told)


def test_a_match_is_the_same_in_one_go_and_resumed(tmp_path):
    whole = match("learning-exact@learning-placer", "dreadnought", "mini", 30, seed=5)
    again = match("learning-exact@learning-placer", "dreadnought", "mini", 30, seed=5)
    assert whole == again
    settings = {"what": "a test"}
    with Store(tmp_path / "r.sqlite") as store:

        def stop(label: str, played: int, games: int) -> None:
            if played >= 10:
                raise KeyboardInterrupt

        arguments = ("learning-exact@learning-placer", "dreadnought", "mini", 30, 5, 1)
        with (
            pytest.raises((ExperimentStopped, KeyboardInterrupt)),
            store.log("tournament", settings) as log,
        ):
            match(*arguments, stop, log=log)
        with store.log("tournament", settings) as log:
            resumed = match(*arguments, log=log)
    assert resumed.shots == whole.shots


def test_progress_counts_games_and_not_their_two_sides():
    told = []
    match("even", "random", "mini", 7, progress=lambda *each: told.append(each))
    assert told[-1] == ("match", 7, 7)
    matches(["even", "random", "in-order"], "mini", 7, progress=lambda *each: told.append(each))
    assert told[-1] == ("tournament", 21, 21)
    tournament(["even", "random"], "mini", 8, progress=lambda *each: told.append(each))
    assert told[-1] == ("tournament", 8, 8)


def test_jobs_do_not_change_a_round_robin_of_matches(tmp_path):
    names = ["learning-exact", "dreadnought", "even@edges"]
    found = {}
    for jobs in (1, 2):
        path = tmp_path / f"{jobs}.sqlite"
        with Store(path) as store, store.log("tournament", {"what": "a test"}) as log:
            result = matches(names, "mini", 8, seed=2, jobs=jobs, log=log)
        found[jobs] = result, rows(path)
    assert found[1] == found[2]
    assert found[1][0].as_matches
    assert len(found[1][1]) == 6 * 8


def test_a_killed_match_is_finished_by_two_processes_as_by_one(tmp_path):
    one, other, games = "learning-exact@learning-placer", "dreadnought", 120
    path = tmp_path / "r.sqlite"
    command = f"match {one} {other} --rules mini --games {games} --seed 4 --json --store"
    killed = start(path, command)
    wait_for_games(path, killed, count=10)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=60)
    kept = len(rows(path))
    second = start(path, command)
    chosen = [Entrant.from_text(one), Entrant.from_text(other)]
    settings = match_settings(chosen, Rules.of("mini"), games, 4, "layouts")
    with Store(path) as store, store.log("tournament", settings) as log:
        first = match(one, other, "mini", games, seed=4, log=log)
    told = json.loads(second.communicate(timeout=120)[0])
    assert kept < 2 * games == len(rows(path))
    assert first.shots == match(one, other, "mini", games, seed=4).shots
    assert [tuple(each["shots"]) for each in told["entrants"]] == list(first.shots)


def test_an_illegal_layout_of_a_learning_placer_ends_the_match_with_a_sentence():
    class Cheat:
        def place(self, rules, rng):
            return Layout.legal(rules, (Placement(0, "across"),) * 2, ((0, 1, 2), (0, 1)))

        def after_game(self, game):
            return self

    with temporary_registry():
        register_placer("cheat")(Cheat)
        with pytest.raises(
            PlayerError, match=r"random@cheat: .*illegal layout: Two ships lie on A1"
        ):
            match("random@cheat", "even", "mini", 3)


def test_a_process_that_missed_some_games_of_a_match_learns_them_first():
    rules = Rules(4, 4, (2, 1))
    sides = (
        MatchSide("a", "learning-exact", "uniform", 1),
        MatchSide("b", "even", "learning-placer", 2),
    )
    task = MatchTask(rules, sides, 6, "layouts")
    so_far = [(GamesSoFar.none(rules), GamesSoFar.none(rules))]
    kept = {}
    for number in range(6):
        played = play_portion(task, range(number, number + 1), so_far[-1])
        kept[number] = copy.copy(match_module._kept[task])
        kept[number].entered = tuple(map(copy.copy, kept[number].entered))
        one, other = (each.and_then(new) for each, new in zip(so_far[-1], played, strict=True))
        so_far.append((one, other))
    match_module._kept[task] = kept[1]  # as it was after game 2
    again = play_portion(task, range(4, 6), so_far[4])
    assert [each.cells for each in again] == [b"".join(side.cells[4:6]) for side in so_far[6]]


def test_learning_exact_gains_on_a_habit_and_plays_as_exact_without_one():
    gained = match("learning-exact", "random@edges:tries=200", "mini", 120, seed=1).shots[0]
    usual = match("exact", "random@edges:tries=200", "mini", 120, seed=1).shots[0]
    # Two means of 100 games with a standard deviation near 2: a difference of 1 is over three
    # standard errors.
    assert np.mean(gained[20:]) < np.mean(usual[20:]) - 1


def test_learning_from_shots_alone_gains_too():
    shots = match("learning-exact", "random@edges:tries=200", "mini", 120, 1, reveal="shots").shots
    usual = match("exact", "random@edges:tries=200", "mini", 120, seed=1).shots[0]
    assert np.mean(shots[0][20:]) < np.mean(usual[20:]) - 0.7


def test_learners_are_lawful_players():
    for name in ("learning-exact", "dreadnought"):
        check_player(name, ["mini", Rules(6, 5, (3, 2, 2, 1), "any", "sunk-named")], games=1)


def test_a_player_that_changes_itself_is_found():
    class Forgetful(Listener):
        def after_game(self, game):
            return None

    with pytest.raises(PlayerError, match="not a player"):
        check_player(Forgetful(), ["mini"], games=1)


def test_wrong_arguments_are_refused():
    with pytest.raises(ExperimentError, match="Unknown value of --reveal"):
        match("even", "random", "mini", 2, reveal="all")
    with pytest.raises(ExperimentError, match="given twice"):
        match("even", "even", "mini", 2)
    with pytest.raises(ExperimentError, match="at least 1"):
        match("even", "random", "mini", 0)


def test_portions_cover_every_game_once():
    for games in (1, 5, 7, 10, 23, 1000):
        cut = portions_of(games)
        assert [n for span in cut for n in span] == list(range(games))
