"""Who plays: people and computer players, by name."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SeabattleError
from ..players import Player, PlayerInfo, player_info

LONGEST_NAME = 20
QUIT = ("quit", "exit", "q")
RESERVED = (*QUIT, "help", "?")
"""words that are commands at every prompt, so nobody can be called that"""


@dataclass(frozen=True)
class Participant:
    """One side of the game."""

    name: str
    player: Player | None = None
    """None for a person"""


Seats = tuple[Participant, Participant]


def two_people(seats: Seats) -> bool:
    return all(seat.player is None for seat in seats)


def checked_name(name: str, taken: tuple[str, ...] = ()) -> str:
    """A person's name, fit for a board's title and a record."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise SeabattleError(f"A name has 1 to {LONGEST_NAME} characters.")
    if name.lower() in RESERVED:
        raise SeabattleError(f"{name!r} is a command at every prompt; choose another name.")
    if name in taken:
        raise SeabattleError(f"{name} is taken; the two players need different names.")
    if is_player_name(name):
        raise SeabattleError(f"{name!r} is the name of a computer player; choose another.")
    return name


def is_player_name(name: str) -> bool:
    """Whether a computer player has this name, parameters aside."""
    return _info(name) is not None


def runs_a_program(name: str) -> bool:
    """Whether this is a computer player that runs a program, such as `exec:COMMAND`."""
    info = _info(name)
    return info is not None and info.runs_programs


def _info(name: str) -> PlayerInfo | None:
    try:
        return player_info(name.partition(":")[0].strip())
    except SeabattleError:
        return None
