"""Games of one player and of two."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Duel, Game, Observation, Player, Rules, make_player, play, play_duel
from seabattle.compiled.random_streams import compiled_rng, random_words, words_from
from seabattle.dealing.uniform import random_layout
from seabattle.errors import PlayerError
from seabattle.experiment.play import play_batch
from seabattle.players.in_game import seeded_shooter, shooter
from seabattle.rules import TURNS
from seabattle.testing import VARIETY
from tests.sample_players import Dice, Stuck
from tests.strategies import small_rules

PLAYERS: dict[str, Callable[[], Player]] = {
    **{
        name: lambda name=name: make_player(name)  # type: ignore[misc]
        for name in ("random", "in-order", "even", "hlp", "density", "human-like", "exact")
    },
    "dice": Dice,
}
GENERATORS = (
    np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64, np.random.MT19937
)  # fmt: skip


def test_a_player_that_names_a_known_cell_is_stopped() -> None:
    with pytest.raises(PlayerError, match="Stuck chose 0"):
        play(Stuck(), "mini")
    with pytest.raises(PlayerError, match="Stuck chose 0"):
        play_duel("random", Stuck(), "mini")


@pytest.mark.parametrize("cell", [None, "A1", -1, 25, 2.0])
def test_a_player_that_names_no_cell_is_stopped(cell: object) -> None:
    class Odd:
        def choose(self, observation: Observation, rng: np.random.Generator) -> object:
            return cell

    with pytest.raises(PlayerError, match="not one of the cells"):
        play(Odd(), "mini")  # type: ignore[arg-type]


def test_two_players_against_each_other() -> None:
    for rules in ("classic", "mini", "russian"):
        record = play_duel("density", "random", rules, seed=4)
        assert record.players == ("density", "random")
        assert record.replay(len(record.cells)).finished
    assert play_duel("hlp", "hlp", seed=1) == play_duel("hlp", "hlp", seed=1)


# ---- the quick ways to play are the obvious one


def play_slowly(player: Player, rules: Rules, rng: np.random.Generator) -> list[int]:
    """A whole observation is built and checked for every shot."""
    game = Game(random_layout(rules, rng))
    while not game.finished:
        salvo: tuple[int, ...] = ()
        for _ in range(game.salvo):
            salvo = (*salvo, int(player.choose(Observation(rules, game.shots, salvo), rng)))
        game.fire_salvo(salvo)
    return [shot.cell for shot in game.shots]


def duel_slowly(
    players: tuple[Player, Player], rules: Rules, rng: np.random.Generator
) -> list[int]:
    duel = Duel(random_layout(rules, rng), random_layout(rules, rng))
    cells = []
    while (side := whose_turn(duel)) is not None:
        observation = Observation(rules, duel.targets[side].shots)
        cells.append(int(players[side].choose(observation, rng)))
        duel.fire(cells[-1])
    return cells


def whose_turn(duel: Duel) -> int | None:
    """Worked out from all shots, as the rules say it."""
    if duel.winner is not None or duel.drawn:
        return None
    if not duel.moves:
        return 0
    last = duel.moves[-1]
    again = duel.rules.turns == "again" and duel.targets[last].shots[-1].answer.hit
    return last if again else 1 - last


@given(
    name=st.sampled_from(sorted(PLAYERS)),
    rules=small_rules() | st.sampled_from([each for each in VARIETY if each.cells <= 36]),
    seed=st.integers(0, 2**32),
    generator=st.sampled_from(GENERATORS),
)
@settings(deadline=None, max_examples=60)
def test_play_is_the_game_that_is_played_move_by_move(
    name: str, rules: Rules, seed: int, generator: type[np.random.BitGenerator]
) -> None:
    player = PLAYERS[name]()
    quick, slow = (np.random.Generator(generator(seed)) for _ in range(2))
    record = play(player, rules, seed=quick)
    assert [shot.cell for shot in record.shots] == play_slowly(player, rules, slow)
    # The caller's generator has given as many numbers.
    assert quick.integers(0, 2**62) == slow.integers(0, 2**62)
    assert type(record).from_text(record.to_text()) == record


@given(
    names=st.tuples(st.sampled_from(sorted(PLAYERS)), st.sampled_from(sorted(PLAYERS))),
    rules=small_rules(),
    turns=st.sampled_from(TURNS),
    seed=st.integers(0, 2**32),
)
@settings(deadline=None, max_examples=60)
def test_play_duel_is_the_game_that_is_played_move_by_move(
    names: tuple[str, str], rules: Rules, turns: str, seed: int
) -> None:
    rules = rules.override(turns=turns)
    players = (PLAYERS[names[0]](), PLAYERS[names[1]]())
    quick, slow = (np.random.default_rng(seed) for _ in range(2))
    record = play_duel(*players, rules, seed=quick)
    assert list(record.cells) == duel_slowly(players, rules, slow)
    assert quick.integers(0, 2**62) == slow.integers(0, 2**62)
    assert type(record).from_text(record.to_text()) == record


@given(
    name=st.sampled_from(sorted(PLAYERS)),
    rules=small_rules(),
    seed=st.integers(0, 2**32),
    start=st.integers(0, 5),
)
@settings(deadline=None, max_examples=40)
def test_a_shooter_chooses_as_its_player_does(
    name: str, rules: Rules, seed: int, start: int
) -> None:
    """Also from the middle of a game, and if somebody else fires in between."""
    player, rng = PLAYERS[name](), np.random.default_rng(seed)
    game = Game(random_layout(rules, rng))
    order = rng.permutation(rules.cells).tolist()
    while not game.finished and len(game.shots) < start:
        game.fire(order.pop())
    one, other = rng, copy.deepcopy(rng)
    side = shooter(player, rules, one, game.shots)
    while not game.finished:
        observation = Observation(rules, game.shots)
        cell = side.choose()
        assert cell == player.choose(observation, other)
        fired = order.pop() if len(game.shots) % 3 == 1 else cell
        if game.was_fired_at(fired):
            fired = observation.unknown[0]
        side.told(game.shoot(fired))


@pytest.mark.parametrize(
    "name", ["random", "density", "exact", "mcts:iterations=3", "ismcts:iterations=20"]
)
def test_a_seeded_shooter_plays_the_game_of_a_batch(name: str) -> None:
    player, rules, seed = make_player(name), Rules.from_text("trio"), 11
    batch = play_batch(player, rules, seed, range(3))
    from seabattle.compiled.random_streams import stream
    from seabattle.compiled.seeds import PLAYER_STREAM
    from seabattle.dealing.uniform import layout_for

    for number in range(3):
        game = Game(layout_for(rules, seed, number))
        side = seeded_shooter(player, rules, int(stream(np.uint64(seed), number, PLAYER_STREAM)))
        while not game.finished:
            side.told(game.shoot(side.choose()))
        cells = [shot.cell for shot in game.shots]
        assert cells == batch.fired[number, : batch.shots[number]].tolist()


@pytest.mark.parametrize("generator", GENERATORS)
def test_words_are_the_numbers_that_numpy_draws(generator: type[np.random.BitGenerator]) -> None:
    ours, theirs = (np.random.Generator(generator(5)) for _ in range(2))
    for _ in range(3):
        drawn = [words_from(ours)(), *random_words(ours, 4).tolist(), int(compiled_rng(ours)[0])]
        assert drawn == [int(theirs.integers(0, 2**64, dtype=np.uint64)) for _ in range(6)]


def test_an_observation_that_a_player_keeps_does_not_change() -> None:
    class Collector:
        def __init__(self) -> None:
            self.seen: list[tuple[Observation, str, tuple[int, ...]]] = []

        def choose(self, observation: Observation, rng: np.random.Generator) -> int:
            self.seen.append((observation, observation.to_text(), observation.unknown))
            return observation.unknown[int(rng.integers(len(observation.unknown)))]

    player = Collector()
    play(player, "classic", seed=3)
    for count, (observation, text, unknown) in enumerate(player.seen):
        assert len(observation.shots) == count
        assert (observation.to_text(), observation.unknown) == (text, unknown)
        with pytest.raises(AttributeError):
            observation.shots = ()  # type: ignore[misc]
