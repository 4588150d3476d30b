"""The rewards of a shot: four designs, by name.

With s ship cells among n cells, h of them hit and u cells unknown before the shot, and m
shots in the whole game:

`shots`      -1 for every shot. The sum is minus the length of the game, which is what the
             tables of this package compare.
`hits`       +1 for a hit, -1 for a miss (L).
`advantage`  the same minus the expected reward of a random shot: with p = (s - h) / u, that
             is 2 (1 - p) for a hit and -2 p for a miss (L, designs 5 and 6).
`finish`     0 until the fleet is found, then 1 - (m - s) / e with e = n - 2 s spare shots,
             and never below 0 (T 1.1). On boards so full that no shot is spare, e is n - s.

An illegal shot counts as a shot and is rewarded as a miss.
"""

from __future__ import annotations

from ..errors import EnvError, one_of

REWARDS = ("shots", "hits", "advantage", "finish")


def reward_number(name: str) -> int:
    """The index of a design in `REWARDS`, which is its number in compiled code."""
    if name not in REWARDS:
        raise EnvError(one_of("reward", name, REWARDS))
    return REWARDS.index(name)
