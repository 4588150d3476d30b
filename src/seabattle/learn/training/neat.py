"""Training `neat` (T 2.2): networks that evolve their weights and their wiring.

neat-python does it, with what T says in the place of its own rules:

    inputs      one per cell (1 hit, -1 miss, 0.01 unknown), and one that is 1 if the
                last shot hit, else -1; one output per cell; sigmoid; population 100
    weights     each connection changes with chance 0.8: in 90% of cases a little,
                else to another random value
    wiring      one more connection with chance 0.05, one more node with chance 0.01
    crossover   a gene of both parents comes from either; one that a single parent has
                stays on with chance 0.25
    distance    E / max(1, N - 20) + 0.5 W, where E genes are in one genome only, the
                larger genome has N, and shared weights differ by W on average; up to
                3 it is one species
    selection   the upper half of a species lives on, and its offspring replace the rest
    fitness     the fewer moves and the more consecutive hits, the better

T leaves open how the two are added up, how large random weights and little changes are,
how many children have two parents, and what the first networks look like; `NeatSettings` and
docs/learning-neat.md say what was chosen. neat-python draws from Python's global
generator, which is put back as it was found after every generation.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import neat
import numpy as np
import numpy.typing as npt
from neat.genome import DefaultGenomeConfig
from neat.species import Species

from ...compiled.rules_tables import board_of
from ...dealing.uniform import deal_games
from ...errors import TrainingError
from ...rules import Rules
from ..neat_network_kernels import STEEPNESS, Wiring, play_layouts
from ..onnx_model import INPUT
from .onnx_export import Graph
from .practice_games import CHANCE, LAYOUTS, WATCH, seed_for
from .trainer import Setup, State, register_trainer

POPULATION = 100
CHANGED, LITTLE = 0.8, 0.9
"""chance that a connection changes, and that it then changes only a little"""
ONE_MORE_CONNECTION, ONE_MORE_NODE = 0.05, 0.01
TWO_PARENTS = 0.75
"""share of the offspring; the others are changed copies of one, as in Stanley and
Miikkulainen (2002): T does not say"""
STAYS_ON = 0.25
WEIGHT_SHARE = 0.5
SMALL_GENOME = 20
SAME_SPECIES = 3.0


@dataclass(frozen=True)
class NeatSettings:
    """What T leaves open."""

    spread: float
    """standard deviation of random weights"""
    little: float
    """standard deviation of a little change"""
    streak: float
    """what a consecutive hit is worth, in moves"""
    patience: int
    """generations without progress after which a species is given up"""


class Counter:
    """Numbers its askers, as `itertools.count` does, but can be read and put back."""

    def __init__(self, following: int) -> None:
        self.following = following

    def __next__(self) -> int:
        self.following += 1
        return self.following - 1


class Connection(neat.DefaultConnectionGene):  # type: ignore[misc]
    """neat-python's gene, copied and changed without its general machinery: that is most of
    what happens in a generation."""

    weight: float

    def copy(self) -> Connection:
        twin = Connection.__new__(Connection)
        twin.key, twin.innovation = self.key, self.innovation
        twin.weight, twin.enabled = self.weight, self.enabled
        return twin

    def mutate(self, config: Any) -> None:
        chance = random.random()
        if chance < config.weight_mutate_rate:
            weight = self.weight + random.gauss(0.0, config.weight_mutate_power)
            self.weight = max(config.weight_min_value, min(config.weight_max_value, weight))
        elif chance < config.weight_mutate_rate + config.weight_replace_rate:
            self.weight = random.gauss(0.0, config.weight_init_stdev)


class Genome(neat.DefaultGenome):  # type: ignore[misc]
    """neat-python's genome with T's crossover and T's distance."""

    @classmethod
    def parse_config(cls, param_dict: dict[str, Any]) -> Any:
        param_dict["node_gene_type"] = neat.DefaultNodeGene
        param_dict["connection_gene_type"] = Connection
        return DefaultGenomeConfig(param_dict, cls.__name__)

    def configure_crossover(self, genome1: Any, genome2: Any, config: Any) -> None:
        """A child with the wiring of the fitter parent, so that no circle can arise."""
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
        mean = apart / shared if shared else 0.0
        return float(single / max(1, largest - SMALL_GENOME) + WEIGHT_SHARE * mean)


class UpperHalfLives(neat.DefaultReproduction):  # type: ignore[misc]
    """neat-python's reproduction (species grow by their fitness), except that the upper half
    of a species passes on unchanged and has the offspring."""

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
initial_connection = full_direct
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
    """T's figures and ours in the form that neat-python reads."""
    rates = {"little_rate": CHANGED * LITTLE, "replace_rate": CHANGED * (1 - LITTLE)}
    changing = {"mean": 0.0, "spread": settings.spread, "little": settings.little, **rates}
    fixed = {"mean": 1.0, "spread": 0.0, "little": 0.0, "little_rate": 0.0, "replace_rate": 0.0}
    numbers = [_NUMBER.format(name=name, **changing) for name in ("weight", "bias")]
    numbers += [_NUMBER.format(name=name, **fixed) for name in ("response", "time_constant")]
    text = _CONFIG.format(
        population=POPULATION,
        inputs=rules.cells + 1,
        outputs=rules.cells,
        connection=ONE_MORE_CONNECTION,
        node=ONE_MORE_NODE,
        # neat-python asks for less than the threshold, T for no more than it.
        threshold=math.nextafter(SAME_SPECIES, math.inf),
        patience=settings.patience,
        numbers="".join(numbers),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "neat.ini"
        path.write_text(text, encoding="utf-8")
        return neat.Config(
            Genome, UpperHalfLives, neat.DefaultSpeciesSet, neat.DefaultStagnation, str(path)
        )


def wiring_of(genome: Any, inputs: int, outputs: int) -> Wiring:
    """A genome as arrays; nodes that lead to no output are left out."""
    into: dict[int, list[tuple[int, float]]] = {}
    for (source, target), gene in genome.connections.items():
        if gene.enabled:
            into.setdefault(target, []).append((source, gene.weight))
    hidden: dict[int, None] = {}

    def visit(node: int) -> None:
        for source, _ in into.get(node, ()):
            if source >= outputs and source not in hidden:
                visit(source)
                hidden[source] = None

    for cell in range(outputs):
        visit(cell)
    # neat-python numbers inputs -1, -2, ... and outputs 0, 1, ...
    number = {-1 - place: place for place in range(inputs)}
    number |= {node: inputs + place for place, node in enumerate(hidden)}
    nodes = [*hidden, *range(outputs)]
    out: list[list[tuple[int, float]]] = [[] for _ in number]
    for target, node in enumerate(nodes):
        for source, weight in into.get(node, ()):
            out[number[source]].append((target, weight))
    links = [link for each in out for link in each]
    return Wiring(
        inputs,
        np.cumsum([0, *map(len, out)], dtype=np.int64),
        np.array([target for target, _ in links], dtype=np.int64),
        np.array([weight for _, weight in links], dtype=np.float64),
        np.array([genome.nodes[node].bias for node in nodes], dtype=np.float64),
    )


def occupied_cells(rules: Rules, placements: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """(games, cells) whether a ship lies there."""
    cover = board_of(rules).cover
    occupied = np.zeros((len(placements), rules.cells), dtype=np.bool_)
    for ship, length in enumerate(rules.fleet):
        covered = cover[placements[:, ship], :length]
        np.put_along_axis(occupied, covered.astype(np.int64), True, axis=1)
    return occupied


def play_genome(
    genome: Any, occupied: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """How many moves and how many consecutive hits each of these games had."""
    games, cells = occupied.shape
    moves, streaks = np.empty(games, dtype=np.int32), np.empty(games, dtype=np.int32)
    play_layouts(wiring_of(genome, cells + 1, cells), occupied, moves, streaks)
    return moves, streaks


def to_onnx(wiring: Wiring) -> bytes:
    """A network as matrix products, one for the hidden nodes of each layer and one for the
    outputs; a layer is the nodes that are fed by earlier layers alone."""
    sources = len(wiring.start) - 1
    hidden, inputs = sources - wiring.inputs, wiring.inputs
    outputs = len(wiring.bias) - hidden
    matrix = np.zeros((sources, len(wiring.bias)), dtype=np.float32)
    for source in range(sources):
        links = slice(wiring.start[source], wiring.start[source + 1])
        matrix[source, wiring.target[links]] = wiring.weight[links]
    graph = Graph()
    values, known = INPUT, list(range(inputs))
    for layer in layers_of(wiring):
        nodes = np.array(layer)
        weights = graph.constant(matrix[known][:, nodes] * np.float32(STEEPNESS))
        bias = graph.constant((wiring.bias[nodes] * STEEPNESS).astype(np.float32))
        fired = graph.node("Sigmoid", graph.node("Gemm", values, weights, bias))
        values = graph.node("Concat", values, fired, axis=1)
        known += [inputs + node for node in layer]
    weights = graph.constant(matrix[known][:, hidden:])
    bias = graph.constant(wiring.bias[hidden:].astype(np.float32))
    return graph.finish(graph.node("Gemm", values, weights, bias), (inputs,), outputs)


def layers_of(wiring: Wiring) -> list[list[int]]:
    """The hidden nodes, by how many hidden nodes lie before each at most."""
    hidden = len(wiring.start) - 1 - wiring.inputs
    depth = [0] * hidden
    for node in range(hidden):
        source = wiring.inputs + node
        for target in wiring.target[wiring.start[source] : wiring.start[source + 1]]:
            if target < hidden:
                depth[target] = max(depth[target], depth[node] + 1)
    deepest = max(depth, default=-1)
    return [[node for node in range(hidden) if depth[node] == at] for at in range(deepest + 1)]


@register_trainer("neat", steps=1500, rules="mini")
class NeatTrainer:
    """A step is a generation."""

    form = "last-hit"

    def __init__(
        self,
        setup: Setup,
        *,
        games: Annotated[int, "games of each genome in a generation"] = 500,
        watched: Annotated[int, "games of a look at the best genome's moves"] = 2000,
        spread: Annotated[float, "standard deviation of random weights"] = 0.2,
        little: Annotated[float, "standard deviation of a little change"] = 1.0,
        streak: Annotated[float, "what a consecutive hit is worth, in moves"] = 0.1,
        patience: Annotated[int, "generations that a species may go without progress"] = 100,
    ) -> None:
        if min(games, watched, patience) < 1:
            raise TrainingError("games, watched and patience are 1 or more.")
        if min(spread, little, streak) < 0:
            raise TrainingError("spread, little and streak are 0 or more.")
        self._rules, self._seed, self._games = setup.rules, setup.seed, games
        self._watched = occupied_cells(
            setup.rules, deal_games(setup.rules, seed_for(setup.seed, WATCH), range(watched))
        )
        self._streak = streak
        config = make_config(setup.rules, NeatSettings(spread, little, streak, patience))
        self._random = random.Random(seed_for(setup.seed, CHANCE)).getstate()
        with self._chance():
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

        with self._chance():
            population.run(judge, 1)
        seen.sort(key=lambda each: each[0], reverse=True)
        champion = seen[0][2]
        # The games of one generation do not tell which of its best is the best.
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
    def _chance(self) -> Iterator[None]:
        """Let neat-python draw from our own numbers."""
        before = random.getstate()
        random.setstate(self._random)
        try:
            yield
        finally:
            self._random = random.getstate()
            random.setstate(before)

    def _count(self, genome: int, species: int | None) -> None:
        """Put counters in place that can be read."""
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
        """`evolution.svg` and `network.svg`."""
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

    def state(self) -> State:
        population = self._population
        tracker = population.reproduction.innovation_tracker
        genomes = list(population.population.values())
        extra = [] if self._best is None else [self._best]
        state = State(
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
        _save_genomes(state, genomes + extra)
        return state

    def restore(self, state: State) -> None:
        population, values = self._population, state.values
        genomes = _load_genomes(state)
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


_NODE = np.dtype([("key", "i8"), ("bias", "f8")])
_LINK = np.dtype(
    [("source", "i8"), ("target", "i8"), ("innovation", "i8"), ("weight", "f8"), ("on", "?")]
)


def _save_genomes(state: State, genomes: list[Any]) -> None:
    """In the order that their genes are kept in, which decides what chance falls on which."""
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


def _load_genomes(state: State) -> list[Any]:
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
            gene = Connection((source, target), innovation=innovation)
            gene.weight, gene.enabled = weight, on
            genome.connections[gene.key] = gene
        genomes.append(genome)
    return genomes
