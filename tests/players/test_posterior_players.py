"""`exact` and `heat-map` shoot where a ship most likely is, and are repeatable."""

from __future__ import annotations

import numpy as np
import pytest

from seabattle.belief import infer
from seabattle.compiled.board_tables import Cells, Ints
from seabattle.compiled.random_streams import Rng
from seabattle.compiled.rules_tables import symmetries_of
from seabattle.dealing.placement_numbers import layout_of
from seabattle.dealing.uniform import deal_games
from seabattle.errors import ImpossibleObservation, PlayerError
from seabattle.experiment.play import play_batch
from seabattle.game import Game
from seabattle.observation import Observation
from seabattle.players import make_player
from seabattle.players.batch_play import play_move_by_move
from seabattle.players.posterior_player import PosteriorPlayer, cached_posterior
from seabattle.rules import ANSWERS, CONTACTS, Rules
from seabattle.testing import VARIETY as EVERY
from seabattle.testing import check_player

VARIETY = [
    *(Rules(5, 4, (3, 2, 2, 1), contact, answers) for contact in CONTACTS for answers in ANSWERS),
    Rules(5, 5, (3, 2, 2), "any", "sunk"),
    Rules(2, 2, (1,)),
    Rules.from_text("mini"),
]


def positions(rules: Rules, seed: int, games: int) -> list[Observation]:
    """Positions of random games, the finished ones left out."""
    rng = np.random.default_rng(seed)
    found = []
    for placements in deal_games(rules, seed, range(games)):
        game = Game(layout_of(rules, placements))
        for cell in rng.permutation(rules.cells)[: int(rng.integers(rules.cells))]:
            game.fire(int(cell))
            if game.finished:
                break
        if not game.finished:
            found.append(Observation(rules, game.shots))
    return found


@pytest.mark.parametrize("name", ["exact", "heat-map"])
@pytest.mark.parametrize("rules", VARIETY, ids=lambda rules: rules.to_text())
def test_the_most_likely_cell_is_chosen(name: str, rules: Rules) -> None:
    player = make_player(name)
    for observation in positions(rules, 1, 12):
        cell = player.choose(observation, np.random.default_rng(0))
        chances = infer(observation).probability.ravel()
        assert cell in observation.unknown
        assert chances[cell] == pytest.approx(max(chances[u] for u in observation.unknown))


@pytest.mark.parametrize("name", ["exact", "heat-map", "exact:ties=isolated"])
@pytest.mark.parametrize("rules", VARIETY, ids=lambda rules: rules.to_text())
def test_batches_are_the_games_played_shot_by_shot(name: str, rules: Rules) -> None:
    player = make_player(name)
    assert isinstance(player, PosteriorPlayer)
    placements = deal_games(rules, 2, range(10))
    seeds = np.arange(10, dtype=np.uint64)
    shots, fired = player.play_games(rules, placements, seeds)
    for number in range(10):
        game = Game(layout_of(rules, placements[number]))
        state = seeds[number : number + 1].copy()
        while not game.finished:
            game.fire(player.choose_with(Observation(rules, game.shots), state))
        assert [shot.cell for shot in game.shots] == fired[number, : shots[number]].tolist()


@pytest.mark.parametrize("name", ["exact", "heat-map", "exact:ties=isolated"])
def test_games_with_positions_too_large_to_count_go_on_with_samples(name: str) -> None:
    # So little time is enough for the end of a game, not for its beginning.
    separator = "," if ":" in name else ":"
    player = make_player(f"{name}{separator}seconds=0.0001")
    rules = Rules.from_text("9x9 fleet=4,3,3,2 contact=any answers=sunk turns=alternate")
    placements, seeds = deal_games(rules, 5, range(2)), np.arange(2, dtype=np.uint64)
    posterior = cached_posterior(rules, player.isolated)
    start = np.empty(0, dtype=np.int16), np.empty(0, dtype=np.int64)
    assert posterior.best(*start, player.seconds, False, seeds[:1].copy()) is None

    def choose(cells: Cells, answers: Ints, rng: Rng) -> int:
        return player.next_cell(rules, cells, answers, rng)

    shots, fired = player.play_games(rules, placements, seeds)
    expected = play_move_by_move(rules, placements, seeds, choose)
    assert shots.tolist() == expected[0].tolist()
    for number, row, slow in zip(shots, fired, expected[1], strict=True):
        assert row[:number].tolist() == slow[:number].tolist()


@pytest.mark.parametrize("answers", ANSWERS)
def test_isolated_ties_go_to_the_first_cell_on_the_board(answers: str) -> None:
    rules = Rules.from_text(f"5x5 fleet=3,2 contact=any answers={answers}")
    player, rng = make_player("exact:ties=isolated"), np.random.default_rng(0)
    for observation in positions(rules, 5, 30):
        chances = infer(observation).probability.ravel().round(12)
        unknown = set(observation.unknown)

        def rank(cell: int, chances=chances, unknown=unknown) -> tuple[float, float, int]:
            beside = sum(chances[each] for each in rules.neighbours(cell) if each in unknown)
            return -chances[cell], round(beside, 9), cell

        assert player.choose(observation, rng) == min(unknown, key=rank)


@pytest.mark.parametrize("rules", VARIETY, ids=lambda rules: rules.to_text())
def test_exact_is_deterministic_whatever_its_cache_holds(rules: Rules) -> None:
    player, rng = make_player("exact"), np.random.default_rng(0)
    observations = positions(rules, 3, 12)
    cached_posterior.cache_clear()
    forwards = [player.choose(observation, rng) for observation in observations]
    assert forwards == [player.choose(observation, rng) for observation in observations]
    cached_posterior.cache_clear()
    backwards = [player.choose(observation, rng) for observation in reversed(observations)]
    assert forwards == backwards[::-1]


@pytest.mark.parametrize("name", ["exact", "heat-map"])
def test_exact_and_heat_map_are_lawful(name: str) -> None:
    enumerated = [each for each in EVERY if each.name != "russian" and each.rows < 16]
    check_player(name, rules=enumerated, games=1)


def test_symmetric_positions_get_symmetric_choices() -> None:
    rules = Rules.from_text("5x5 fleet=3,2 contact=any answers=sunk-named")
    turns = symmetries_of(rules).cells
    player, rng = make_player("exact"), np.random.default_rng(0)
    for observation in positions(rules, 4, 20):
        if len(observation.shots) < 6:
            continue
        chances = infer(observation).probability.ravel()
        chosen = player.choose(observation, rng)
        for turn in turns:
            turned = Observation(
                rules, tuple(type(s)(int(turn[s.cell]), s.answer) for s in observation.shots)
            )
            np.testing.assert_allclose(infer(turned).probability.ravel()[turn], chances)
            image = player.choose(turned, rng)
            alike = [cell for cell in observation.unknown if turn[cell] == image]
            assert chances[alike[0]] == pytest.approx(chances[chosen])


def test_heat_map_breaks_ties_at_random() -> None:
    rules = Rules.from_text("mini")
    player = make_player("heat-map")
    chances = infer(Observation(rules)).probability.ravel()
    best = {cell for cell in range(25) if chances[cell] == chances.max()}
    rng = np.random.default_rng(0)
    chosen = {player.choose(Observation(rules), rng) for _ in range(100)}
    assert len(best) > 1
    assert chosen == best


def test_exact_plays_with_too_little_time_to_enumerate() -> None:
    player = make_player("exact:seconds=0.000001")
    rules = Rules(6, 6, (3, 2, 2, 1), "any", "sunk")
    batch = play_batch(player, rules, 5, range(2))
    again = play_batch(player, rules, 5, range(2))
    assert (batch.shots == again.shots).all()
    assert (batch.shots >= rules.ship_cells).all()


def test_an_impossible_observation_is_not_played() -> None:
    rules = Rules.from_text("mini")
    observation = Observation.from_text("A1 hit, B2 hit, C3 hit", rules)
    with pytest.raises(ImpossibleObservation, match="'B2 hit'"):
        make_player("exact").choose(observation, np.random.default_rng(0))


def test_seconds_must_be_positive() -> None:
    with pytest.raises(PlayerError, match="greater than 0"):
        make_player("exact:seconds=0")


@pytest.mark.parametrize(("preset", "mean"), [("mini", 11.05), ("classic", 44.50)])
def test_exact_needs_few_shots(preset: str, mean: float) -> None:
    """The means over 10,000 games are in docs/strength.md; 150 games lie within 4 errors."""
    shots = play_batch(make_player("exact"), Rules.from_text(preset), 11, range(150)).shots
    assert abs(shots.mean() - mean) < 4 * shots.std() / np.sqrt(150)
