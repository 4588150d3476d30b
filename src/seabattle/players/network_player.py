"""Base class of players whose strategy is a trained network (see `seabattle.learn.onnx_model`).

The network gives every cell a value, and the player shoots at the unknown cell with the
highest one, the first if several are equal. It is deterministic. Many games are played in
lockstep: one run of the network chooses the next shot of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count as count_from
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from ..compiled.knowledge import new_knowledge_array
from ..compiled.rules_tables import board_of
from ..errors import ModelError
from ..learn.batch_games_kernels import (
    begin_games,
    fire_all,
    highest_unknown_cells,
    mix_in_random_shots,
    tell_shots,
)
from ..learn.onnx_model import Model, load_model, shipped_model
from ..observation import Observation
from ..rules import Rules
from .batch_play import Placements, PlayedGames, Seeds, new_played_games

AT_A_TIME = 256
"""Games in lockstep; more would only take more memory."""

OPENING = 14
"""The shots before which a position has often come up in another game."""

ONE_GAME = np.zeros(1, dtype=np.int64)

ModelFile = Annotated[Path | None, "a model file to play instead of the shipped one"]


@dataclass(frozen=True)
class NetworkPlayer:
    """Shoots at the unknown cell to which a network gives the highest value."""

    model: ModelFile = None
    kind: ClassVar[str] = ""
    """the player that its models are for; empty for any"""

    def __post_init__(self) -> None:
        if self.model is not None:
            self.network()

    def network(self) -> Model:
        """The model it plays with."""
        found = load_model(self.model or shipped_model(self.kind))
        if self.kind and found.player != self.kind:
            raise ModelError(f"{found.name} is a model of {found.player!r}, not of {self.kind!r}.")
        return found

    def check_rules(self, rules: Rules) -> None:
        """Raise an error if it cannot play under these rules."""
        self.network().check_rules(rules)

    def values(self, observation: Observation) -> npt.NDArray[np.float32]:
        """(cells,) the value of every cell."""
        network = self.network()
        network.check_rules(observation.rules)
        known = new_knowledge_array()
        own = board_of(network.rules)
        tell_shots(board_of(observation.rules), own, *observation.arrays, known[0])
        values: npt.NDArray[np.float32] = network.values(known, ONE_GAME)[0]
        return values

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        values = self.values(observation)
        return max(observation.unknown, key=lambda cell: (values[cell], -cell))

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        network = self.network()
        network.check_rules(rules)
        return play_network(network, rules, placements)


def model_player(path: Path) -> str:
    """The name under which a model file plays: `cnn:model=out/train/cnn/cnn.onnx`."""
    return f"{load_model(path).player}:model={path}"


def play_network(
    network: Model,
    rules: Rules,
    placements: Placements,
    random_share: npt.NDArray[np.float64] | None = None,
    seeds: Seeds | None = None,
) -> PlayedGames:
    """`BatchPlayer.play_games` of a network.

    For training: with `random_share` (games,) and `seeds`, each shot of a game is random
    with that probability.
    """
    board, own = board_of(rules), board_of(network.rules)
    count = len(placements)
    shots, fired = new_played_games(rules, count)
    rngs = np.zeros(0, dtype=np.uint64) if seeds is None else seeds.copy()
    room = min(count, AT_A_TIME)
    known = new_knowledge_array(room)
    ship_at = np.empty((room, rules.cells), dtype=np.int16)
    left = np.empty((room, len(rules.fleet)), dtype=np.int64)
    for start in range(0, count, AT_A_TIME):
        part = slice(start, min(start + AT_A_TIME, count))
        games = np.arange(part.stop - part.start)
        begin_games(board, placements[part], known, ship_at, left)
        for shot in count_from(0):
            if not len(games):
                break
            evaluate = network.recurring_values if shot < OPENING else network.values
            cells = np.empty(len(games), dtype=np.int64)
            highest_unknown_cells(own, known, games, evaluate(known, games), cells)
            if random_share is not None and seeds is not None:
                mix_in_random_shots(own, known, games, random_share[part], rngs[part], cells)
            going = fire_all(
                board, own, games, cells, known, ship_at, left, shots[part], fired[part]
            )
            games = games[:going]
    return shots, fired
