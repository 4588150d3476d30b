"""What a shot is rewarded with: four designs, by name.

With s ship cells on n cells, before a shot h of them hit and u cells unknown, and m shots
fired in a whole game:

`shots`      -1 for each shot. The sum is minus the length of the game, which is what the
             tables of this package compare.
`hits`       +1 for a hit, -1 for a miss (L).
`advantage`  the same less what a random shot would earn: with p = (s - h) / u, that is
             2 (1 - p) for a hit and -2 p for a miss (L, designs 5 and 6).
`finish`     nothing until the fleet is found, then 1 - (m - s) / e with e = n - 2 s spare
             shots, and never below 0 (T 1.1). On boards so full that no shot would be
             spare, e is n - s.

A shot that is not allowed counts as a shot and is rewarded as a miss.
"""

from __future__ import annotations

from ..errors import EnvError, one_of

REWARDS = ("shots", "hits", "advantage", "finish")


def reward_number(name: str) -> int:
    """The place of a design in `REWARDS`, which is its number in compiled code."""
    if name not in REWARDS:
        raise EnvError(one_of("reward", name, REWARDS))
    return REWARDS.index(name)
