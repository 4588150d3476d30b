"""Training: runs that can be stopped at any moment and resume as if nothing had happened."""

from __future__ import annotations

import io
import json
import os
import pickle
import shlex
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from seabattle.cli import main
from seabattle.errors import TrainingError
from seabattle.learn.onnx_model import load_model
from seabattle.learn.training.checkpoint import load_state
from seabattle.learn.training.curves import read_metrics
from seabattle.learn.training.training_run import train
from seabattle.players import make_player
from seabattle.players.network_player import NetworkPlayer
from seabattle.rules import Rules
from seabattle.testing import check_player
from tests.forking import Seabattle

SMALL = Rules(4, 4, (3, 2), answers="hit-miss")
TINY_CNN = "cnn:batch=16,batches=2,games=8,room=32,watched=10,every=3"
TINY_DEEP = "cnn-deep:channels=4,blocks=2,games=40,batch=16,batches=2,watched=10,every=3"
TINY = (TINY_CNN, TINY_DEEP)


def curve(folder: Path) -> dict[str, list[str]]:
    """The columns of a metrics file as they are written, without the clock."""
    lines = [line.split(",") for line in (folder / "metrics.csv").read_text().splitlines()]
    columns = {name: [row[at] for row in lines[1:]] for at, name in enumerate(lines[0])}
    del columns["minutes"]
    return columns


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Both trainings, run from beginning to end."""
    folders = {}
    for name in TINY:
        folders[name] = tmp_path_factory.mktemp("whole")
        train(name, SMALL, 5, folders[name] / "run", steps=40)
    return {name: folder / "run" for name, folder in folders.items()}


def test_a_training_leaves_a_curve_a_model_and_plots(undisturbed):
    for folder in undisturbed.values():
        written = {path.name for path in folder.iterdir()}
        assert {"run.json", "metrics.csv", "checkpoint.npz", "curve.svg", "curve.png"} <= written
        metrics = read_metrics(folder / "metrics.csv")
        assert metrics["step"] == list(range(1, 41))
        assert all(np.isfinite(metrics["loss"]))
        looks = [shots for shots in metrics["shots"] if not np.isnan(shots)]
        assert len(looks) == 14  # every third step, and the last
        assert all(5 <= shots <= 16 for shots in looks)


@pytest.mark.parametrize("name", TINY)
def test_a_killed_training_resumes_to_the_same_curve(name, undisturbed, tmp_path):
    folder = tmp_path / "run"
    words = ["train", name, "--rules", SMALL.to_text(), "--seed", "5", "--steps", "40"]
    words += ["--threads", "1", "--jobs", "1", "--checkpoint", "0.2", "--out", str(folder)]
    process = Seabattle(
        *words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "SEABATTLE_QUIET": "1"},
    )
    metrics = folder / "metrics.csv"
    until = time.monotonic() + 100
    while time.monotonic() < until and process.poll() is None:
        if metrics.exists() and metrics.read_text().count("\n") > 8:
            break
        time.sleep(0.01)
    process.kill()
    process.wait(timeout=30)
    rows = metrics.read_text().count("\n") - 1
    kept = load_state(folder / "checkpoint.npz").values["step"]
    assert 0 <= kept <= rows
    ended = train(name, SMALL, 5, folder, steps=40, resume=True)
    assert ended.ended == "done"
    assert curve(folder) == curve(undisturbed[name])
    weights = [load_state(each / "checkpoint.npz").arrays for each in (folder, undisturbed[name])]
    assert weights[0].keys() == weights[1].keys()
    assert all((weights[0][key] == weights[1][key]).all() for key in weights[0])


def test_a_run_killed_while_making_its_data_resumes(undisturbed, tmp_path):
    folder = tmp_path / "run"
    (folder / "positions").mkdir(parents=True)
    made = undisturbed[TINY_DEEP]
    (folder / "run.json").write_text((made / "run.json").read_text())
    train(TINY_DEEP, SMALL, 5, folder, steps=40, resume=True)
    assert curve(folder) == curve(made)


def test_rows_after_the_last_checkpoint_are_dropped(undisturbed, tmp_path):
    folder = tmp_path / "run"
    train(TINY_CNN, SMALL, 5, folder, steps=40, minutes=1e-9)
    assert load_state(folder / "checkpoint.npz").values["step"] == 0
    text = (undisturbed[TINY_CNN] / "metrics.csv").read_text()
    (folder / "metrics.csv").write_text(text.replace("\n2,", "\n2,9,9,9,9,9,9\n3,")[:-7])
    train(TINY_CNN, SMALL, 5, folder, steps=40, resume=True)
    assert curve(folder) == curve(undisturbed[TINY_CNN])


class Interrupting:
    """Presses Ctrl-C after some steps."""

    def __init__(self, step: int) -> None:
        self.step = step

    def preparing(self, what, done, total):
        pass

    def stepped(self, step, steps, minutes, row):
        if step == self.step:
            os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_ends_the_step_and_keeps_everything(undisturbed, tmp_path):
    folder = tmp_path / "run"
    ended = train(TINY_CNN, SMALL, 5, folder, steps=40, watcher=Interrupting(7))
    assert (ended.ended, ended.step) == ("stopped", 7)
    assert load_model(ended.model).player == "cnn"
    assert load_state(folder / "checkpoint.npz").values["step"] == 7
    assert train(TINY_CNN, SMALL, 5, folder, steps=40, resume=True).ended == "done"
    assert curve(folder) == curve(undisturbed[TINY_CNN])


def test_minutes_are_a_budget(tmp_path):
    ended = train(TINY_CNN, SMALL, 5, tmp_path / "run", steps=100_000, minutes=0.005)
    assert ended.ended == "time"
    assert 0 < ended.step < 100_000
    assert ended.model.exists()


def test_another_seed_gives_another_curve(undisturbed, tmp_path):
    train(TINY_CNN, SMALL, 6, tmp_path / "run", steps=3)
    assert curve(tmp_path / "run")["loss"] != curve(undisturbed[TINY_CNN])["loss"][:3]


def test_what_cannot_be_resumed_is_explained(undisturbed, tmp_path, capsys):
    folder = undisturbed[TINY_CNN]
    for changed, sentence in (
        ({"seed": 6}, "has seed 5, not 6"),
        ({"steps": 41}, "has steps 40, not 41"),
        ({"rules": Rules(4, 4, (3,))}, "has rules 4x4 fleet=3,2"),
        ({"name": TINY_DEEP}, "has name cnn:batch=16"),
    ):
        asked = {"name": TINY_CNN, "rules": SMALL, "seed": 5, "steps": 40, **changed}
        steps = asked.pop("steps")
        with pytest.raises(TrainingError, match=sentence):
            train(**asked, folder=folder, steps=steps, resume=True)
    with pytest.raises(TrainingError, match="already contains a training"):
        train(TINY_CNN, SMALL, 5, folder, steps=40)
    with pytest.raises(TrainingError, match="There is no training in"):
        train(TINY_CNN, SMALL, 5, tmp_path / "none", resume=True)
    for name, sentence in (
        ("chess", "Unknown training 'chess'; choose from cnn"),
        ("cnn:bach=3", "Did you mean 'batch'"),
        ("cnn:width=4", "odd number"),
        ("cnn-deep:games=0", "1 or more"),
    ):
        with pytest.raises(TrainingError, match=sentence):
            train(name, SMALL, 5, tmp_path / "wrong")
    with pytest.raises(SystemExit) as ended:
        main(["train", "chess"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("seabattle: Unknown training 'chess'")


def test_a_damaged_checkpoint_is_reported(undisturbed, tmp_path):
    folder = tmp_path / "run"
    train(TINY_CNN, SMALL, 5, folder, steps=3)
    path = folder / "checkpoint.npz"
    content = path.read_bytes()
    held = io.BytesIO()
    np.savez(held, allow_pickle=True, net=np.array([print], dtype=object))
    for damage in (b"", content[: len(content) // 2], pickle.dumps({"step": 1}), held.getvalue()):
        path.write_bytes(damage)
        with pytest.raises(TrainingError, match=r"checkpoint.npz is not a checkpoint"):
            train(TINY_CNN, SMALL, 5, folder, steps=3, resume=True)
    deep = (undisturbed[TINY_DEEP] / "checkpoint.npz").read_bytes()
    path.write_bytes(deep)
    with pytest.raises(TrainingError, match="not a checkpoint of this training"):
        train(TINY_CNN, SMALL, 5, folder, steps=3, resume=True)


@pytest.mark.parametrize(
    "rules",
    [Rules(3, 5, (2, 2, 1), "none", "sunk"), Rules(5, 3, (3, 1), "corners", "named")],
    ids=Rules.to_text,
)
@pytest.mark.parametrize("name", TINY)
def test_any_rules_can_be_trained_for_and_the_player_is_lawful(name, rules, tmp_path):
    ended = train(name, rules, 1, tmp_path / "run", steps=2)
    player = NetworkPlayer(ended.model)
    assert player.network().rules == rules
    check_player(player, rules=[rules])


def run(capsys, words: list[str]) -> str:
    """Standard output of a command that succeeds."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_train_ends_with_commands_that_work(tmp_path, capsys):
    folder = str(tmp_path / "my runs")
    words = ["train", TINY_CNN, "--rules", SMALL.to_text(), "--steps", "2", "--threads", "1"]
    out = run(capsys, [*words, "--out", folder])
    evaluate, compare, play = (
        shlex.split(line)[1:] for line in out.splitlines() if line.startswith("  seabattle ")
    )
    assert "mean shots" in run(capsys, [*evaluate, "--games", "5", "--positions", "5"])
    assert "cnn:model=" in run(capsys, [*compare[:-1], "5"])
    model = f"cnn:model={folder}/cnn.onnx"
    assert play == ["play", "--opponent", model, "--rules", SMALL.to_text()]
    assert isinstance(make_player(model), NetworkPlayer)


def test_players_lists_trained_models_by_the_names_they_play_under(undisturbed, capsys):
    folder = undisturbed[TINY_DEEP].parent
    name = f"cnn-deep:model={folder}/run/cnn-deep.onnx"
    listed = run(capsys, ["players", "--models", str(folder)])
    assert name in listed
    assert SMALL.to_text() in listed
    (model,) = json.loads(run(capsys, ["players", "--models", str(folder), "--json"]))["models"]
    assert (model["name"], model["player"]) == (name, "cnn-deep")
    assert model["rules"] == SMALL.to_json()
    assert "No models in" in run(capsys, ["players", "cnn", "--models", str(folder)])
    with pytest.raises(SystemExit) as ended:
        main(["players", "--models", str(folder / "none")])
    assert ended.value.code == 2
    assert "There is no folder" in capsys.readouterr().err


def test_exact_play_is_not_behind_itself(capsys):
    words = ["evaluate", "exact", "--size", "5", "--fleet", "3,2", "--games", "12", "--json"]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert found["behind"]["mean"] == 0
    assert found["near_best"]["share"] == 1
    assert found["near_best"]["lost_chance"] < 1e-12
    assert found["model"] == {}


def test_the_evaluation_of_a_model_file_says_where_it_came_from(undisturbed, capsys):
    model = str(undisturbed[TINY_DEEP] / "cnn-deep.onnx")
    with pytest.raises(SystemExit):
        main(["evaluate", model, "--games", "40", "--positions", "50", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["rules"]["rows"] == 4
    assert found["games"] == 40
    assert found["mean"] - found["exact"]["mean"] == pytest.approx(found["behind"]["mean"])
    assert 0 <= found["near_best"]["share"] <= 1
    assert found["near_best"]["positions"] == 50
    assert found["model"]["command"].startswith("seabattle train cnn-deep:channels=4")
    assert found["model"]["seed"] == "5"
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", model, "--rules", "blind", "--games", "40"])
    assert ended.value.code == 2
    assert "cannot play 'blind'" in capsys.readouterr().err
