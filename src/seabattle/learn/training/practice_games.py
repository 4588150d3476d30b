"""Games that a training plays: to learn from, and to measure how well it plays."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt

from ...compiled.rules_tables import board_of
from ...dealing.uniform import deal_games
from ...players.batch_play import Placements
from ...players.network_player import play_network
from ...rules import Rules
from ..onnx_model import Form, Model
from .onnx_export import with_metadata

LAYOUTS, EVALUATION, WEIGHTS, RANDOMNESS = range(4)
"""What a training draws from its seed, each from its own stream."""


def seed_for(seed: int, purpose: int) -> int:
    """The seed of one of a training's streams. `compare --seed` uses none of them, so no network
    is tested on layouts that it was trained on."""
    return int(np.random.SeedSequence([seed, 7_000 + purpose]).generate_state(1, np.uint64)[0] >> 1)


def occupied_cells(rules: Rules, placements: Placements) -> npt.NDArray[np.bool_]:
    """(games, cells) whether a ship is there."""
    cover = board_of(rules).cover
    occupied = np.zeros((len(placements), rules.cells), dtype=np.bool_)
    for ship, length in enumerate(rules.fleet):
        covered = cover[placements[:, ship], :length]
        np.put_along_axis(occupied, covered.astype(np.int64), True, axis=1)
    return occupied


def as_player(content: bytes, player: str, rules: Rules, form: Form) -> Model:
    """An exported network as a model that can play."""
    about = {"player": player, "rules": json.dumps(rules.to_json()), "form": form.name}
    return Model(with_metadata(content, about), f"{player} in training")


def mean_shots_of_network(network: Model, seed: int, games: int) -> float:
    """The mean shots on the same layouts every time, so that a curve shows the progress of the
    network and not the luck of the draw."""
    placements = deal_games(network.rules, seed_for(seed, EVALUATION), range(games))
    shots, _ = play_network(network, network.rules, placements)
    return float(shots.mean())
