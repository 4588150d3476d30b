"""The single environment's own step is that of the vector environment with one game."""

from __future__ import annotations

import copy
import pickle

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Rules
from seabattle.envs import REWARDS, BattleshipEnv, BattleshipVectorEnv
from tests.strategies import small_rules


@given(
    rules=small_rules(),
    reward=st.sampled_from(sorted(REWARDS)),
    most=st.none() | st.integers(1, 30),
    seed=st.integers(0, 2**31),
)
@settings(deadline=None, max_examples=40)
def test_one_game_is_stepped_as_many_are(
    rules: Rules, reward: str, most: int | None, seed: int
) -> None:
    """Illegal shots included."""
    one = BattleshipEnv(rules, reward=reward, max_steps=most)
    many = BattleshipVectorEnv(1, rules, reward=reward, max_steps=most)
    rng = np.random.default_rng(seed)
    planes, info = one.reset(seed=seed)
    all_planes, infos = many.reset(seed=seed)
    over = False
    while not over:
        assert (planes == all_planes[0]).all()
        assert (info["action_mask"] == infos["action_mask"][0]).all()
        assert (info["shots"], info["wasted"]) == (infos["shots"][0], infos["wasted"][0])
        action = int(rng.integers(-1, rules.cells + 1))
        planes, *single, info = one.step(action)
        all_planes, *several, infos = many.step(np.array([action]))
        assert single == [each[0] for each in several]
        assert [type(each) for each in single] == [float, bool, bool]
        over = single[1] or single[2]
    many.close()


def test_what_a_step_returned_does_not_change_and_copies_are_independent() -> None:
    env = BattleshipEnv("mini")
    planes, info = env.reset(seed=3)
    before = planes.copy(), info["action_mask"].copy()
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert (other.step(3)[0] == copy.deepcopy(env).step(3)[0]).all()
        assert env.action_masks().all()
    env.step(12)
    assert (planes == before[0]).all()
    assert (info["action_mask"] == before[1]).all()
