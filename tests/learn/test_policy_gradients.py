"""Policy gradients: what a shot is credited with, games on the environment, checkpoints."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Game, Observation, Rules, make_player
from seabattle.dealing.uniform import layout_for
from seabattle.envs.vector import BattleshipVectorEnv
from seabattle.errors import TrainingError
from seabattle.experiment.play import play_batch
from seabattle.learn.encoding import planes_of
from seabattle.learn.onnx_model import load_model, shipped_model
from seabattle.learn.training.checkpoint import load_state, save_state
from seabattle.learn.training.policy_episodes import Episodes, play_episodes, signs
from seabattle.learn.training.policy_trainer import log_probabilities, sample
from seabattle.learn.training.ppo import PpoTrainer, advantages
from seabattle.learn.training.reinforce import (
    ReinforceTrainer,
    credits,
    expected_sum,
    random_shots,
    ship_cells,
)
from seabattle.learn.training.trainer import TrainingSetup, make_trainer
from seabattle.testing import check_player

TINY = Rules(3, 4, (2, 2), "none", "sunk")
DESIGNS = [
    ("raw", 1.0),
    ("to-go", 1.0),
    ("baseline", 1.0),
    ("baseline-2", 1.0),
    ("advantage", 1.0),
    ("advantage", 0.99),
    ("advantage", 0.5),
]


def random_episodes(rules: Rules, reward: str, seed: int, games: int = 5) -> Episodes:
    rng = np.random.default_rng(seed)
    env = BattleshipVectorEnv(games, rules, reward=reward, copy=False)

    def choose(planes: np.ndarray, allowed: np.ndarray) -> np.ndarray:
        return np.array([rng.choice(np.flatnonzero(row)) for row in allowed])

    return play_episodes(env, seed, choose)


def replayed(rules: Rules, games: Episodes, game: int, seed: int) -> list[tuple[Observation, bool]]:
    """What was known before each shot of a game, and whether it hit, told by `Game`."""
    play = Game(layout_for(rules, seed, game))
    known = []
    for shot in range(games.shots[game]):
        known.append((Observation(rules, play.shots), play.fire(games.cells[shot, game]).hit))
    assert play.finished
    return known


@given(seed=st.integers(0, 2**31), rules=st.sampled_from([TINY, Rules(2, 3, (2, 1))]))
@settings(deadline=None, max_examples=10)
def test_episodes_are_whole_games_and_show_what_the_shooter_knew(seed: int, rules: Rules) -> None:
    games = random_episodes(rules, "hits", seed)
    for game in range(5):
        known = replayed(rules, games, game, seed)
        for shot, (observation, hit) in enumerate(known):
            assert (games.planes[shot, game] == planes_of(observation)).all()
            assert np.flatnonzero(games.allowed[shot, game]).tolist() == list(observation.unknown)
            assert games.rewards[shot, game] == (1 if hit else -1)
        assert not games.going[len(known) :, game].any()
        assert not games.rewards[len(known) :, game].any()
        first = signs(games.planes[0, [game]])
        last = signs(games.planes[len(known) - 1, [game]]).ravel()
        assert not first.any()
        assert set(np.flatnonzero(last == 1)) == known[-1][0].hits
        assert set(np.flatnonzero(last == -1)) == known[-1][0].misses


@pytest.mark.parametrize(("reward", "discount"), DESIGNS)
@pytest.mark.parametrize("seed", [1, 2])
def test_credits_are_the_sums_of_the_document(reward: Any, discount: float, seed: int) -> None:
    games = random_episodes(TINY, "advantage" if reward == "advantage" else "hits", seed)
    given_expected = -3.25
    found = credits(games, reward, discount, given_expected)
    for game in range(5):
        known = replayed(TINY, games, game, seed)
        r = [1.0 if hit else -1.0 for _, hit in known]
        chance = [(TINY.ship_cells - len(before.hits)) / len(before.unknown) for before, _ in known]
        random_reward = [2 * each - 1 for each in chance]
        last = len(r)
        for t in range(last):
            wanted = {
                "raw": sum(r),
                "to-go": sum(r[t:]),
                "baseline": sum(r) - given_expected,
                "baseline-2": sum(r) - given_expected,
                "advantage": sum(
                    (r[k] - random_reward[k]) * discount ** (k - t) for k in range(t, last)
                ),
            }[reward]
            assert found[t, game] == pytest.approx(wanted)


def test_a_finished_game_shows_where_its_ships_lay() -> None:
    games = random_episodes(TINY, "hits", 3)
    lying = ship_cells(games)
    assert (lying.sum(axis=1) == TINY.ship_cells).all()
    for game in range(5):
        hits = replayed(TINY, games, game, 3)[-1][0].hits
        assert hits <= set(np.flatnonzero(lying[game]))


def test_the_reward_of_the_policy_is_estimated_by_its_own_shots(tmp_path: Path) -> None:
    def trainer(draws: int) -> ReinforceTrainer:
        setup = TrainingSetup(TINY, 1, tmp_path, 5)
        return ReinforceTrainer(setup, reward="policy-advantage", draws=draws)

    games = random_episodes(TINY, "hits", 4)
    many = trainer(20_000)
    found = many._expected_by_policy(games)
    assert (found[~games.going] == 0).all()
    lying = ship_cells(games)
    for shot, game in zip(*np.nonzero(games.going), strict=True):
        with torch.no_grad():
            values = many.net(torch.from_numpy(signs(games.planes[shot, game][None])))
        allowed = torch.from_numpy(games.allowed[shot, game][None])
        chance = log_probabilities(values, allowed).exp().numpy()[0]
        exact = float((chance * (2.0 * lying[game] - 1)).sum())
        assert found[shot, game] == pytest.approx(exact, abs=0.04)  # 5 standard errors and more
    assert set(np.unique(trainer(1)._expected_by_policy(games)[games.going])) <= {-1.0, 1.0}


def test_baselines_are_what_the_players_earn_on_average(tmp_path: Path) -> None:
    rules = Rules.from_text("blind")
    assert random_shots(rules) == pytest.approx(17 * 101 / 18)
    assert expected_sum(rules, 95.0) == 17 - (95.0 - 17)
    setup = TrainingSetup(TINY, 1, tmp_path, 10)
    by_chance = ReinforceTrainer(setup, reward="baseline")._expected
    by_density = ReinforceTrainer(setup, reward="baseline-2")._expected
    assert by_chance == expected_sum(TINY, random_shots(TINY))
    assert by_density > by_chance + 1  # it hunts, and random play does not
    assert ReinforceTrainer(setup, reward="raw")._expected == 0


def test_advantages_are_sums_of_the_critics_surprises() -> None:
    rng = np.random.default_rng(3)
    going = np.array([[True, True], [True, True], [True, False], [True, False]])
    rewards = np.where(going, rng.normal(size=(4, 2)), 0.0)
    values = np.where(going, rng.normal(size=(4, 2)), 0.0)
    found = advantages(rewards, values, going, 0.9, 0.7)
    for game, last in ((0, 4), (1, 2)):
        for t in range(last):
            wanted = 0.0
            for k in range(t, last):
                following = values[k + 1, game] if k + 1 < last else 0.0
                surprise = rewards[k, game] + 0.9 * following - values[k, game]
                wanted += (0.9 * 0.7) ** (k - t) * surprise
            assert found[t, game] == pytest.approx(wanted)
        assert not found[last:, game].any()


def test_shots_are_drawn_from_the_softmax_over_allowed_cells() -> None:
    values = torch.tensor([[0.0, 1.0, 50.0, 2.0]]).repeat(20_000, 1)
    allowed = torch.tensor([[True, True, False, True]]).repeat(20_000, 1)
    generator = torch.Generator().manual_seed(1)
    counts = np.bincount(sample(values, allowed, generator), minlength=4) / 20_000
    weights = np.exp([0.0, 1.0, -math.inf, 2.0])
    assert counts == pytest.approx(weights / weights.sum(), abs=0.015)  # 4 standard errors
    assert counts[2] == 0


def test_no_probability_of_zero_breaks_the_gradient() -> None:
    """Values as far apart as L's network got them: the shot taken was all but impossible."""
    values = torch.tensor([[-1e4, 1e4, 3.0]], requires_grad=True)
    allowed = torch.tensor([[True, True, False]])
    log_probabilities(values, allowed)[0, 0].backward()
    assert values.grad is not None
    assert torch.isfinite(values.grad).all()
    assert values.grad[0, 2] == 0


@pytest.mark.parametrize(
    "name",
    [
        "policy-gradient:games=6,watched=20,every=2",
        "policy-gradient:games=6,watched=20,every=2,reward=baseline-2",
        "policy-gradient-deep:games=6,watched=20,every=2,channels=4,blocks=2,batch=20",
    ],
)
def test_a_resumed_training_goes_on_as_the_first_one_did(tmp_path: Path, name: str) -> None:
    setup = TrainingSetup(TINY, 5, tmp_path, 12)
    first = make_trainer(name, setup)
    for _ in range(5):
        first.step()
    save_state(tmp_path / "checkpoint.npz", first.state())
    rows = [dict(first.step()) for _ in range(5)]
    torch.manual_seed(99)  # whatever else draws from the global generator
    second = make_trainer(name, setup)
    second.restore(load_state(tmp_path / "checkpoint.npz"))
    again = [dict(second.step()) for _ in range(5)]
    assert [list(map(repr, row.items())) for row in again] == [
        list(map(repr, row.items())) for row in rows
    ]
    assert second.export() == first.export()


@pytest.mark.parametrize(
    "name",
    [
        "policy-gradient:games=16,rate=0.02,watched=200,every=100",
        "policy-gradient-deep:games=16,rate=0.01,channels=8,watched=200,every=20",
    ],
)
def test_a_few_games_on_a_tiny_board_teach_something(tmp_path: Path, name: str) -> None:
    rules = Rules(3, 4, (3,), answers="hit-miss")
    steps = 100 if "deep" not in name else 20
    trainer = make_trainer(name, TrainingSetup(rules, 1, tmp_path, steps))
    row = [trainer.step() for _ in range(steps)][-1]
    # Random play needs 9.75 shots, the best possible is near 5.5.
    assert row["shots"] < 7.5


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("policy-gradient:reward=luck", "advantage"),
        ("policy-gradient:discount=1.5", "0 to 1"),
        ("policy-gradient:width=4", "odd"),
        ("policy-gradient:games=0", "1 or more"),
        ("policy-gradient-deep:last_discount=-1", "0 to 1"),
        ("policy-gradient-deep:epochs=0", "1 or more"),
        ("neat:games=0", "1 or more"),
        ("neat:spread=-1", "0 or more"),
    ],
)
def test_invalid_settings_are_refused(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(TrainingError, match=told):
        make_trainer(name, TrainingSetup(TINY, 1, tmp_path, 10))


def test_one_command_draws_the_curves_of_all_rewards(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "examples" / "policy_rewards.py"
    words = ["--rules", "2x3 fleet=2", "--steps", "2", "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, script, *words], capture_output=True, text=True, timeout=300, check=True
    )
    picture = (tmp_path / "rewards.svg").read_text(encoding="utf-8")
    assert done.stdout.count(" shots per game in its last step") == 8
    for design in ("raw", "to-go", "baseline-2", "policy-advantage-0.99", "advantage-0.5"):
        assert f"{design}: " in done.stdout
        assert f">{design}<" in picture


def test_the_deep_trainer_keeps_the_critic_out_of_the_model(tmp_path: Path) -> None:
    trainer = PpoTrainer(TrainingSetup(TINY, 1, tmp_path, 5), channels=4, games=2)
    before = trainer.export()
    with torch.no_grad():
        trainer.net.critic.weight += 1.0
    assert trainer.export() == before


SHIPPED = [
    # player, rules, mean over the 10,000 games of docs/learning-*.md, 4.5 standard errors of 400
    ("neat", "mini", 15.15, 0.9),
    ("policy-gradient", "blind", 54.48, 2.4),
    ("policy-gradient-deep", "blind", 49.52, 2.0),
]


@pytest.mark.parametrize(("name", "rules", "mean", "within"), SHIPPED)
def test_shipped_models_play_as_well_as_the_documentation_says(
    name: str, rules: str, mean: float, within: float
) -> None:
    played = play_batch(make_player(name), Rules.from_text(rules), 21, range(400))
    assert abs(played.shots.mean() - mean) < within


@pytest.mark.parametrize(("name", "rules"), [row[:2] for row in SHIPPED])
def test_shipped_players_are_lawful_where_they_can_play(name: str, rules: str) -> None:
    own = Rules.from_text(rules)
    check_player(name, rules=[own, own.override(answers="sunk-named")], games=1)


@pytest.mark.parametrize("name", [row[0] for row in SHIPPED])
def test_shipped_models_say_where_they_come_from_and_are_small(name: str) -> None:
    path = shipped_model(name)
    assert path.stat().st_size <= 2_000_000
    about = load_model(path).about
    assert about["player"] == name
    assert about["command"].startswith(f"seabattle train {name}")
    assert all(about[key] for key in ("seed", "commit", "date", "data", "architecture"))
    assert "+changes" not in about["commit"]
