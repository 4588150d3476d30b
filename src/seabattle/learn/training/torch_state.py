"""Saving torch objects as the plain arrays of a checkpoint, and loading them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from .trainer import TrainerState


def save_module(state: TrainerState, name: str, module: torch.nn.Module) -> None:
    for key, tensor in module.state_dict().items():
        state.arrays[f"{name}.{key}"] = tensor.numpy(force=True).copy()


def load_module(state: TrainerState, name: str, module: torch.nn.Module) -> None:
    start = f"{name}."
    module.load_state_dict(
        {
            key.removeprefix(start): torch.from_numpy(array.copy())
            for key, array in state.arrays.items()
            if key.startswith(start)
        }
    )


def save_optimizer(state: TrainerState, name: str, optimizer: torch.optim.Optimizer) -> None:
    whole = optimizer.state_dict()
    state.values[name] = whole["param_groups"]
    for parameter, entries in whole["state"].items():
        for key, tensor in entries.items():
            state.arrays[f"{name}.{parameter}.{key}"] = tensor.numpy(force=True).copy()


def load_optimizer(state: TrainerState, name: str, optimizer: torch.optim.Optimizer) -> None:
    entries: dict[int, dict[str, Any]] = {}
    owned = [each for group in optimizer.param_groups for each in group["params"]]
    for key, array in state.arrays.items():
        if key.startswith(f"{name}."):
            parameter, part = key.removeprefix(f"{name}.").split(".", 1)
            if array.shape not in ((), tuple(owned[int(parameter)].shape)):
                raise ValueError(f"the array {key!r} has the wrong shape")
            entries.setdefault(int(parameter), {})[part] = torch.from_numpy(array.copy())
    optimizer.load_state_dict({"state": entries, "param_groups": state.values[name]})


def save_generator(state: TrainerState, name: str, generator: torch.Generator) -> None:
    state.arrays[name] = generator.get_state().numpy().copy()


def load_generator(state: TrainerState, name: str, generator: torch.Generator) -> None:
    generator.set_state(torch.from_numpy(state.arrays[name].astype(np.uint8)))


def seeded(seed: int) -> torch.Generator:
    """A torch generator. Nothing draws from the global one, except the first weights of a
    network (see `first_weights`)."""
    generator = torch.Generator()
    generator.manual_seed(seed)
    return generator


@contextmanager
def first_weights(seed: int) -> Iterator[None]:
    """Layers made inside draw their weights from this seed; the global generator is restored."""
    before = torch.get_rng_state()
    torch.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(before)
