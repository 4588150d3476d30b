"""Model files: damaged and foreign ones are refused, and so are rules they do not know."""

from __future__ import annotations

import json
import os
import pickle
import time

import onnx
import pytest

from seabattle.errors import ModelError
from seabattle.learn.onnx_model import Model
from seabattle.learn.training.networks import three_convolutions
from seabattle.learn.training.onnx_export import export_module, with_metadata
from seabattle.players.network_player import NetworkPlayer
from seabattle.rules import Rules

SMALL = Rules(4, 4, (3, 2), answers="hit-miss")


def model_bytes(**changes: str) -> bytes:
    net = three_convolutions(SMALL, 3)
    about = {"player": "cnn", "form": "signs", "rules": json.dumps(SMALL.to_json()), **changes}
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
