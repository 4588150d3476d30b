"""What players share whose strategy is a trained network (see `seabattle.learn.onnx_model`).

The network gives every cell a value, and the highest unshot cell is shot at, the first
one of equals. There is no chance in it. Many games are played in lockstep: one run of
the network chooses the next shot of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..errors import ModelError
from ..learn.batch_games_kernels import (
    begin_games,
    fire_all,
    go_astray,
    highest_unshot,
    new_knowledges,
    tell_shots,
)
from ..learn.onnx_model import Model, load_model, shipped_model
from ..observation import Observation
from ..rules import Rules

AT_A_TIME = 256
"""Games in lockstep: more would only take more memory."""

ONE_GAME = np.zeros(1, dtype=np.int64)

ModelFile = Annotated[Path | None, "another model file"]


@dataclass(frozen=True)
class NetworkPlayer:
    """Shoots at the unshot cell to which a network gives the highest value."""

    model: ModelFile = None
    kind: ClassVar[str] = ""
    """the player that its models name; any for the base"""

    def __post_init__(self) -> None:
        if self.model is not None:
            self.network()

    def network(self) -> Model:
        """The model that it plays with."""
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
        knowledges = new_knowledges(1)
        own = board_of(network.rules)
        tell_shots(board_of(observation.rules), own, *observation.arrays, knowledges[0])
        values: npt.NDArray[np.float32] = network.values(knowledges, ONE_GAME)[0]
        return values

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        values = self.values(observation)
        return max(observation.unknown, key=lambda cell: (values[cell], -cell))

    def play_games(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        network = self.network()
        network.check_rules(rules)
        return play_network(network, rules, placements)


def play_network(
    network: Model,
    rules: Rules,
    placements: npt.NDArray[np.int32],
    astray: npt.NDArray[np.float64] | None = None,
    seeds: npt.NDArray[np.uint64] | None = None,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
    """`BatchPlayer.play_games` of a network.

    With `astray` (games,), each shot of a game is a random one with that probability,
    drawn from the game's seed: for training.
    """
    board, own = board_of(rules), board_of(network.rules)
    count = len(placements)
    shots = np.zeros(count, dtype=np.int32)
    fired = np.zeros((count, rules.cells), dtype=np.int16)
    rngs = np.zeros(0, dtype=np.uint64) if seeds is None else seeds.copy()
    room = min(count, AT_A_TIME)
    knowledges = new_knowledges(room)
    ship_at = np.empty((room, rules.cells), dtype=np.int16)
    left = np.empty((room, len(rules.fleet)), dtype=np.int64)
    for start in range(0, count, AT_A_TIME):
        part = slice(start, min(start + AT_A_TIME, count))
        games = np.arange(part.stop - part.start)
        begin_games(board, placements[part], knowledges, ship_at, left)
        while len(games):
            cells = np.empty(len(games), dtype=np.int64)
            highest_unshot(own, knowledges, games, network.values(knowledges, games), cells)
            if astray is not None and seeds is not None:
                go_astray(own, knowledges, games, astray[part], rngs[part], cells)
            going = fire_all(
                board, own, games, cells, knowledges, ship_at, left, shots[part], fired[part]
            )
            games = games[:going]
    return shots, fired
