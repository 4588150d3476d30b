"""Training `neat` (T 2.2): networks that evolve their weights and their connections.

It uses neat-python, with T's rules where they differ from its own:

    inputs      one per cell (1 hit, -1 miss, 0.01 unknown), and one that is 1 if the
                last shot hit, else -1; one output per cell; sigmoid; population 100
    weights     each connection mutates with probability 0.8: in 90% of cases by a small
                change, else to a new random value
    wiring      a new connection with probability 0.05, a new node with probability 0.01
    crossover   a gene of both parents comes from either; a gene of one parent stays
                enabled with probability 0.25
    distance    E / max(1, N - 20) + 0.5 W, where E genes are in only one genome, the
                larger genome has N genes, and W is the mean difference of shared weights;
                genomes at a distance of up to 3 are one species
    selection   the upper half of a species survives, and its offspring replace the rest
    fitness     the fewer moves and the more consecutive hits, the better

T does not say how the two are combined, how large random weights and small changes are, or how
many children have two parents. T starts without connections (`start=none`); the default starts
with all of them. The parameters and docs/learning-neat.md say what was chosen. neat-python draws
from Python's global generator, whose state is restored after every generation.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import neat
import numpy as np
import numpy.typing as npt
from neat.species import Species

from ...dealing.uniform import deal_games
from ...errors import TrainingError
from ..neat_network_kernels import Wiring, play_layouts
from .neat_genomes import (
    POPULATION,
    Counter,
    NeatSettings,
    Speciation,
    Start,
    load_genomes,
    make_config,
    save_genomes,
)
from .neat_wiring import layers_of, to_onnx, wiring_of
from .practice_games import EVALUATION, LAYOUTS, RANDOMNESS, occupied_cells, seed_for
from .trainer import TrainerState, TrainingSetup, register_trainer


def play_genome(
    genome: Any, occupied: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The moves and the consecutive hits of each of these games."""
    games, cells = occupied.shape
    moves, streaks = np.empty(games, dtype=np.int32), np.empty(games, dtype=np.int32)
    play_layouts(wiring_of(genome, cells + 1, cells), occupied, moves, streaks)
    return moves, streaks


@register_trainer("neat", steps=1500, rules="mini")
class NeatTrainer:
    """One step is one generation."""

    form = "last-hit"

    def __init__(
        self,
        setup: TrainingSetup,
        *,
        games: Annotated[int, "games per genome and generation"] = 500,
        watched: Annotated[int, "games per evaluation of the best genome"] = 2000,
        spread: Annotated[float, "standard deviation of random weights"] = 0.2,
        little: Annotated[float, "standard deviation of a small change"] = 1.0,
        streak: Annotated[float, "value of a consecutive hit, in moves"] = 0.1,
        patience: Annotated[int, "generations without progress before a species is removed"] = 100,
        start: Annotated[Start, "connections of the first networks; none is T's start"] = "full",
        speciation: Annotated[Speciation, "strict: more species at first, and weak ones die"] = (
            "lenient"
        ),
    ) -> None:
        if min(games, watched, patience) < 1:
            raise TrainingError("games, watched and patience must be 1 or more.")
        if min(spread, little, streak) < 0:
            raise TrainingError("spread, little and streak must be 0 or more.")
        self._rules, self._seed, self._games = setup.rules, setup.seed, games
        self._watched = occupied_cells(
            setup.rules, deal_games(setup.rules, seed_for(setup.seed, EVALUATION), range(watched))
        )
        self._streak = streak
        settings = NeatSettings(spread, little, streak, patience, start, speciation)
        config = make_config(setup.rules, settings)
        self._random = random.Random(seed_for(setup.seed, RANDOMNESS)).getstate()
        with self._own_randomness():
            config.genome_config.node_indexer = Counter(setup.rules.cells)
            self._population = neat.Population(config)
            self._count(len(self._population.population) + 1, None)
        self._best: Any = None
        self._best_moves = math.inf

    def step(self) -> Mapping[str, float]:
        population, rules = self._population, self._rules
        first = population.generation * self._games
        placements = deal_games(
            rules, seed_for(self._seed, LAYOUTS), range(first, first + self._games)
        )
        occupied = occupied_cells(rules, placements)
        species = len(population.species.species)
        seen: list[tuple[float, float, Any]] = []

        def judge(genomes: list[tuple[int, Any]], config: Any) -> None:
            for _, genome in genomes:
                moves, streaks = play_genome(genome, occupied)
                genome.fitness = rules.cells - float(moves.mean() - self._streak * streaks.mean())
                seen.append((genome.fitness, float(moves.mean()), genome))

        with self._own_randomness():
            population.run(judge, 1)
        seen.sort(key=lambda each: each[0], reverse=True)
        champion = seen[0][2]
        # One generation's games are too few to tell which champion is the best.
        moves = float(play_genome(champion, self._watched)[0].mean())
        if moves < self._best_moves:
            self._best, self._best_moves = champion, moves
        nodes, connections = champion.size()
        return {
            "shots": self._best_moves,
            "champion": moves,
            "mean": sum(each[1] for each in seen) / len(seen),
            "species": species,
            "hidden": nodes - rules.cells,
            "connections": connections,
            "games": population.generation * self._games * POPULATION,
        }

    @contextmanager
    def _own_randomness(self) -> Iterator[None]:
        """Let neat-python draw from this training's random numbers."""
        before = random.getstate()
        random.setstate(self._random)
        try:
            yield
        finally:
            self._random = random.getstate()
            random.setstate(before)

    def _count(self, genome: int, species: int | None) -> None:
        """Replace neat-python's counters by ones that can be saved."""
        population = self._population
        population.reproduction.genome_indexer = Counter(genome)
        known = max(population.species.species, default=0) + 1
        population.species.indexer = Counter(known if species is None else species)

    @property
    def architecture(self) -> str:
        wiring = self._wiring()
        hidden = len(wiring.start) - 1 - wiring.inputs
        return (
            f"evolved: {wiring.inputs} inputs, {hidden} hidden nodes, {self._rules.cells} outputs, "
            f"{len(wiring.weight)} connections"
        )

    def export(self) -> bytes:
        return to_onnx(self._wiring())

    def draw(self, metrics: Path, folder: Path) -> None:
        """Write `evolution.svg` and `network.svg`."""
        from .curves import read_metrics
        from .pictures import evolution, network, write_picture

        write_picture(evolution(read_metrics(metrics)), folder / "evolution.svg")
        wiring = self._wiring()
        write_picture(network(wiring, layers_of(wiring), self._rules), folder / "network.svg")

    def _wiring(self) -> Wiring:
        best = self._best
        if best is None:
            best = next(iter(self._population.population.values()))
        return wiring_of(best, self._rules.cells + 1, self._rules.cells)

    def state(self) -> TrainerState:
        population = self._population
        tracker = population.reproduction.innovation_tracker
        genomes = list(population.population.values())
        extra = [] if self._best is None else [self._best]
        state = TrainerState(
            values={
                "generation": population.generation,
                "population": len(genomes),
                "genome_indexer": population.reproduction.genome_indexer.following,
                "species_indexer": population.species.indexer.following,
                "node_indexer": population.config.genome_config.node_indexer.following,
                "innovations": tracker.global_counter,
                "best_moves": self._best_moves,
                "random": [self._random[0], list(self._random[1]), self._random[2]],
                "species": [
                    {
                        "key": each.key,
                        "created": each.created,
                        "last_improved": each.last_improved,
                        "representative": each.representative.key,
                        "members": list(each.members),
                        "fitness_history": each.fitness_history,
                    }
                    for each in population.species.species.values()
                ],
            }
        )
        save_genomes(state, genomes + extra)
        return state

    def restore(self, state: TrainerState) -> None:
        population, values = self._population, state.values
        genomes = load_genomes(state)
        self._best = genomes[values["population"]] if len(genomes) > values["population"] else None
        self._best_moves = values["best_moves"]
        population.population = {each.key: each for each in genomes[: values["population"]]}
        population.generation = values["generation"]
        population.config.genome_config.node_indexer = Counter(values["node_indexer"])
        population.reproduction.innovation_tracker.global_counter = values["innovations"]
        population.species.species = {}
        for entry in values["species"]:
            each = Species(entry["key"], entry["created"])
            each.last_improved = entry["last_improved"]
            each.fitness_history = list(entry["fitness_history"])
            members = {key: population.population[key] for key in entry["members"]}
            each.update(population.population[entry["representative"]], members)
            population.species.species[each.key] = each
        self._count(values["genome_indexer"], values["species_indexer"])
        version, numbers, gauss = values["random"]
        self._random = (version, tuple(numbers), gauss)
