"""Games that a training plays: to learn from, and to see how well it does."""

from __future__ import annotations

import json

import numpy as np

from ...dealing.uniform import deal_games
from ...players.network_player import play_network
from ...rules import Rules
from ..onnx_model import Form, Model
from .onnx_export import with_metadata

LAYOUTS, WATCH, WEIGHTS, CHANCE = range(4)
"""What a training draws from its seed, each from a stream of its own."""


def seed_for(seed: int, purpose: int) -> int:
    """The seed of one of a training's streams; `compare --seed` draws from none of them, so
    no network is tested on layouts that it has seen."""
    return int(np.random.SeedSequence([seed, 7_000 + purpose]).generate_state(1, np.uint64)[0] >> 1)


def as_player(content: bytes, player: str, rules: Rules, form: Form) -> Model:
    """An exported network as it would play."""
    about = {"player": player, "rules": json.dumps(rules.to_json()), "form": form.name}
    return Model(with_metadata(content, about), f"{player} in training")


def mean_shots(network: Model, seed: int, games: int) -> float:
    """The mean over the same layouts every time, so that a curve shows the network's
    progress and not the luck of the draw."""
    placements = deal_games(network.rules, seed_for(seed, WATCH), range(games))
    shots, _ = play_network(network, network.rules, placements)
    return float(shots.mean())
