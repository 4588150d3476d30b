"""Training: runs that can be stopped at any moment and resume as if nothing had happened."""

from __future__ import annotations

import io
import json
import os
import pickle
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.belief import infer
from seabattle.cli import main
from seabattle.compiled.knowledge import UNKNOWN
from seabattle.dealing.uniform import layout_for
from seabattle.errors import ModelError, TrainingError
from seabattle.game import Game
from seabattle.learn.onnx_model import INPUT, Model, load_model
from seabattle.learn.training.checkpoint import load_state, save_state
from seabattle.learn.training.cnn import LatestGames
from seabattle.learn.training.curves import read_metrics
from seabattle.learn.training.labelled_positions import label_games, make_labelled_positions
from seabattle.learn.training.labelled_positions_kernels import CERTAIN
from seabattle.learn.training.networks import (
    density_loss,
    rate_at,
    residual_tower,
    three_convolutions,
)
from seabattle.learn.training.onnx_export import Graph, export_module
from seabattle.learn.training.trainer import Setup, State
from seabattle.learn.training.training_run import train
from seabattle.observation import Observation
from seabattle.players import make_player
from seabattle.players.network_player import NetworkPlayer
from seabattle.rules import ANSWERS, CONTACTS, Rules
from seabattle.shots import Answer, Shot
from seabattle.testing import check_player

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
    process = subprocess.Popen(
        [sys.executable, "-m", "seabattle", *words],
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


@given(
    arrays=st.dictionaries(
        st.text("abc.", min_size=1, max_size=5), st.lists(st.floats(width=32)), max_size=3
    ),
    values=st.dictionaries(st.text(max_size=3), st.integers() | st.floats() | st.text()),
)
@settings(deadline=None, max_examples=15)
def test_a_state_comes_back_as_it_was_written(tmp_path_factory, arrays, values):
    path = tmp_path_factory.mktemp("state") / "s.npz"
    given = {f"a{name}": np.array(list_, dtype=np.float32) for name, list_ in arrays.items()}
    save_state(path, State(given, values))
    back = load_state(path)
    assert json.dumps(back.values) == json.dumps(values)
    assert back.arrays.keys() == given.keys()
    assert all(back.arrays[key].tobytes() == given[key].tobytes() for key in given)


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


@pytest.mark.parametrize(("rows", "columns"), [(10, 10), (4, 7)])
def test_the_exported_network_computes_what_torch_does(rows, columns):
    rules = Rules(rows, columns, (3, 2))
    torch.manual_seed(1)
    for net, planes in ((three_convolutions(rules, 3), 1), (residual_tower(5, 8, 3), 5)):
        for parameter in net.parameters():  # residual blocks start as nothing
            torch.nn.init.normal_(parameter, std=0.2)
        content = export_module(net, (planes, rows, columns), rules.cells)
        import onnxruntime

        session = onnxruntime.InferenceSession(content)
        position = torch.randn(6, planes, rows, columns)
        (values,) = session.run(None, {INPUT: position.numpy()})
        assert np.allclose(values, net(position).numpy(force=True), rtol=1e-3, atol=1e-3)


def test_a_layer_without_an_onnx_form_is_refused():
    with pytest.raises(TypeError, match="Dropout has no to_onnx"):
        Graph().module(torch.nn.Dropout(), INPUT)


def test_the_best_density_is_the_probability_of_each_cell():
    target = torch.tensor([[0.5, 0.3, 0.2, 0.0]])
    unknown = torch.tensor([[True, True, True, False]])
    best = torch.log(torch.tensor([[0.5, 0.3, 0.2, 7.0]]))
    other = torch.log(torch.tensor([[0.4, 0.4, 0.2, 7.0]]))
    assert density_loss(best, unknown, target) < density_loss(other, unknown, target)
    closed_cell_matters_not = density_loss(best - 3 * (~unknown).float(), unknown, target)
    assert closed_cell_matters_not == density_loss(best, unknown, target)


def test_the_learning_rate_rises_and_falls_to_nothing():
    rates = [rate_at(step, 100, 0.01) for step in range(100)]
    top = int(np.argmax(rates))
    assert 0 < top < 10
    assert max(rates) == pytest.approx(0.01, rel=0.05)
    assert rates[:top] == sorted(rates[:top])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert rates[-1] < 1e-4


def test_positions_of_kept_games_are_those_of_the_game():
    """Only the order of the shots and the layout are kept; a replay tells the same."""
    rules, games = SMALL, LatestGames(SMALL.cells, room=3)
    rng = np.random.default_rng(3)
    for number in range(5):  # the first two are pushed out
        order = rng.permutation(rules.cells)
        game = Game(layout_for(rules, 9, number))
        for cell in order:
            if not game.finished:
                game.fire(int(cell))
        ship = np.zeros((1, rules.cells), dtype=bool)
        ship[0, [shot.cell for shot in game.shots if shot.answer.hit]] = True
        fired = np.array([order], dtype=np.int16)
        games.add(fired, np.array([len(game.shots)], dtype=np.int32), ship)
        row = number % 3
        for after in range(len(game.shots)):
            shot = {each.cell for each in game.shots[:after]}
            assert set(np.flatnonzero(games.when[row] < after)) == shot
    assert games.games == 5
    shot, ship = games.draw(200, rng)
    assert ship.sum(axis=1).tolist() == [5] * 200
    assert ((shot & ship).sum(axis=1) < 5).all()  # a finished game is no position


@pytest.mark.parametrize("contact", CONTACTS)
def test_labels_are_the_exact_probabilities(contact):
    rules = Rules(5, 4, (3, 2, 2), contact, "hit-miss")
    for position in label_games(rules, 4, range(4), 10**9):
        # Under hit-miss the order of the shots tells nothing, so any order will do.
        shots = [
            Shot(cell, Answer(hit=bool(status > 1)))
            for cell, status in enumerate(position["status"].tolist())
            if status != UNKNOWN
        ]
        exact = infer(Observation(rules, tuple(shots))).probability.ravel()
        unknown = position["status"] == UNKNOWN
        assert np.abs(position["probability"] / CERTAIN - exact)[unknown].max() < 1e-5
        assert not position["probability"][~unknown].any()


def test_labels_under_every_rule_add_up_to_the_hits_left():
    for answers in ANSWERS:
        rules = Rules(5, 6, (3, 2, 1), answers=answers)
        for budget in (10**9, 1):  # counted, and over the budget: the layout itself
            positions = label_games(rules, 1, range(5), budget)
            assert positions["exact"].all() == (budget > 1)
            left = rules.ship_cells - (positions["status"] > 1).sum(axis=1)
            assert np.abs(positions["probability"].sum(axis=1) / CERTAIN - left).max() < 1e-3


def test_labelled_positions_are_the_same_whoever_makes_them(tmp_path, monkeypatch):
    monkeypatch.setattr("seabattle.learn.training.labelled_positions.PART", 7)
    sets = []
    with ThreadPoolExecutor(3) as executor:
        for name, jobs, where in (("one", 1, None), ("two", 2, None), ("pool", 3, executor)):
            folder = tmp_path / name
            folder.mkdir()
            setup = Setup(SMALL, 1, folder, 10, jobs=jobs, executor=where)
            sets.append(make_labelled_positions(setup, 1, 40, 10**6))
    assert all((each == sets[0]).all() for each in sets[1:])
    assert len(list((tmp_path / "one" / "positions").iterdir())) == 6
    (tmp_path / "one" / "positions" / "0000014.npy").unlink()
    told = []
    setup = Setup(SMALL, 1, tmp_path / "one", 10, tell=lambda *words: told.append(words))
    assert (make_labelled_positions(setup, 1, 40, 10**6) == sets[0]).all()
    assert told == [("labelled games", 40, 40)]


def model_bytes(**changes: str) -> bytes:
    net = three_convolutions(SMALL, 3)
    about = {"player": "cnn", "form": "signs", "rules": json.dumps(SMALL.to_json()), **changes}
    from seabattle.learn.training.onnx_export import with_metadata

    return with_metadata(
        export_module(net, (1, 4, 4), 16), {key: value for key, value in about.items() if value}
    )


def test_bad_model_files_are_clear_errors(tmp_path):
    good = model_bytes()
    assert Model(good, "good").rules == SMALL
    path = tmp_path / "model.onnx"
    with pytest.raises(ModelError, match="There is no model file"):
        NetworkPlayer(path)
    for content, sentence in (
        (b"", "is not a valid model, or is damaged"),
        (good[: len(good) // 2], "is not a valid model, or is damaged"),
        (good[:-500], "damaged|metadata has no|does not have"),
        (pickle.dumps(print), "is not a valid model"),
        (model_bytes(player=""), "was not made by seabattle train: its metadata has no 'player'"),
        (model_bytes(rules="[1]"), "cannot be read"),
        (model_bytes(rules='{"rows": 99}'), "cannot be read"),
        (model_bytes(form="smoke"), "Unknown form of input 'smoke'"),
        (model_bytes(form="planes"), "does not have the one input 'position' of shape"),
        (
            model_bytes(rules=json.dumps(Rules(5, 5, (3,)).to_json())),
            "does not have the one input 'position' of shape gamesx1x5x5",
        ),
    ):
        path.write_bytes(content)
        os.utime(path, ns=(len(content) * 10**9, time.time_ns()))
        with pytest.raises(ModelError, match=sentence):
            NetworkPlayer(path)
    foreign = onnx.helper.make_model(
        onnx.helper.make_graph(
            [onnx.helper.make_node("Relu", ["x"], ["y"])],
            "other",
            [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 3])],
            [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 3])],
        ),
        ir_version=8,
        opset_imports=[onnx.helper.make_opsetid("", 17)],
    )
    path.write_bytes(foreign.SerializeToString())
    with pytest.raises(ModelError, match="was not made by seabattle train"):
        NetworkPlayer(path)


def test_a_model_refuses_rules_that_it_does_not_know():
    model = Model(model_bytes(rules=json.dumps(Rules(4, 4, (3, 2), answers="sunk").to_json())), "m")
    model.check_rules(Rules(4, 4, (3, 2), answers="sunk-named", turns="rounds"))
    for rules, sentence in (
        (Rules(4, 5, (3, 2), answers="sunk"), "cannot play '4x5"),
        (Rules(4, 4, (3, 3), answers="sunk"), "board, fleet and contact must be the same"),
        (Rules(4, 4, (3, 2), "none", "sunk"), "board, fleet and contact must be the same"),
        (Rules(4, 4, (3, 2), answers="hit-miss"), "which tell less"),
    ):
        with pytest.raises(ModelError, match=sentence):
            model.check_rules(rules)


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
