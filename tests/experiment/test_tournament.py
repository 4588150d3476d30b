"""Tournaments: sides are combined as in real two-sided games, and ratings can be trusted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import GameRecord, Rules, play, play_duel, random_layout
from seabattle.errors import ExperimentError, PlacerError, PlayerError
from seabattle.experiment import ExperimentStopped
from seabattle.experiment.ratings import MEAN, POINTS, Meeting, rate, share_interval
from seabattle.experiment.tournament import (
    Entrant,
    Tournament,
    duel_of,
    first_wins,
    moves_first,
    tournament,
)
from seabattle.players import register
from seabattle.record import read_record
from seabattle.report.tournament_page import text_tables, tournament_page
from tests.sample_players import Backwards
from tests.strategies import small_rules


@settings(deadline=None, max_examples=60)
@given(rules=small_rules(), seed=st.integers(0, 2**32))
def test_the_shots_that_each_side_needs_decide_a_game_as_the_turns_would(rules, seed):
    rng = np.random.default_rng(seed)
    layouts = random_layout(rules, rng), random_layout(rules, rng)
    players = ("in-order", Backwards())
    # These players are deterministic, so the two-sided game can be played for real.
    real = play_duel(*players, rules, layouts=layouts)
    sides = [play(player, layout=layouts[1 - k]) for k, player in enumerate(players)]
    made = duel_of(*sides)
    assert made.cells == real.cells
    shots = [np.array([len(side.shots)], dtype=np.int32) for side in sides]
    result = int(first_wins(*shots, rules)[0])
    assert result == {0: 1, 1: -1, None: 0}[real.replay(len(real.cells)).winner]


@pytest.mark.parametrize("turns", ["alternate", "rounds", "again"])
def test_a_tournament_is_the_sum_of_its_games(turns, run, tmp_path):
    path = tmp_path / "games.sqlite"
    arguments = ("even", "random@edges", "--rules", "mini", "--turns", turns, "--games", 40)
    code, out, _ = run("tournament", *arguments, "--store", path, "--json")
    assert code == 0
    told = json.loads(out)
    wins = {"even": 0, "random@edges": 0, None: 0}
    firsts = []
    for game in range(40):
        duel = read_record(run("runs", "replay", 1, game, "--store", path)[1])
        winner = duel.replay(len(duel.cells)).winner
        wins[duel.players[winner] if winner is not None else None] += 1
        firsts.append(duel.players[0])
    assert firsts.count("even") == 20
    (pairing,) = told["pairings"]
    assert (pairing["wins"], pairing["draws"], pairing["losses"]) == (
        wins["even"],
        wins[None],
        wins["random@edges"],
    )
    assert (pairing["draws"] > 0) <= (turns == "rounds")
    stored = json.loads(run("runs", "show", 1, "--store", path, "--json")[1])
    assert stored["result"] == told


def test_two_processes_find_what_one_finds():
    names = ["even", "random", "human-like@spread"]
    one, two = (tournament(names, "mini", games=30, seed=4, jobs=jobs) for jobs in (1, 2))
    assert one == two
    assert one != tournament(names, "mini", games=30, seed=5)


def test_a_pairing_does_not_depend_on_who_else_takes_part_or_on_the_order_of_names():
    two = tournament(["even", "random"], "mini", games=30)
    three = tournament(["random", "in-order", "even"], "mini", games=30)
    assert three.score("even", "random") == two.score("even", "random")
    assert three.score("random", "even") == two.score("even", "random").reversed


def test_everybody_moves_first_equally_often():
    result = tournament(["even", "random", "in-order"], "trio", games=20)
    for pairing in result.pairings:
        assert pairing.moving_first.games == pairing.moving_second.games == 10
    assert sum(moves_first("a", "b", game) for game in range(20)) == 10
    assert all(moves_first("a", "b", k) != moves_first("b", "a", k) for k in range(20))


def test_moving_first_helps_when_turns_alternate_and_not_in_rounds():
    # Two equal players on a tiny board tie often, and the first to move wins ties.
    rules = Rules(2, 3, (2,), turns="alternate")
    names = ["random", "random@edges"]
    alternate = tournament(names, rules, games=2000)
    assert alternate.first_move_share[1][0] > 0.55
    assert alternate.ratings.first_move_ci95[0] > 50
    assert alternate.first_move.draws == 0
    rounds = tournament(names, rules.override(turns="rounds"), games=2000)
    low, high = rounds.first_move_share[1]
    assert low < 0.5 < high
    assert rounds.first_move.draws > 300


def test_where_one_side_always_wins_the_games_do_not_tell_what_the_first_move_is_worth():
    result = tournament(["exact", "in-order"], "mini", games=10, seed=1)
    assert result.score("exact", "in-order").wins == 10
    assert result.first_move_elo is None
    told = result.to_json()["first_move"]
    assert told["elo"] is told["elo_ci95"] is None
    assert told["wins"] == told["losses"] == 5
    text = " ".join(text_tables(result).split())
    assert "these games do not show what moving first is worth" in text
    assert "Elo points" not in text


def test_an_interval_around_zero_is_not_called_a_value():
    result = tournament(["even", "even@edges"], "mini", games=20, seed=1)
    assert result.first_move_elo is not None
    low, high = result.first_move_elo[1]
    text = " ".join(text_tables(result).split())
    assert ("These games do not show whether moving first helps: " in text) == (low <= 0 <= high)


def test_a_tournament_that_is_stopped_has_the_games_of_which_both_sides_were_played():
    class Stops:
        """Somebody presses Ctrl-C in its 150th game; the first batch has at most 100."""

        games = 0

        def choose(self, observation, rng):
            Stops.games += not observation.shots
            if Stops.games > 150:
                raise KeyboardInterrupt
            return observation.unknown[0]

    register("stops", summary="stops")(Stops)
    with pytest.raises(ExperimentStopped) as stopped:
        tournament(["in-order", "random", "stops"], "mini", games=400, seed=2)
    partial = stopped.value.partial
    assert isinstance(partial, Tournament)
    whole = tournament(["in-order", "random"], "mini", games=400, seed=2)
    assert partial.score("in-order", "random") == whole.score("in-order", "random")
    others = partial.score("in-order", "stops").games
    assert 0 < others < 150
    assert partial.played == 400 + others
    assert f"{400 + others} games, at most 400 per pair" in text_tables(partial)


def simulated(rng: np.random.Generator, strengths, first_move: float, games: int) -> list[Meeting]:
    return [
        Meeting(
            i,
            j,
            games,
            rng.binomial(games, 1 / (1 + np.exp(strengths[j] - strengths[i] - first_move))),
        )
        for i in range(len(strengths))
        for j in range(len(strengths))
        if i != j
    ]


def test_rating_intervals_cover_the_true_strength_95_times_in_100():
    rng = np.random.default_rng(3)
    strengths = np.array([-0.9, -0.2, 0.1, 1.0])
    truth = MEAN + POINTS * strengths
    covered = []
    for _ in range(500):
        found = rate(4, simulated(rng, strengths, 0.15, 100))
        covered += [low <= t <= high for t, (low, high) in zip(truth, found.ci95, strict=True)]
        low, high = found.first_move_ci95
        covered.append(low <= 0.15 * POINTS <= high)
    # 2,500 trials, of which the five of a tournament go together: four standard errors of 500
    assert np.mean(covered) == pytest.approx(0.95, abs=0.04)


def test_ratings_agree_with_a_plain_search_for_the_maximum():
    meetings = [Meeting(0, 1, 60, 41.5), Meeting(1, 0, 60, 30), Meeting(0, 2, 60, 50)]
    meetings += [Meeting(2, 0, 60, 12), Meeting(1, 2, 60, 44), Meeting(2, 1, 60, 20.5)]
    found = rate(3, meetings)

    def likelihood(r: np.ndarray, a: float) -> float:
        total = 0.0
        for m in meetings:
            p = 1 / (1 + np.exp(-(r[m.first] - r[m.second] + a)))
            s, n = m.score + 0.25, m.games + 0.5
            total += s * np.log(p) + (n - s) * np.log(1 - p)
        return total

    r = (np.array(found.elo) - MEAN) / POINTS
    a = found.first_move / POINTS
    assert abs(r.sum()) < 1e-9
    best = likelihood(r, a)
    for k in range(3):
        for step in (-1e-3, 1e-3):
            moved = r.copy()
            moved[k] += step
            assert likelihood(moved, a) < best
    assert likelihood(r, a + 1e-3) < best > likelihood(r, a - 1e-3)


def test_a_player_that_wins_every_game_has_a_finite_rating():
    found = rate(2, [Meeting(0, 1, 100, 100), Meeting(1, 0, 100, 0)])
    assert 400 < found.elo[0] - found.elo[1] < 3000
    assert found.ci95[0][1] > found.ci95[0][0] + 100


def test_wilsons_interval_is_the_printed_one():
    # 8 of 10: Wilson gives 0.490 to 0.943
    assert share_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_an_impossible_tournament_is_refused_with_a_sentence():
    for entrants, games, error, words in (
        (["even"], 2, ExperimentError, "at least two"),
        (["even", "even"], 2, ExperimentError, "given twice"),
        (["even", "random"], 3, ExperimentError, "even, not 3"),
        (["even", "random@nowhere"], 2, PlacerError, "Unknown placer"),
        (["even", "rndom"], 2, PlayerError, "Did you mean"),
    ):
        with pytest.raises(error, match=words):
            tournament(entrants, "mini", games=games)


def test_a_name_says_who_shoots_and_who_hides():
    assert Entrant.from_text("even@edges") == Entrant("even", "edges")
    assert Entrant.from_text("even:colour=even", "spread").name == "even@spread"
    assert Entrant.from_text("even:colour=odd", "spread").name == "even:colour=odd@spread"


def test_placers_given_twice_make_an_entrant_each(run):
    arguments = ("even", "random", "--placer", "edges", "--placer", "uniform", "--games", 4)
    _, out, _ = run("tournament", *arguments, "--rules", "mini", "--json")
    names = {each["name"] for each in json.loads(out)["entrants"]}
    assert names == {"even", "even@edges", "random", "random@edges"}


@pytest.fixture(scope="module")
def result() -> Tournament:
    return tournament(["even", "random", "in-order", "even@edges"], "mini", games=60, seed=2)


def test_the_table_shows_ladder_cross_table_and_first_move(result):
    text = text_tables(result)
    assert all(entrant.name in text for entrant in result.entrants)
    assert "turns rounds" in text
    assert "Score of the row against the column:" in text
    assert "The side moving first won" in text
    elos = [standing.elo for standing in result.standings]
    assert elos == sorted(elos, reverse=True)
    assert sum(standing.elo for standing in result.standings) == pytest.approx(4 * MEAN)


def test_the_page_is_one_file_without_scripts(result, run, tmp_path):
    page = tournament_page(result, "seabattle tournament <x>")
    assert "<script" not in page
    assert "seabattle tournament &lt;x&gt;" in page
    options = ("--rules", "mini", "--games", 4, "--out", tmp_path)
    assert run("tournament", "even", "random", *options)[0] == 0
    assert (tmp_path / "index.html").exists()
    assert json.loads((tmp_path / "tournament.json").read_text())["games"] == 4


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 360)])
def test_the_page_shows_every_entrant_in_both_themes(browser, result, tmp_path, scheme, width):
    path = tmp_path / "index.html"
    path.write_text(tournament_page(result, "seabattle tournament"))
    page = browser.new_page(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=False
    )
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for entrant in result.entrants:
        assert page.get_by_role("rowheader", name=entrant.name, exact=True).first.is_visible()
        assert page.get_by_role("img", name=f"{entrant.name}: ").is_visible()
    page.close()


def test_a_side_of_a_game_is_a_record_like_any_other():
    rules = Rules.from_text("mini")
    record = play("even", rules, seed=1)
    assert isinstance(record, GameRecord)
    assert duel_of(record, record).players == ("even", "even")
