"""Training `cnn` (L): positions from its own games, with the layout as the label.

In each step the current network plays a few hundred games on random layouts, some of them
with random shots mixed in, so that it also learns from positions it would not get into.
They are added to a buffer of the latest games. Then the network is trained on positions
drawn from the buffer, each rotated or mirrored at random: the input is the board after some
shot, the label the ship cells not yet hit.

L does not specify the following. The filters are `width` cells wide. L's "discrete
probability density for all cells" is a softmax over the cells not yet shot at; its target
is an equal share for each ship cell left (see `networks.density_loss`). L stopped after
about 50,000 games; here the number of steps decides. L's positions may come from other
games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from ...compiled.random_streams import streams
from ...compiled.sealed_arrays import array_of
from ...compiled.seeds import STRAY_STREAM
from ...dealing.uniform import deal_games
from ...errors import TrainingError
from ...players.network_player import play_network
from .gradient_trainer import BatchSize, Every, Rate, WatchedGames, Width, check_width
from .networks import channels_last, three_convolutions
from .practice_games import LAYOUTS, occupied_cells, seed_for
from .supervised_trainer import Batches, SupervisedTrainer
from .trainer import TrainerState, register_trainer

RANDOM_SHARES = (0.0, 0.0, 0.05, 0.1, 0.2, 0.5)
"""Shares of random shots; the games use them in turn."""


class LatestGames:
    """A ring buffer of games, from which the position after any shot can be read."""

    def __init__(self, cells: int, room: int) -> None:
        self.when = np.zeros((room, cells), dtype=np.int16)
        """the number of the shot at each cell; `cells` if there was none"""
        self.ship = np.zeros((room, cells), dtype=np.bool_)
        self.shots = np.zeros(room, dtype=np.int16)
        self.games = 0
        """added since the beginning"""

    def add(
        self,
        fired: npt.NDArray[np.int16],
        shots: npt.NDArray[np.int32],
        ship: npt.NDArray[np.bool_],
    ) -> None:
        rows = (self.games + np.arange(len(shots))) % len(self.shots)
        cells = ship.shape[1]
        order = np.broadcast_to(np.arange(cells, dtype=np.int16), fired.shape)
        when = np.full(fired.shape, cells, dtype=np.int16)
        valid = order < shots[:, None]
        game, _ = np.nonzero(valid)
        when[game, fired[valid]] = order[valid]
        self.when[rows], self.ship[rows], self.shots[rows] = when, ship, shots
        self.games += len(shots)

    def draw(
        self, count: int, rng: np.random.Generator
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Random positions: (count, cells) which cells were shot at, and which hold ships."""
        rows = rng.integers(min(self.games, len(self.shots)), size=count)
        after = (rng.random(count) * self.shots[rows]).astype(np.int16)
        return self.when[rows] < after[:, None], self.ship[rows]


@register_trainer("cnn", steps=200, rules="blind")
@dataclass(kw_only=True, eq=False)
class CnnTrainer(SupervisedTrainer):
    width: Width = 3
    batch: BatchSize = 512
    batches: Batches = 24
    games: Annotated[int, "games played per step"] = 256
    room: Annotated[int, "games in the buffer"] = 8192
    rate: Rate = 0.002
    watched: WatchedGames = 500
    every: Every = 20

    player: ClassVar[str] = "cnn"
    form: ClassVar[str] = "signs"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._latest = LatestGames(self.rules.cells, self.room)

    def check(self) -> None:
        super().check()
        check_width(self.width)
        if self.room < self.games:
            raise TrainingError(
                f"room must be at least games ({self.games}), not {self.room}: a step's games must "
                "fit into the buffer."
            )

    def make_network(self) -> nn.Sequential:
        return channels_last(three_convolutions(self.rules, self.width))

    @property
    def architecture(self) -> str:
        return (
            f"convolutions of 32, 64 and 5 filters of {self.width}x{self.width}, ReLU, then a "
            f"linear layer from {5 * self.rules.cells} to {self.rules.cells}"
        )

    def games_seen(self) -> int:
        return self._latest.games

    def play(self) -> None:
        """Games of the current network; the first ones are as good as random."""
        first = self._latest.games
        seed = seed_for(self.setup.seed, LAYOUTS)
        placements = deal_games(self.rules, seed, range(first, first + self.games))
        seeds = streams(np.uint64(seed), first, self.games, STRAY_STREAM)
        share = np.array(RANDOM_SHARES)[(first + np.arange(self.games)) % len(RANDOM_SHARES)]
        shots, fired = play_network(self.as_player(), self.rules, placements, share, seeds)
        self._latest.add(fired, shots, occupied_cells(self.rules, placements))

    def minibatch(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        shot, ship = (torch.from_numpy(part) for part in self._latest.draw(self.batch, self.rng))
        turn = self.random_symmetries()
        shot, ship = shot.gather(1, turn), ship.gather(1, turn)
        signs = (shot & ship).float() - (shot & ~ship).float()
        return signs, ~shot, (ship & ~shot).float()

    def state(self) -> TrainerState:
        state, latest = super().state(), self._latest
        state.arrays |= {"when": latest.when, "ship": latest.ship, "shots": latest.shots}
        state.values["games"] = latest.games
        return state

    def restore(self, state: TrainerState) -> None:
        super().restore(state)
        latest = self._latest
        for name in ("when", "ship", "shots"):
            own = getattr(latest, name)
            own[:] = array_of(state.arrays, name, own.dtype, own.shape)
        latest.games = int(state.values["games"])
