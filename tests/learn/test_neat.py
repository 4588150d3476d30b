"""NEAT: the compiled network is neat-python's, T's rules of evolution, and its checkpoints."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import neat
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.dealing.uniform import deal_games
from seabattle.learn.neat_network_kernels import outputs_of
from seabattle.learn.onnx_model import FORMS, load_model
from seabattle.learn.training.checkpoint import load_state, save_state
from seabattle.learn.training.neat import NeatTrainer, play_genome
from seabattle.learn.training.neat_genomes import ConnectionGene, Genome, NeatSettings, make_config
from seabattle.learn.training.neat_wiring import to_onnx, wiring_of
from seabattle.learn.training.pictures import direct_weights
from seabattle.learn.training.practice_games import as_player, occupied_cells
from seabattle.learn.training.trainer import TrainingSetup
from seabattle.learn.training.training_run import train
from seabattle.players.network_player import play_network
from seabattle.rules import Rules

TINY = Rules(3, 4, (3, 2), "none", "hit-miss")
BOARDS = (TINY, Rules(2, 2, (1,)), Rules(5, 4, (3, 1, 1), "any", "sunk-named"))
SETTINGS = NeatSettings(spread=1.0, little=0.5, streak=0.1, patience=20)


def grown(rules: Rules, seed: int, changes: int) -> tuple[Any, Any]:
    """A genome that many structural changes have happened to, and its configuration."""
    before = random.getstate()
    random.seed(seed)
    try:
        config = make_config(rules, SETTINGS)
        genome = neat.Population(config).population[1]
        for _ in range(changes):
            genome.mutate_add_node(config.genome_config)
            for _ in range(3):
                genome.mutate_add_connection(config.genome_config)
        genome.mutate(config.genome_config)
    finally:
        random.setstate(before)
    return genome, config


def slow_game(network: Any, occupied: np.ndarray) -> tuple[int, int]:
    """A game as T tells it, with neat-python's own network: moves and consecutive hits."""
    cells = len(occupied)
    seen, last, moves, streaks = [0.01] * cells, -1.0, 0, 0
    while sum(value == 1.0 for value in seen) < occupied.sum():
        # neat-python's sigmoid rounds large outputs to 1, so their order is taken before it.
        network.activate([*seen, last])
        chances = sums_before_sigmoid(network, [*seen, last])
        cell = max((c for c in range(cells) if seen[c] == 0.01), key=lambda c: (chances[c], -c))
        moves += 1
        streaks += bool(occupied[cell]) and last == 1.0
        last = 1.0 if occupied[cell] else -1.0
        seen[cell] = last
    return moves, streaks


def sums_before_sigmoid(network: Any, inputs: list[float]) -> list[float]:
    network.activate(inputs)
    sums = {
        node: bias + response * sum(network.values[source] * weight for source, weight in links)
        for node, _, _, bias, response, links in network.node_evals
    }
    return [sums[node] for node in network.output_nodes]


@given(rules=st.sampled_from(BOARDS), seed=st.integers(0, 999), changes=st.integers(0, 8))
@settings(deadline=None, max_examples=25)
def test_the_compiled_network_is_that_of_neat_python(rules: Rules, seed: int, changes: int) -> None:
    genome, config = grown(rules, seed, changes)
    network = neat.nn.FeedForwardNetwork.create(genome, config)
    wiring = wiring_of(genome, rules.cells + 1, rules.cells)
    rng = np.random.default_rng(seed)
    inputs = rng.choice([1.0, -1.0, 0.01], size=rules.cells + 1)
    compiled = outputs_of(wiring, inputs)
    assert compiled == pytest.approx(sums_before_sigmoid(network, inputs.tolist()), abs=1e-9)
    squashed = 1 / (1 + np.exp(-np.clip(5 * compiled, -60, 60)))
    assert squashed == pytest.approx(network.activate(inputs.tolist()), abs=1e-9)


@given(rules=st.sampled_from(BOARDS), seed=st.integers(0, 999))
@settings(deadline=None, max_examples=10)
def test_games_of_many_layouts_at_once_are_the_games_one_by_one(rules: Rules, seed: int) -> None:
    genome, config = grown(rules, seed, 4)
    occupied = occupied_cells(rules, deal_games(rules, seed, range(12)))
    assert (occupied.sum(axis=1) == rules.ship_cells).all()
    moves, streaks = play_genome(genome, occupied)
    network = neat.nn.FeedForwardNetwork.create(genome, config)
    slow = [slow_game(network, layout) for layout in occupied]
    assert list(zip(moves.tolist(), streaks.tolist(), strict=True)) == slow


@given(rules=st.sampled_from(BOARDS), seed=st.integers(0, 999))
@settings(deadline=None, max_examples=6)
def test_the_exported_network_plays_the_games_it_was_judged_by(rules: Rules, seed: int) -> None:
    genome, _ = grown(rules, seed, 6)
    placements = deal_games(rules, seed, range(20))
    content = to_onnx(wiring_of(genome, rules.cells + 1, rules.cells))
    model = as_player(content, "neat", rules, FORMS["last-hit"])
    shots, _ = play_network(model, rules, placements)
    judged, _ = play_genome(genome, occupied_cells(rules, placements))
    assert shots.tolist() == judged.tolist()


def genome_with(weights: dict[int, float]) -> Any:
    """A genome with these innovations and weights."""
    genome = Genome(0)
    for innovation, weight in weights.items():
        gene = ConnectionGene((-1, innovation), innovation=innovation)
        gene.weight, gene.enabled = weight, True
        genome.connections[gene.key] = gene
    return genome


def test_the_distance_of_genomes_is_that_of_the_document() -> None:
    first = genome_with({1: 0.0, 2: 1.0, 3: 0.0})
    second = genome_with({1: 2.0, 2: 1.0, 4: 5.0, 5: 5.0})
    # 3 genes stand alone and the genomes are small; shared weights differ by 2 and 0.
    assert first.distance(second, None) == second.distance(first, None) == 3 / 1 + 0.5 * 1.0
    large = genome_with(dict.fromkeys(range(1, 51), 0.0))
    assert large.distance(first, None) == 47 / (50 - 20) + 0.5 * (1 / 3)


def test_shared_genes_come_from_either_parent_and_the_others_are_mostly_off() -> None:
    mother = genome_with(dict.fromkeys(range(1, 401), 1.0))
    father = genome_with(dict.fromkeys(range(1, 201), 2.0))
    mother.fitness, father.fitness = 2.0, 1.0
    random.seed(5)
    child = Genome(1)
    child.configure_crossover(father, mother, None)
    genes = {gene.innovation: gene for gene in child.connections.values()}
    shared = [genes[number].weight for number in range(1, 201)]
    assert 70 < shared.count(1.0) < 130
    assert shared.count(1.0) + shared.count(2.0) == 200
    on = sum(genes[number].enabled for number in range(201, 401))
    assert 25 < on < 80  # a quarter of 200
    assert all(genes[number].enabled for number in range(1, 201))


def test_four_in_five_weights_mutate_and_a_tenth_of_those_are_redrawn() -> None:
    config = make_config(TINY, NeatSettings(spread=0.001, little=0.5, streak=0.1, patience=20))
    random.seed(6)
    genome = genome_with(dict.fromkeys(range(1, 4001), 100.0))
    for gene in genome.connections.values():
        gene.mutate(config.genome_config)
    weights = np.array([gene.weight for gene in genome.connections.values()])
    assert 0.17 < (weights == 100.0).mean() < 0.23
    assert 0.065 < (abs(weights) < 1).mean() < 0.095


def trainer(folder: Path, **parameters: Any) -> NeatTrainer:
    return NeatTrainer(
        TrainingSetup(TINY, 3, folder, 20), games=20, watched=30, patience=4, **parameters
    )


def test_the_upper_half_lives_and_the_population_stays_a_hundred(tmp_path: Path) -> None:
    run = trainer(tmp_path)
    run.step()
    before = dict(run._population.population)
    species = {
        key: [genome.key for genome in each.members.values()]
        for key, each in run._population.species.species.items()
    }
    run.step()
    after = run._population.population
    assert len(after) == 100
    if len(species) == 1:
        ranked = sorted(before.values(), key=lambda it: (it.fitness, it.key), reverse=True)
        assert {each.key for each in ranked[:50]} == set(before) & set(after)


@pytest.mark.parametrize("little", [0.5, 8.0], ids=["one species", "many species"])
def test_a_resumed_evolution_goes_on_as_the_first_one_did(tmp_path: Path, little: float) -> None:
    first = trainer(tmp_path, little=little, spread=little)
    for _ in range(4):
        first.step()
    save_state(tmp_path / "checkpoint.npz", first.state())
    random.seed(99)  # whatever else draws from the global generator
    rows = [first.step() for _ in range(8)]
    second = trainer(tmp_path, little=little, spread=little)
    second.restore(load_state(tmp_path / "checkpoint.npz"))
    random.seed(7)
    assert [second.step() for _ in range(8)] == rows
    assert second.export() == first.export()
    if little > 1:
        assert max(row["species"] for row in rows) > 1


def test_the_start_of_the_document_has_no_connections_but_the_first_mutation(
    tmp_path: Path,
) -> None:
    run = trainer(tmp_path, start="none", speciation="strict")
    genomes = list(run._population.population.values())
    assert all(1 <= len(each.connections) <= 3 for each in genomes)
    assert all(node.bias == 0 for each in genomes for node in each.nodes.values())
    inputs = TINY.cells + 1
    biased = [each for each in genomes if any(key[0] == -1 - inputs for key in each.connections)]
    assert biased, "the bias node is one of the nodes that a connection may start from"
    (_, target), gene = next(
        item for item in biased[0].connections.items() if item[0][0] == -1 - inputs
    )
    wiring = wiring_of(biased[0], inputs, TINY.cells)
    assert len(wiring.start) - 1 == inputs  # the bias is no input of the network that plays
    assert wiring.bias[target] == gene.weight


def test_strict_speciation_begins_with_many_species_and_drops_the_weak_ones(
    tmp_path: Path,
) -> None:
    lenient = trainer(tmp_path, start="none")
    strict = trainer(tmp_path, start="none", speciation="strict")
    counts = [strict.step()["species"] for _ in range(12)]
    assert counts[0] > 40
    assert counts[-1] < counts[0] / 2
    assert lenient.step()["species"] < 10


def test_a_resumed_evolution_from_nothing_goes_on_as_the_first_one_did(tmp_path: Path) -> None:
    first = trainer(tmp_path, start="none", speciation="strict")
    for _ in range(4):
        first.step()
    save_state(tmp_path / "checkpoint.npz", first.state())
    rows = [first.step() for _ in range(4)]
    second = trainer(tmp_path, start="none", speciation="strict")
    second.restore(load_state(tmp_path / "checkpoint.npz"))
    assert [second.step() for _ in range(4)] == rows
    assert second.export() == first.export()


def test_training_leaves_the_global_generator_alone(tmp_path: Path) -> None:
    random.seed(1)
    wanted = random.random()
    random.seed(1)
    trainer(tmp_path).step()
    assert random.random() == wanted


def test_a_training_draws_its_evolution_and_its_network(tmp_path: Path) -> None:
    ended = train("neat:games=5,watched=20", TINY, 3, tmp_path / "run", steps=2)
    assert ended.ended == "done"
    evolution, network = (
        (tmp_path / "run" / f"{name}.svg").read_text() for name in ("evolution", "network")
    )
    assert "champion of the generation" in evolution
    assert "generation" in evolution
    assert all(TINY.cell_name(cell) in network for cell in range(TINY.cells))
    about = load_model(ended.model).about
    assert re.match(r"evolved: 13 inputs, \d+ hidden nodes, 12 outputs", about["architecture"])


@pytest.mark.parametrize("rules", BOARDS, ids=Rules.to_text)
def test_direct_weights_are_those_of_connections_from_input_to_output(rules: Rules) -> None:
    genome, _ = grown(rules, 7, 5)
    wiring = wiring_of(genome, rules.cells + 1, rules.cells)
    expected = np.zeros((rules.cells + 1, rules.cells))
    for (source, target), gene in genome.connections.items():
        if gene.enabled and source < 0 <= target < rules.cells:
            expected[-source - 1, target] = gene.weight
    assert np.count_nonzero(expected) > 0
    np.testing.assert_allclose(direct_weights(wiring, rules.cells), expected)
