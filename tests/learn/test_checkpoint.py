"""Checkpoints read back what was written."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.learn.training.checkpoint import load_state, save_state
from seabattle.learn.training.trainer import TrainerState


@given(
    arrays=st.dictionaries(
        st.text("abc.", min_size=1, max_size=5), st.lists(st.floats(width=32)), max_size=3
    ),
    values=st.dictionaries(st.text(max_size=3), st.integers() | st.floats() | st.text()),
)
@settings(deadline=None, max_examples=15)
def test_a_state_comes_back_as_it_was_written(tmp_path_factory, arrays, values):
    path = tmp_path_factory.mktemp("state") / "s.npz"
    given = {f"a{name}": np.array(list_, dtype=np.float32) for name, list_ in arrays.items()}
    save_state(path, TrainerState(given, values))
    back = load_state(path)
    assert json.dumps(back.values) == json.dumps(values)
    assert back.arrays.keys() == given.keys()
    assert all(back.arrays[key].tobytes() == given[key].tobytes() for key in given)
