"""What the shell completes: the names of players, presets and trainers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ..rules import PRESETS

Completion = Callable[[str], list[str]]


def words(*choices: str) -> Completion:
    """Complete one of these words."""
    return lambda incomplete: [word for word in choices if word.startswith(incomplete)]


def values(module: str, name: str) -> Completion:
    """Complete one of the words in a tuple, whose module is imported only then."""

    def complete(incomplete: str) -> list[str]:
        choices = getattr(import_module(f"seabattle.{module}"), name)
        return words(*choices)(incomplete)

    return complete


def players(incomplete: str) -> list[str]:
    """Complete a player's name, or after its colon a parameter: `mcts:iterations=`."""
    from ..players import all_players

    known = all_players()
    name, colon, given = incomplete.partition(":")
    if not colon:
        return [each for each in known if each.startswith(name)]
    done, comma, begun = given.rpartition(",")
    parameters = known[name].parameters if name in known else {}
    return [f"{name}:{done}{comma}{each}=" for each in parameters if each.startswith(begun)]


def opponents(incomplete: str) -> list[str]:
    """Complete a level of difficulty, or a player."""
    from ..opponents import LEVELS

    levels = [level.name for level in LEVELS if level.name.startswith(incomplete)]
    return [*levels, *players(incomplete)]


def entrants(incomplete: str) -> list[str]:
    """Complete a player, or after `@` its placer."""
    from ..dealing import all_placers

    player, at, placer = incomplete.rpartition("@")
    if not at:
        return players(placer)
    return [f"{player}@{each}" for each in all_placers() if each.startswith(placer)]


def placers(incomplete: str) -> list[str]:
    from ..dealing import all_placers

    return [each for each in all_placers() if each.startswith(incomplete)]


def trainers(incomplete: str) -> list[str]:
    from ..learn.training.trainer import MODULES

    return [each for each in MODULES if each.startswith(incomplete)]


def tables(incomplete: str) -> list[str]:
    """Complete the name of a table of the source documents."""
    from ..reproduce import EXHIBITS

    return [each for each in EXHIBITS if each.startswith(incomplete)]


presets = words(*PRESETS)
