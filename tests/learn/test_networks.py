"""Networks: what they are trained for, and that their exported form computes the same."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from seabattle.learn.onnx_model import INPUT
from seabattle.learn.training.networks import (
    density_loss,
    rate_at,
    residual_tower,
    three_convolutions,
)
from seabattle.learn.training.onnx_export import Graph, export_module
from seabattle.rules import Rules


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
