"""Seeds, and the purposes of the random streams derived from them.

A stream is a function of (seed, index, purpose), see `random_streams.stream`. Every purpose
has its own number, so that no two streams of one game coincide. Changing a number changes
every game that draws from that stream.
"""

from __future__ import annotations

from ..errors import ExperimentError

LAYOUT_STREAM = 0
"""a game's layout"""
PLAYER_STREAM = 1
"""a game's shooter"""
TIGHT_STREAM = 2
"""a game's layout, if rejection found none"""
CANDIDATE_STREAM = 3
"""the lines that `branch-mcts` follows from one candidate cell"""
ACTION_STREAM = 4
"""random actions of an environment"""
STRAY_STREAM = 5
"""random shots in the training games of `cnn`"""
LABELLED_STREAM = 6
"""the games of exactly labelled positions"""
THREAD_STREAM = 7
"""the second and further threads of a search"""
POOL_STREAM = 8
"""the layouts that players with a learned prior draw from it"""
TRAIN_SET_STREAM = 16
"""the seeds of the training set of layouts"""
TEST_SET_STREAM = 17
"""the seed of the test set of layouts"""
TASK_STREAM = 18
"""the layouts of the tasks for agents"""
PUZZLE_STREAM = 19
"""the layouts of the puzzles"""


def checked_seed(seed: int) -> int:
    """`seed` itself if it is valid."""
    if not 0 <= seed < 2**63:
        raise ExperimentError(f"A seed is a whole number from 0 to 2^63 - 1, not {seed}.")
    return seed
