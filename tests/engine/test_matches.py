"""Engines in matches: real processes that place, shoot, learn and fail."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from seabattle import Rules
from seabattle.engine.check import check_engine
from seabattle.errors import ExperimentError, PlayerError
from seabattle.experiment import match as match_module
from seabattle.experiment.match import (
    GamesSoFar,
    MatchSide,
    MatchTask,
    match,
    matches,
    play_portion,
)
from seabattle.experiment.store import Store
from seabattle.experiment.tournament import moves_first
from seabattle.game import Duel, Game
from seabattle.layout import Layout
from tests.conftest import Run

FAULTY = f"exec:{sys.executable} {Path(__file__).parent / 'faulty_engine.py'}"
OURS = f"exec:{sys.executable} -m seabattle engine"
MINI = Rules.from_text("mini")


def portion(
    shooter: str, placer: str, rules: Rules = MINI, games: int = 8, against: str = "even"
) -> list[tuple[list[int], bytes, list[list[int]]]]:
    """The games of a match whose seeds do not depend on the entrants' names."""
    sides = (
        MatchSide("one", shooter, placer, 11),
        MatchSide("other", against, "learning-placer", 12),
    )
    nothing = GamesSoFar.none(rules)
    both = play_portion(MatchTask(rules, sides, games, "layouts"), range(games), (nothing, nothing))
    assert all(not played.faults for played in both)
    return [
        (each.shots.tolist(), each.cells, each.placements.tolist())  # type: ignore[union-attr]
        for each in both
    ]


def test_a_learner_behind_the_protocol_plays_the_match_that_it_plays_directly() -> None:
    """Placements and shots alike, game after game, so it is told all that it learns from."""
    rules = Rules(4, 4, (3, 2), "any", "sunk", "again")
    direct = portion("learning-exact", "learning-placer", rules)
    served = portion(f"{OURS} learning-exact --placer learning-placer", "engine", rules)
    assert served == direct


def heard(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("reveal", ["layouts", "shots"])
@pytest.mark.parametrize("turns", ["alternate", "rounds", "again"])
def test_an_engine_is_told_each_game_and_nothing_beyond_its_end(
    turns: str, reveal: str, tmp_path: Path
) -> None:
    rules = Rules(4, 4, (2, 1), "any", "sunk-named", turns)  # type: ignore[arg-type]
    log = tmp_path / "heard.jsonl"
    name = f"{FAULTY} listens 100000 {log}@engine"
    result = match(name, "in-order", rules, games=6, seed=4, reveal=reveal)
    messages = heard(log)
    assert [each["type"] for each in messages[:3]] == ["hello", "rules", "match"]
    assert messages[2]["games"] == 6
    assert messages[2]["opponent"] == "in-order"
    assert messages[-2] == {
        "type": "match-over",
        "match": 1,
        "wins": result.score.wins,
        "draws": result.score.draws,
        "losses": result.score.losses,
    }
    assert messages[-1]["type"] == "quit"
    begun = [each for each in messages if each["type"] == "game" and "match" in each]
    assert sorted(each["side"] for each in begun) == ["first"] * 3 + ["second"] * 3
    played_on = {each["game"] for each in messages if each["type"] == "game"} - {
        each["game"] for each in begun
    }
    results = []
    for game in begun:
        number = game["game"]
        about = [each for each in messages if each.get("game") == number]
        over = about[-1]
        assert over["type"] == "over"
        told = [text for each in about for text in each["shots"]]
        own = Layout.from_text(over["own_ships"], rules)
        assert own.to_text() == "destroyer A1 across, boat C1 across"
        assert ("ships" in over) == (reveal == "layouts")
        if reveal == "layouts":
            # The whole game follows from what was told, shot by shot, by the rules of two.
            enemy = Layout.from_text(over["ships"], rules)
            first = game["side"] == "first"
            duel = Duel(own, enemy) if first else Duel(enemy, own)
            shots = [iter(told), iter(over["enemy_shots"])]
            while (mover := duel.to_move) is not None:
                text = next(shots[0] if (mover == 0) == first else shots[1])
                assert duel.shoot(rules.cell(text.split()[0])).to_text(rules) == text
            assert [list(each) for each in shots] == [[], []]
            won = duel.winner == (0 if first else 1)
            assert over["result"] == ("drawn" if duel.drawn else "won" if won else "lost")
        results.append(over["result"])
    assert results.count("won") == result.score.wins
    assert results.count("lost") == len(played_on) == result.score.losses
    order = [each["type"] for each in messages if each["type"] in ("place", "game", "over")]
    assert order[:3] == ["place", "game", "over"]


def test_a_resumed_match_tells_the_engine_the_games_before(tmp_path: Path) -> None:
    log = tmp_path / "heard.jsonl"
    name, other = f"{FAULTY} listens 100000 {log}@engine", "in-order"
    rules = Rules(4, 4, (2, 1))
    whole = match(name, other, rules, games=6, seed=4)
    first = [each for each in heard(log) if each["type"] == "over" and "own_ships" in each]
    log.unlink()

    def stop(label: str, played: int, games: int) -> None:
        if played >= 1:
            raise KeyboardInterrupt

    with Store(tmp_path / "r.sqlite") as store:
        with pytest.raises(KeyboardInterrupt), store.log("tournament", {}) as kept:
            match(name, other, rules, 6, 4, 1, stop, log=kept)
        match_module._kept.clear()  # as in another process; the engine ends
        log.unlink()
        with store.log("tournament", {}) as kept:
            assert match(name, other, rules, 6, 4, log=kept) == whole
    again = [each for each in heard(log) if each["type"] == "over" and "own_ships" in each]
    keys = ("result", "ships", "own_ships", "enemy_shots")
    assert [[each[key] for key in keys] for each in again] == [
        [each[key] for key in keys] for each in first
    ]


# ---- faults


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("fleet-overlaps", "illegal layout"),
        ("fleet-short", "illegal layout"),
        ("fleet-garbage", "illegal layout"),
        ("fleet-outside", "illegal layout"),
        ("fleet-shot", "bad message"),
        ("fleet-error", "error message"),
    ],
)
@pytest.mark.parametrize("rule", ["random", "loss"])
def test_an_illegal_fleet_is_a_fault(mode: str, kind: str, rule: str) -> None:
    rules = Rules(5, 5, (3, 2))
    name = f"{FAULTY} {mode} 100000,faults={rule}@engine"
    result = match(name, "density", rules, games=4, seed=1)
    assert result.faults[0].counts == {kind: 4}
    assert result.faults[0].example
    if rule == "loss":  # no shot is asked for; every lost game takes the whole board
        assert set(result.shots[0]) == {rules.cells}
        assert result.score.losses == 4
    else:  # a random fleet takes its place, and the engine shoots in order as ever
        assert len(set(result.shots[0])) > 1


@pytest.mark.parametrize("mode", ["fleet-silent", "fleet-dies", "fleet-other-id"])
def test_an_engine_that_never_places_is_given_up_only_if_it_never_shoots(mode: str) -> None:
    """Started again for every game, because each shot is a legal answer between."""
    name = f"{FAULTY} {mode} 100000,seconds=0.2@engine"
    result = match(name, "in-order", "mini", games=2, seed=1)
    kind = "crash" if mode == "fleet-dies" else "time-out"
    assert result.faults[0].counts[kind] == 2


@pytest.mark.parametrize("mode", ["illegal", "dies", "garbage", "twice", "refuses"])
def test_shots_that_fail_in_a_match_are_counted_and_chance_chooses(mode: str) -> None:
    rules = Rules(3, 3, (2, 1))
    result = match(f"{FAULTY} {mode} 6,seconds=0.2", "even", rules, games=3, seed=1)
    assert sum(result.faults[0].counts.values()) >= 1
    assert result.score.games == 3
    assert not result.faults[1]


def test_a_lost_shot_loses_the_game_of_a_match_if_that_is_the_rule() -> None:
    name = f"{FAULTY} illegal 30,faults=loss"
    result = match(name, "random", "mini", games=5, seed=1)
    lost = sum(shots == MINI.cells for shots in result.shots[0])
    # Thirty good answers are enough for the first game and end in the second or third.
    assert 3 <= result.faults[0].counts["illegal shot"] <= min(lost, 4)


@pytest.mark.parametrize("turns", ["alternate", "rounds", "again"])
@pytest.mark.parametrize("good", [0, 3])
def test_a_lost_game_of_a_match_is_lost_even_if_the_opponent_needs_every_cell(
    turns: str, good: int, tmp_path: Path
) -> None:
    """Whoever moves first, and if the last shot is the one that fails. The engine is told so, and
    a match that is resumed tells it the same."""
    rules, log = Rules(2, 2, (2, 2), "any", "hit-miss", turns), tmp_path / "heard.jsonl"
    name = f"{FAULTY} illegal-each {good} {log},faults=loss"
    with Store(tmp_path / "match.sqlite") as store:
        for games in (4, 6):
            settings = {"games": games}
            with store.log("match", settings) as kept:
                result = match(name, "in-order", rules, games=games, seed=1, log=kept)
            assert result.score.losses == games
            moved_first = {game for game in range(games) if moves_first(*result.names, game)}
            assert result.faults[0].lost >= moved_first
    over = [each for each in heard(log) if each["type"] == "over" and "own_ships" in each]
    assert len(over) == 4 + 6
    assert {each["result"] for each in over} == {"lost"}


def test_an_engine_that_dies_in_a_match_is_told_the_games_before(tmp_path: Path) -> None:
    """Each start hears the match, every finished game, and the open one with its shots."""
    log = tmp_path / "heard.jsonl"
    name = f"{FAULTY} dies 14 {log}"
    rules = Rules(4, 4, (2, 1))
    result = match(name, "in-order", rules, games=4, seed=1)
    assert result.faults[0].counts["crash"] >= 2
    starts: list[list[dict[str, Any]]] = []
    for message in heard(log):
        if message["type"] == "hello":
            starts.append([])
        starts[-1].append(message)
    last = starts[-1]
    assert [each["type"] for each in last[:3]] == ["hello", "rules", "match"]
    over = [each for each in last if each["type"] == "over" and "own_ships" in each]
    assert len(over) == 4
    for each in over[:2]:
        game = next(one for one in last if one["type"] == "game" and one["game"] == each["game"])
        target = Game(Layout.from_text(each["ships"], rules))
        for text in [*game["shots"], *each["shots"]]:
            assert target.shoot(rules.cell(text.split()[0])).to_text(rules) == text


def test_an_engine_that_fails_three_times_ends_the_match_with_a_sentence(run: Run) -> None:
    name = f"{FAULTY} dies 0"
    code, out, err = run("match", name, "random", "--rules", "mini", "--games", 4)
    assert (code, out) == (2, "")
    assert "failed 3 times without a legal answer" in err
    assert "the last words" in err


# ---- who may use it


def test_the_placer_engine_is_for_engines_that_place(run: Run) -> None:
    with pytest.raises(PlayerError, match="does not place fleets"):
        match(f"{FAULTY} good 1000@engine", "random", "mini", games=2)
    with pytest.raises(ExperimentError, match="'density' is not one"):
        match("density@engine", "random", "mini", games=2)
    code, _, err = run("compare", "density", "--rules", "mini", "--placer", "engine")
    assert code == 2
    assert "It is for matches" in err


def test_engines_in_a_round_robin_of_matches_and_on_both_sides(run: Run) -> None:
    names = [f"{FAULTY} listens 9999@engine", f"{FAULTY} twice 9999", "random"]
    alone = matches(names, "mini", 4, seed=2)
    assert alone.as_matches
    code, out, _ = run("tournament", *names, "--match", 4, "--rules", "mini", "--seed", 2, "--json")
    assert code == 0
    assert {each["name"] for each in json.loads(out)["entrants"]} == {
        standing.name for standing in alone.standings
    }


def test_faults_of_a_match_are_told(run: Run) -> None:
    name = f"{FAULTY} fleet-short 100000@engine"
    command = ("match", name, "random", "--rules", "mini", "--games", 2)
    code, out, _ = run(*command)
    assert code == 0
    assert "2 illegal layouts. The first: illegal layout:" in " ".join(out.split())
    code, out, _ = run(*command, "--json")
    assert json.loads(out)["entrants"][0]["faults"] == {"illegal layout": 2}


@pytest.mark.parametrize("mode", ["fleet-overlaps", "fleet-silent", "fleet-shot"])
def test_the_check_finds_a_bad_fleet(mode: str) -> None:
    report = check_engine(f"{FAULTY.removeprefix('exec:')} {mode} 100000", 1.0)
    assert not report.passed
    assert '"place"' in "".join(report.exchange)


def test_the_check_plays_a_match() -> None:
    report = check_engine(f"{FAULTY.removeprefix('exec:')} listens 100000", 5.0)
    assert report.passed, report.to_text()
    assert "plays a match of two games" in report.done
