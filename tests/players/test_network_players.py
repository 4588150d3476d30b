"""The networks that ship: they play as they were measured, with nothing but onnxruntime."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from seabattle import compare, make_player
from seabattle.cli import main
from seabattle.dealing.placement_numbers import layout_of
from seabattle.errors import ModelError, PlayerError
from seabattle.experiment.play import play_batch
from seabattle.game import Game
from seabattle.learn.onnx_model import ABOUT, shipped_model
from seabattle.observation import Observation
from seabattle.rules import PRESETS
from seabattle.testing import check_player

NETWORKS = ("cnn", "cnn-deep")

LIMITS = {"cnn": 51.2, "cnn-deep": 47.96}
"""On `blind`: L's figure, and one shot more than exact play needs (docs/learning.md)."""


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("rules", ["blind", "classic"])
def test_a_batch_of_games_is_the_games_one_by_one(name, rules):
    """Also where the rules tell more than the network was taught to hear."""
    player = make_player(name)
    batch = play_batch(player, PRESETS[rules], 3, range(3))
    for row in range(3):
        game = Game(layout_of(PRESETS[rules], batch.placements[row]))
        while not game.finished:
            cell = player.choose(Observation(game.rules, game.shots), np.random.default_rng(0))
            game.fire(cell)
        fired = batch.fired[row, : batch.shots[row]].tolist()
        assert [shot.cell for shot in game.shots] == fired


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_trained_without_sinkings_ignores_them(name):
    games = [
        play_batch(make_player(name), PRESETS[rules], 3, range(20))
        for rules in ("blind", "classic")
    ]
    assert (games[0].placements == games[1].placements).all()
    assert (games[0].shots == games[1].shots).all()


@pytest.mark.parametrize("name", NETWORKS)
def test_the_shipped_networks_are_lawful(name):
    check_player(name, rules=["blind", "classic", "blind turns=again"], games=1)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_shipped_networks_play_as_well_as_they_were_measured(name):
    """300 games have a standard error of half a shot; exact play needs its usual mean on them."""
    found = compare([name], "blind", games=300, seed=11).players[0]
    assert found.mean < LIMITS[name] + 1.5
    assert found.mean > 44


@pytest.mark.parametrize("name", NETWORKS)
def test_the_shipped_models_say_where_they_came_from(name):
    path = shipped_model(name)
    assert path.stat().st_size <= 2 * 2**20
    model = make_player(name).network()
    assert tuple(model.about) == ABOUT
    assert model.player == name
    assert model.rules == PRESETS["blind"]
    assert model.about["command"].startswith(f"seabattle train {name}")
    assert re.fullmatch("[0-9a-f]{40}( then [0-9a-f]{40})*", model.about["commit"])
    assert float(model.about["processor minutes"]) <= 120  # 60 minutes on 2 cores


def test_the_models_were_trained_on_code_of_this_repository():
    here = Path(__file__).parents[2]
    if not (here / ".git").exists():
        pytest.skip("not a git checkout")
    for name in NETWORKS:
        for commit in make_player(name).network().about["commit"].split(" then "):
            found = subprocess.run(
                ["git", "merge-base", "--is-ancestor", commit, "HEAD"], cwd=here, check=False
            )
            assert found.returncode == 0, f"{name} was trained on {commit}"


def test_networks_play_without_torch_and_onnx():
    program = """
import sys
for absent in ("torch", "onnx", "matplotlib"):
    sys.modules[absent] = None
from seabattle import play
from seabattle.learn.evaluation import evaluate
print([len(play(name, "blind", seed=1).shots) for name in ("cnn", "cnn-deep")])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    shots = [int(number) for number in re.findall("[0-9]+", done.stdout)]
    assert len(shots) == 2
    assert all(17 <= each <= 100 for each in shots)


def test_rules_that_a_network_cannot_play_are_an_error(capsys):
    with pytest.raises(ModelError, match="was trained for 'blind' and cannot play 'mini'"):
        make_player("cnn").choose(Observation(PRESETS["mini"]), np.random.default_rng(0))
    with pytest.raises(PlayerError, match=r"^cnn-deep: .* cannot play 'thesis'"):
        compare(["cnn-deep"], "thesis", games=1)
    with pytest.raises(SystemExit) as ended:
        main(["compare", "cnn", "--rules", "mini", "--games", "1"])
    assert ended.value.code == 2
    assert "board, fleet and contact must be the same" in capsys.readouterr().err


def test_another_model_file_can_be_named(tmp_path):
    copy = tmp_path / "mine.onnx"
    copy.write_bytes(shipped_model("cnn").read_bytes())
    batch = play_batch(make_player(f"cnn:model={copy}"), PRESETS["blind"], 0, range(5))
    assert (
        batch.shots == play_batch(make_player("cnn"), PRESETS["blind"], 0, range(5)).shots
    ).all()
    with pytest.raises(ModelError, match="is a model of 'cnn', not of 'cnn-deep'"):
        make_player(f"cnn-deep:model={copy}")
    with pytest.raises(ModelError, match="There is no model file"):
        make_player("cnn:model=nowhere.onnx")


def test_workers_play_the_same_games_as_one_process():
    one = compare(["cnn"], "blind", games=12, seed=2)
    assert compare(["cnn"], "blind", games=12, seed=2, jobs=2) == one
