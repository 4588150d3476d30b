"""Where puzzles come from: games that are cut off where one has arisen.

A puzzle is a function of its kind, rules and number alone, so everybody gets the same one
without a network. A layout is dealt and shot at: for a `best` puzzle by somebody who often
follows up a hit and otherwise shoots at random, for a `certain` one wherever exact counting
leaves the question most open, but never at a cell that is certain. The first position after
a few shots that makes a puzzle is taken; if the game ends without one, the next game is tried.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from ..belief import Belief, infer
from ..compiled.seeds import PUZZLE_STREAM
from ..dealing import layout_for
from ..errors import PuzzleError
from ..experiment.layout_sets import purpose_seed
from ..game import Game
from ..naming.choice import chosen
from ..observation import Observation
from ..rules import PRESETS, Rules
from .puzzle import KINDS, Kind, Puzzle, puzzle_from

PUZZLE_RULES: dict[Kind, tuple[str, ...]] = {
    "best": ("classic", "thesis", "trio", "named", "blind", "mini"),
    "certain": ("trio", "classic", "mini", "thesis", "named", "blind"),
}
"""presets that the daily puzzles go through"""

FOLLOWS = 0.6
"""how often the shooter of a `best` puzzle follows up an open hit"""
MOST_GAMES = 400
"""games that are searched for a puzzle before giving up"""
LARGEST_NUMBER = 2**31

DAILY = "daily"


def daily_puzzle(day: date) -> Puzzle:
    """The puzzle of a day: the kind alternates, and the rules go round."""
    number = day.toordinal()
    kind = KINDS[number % len(KINDS)]
    rules = PUZZLE_RULES[kind][number // len(KINDS) % len(PUZZLE_RULES[kind])]
    return _found(f"{DAILY}-{day.isoformat()}", kind, PRESETS[rules], number)


def make_puzzle(kind: str, rules: Rules, number: int) -> Puzzle:
    """The puzzle with this number."""
    if not 0 <= number < LARGEST_NUMBER:
        raise PuzzleError(f"Puzzles are numbered from 0 to {LARGEST_NUMBER - 1}, not {number}.")
    if rules.salvo != 1:
        raise PuzzleError(
            "A puzzle asks for one shot, or for cells that are certain, and a salvo changes "
            "neither; take the same rules with salvo=1."
        )
    return _found(f"{_kind(kind)}-{rules.to_text()}-{number}", _kind(kind), rules, number)


def find_puzzle(id: str) -> Puzzle:
    """The puzzle with this id."""
    match = re.fullmatch(r"(?s)([a-z]+)-(.{1,200})", id.strip())
    if match and match[1] == DAILY:
        try:
            return daily_puzzle(date.fromisoformat(match[2]))
        except ValueError:
            raise PuzzleError(
                f"A daily puzzle has a date such as 2026-11-17, not {match[2][:40]!r}."
            ) from None
    rules, _, number = (match[2] if match else "").rpartition("-")
    if not match or not re.fullmatch(r"[0-9]{1,10}", number):
        raise PuzzleError(
            "A puzzle is called daily-DATE, or kind-rules-number such as best-classic-17."
        )
    return make_puzzle(match[1], Rules.from_text(rules), int(number))


def _kind(text: str) -> Kind:
    return chosen(text, KINDS, "kind of puzzle", PuzzleError)


@lru_cache(maxsize=256)
def _found(id: str, kind: Kind, rules: Rules, number: int) -> Puzzle:
    rng = random.Random(f"{kind} {rules.to_text()} {number}")
    for attempt in range(MOST_GAMES):
        seed = purpose_seed(PUZZLE_STREAM, number)
        game = Game(layout_for(rules, seed, attempt))
        walk = _best_walk if kind == "best" else _certain_walk
        for belief in walk(game, rng):
            puzzle = puzzle_from(id, kind, belief)
            if puzzle is not None:
                return puzzle
    raise PuzzleError(f"There is no {kind!r} puzzle number {number} under these rules.")


def _best_walk(game: Game, rng: random.Random) -> Iterator[Belief]:
    """Positions of a game after a random number of shots, until half of the fleet is hit."""
    rules = game.rules
    quiet = rng.randint(rules.cells // 8, rules.cells // 3)
    while not game.finished:
        seen = Observation(rules, game.shots)
        if 2 * len(seen.hits) > rules.ship_cells + 1:
            return
        if len(seen.shots) >= quiet:
            yield infer(seen)
        game.fire(_casual_shot(seen, rng))


def _casual_shot(seen: Observation, rng: random.Random) -> int:
    """Next to a hit or anywhere."""
    near = [cell for cell in seen.unknown if not seen.hits.isdisjoint(seen.rules.neighbours(cell))]
    return rng.choice(near if near and rng.random() < FOLLOWS else seen.unknown)


def _certain_walk(game: Game, rng: random.Random) -> Iterator[Belief]:
    """Positions of a game in which no certain cell is shot at."""
    rules = game.rules
    while not game.finished:
        seen = Observation(rules, game.shots)
        early = len(seen.shots) < rules.cells // 5
        if early:
            game.fire(rng.choice(seen.unknown))
            continue
        belief = infer(seen)
        yield belief
        chances = belief.probability.ravel()
        open_cells = [cell for cell in seen.unknown if 0 < chances[cell] < 1]
        if not open_cells:
            return
        openness = {cell: round(abs(chances[cell] - 0.5), 9) for cell in open_cells}
        least = min(openness.values())
        game.fire(rng.choice([cell for cell in open_cells if openness[cell] == least]))
