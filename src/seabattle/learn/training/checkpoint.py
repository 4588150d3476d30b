"""Checkpoints: one file that is always complete.

NumPy arrays and one entry of JSON, sealed with a digest (see `compiled.sealed_arrays`);
nothing is ever unpickled. A file is written under a
temporary name, synced to disk, and then renamed, so after a crash or a power cut either the
old or the new one is there.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np

from ...compiled.sealed_arrays import array_of, read_sealed, write_sealed
from ...errors import TrainingError, reason
from ...experiment.data_folder import write_whole
from .trainer import TrainerState

VALUES = "values.json"


def save_state(path: Path, state: TrainerState) -> None:
    text = json.dumps(state.values, allow_nan=True).encode()
    held = io.BytesIO()
    write_sealed(held, {**state.arrays, VALUES: np.frombuffer(text, dtype=np.uint8)})
    write_whole(path, held.getvalue())


def load_state(path: Path) -> TrainerState:
    try:
        arrays = read_sealed(path)
        values = json.loads(array_of(arrays, VALUES, np.uint8, (None,)).tobytes())
        if not isinstance(values, dict):
            raise ValueError("its values are not an object")
    except FileNotFoundError:
        raise TrainingError(f"There is no checkpoint {path}.") from None
    except OSError as error:
        raise TrainingError(f"The checkpoint {path} cannot be read: {reason(error)}.") from error
    except (ValueError, RecursionError) as error:
        raise TrainingError(f"{path} is not a checkpoint, or is damaged: {error}.") from error
    del arrays[VALUES]
    return TrainerState(arrays, values)
