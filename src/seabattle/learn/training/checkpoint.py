"""Checkpoints: one file that is always complete.

NumPy arrays and one entry of JSON; nothing is ever unpickled. A file is written under a
temporary name, synced to disk, and then renamed, so after a crash or a power cut either the
old or the new one is there.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np

from ...errors import TrainingError
from ...experiment.data_folder import write_whole
from .trainer import State

VALUES = "values.json"


def save_state(path: Path, state: State) -> None:
    text = json.dumps(state.values, allow_nan=True).encode()
    held = io.BytesIO()
    entries = {**state.arrays, VALUES: np.frombuffer(text, dtype=np.uint8)}
    np.savez(held, allow_pickle=False, **entries)
    write_whole(path, held.getvalue())


def load_state(path: Path) -> State:
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        values = json.loads(arrays.pop(VALUES).tobytes())
    except FileNotFoundError:
        raise TrainingError(f"There is no checkpoint {path}.") from None
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise TrainingError(f"{path} is not a checkpoint, or is damaged: {error}") from error
    return State(arrays, values)
