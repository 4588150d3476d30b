"""Training `cnn` (L): positions of its own games, taught the layout.

Each step the network as it stands plays a few hundred games against random layouts, some
of them with random shots mixed in, so that it also learns from positions that it would
not get into. They go into a store of the latest games. Then it is trained on positions
drawn from the store, each turned or mirrored at random: the input is the board as seen
after some shot, the answer where the ships are that were not hit yet.

L leaves open the following. The filters are `width` cells wide. "A discrete probability
density for all cells" is a softmax over the cells not shot at; its target is the same
share for each ship cell left (see `networks.density_loss`). L stopped at about 50,000
games; here it is as many as the steps give. L's positions may come from other games.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import numpy.typing as npt
import torch

from ...compiled.random_streams import streams
from ...compiled.rules_tables import board_of, symmetries_of
from ...compiled.seeds import STRAY_STREAM
from ...dealing.uniform import deal_games
from ...errors import TrainingError
from ...players.network_player import play_network
from .gradient_trainer import GradientTrainer, weights_of
from .networks import density_loss, three_convolutions
from .practice_games import CHANCE, LAYOUTS, seed_for
from .trainer import Arithmetic, Setup, State, register_trainer

ASTRAY = (0.0, 0.0, 0.05, 0.1, 0.2, 0.5)
"""Share of random shots, one of these for each game."""


class LatestGames:
    """A ring of games, from which the position after any shot can be read off."""

    def __init__(self, cells: int, room: int) -> None:
        self.when = np.zeros((room, cells), dtype=np.int16)
        """the shot that each cell was fired at by; `cells` if by none"""
        self.ship = np.zeros((room, cells), dtype=np.bool_)
        self.shots = np.zeros(room, dtype=np.int16)
        self.games = 0
        """put in since the beginning"""

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
        meant = order < shots[:, None]
        game, _ = np.nonzero(meant)
        when[game, fired[meant]] = order[meant]
        self.when[rows], self.ship[rows], self.shots[rows] = when, ship, shots
        self.games += len(shots)

    def draw(
        self, count: int, rng: np.random.Generator
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Random positions: (count, cells) which cells are shot at, and which hold ships."""
        rows = rng.integers(min(self.games, len(self.shots)), size=count)
        after = (rng.random(count) * self.shots[rows]).astype(np.int16)
        return self.when[rows] < after[:, None], self.ship[rows]


@register_trainer("cnn", steps=200, rules="blind")
class CnnTrainer:
    form = "signs"

    def __init__(
        self,
        setup: Setup,
        *,
        width: Annotated[int, "cells across a filter"] = 3,
        batch: Annotated[int, "positions in a minibatch"] = 512,
        batches: Annotated[int, "minibatches a step"] = 24,
        games: Annotated[int, "games played a step"] = 256,
        room: Annotated[int, "games that are kept"] = 8192,
        rate: Annotated[float, "highest learning rate"] = 0.002,
        arithmetic: Arithmetic = "float32",
        watched: Annotated[int, "games of a look at the mean shots"] = 500,
        every: Annotated[int, "steps between looks"] = 20,
    ) -> None:
        if width < 1 or width % 2 == 0:
            raise TrainingError(f"width is an odd number of cells, not {width}.")
        smallest = min(batch, batches, games, watched, every)
        if smallest < 1 or room < games:
            raise TrainingError(
                "batch, batches, games, watched and every are 1 or more, and "
                "room is at least games."
            )
        self._setup, self._rules = setup, setup.rules
        self._batch, self._batches, self._games = batch, batches, games
        self._half = arithmetic == "bfloat16"
        torch.set_num_threads(setup.threads)
        with weights_of(setup):
            self._net = three_convolutions(setup.rules, width)
        self._net = self._net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._learner = GradientTrainer(
            "cnn", self.form, setup, self._net, rate=rate, watched=watched, every=every
        )
        self._rng = np.random.default_rng(seed_for(setup.seed, CHANCE))
        self._store = LatestGames(setup.rules.cells, room)
        self._symmetries = torch.from_numpy(symmetries_of(setup.rules).cells.astype(np.int64))
        self.architecture = (
            f"convolutions of 32, 64 and 5 filters of {width}x{width}, ReLU, then a linear layer "
            f"from {5 * setup.rules.cells} to {setup.rules.cells}"
        )

    def step(self) -> Mapping[str, float]:
        self._play()
        rate = self._learner.begin_step()
        loss = sum(self._learn() for _ in range(self._batches)) / self._batches
        shots = self._learner.end_step()
        return {
            "loss": loss,
            "shots": shots,
            "rate": rate,
            "games": self._store.games,
            "states": self._learner.step * self._batches * self._batch,
        }

    def _play(self) -> None:
        """Games of the network as it stands; the first ones are random."""
        rules, first = self._rules, self._store.games
        seed = seed_for(self._setup.seed, LAYOUTS)
        placements = deal_games(rules, seed, range(first, first + self._games))
        seeds = streams(np.uint64(seed), first, self._games, STRAY_STREAM)
        astray = np.array(ASTRAY)[(first + np.arange(self._games)) % len(ASTRAY)]
        shots, fired = play_network(self._learner.as_player(), rules, placements, astray, seeds)
        cover = board_of(rules).cover
        ship = np.zeros((self._games, rules.cells), dtype=np.bool_)
        for column, length in enumerate(rules.fleet):
            covered = cover[placements[:, column], :length]
            np.put_along_axis(ship, covered.astype(np.int64), True, axis=1)
        self._store.add(fired, shots, ship)

    def _learn(self) -> float:
        """One minibatch."""
        shot, ship = (torch.from_numpy(part) for part in self._store.draw(self._batch, self._rng))
        turn = self._symmetries[self._rng.integers(len(self._symmetries), size=self._batch)]
        shot, ship = shot.gather(1, turn), ship.gather(1, turn)
        signs = (shot & ship).float() - (shot & ~ship).float()
        left = (ship & ~shot).float()
        shape = (self._batch, 1, self._rules.rows, self._rules.columns)
        position = signs.view(shape).to(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16, enabled=self._half):
            values = self._net(position)
        wanted = left / left.sum(dim=1, keepdim=True)
        loss = density_loss(values.float(), ~shot, wanted)
        self._learner.descend(loss)
        return float(loss.detach())

    def export(self) -> bytes:
        return self._learner.export()

    def state(self) -> State:
        store = self._store
        state = State(
            {"when": store.when, "ship": store.ship, "shots": store.shots},
            {"games": store.games, "rng": self._rng.bit_generator.state},
        )
        self._learner.save(state)
        return state

    def restore(self, state: State) -> None:
        store = self._store
        store.when[:], store.ship[:] = state.arrays["when"], state.arrays["ship"]
        store.shots[:], store.games = state.arrays["shots"], state.values["games"]
        self._rng.bit_generator.state = state.values["rng"]
        self._learner.load(state)
