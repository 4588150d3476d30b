"""T's genomes, crossover, distance and selection for neat-python (see `neat`)."""

from __future__ import annotations

import math
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import neat
import numpy as np
from neat.genome import DefaultGenomeConfig

from ...rules import Rules
from .trainer import TrainerState

POPULATION = 100
CHANGED, LITTLE = 0.8, 0.9
"""probability that a connection mutates, and that it then changes only a little"""
ONE_MORE_CONNECTION, ONE_MORE_NODE = 0.05, 0.01
TWO_PARENTS = 0.75
"""share of the offspring; the others are mutated copies of one parent, as in Stanley and
Miikkulainen (2002); T does not say"""
STAYS_ON = 0.25
WEIGHT_SHARE = 0.5
SMALL_GENOME = 20
SAME_SPECIES = 3.0
NEVER_ALIKE = 100.0
"""the mean difference of weights that no two genomes of a species can have"""


Start = Literal["full", "none"]
"""`full`: every input to every output, and a bias of every output. `none`: T's start, with a
bias that is a node of its own."""

Speciation = Literal["lenient", "strict"]
"""`lenient`: weights count as equal between genomes that share no connection, and a species dies
only for want of progress. `strict`, as in the template that T cites: such genomes are never one
species, and a species that has earned less than one child dies."""


@dataclass(frozen=True)
class NeatSettings:
    """What T does not specify, and where its start is not followed."""

    spread: float
    """standard deviation of random weights"""
    little: float
    """standard deviation of a small change"""
    streak: float
    """the value of a consecutive hit, in moves"""
    patience: int
    """generations without progress after which a species is removed"""
    start: Start = "full"
    """the connections of the first networks"""
    speciation: Speciation = "lenient"
    """which genomes are one species, and which species die"""


class Counter:
    """Counts like `itertools.count`, but its state can be saved."""

    def __init__(self, following: int) -> None:
        self.following = following

    def __next__(self) -> int:
        self.following += 1
        return self.following - 1


class ConnectionGene(neat.DefaultConnectionGene):  # type: ignore[misc]
    """neat-python's gene with a faster copy and mutation, which take most of the time of a
    generation."""

    weight: float

    def copy(self) -> ConnectionGene:
        twin = ConnectionGene.__new__(ConnectionGene)
        twin.key, twin.innovation = self.key, self.innovation
        twin.weight, twin.enabled = self.weight, self.enabled
        return twin

    def mutate(self, config: Any) -> None:
        drawn = random.random()
        if drawn < config.weight_mutate_rate:
            weight = self.weight + random.gauss(0.0, config.weight_mutate_power)
            self.weight = max(config.weight_min_value, min(config.weight_max_value, weight))
        elif drawn < config.weight_mutate_rate + config.weight_replace_rate:
            self.weight = random.gauss(0.0, config.weight_init_stdev)


class Genome(neat.DefaultGenome):  # type: ignore[misc]
    """neat-python's genome with T's crossover and T's distance."""

    @classmethod
    def parse_config(cls, param_dict: dict[str, Any]) -> Any:
        param_dict["node_gene_type"] = neat.DefaultNodeGene
        param_dict["connection_gene_type"] = ConnectionGene
        return DefaultGenomeConfig(param_dict, cls.__name__)

    def configure_new(self, config: Any) -> None:
        """A network without connections mutates at once, as in the template that T cites."""
        super().configure_new(config)
        if not self.connections:
            self.mutate(config)

    def mutate(self, config: Any) -> None:
        if not self.connections:
            self.mutate_add_connection(config)
        super().mutate(config)

    def configure_crossover(self, genome1: Any, genome2: Any, config: Any) -> None:
        """A child with the connections of the fitter parent, so that no cycle can arise."""
        fitter, other = (
            (genome1, genome2) if genome1.fitness > genome2.fitness else (genome2, genome1)
        )
        for key, gene in fitter.connections.items():
            twin = other.connections.get(key)
            if twin is None or twin.innovation != gene.innovation:
                child = gene.copy()
                child.enabled = gene.enabled and random.random() < STAYS_ON
            else:
                child = (gene if random.random() < 0.5 else twin).copy()
            self.connections[key] = child
        for key, node in fitter.nodes.items():
            twin = other.nodes.get(key)
            self.nodes[key] = (node if twin is None or random.random() < 0.5 else twin).copy()

    def distance(self, other: Any, config: Any) -> float:
        mine = {gene.innovation: gene.weight for gene in self.connections.values()}
        apart, shared = 0.0, 0
        for gene in other.connections.values():
            weight = mine.get(gene.innovation)
            if weight is not None:
                apart += abs(weight - gene.weight)
                shared += 1
        single = len(mine) + len(other.connections) - 2 * shared
        largest = max(len(mine), len(other.connections))
        mean = apart / shared if shared else config.no_shared_weight
        return float(single / max(1, largest - SMALL_GENOME) + WEIGHT_SHARE * mean)


class UpperHalfLives(neat.DefaultReproduction):  # type: ignore[misc]
    """neat-python's reproduction (species grow with their fitness), except that the upper half
    of a species survives unchanged and has all the offspring."""

    def reproduce(self, config: Any, species: Any, pop_size: int, generation: int) -> Any:
        config.genome_config.innovation_tracker = self.innovation_tracker
        self.innovation_tracker.reset_generation()
        going = [
            each
            for _, each, stagnant in self.stagnation.update(species, generation)
            if not stagnant
        ]
        fitness = [genome.fitness for each in going for genome in each.members.values()]
        lowest, span = min(fitness), max(1.0, max(fitness) - min(fitness))
        shares = []
        for each in going:
            mean = sum(genome.fitness for genome in each.members.values()) / len(each.members)
            each.adjusted_fitness = (mean - lowest) / span
            shares.append(each.adjusted_fitness)
        if self.reproduction_config.strict:
            going, shares = _earning_a_child(going, shares, pop_size)
        sizes = [len(each.members) for each in going]
        room = self._adjust_spawn_exact(self.compute_spawn(shares, sizes, pop_size, 1), pop_size, 1)
        population: dict[int, Any] = {}
        species.species = {}
        for size, each in zip(room, going, strict=True):
            ranked = sorted(each.members.items(), key=lambda it: (it[1].fitness, it[0]))[::-1]
            parents = ranked[: math.ceil(len(ranked) / 2)]
            each.members = {}
            species.species[each.key] = each
            population |= dict(parents[:size])
            for _ in range(size - len(parents)):
                _, mother = random.choice(parents)
                two = random.random() < TWO_PARENTS
                _, father = random.choice(parents) if two else (0, mother)
                child = config.genome_type(next(self.genome_indexer))
                child.configure_crossover(mother, father, config.genome_config)
                child.mutate(config.genome_config)
                population[child.key] = child
        return population


def _earning_a_child(
    species: list[Any], shares: list[float], children: int
) -> tuple[list[Any], list[float]]:
    """The species, and their shares, that earn a whole child; the best one always does."""
    least = min(sum(shares) / children, max(shares))
    kept = [place for place, share in enumerate(shares) if share >= least]
    return [species[place] for place in kept], [shares[place] for place in kept]


_CONFIG = """
[NEAT]
pop_size = {population}
fitness_criterion = max
fitness_threshold = 0
no_fitness_termination = True
reset_on_extinction = False

[Genome]
num_inputs = {inputs}
num_outputs = {outputs}
num_hidden = 0
feed_forward = True
initial_connection = {start}
compatibility_disjoint_coefficient = 1.0
compatibility_weight_coefficient = 0.5
conn_add_prob = {connection}
conn_delete_prob = 0.0
node_add_prob = {node}
node_delete_prob = 0.0
single_structural_mutation = False
structural_mutation_surer = False
enabled_default = True
enabled_mutate_rate = 0.0
enabled_rate_to_true_add = 0.0
enabled_rate_to_false_add = 0.0
activation_default = sigmoid
activation_mutate_rate = 0.0
activation_options = sigmoid
aggregation_default = sum
aggregation_mutate_rate = 0.0
aggregation_options = sum
{numbers}

[DefaultSpeciesSet]
compatibility_threshold = {threshold!r}

[DefaultStagnation]
species_fitness_func = max
max_stagnation = {patience}
species_elitism = 2

[UpperHalfLives]
elitism = 0
survival_threshold = 0.5
min_species_size = 1
"""

_NUMBER = """
{name}_init_type = gaussian
{name}_init_mean = {mean}
{name}_init_stdev = {spread}
{name}_mutate_rate = {little_rate}
{name}_replace_rate = {replace_rate}
{name}_mutate_power = {little}
{name}_max_value = 1000.0
{name}_min_value = -1000.0
"""


def make_config(rules: Rules, settings: NeatSettings) -> Any:
    """The configuration of neat-python: T's numbers and the settings."""
    rates = {"little_rate": CHANGED * LITTLE, "replace_rate": CHANGED * (1 - LITTLE)}
    changing = {"mean": 0.0, "spread": settings.spread, "little": settings.little, **rates}
    fixed = {"mean": 1.0, "spread": 0.0, "little": 0.0, "little_rate": 0.0, "replace_rate": 0.0}
    none = {**fixed, "mean": 0.0}
    empty = settings.start == "none"
    numbers = [
        _NUMBER.format(name="weight", **changing),
        _NUMBER.format(name="bias", **(none if empty else changing)),
        *(_NUMBER.format(name=name, **fixed) for name in ("response", "time_constant")),
    ]
    text = _CONFIG.format(
        population=POPULATION,
        inputs=rules.cells + 1 + empty,
        outputs=rules.cells,
        start="unconnected" if empty else "full_direct",
        connection=ONE_MORE_CONNECTION,
        node=ONE_MORE_NODE,
        # neat-python compares with <, T with <=.
        threshold=math.nextafter(SAME_SPECIES, math.inf),
        patience=settings.patience,
        numbers="".join(numbers),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "neat.ini"
        path.write_text(text, encoding="utf-8")
        config = neat.Config(
            Genome, UpperHalfLives, neat.DefaultSpeciesSet, neat.DefaultStagnation, str(path)
        )
    strict = settings.speciation == "strict"
    config.genome_config.no_shared_weight = NEVER_ALIKE if strict else 0.0
    config.reproduction_config.strict = strict
    return config


_NODE = np.dtype([("key", "i8"), ("bias", "f8")])
_LINK = np.dtype(
    [("source", "i8"), ("target", "i8"), ("innovation", "i8"), ("weight", "f8"), ("on", "?")]
)


def save_genomes(state: TrainerState, genomes: list[Any]) -> None:
    """In the order of their genes, which decides which random number each one gets."""
    nodes = [(node.key, node.bias) for each in genomes for node in each.nodes.values()]
    links = [
        (*gene.key, gene.innovation, gene.weight, gene.enabled)
        for each in genomes
        for gene in each.connections.values()
    ]
    state.arrays["genome_keys"] = np.array([each.key for each in genomes], dtype=np.int64)
    state.arrays["genome_fitness"] = np.array(
        [math.nan if each.fitness is None else each.fitness for each in genomes]
    )
    state.arrays["node_counts"] = np.array([len(each.nodes) for each in genomes])
    state.arrays["link_counts"] = np.array([len(each.connections) for each in genomes])
    table = np.array(nodes, dtype=_NODE)
    state.arrays |= {f"nodes.{name}": table[name].copy() for name in _NODE.names or ()}
    table = np.array(links, dtype=_LINK)
    state.arrays |= {f"links.{name}": table[name].copy() for name in _LINK.names or ()}


def load_genomes(state: TrainerState) -> list[Any]:
    arrays = state.arrays
    nodes = zip(*(arrays[f"nodes.{name}"].tolist() for name in _NODE.names or ()), strict=True)
    links = zip(*(arrays[f"links.{name}"].tolist() for name in _LINK.names or ()), strict=True)
    genomes = []
    for key, fitness, node_count, link_count in zip(
        *(
            arrays[name].tolist()
            for name in ("genome_keys", "genome_fitness", "node_counts", "link_counts")
        ),
        strict=True,
    ):
        genome = Genome(key)
        genome.fitness = None if math.isnan(fitness) else fitness
        for _ in range(node_count):
            place, bias = next(nodes)
            node = neat.DefaultNodeGene(place)
            node.bias, node.response, node.time_constant = bias, 1.0, 1.0
            node.activation, node.aggregation = "sigmoid", "sum"
            genome.nodes[place] = node
        for _ in range(link_count):
            source, target, innovation, weight, on = next(links)
            gene = ConnectionGene((source, target), innovation=innovation)
            gene.weight, gene.enabled = weight, on
            genome.connections[gene.key] = gene
        genomes.append(genome)
    return genomes
