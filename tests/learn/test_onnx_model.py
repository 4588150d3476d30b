"""Model files: damaged and foreign ones are refused, and so are rules they do not know."""

from __future__ import annotations

import json
import os
import pickle
import time
from collections.abc import Callable
from typing import Any

import numpy as np
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


def changed(change: Callable[[Any], object]) -> bytes:
    """A valid model, changed by somebody who knows the format."""
    model = onnx.load_model_from_string(model_bytes())
    change(model)
    return bytes(model.SerializeToString())


def endless_loop(model: Any) -> None:
    """A loop of 2^62 turns over constants, which onnxruntime would run while loading."""
    body = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["on"], ["again"])],
        "body",
        [
            onnx.helper.make_tensor_value_info("turn", onnx.TensorProto.INT64, []),
            onnx.helper.make_tensor_value_info("on", onnx.TensorProto.BOOL, []),
        ],
        [onnx.helper.make_tensor_value_info("again", onnx.TensorProto.BOOL, [])],
    )
    model.graph.initializer.append(onnx.helper.make_tensor("turns", 7, [], [2**62]))
    model.graph.initializer.append(onnx.helper.make_tensor("yes", 9, [], [True]))
    model.graph.node.append(onnx.helper.make_node("Loop", ["turns", "yes"], [], body=body))


def weights_elsewhere(model: Any) -> None:
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "/etc/passwd"


def huge_padding(model: Any) -> None:
    next(each for each in model.graph.node[0].attribute if each.name == "pads").ints[0] = 10**9


def growing(*steps: str) -> Callable[[Any], None]:
    """A network that goes through these steps, each of which makes a value much larger."""

    def change(model: Any) -> None:
        node, name = onnx.helper.make_node, "position"
        for number, step in enumerate(steps):
            late, flat = f"grown {number}", f"flat {number}"
            if step == "join":
                made = [node("Concat", [name, name], [late], axis=1)]
            else:  # a column times a row
                made = [
                    node("Flatten", [name], [flat], axis=0),
                    node("Gemm", [flat, flat], [late], transA=1),
                ]
            model.graph.node.extend(made)
            name = late

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (growing(*["join"] * 30), "results that are too large"),
        (growing(*["multiply"] * 3), "results that are too large"),
        (endless_loop, "has the operator 'Loop'"),
        (weights_elsewhere, "its weights are in another file"),
        (huge_padding, "has a size of 1000000000"),
        (lambda model: setattr(model.graph.node[0], "domain", "evil"), "of another library"),
        (lambda model: model.functions.add(name="f", domain="d"), "functions of its own"),
        (lambda model: model.graph.sparse_initializer.add(), "sparse weights"),
    ],
)
def test_files_that_hold_more_than_a_network_are_refused(change, sentence):
    with pytest.raises(ModelError, match=sentence):
        Model(changed(change), "m")


def test_metadata_made_to_do_harm_is_harmless():
    escapes = Model(model_bytes(command="\x1b[2Jrm -rf", data="x" * 10**6), "m")
    assert escapes.about["command"] == "\N{REPLACEMENT CHARACTER}[2Jrm -rf"
    assert len(escapes.about["data"]) <= 2000
    for rules in ("[" * 100_000, '{"rows": ' + "9" * 5000 + "}", "Infinity", '{"rows": Infinity}'):
        with pytest.raises(ModelError, match="The rules in m cannot be read"):
            Model(model_bytes(rules=rules), "m")


def test_a_network_that_gives_no_numbers_is_an_error():
    def infinite(model: Any) -> None:
        bias = next(each for each in model.graph.initializer if list(each.dims) == [16])
        bias.CopyFrom(onnx.numpy_helper.from_array(np.full(16, np.nan, np.float32), bias.name))

    model = Model(changed(infinite), "m")
    with pytest.raises(ModelError, match="does not give every cell a finite value"):
        model.run(np.zeros((2, 1, 4, 4), dtype=np.float32))


def test_a_pipe_is_not_a_model(tmp_path):
    os.mkfifo(tmp_path / "m.onnx")
    with pytest.raises(ModelError, match="it is not a regular file"):
        NetworkPlayer(tmp_path / "m.onnx")


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
