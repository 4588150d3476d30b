"""Model files: trained networks as ONNX, run by onnxruntime.

The metadata of a file says what it is: the player, the rules it was trained for, the form
of its input, and where it came from (command, seed, commit, data). A file contains no code:
ONNX is a list of arithmetic operations, and only those of our networks are accepted (see
`onnx_content`).

The input of a network is `position` (games, ...) in one of the `FORMS`, its output `value`
(games, cells); the player shoots at the cell with the highest value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Ints
from ..compiled.knowledge import KnowledgeArray
from ..compiled.rules_tables import board_of
from ..errors import ModelError, one_of, reason
from ..regular_files import open_regular
from ..rules import ANSWERS, Rules
from .batch_games_kernels import fill_all_planes, fill_signs
from .encoding import plane_count, planes_shape
from .neat_network_kernels import fill_inputs
from .onnx_content import check_content

INPUT, OUTPUT = "position", "value"

ABOUT = (
    "player",
    "architecture",
    "form",
    "rules",
    "command",
    "seed",
    "commit",
    "date",
    "steps",
    "data",
    "minutes",
    "processor minutes",
    "versions",
)
"""The metadata of a model file, in the order in which it is shown."""

MOST_BYTES = 64 * 2**20
"""Larger files are not models of a game on at most 256 cells."""

MOST_RECURRING = 2**14
"""Positions whose values are kept: 7 MB for a board of 100 cells."""

LONGEST_ABOUT = 2_000
"""Characters of one entry of the metadata."""

Float32s = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Form:
    """How a position is encoded for a network."""

    name: str
    shape: Callable[[Rules], tuple[int, ...]]
    """of one position"""
    encode: Callable[[Rules, KnowledgeArray, Ints], Float32s]
    """(rules, known, games): the input for these games"""


def _signs_shape(rules: Rules) -> tuple[int, ...]:
    return (1, rules.rows, rules.columns)


def _signs(rules: Rules, known: KnowledgeArray, games: Ints) -> Float32s:
    signs = np.empty((len(games), *_signs_shape(rules)), dtype=np.float32)
    fill_signs(board_of(rules), known, games, signs)
    return signs


def _planes(rules: Rules, known: KnowledgeArray, games: Ints) -> Float32s:
    planes = np.empty((len(games), plane_count(rules), rules.cells), dtype=np.int8)
    fill_all_planes(board_of(rules), known, games, planes)
    return planes.astype(np.float32).reshape(len(games), *planes_shape(rules))


def _last_hit_shape(rules: Rules) -> tuple[int, ...]:
    return (rules.cells + 1,)


def _last_hit(rules: Rules, known: KnowledgeArray, games: Ints) -> Float32s:
    inputs = np.empty((len(games), rules.cells + 1), dtype=np.float32)
    fill_inputs(board_of(rules), known, games, inputs)
    return inputs


FORMS = {
    form.name: form
    for form in (
        Form("signs", _signs_shape, _signs),
        Form("planes", planes_shape, _planes),
        Form("last-hit", _last_hit_shape, _last_hit),
    )
}
"""`signs`: one plane: 0 unknown, -1 missed, 1 hit. `planes`: see `encoding_kernels`. `last-hit`:
one number per cell (0.01 unknown, -1 missed, 1 hit), and one for the last shot (1 if it hit,
else -1)."""


class Model:
    """A network ready to run, with its metadata."""

    def __init__(self, content: bytes, name: str) -> None:
        """Load the content of a model file; `name` is used in error messages."""
        self.name = name
        self.digest = hashlib.sha256(content).hexdigest()
        check_content(content, name)
        self._session = _session(content, name)
        self.about = _metadata(self._session, name)
        missing = [key for key in ("player", "rules", "form") if key not in self.about]
        if missing:
            raise ModelError(
                f"{name} was not made by seabattle train: its metadata has no {missing[0]!r}."
            )
        try:
            self.rules = Rules.from_json(json.loads(self.about["rules"]))
        except (ValueError, TypeError, RecursionError) as error:
            raise ModelError(f"The rules in {name} cannot be read: {error}") from error
        if self.about["form"] not in FORMS:
            raise ModelError(f"{name}: {one_of('form of input', self.about['form'], FORMS)}")
        self.form = FORMS[self.about["form"]]
        self.player = self.about["player"]
        self._recurring: dict[bytes, Float32s] = {}
        self._check_shapes()

    def values(self, known: KnowledgeArray, games: Ints) -> Float32s:
        """(games, cells) the value of every cell in these games."""
        return self.run(self.form.encode(self.rules, known, games))

    def recurring_values(self, known: KnowledgeArray, games: Ints) -> Float32s:
        """`values` for positions that come up in many games; the network is run once for each."""
        positions, kept = self.form.encode(self.rules, known, games), self._recurring
        keys = [hashlib.blake2b(each, digest_size=16).digest() for each in positions]
        missing = {key: row for row, key in enumerate(keys) if key not in kept}
        found = {}
        if missing:
            found = dict(zip(missing, self.run(positions[list(missing.values())]), strict=True))
        values = np.stack([kept[key] if key in kept else found[key] for key in keys])
        if len(kept) < MOST_RECURRING:
            kept |= found
        return values

    def run(self, positions: Float32s) -> Float32s:
        """(games, cells) the same for positions that are already encoded."""
        try:
            (values,) = self._session.run([OUTPUT], {INPUT: positions})
        except Exception as error:  # onnxruntime has an exception class for each kind of failure
            raise ModelError(f"The network {self.name} cannot be run: {error}") from error
        found = np.asarray(values, dtype=np.float32)
        # Compiled code relies on this.
        if found.shape != (len(positions), self.rules.cells) or not np.isfinite(found).all():
            raise ModelError(f"The network {self.name} does not give every cell a finite value.")
        return found

    def check_rules(self, rules: Rules) -> None:
        """Raise an error if the network cannot play under these rules.

        It can play if the answers tell more than those it was trained with: it ignores the
        rest.
        """
        own = self.rules
        same = (own.rows, own.columns, own.fleet, own.contact)
        if same != (rules.rows, rules.columns, rules.fleet, rules.contact):
            raise ModelError(
                f"{self.name} was trained for {own.to_text()!r} and cannot play "
                f"{rules.to_text()!r}: board, fleet and contact must be the same."
            )
        if ANSWERS.index(rules.answers) < ANSWERS.index(own.answers):
            raise ModelError(
                f"{self.name} was trained with answers={own.answers} and cannot play with "
                f"answers={rules.answers}, which tell less."
            )

    def _check_shapes(self) -> None:
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        wanted_in, wanted_out = list(self.form.shape(self.rules)), [self.rules.cells]
        for what, given, name, wanted in (
            ("input", inputs, INPUT, wanted_in),
            ("output", outputs, OUTPUT, wanted_out),
        ):
            shape = "x".join(map(str, ["games", *wanted]))
            if (
                [each.name for each in given] != [name]
                or given[0].type != "tensor(float)"
                or list(given[0].shape)[1:] != wanted
                or isinstance(given[0].shape[0], int)
            ):
                raise ModelError(
                    f"{self.name} does not have the one {what} {name!r} of shape {shape} that its "
                    f"rules {self.rules.to_text()!r} need."
                )


def load_model(path: Path | str) -> Model:
    """Load a model file; each process reads a file once, unless it changes."""
    given = Path(path)
    try:
        details = given.stat()
    except OSError:
        raise ModelError(
            f"There is no model file {str(path)!r}; 'seabattle train' makes one."
        ) from None
    return _loaded(str(given.resolve()), details.st_mtime_ns, details.st_size)


def models_in(folder: Path) -> list[Path]:
    """The model files in a folder and its subfolders."""
    if not folder.is_dir():
        raise ModelError(f"There is no folder {str(folder)!r}.")
    return sorted(folder.rglob("*.onnx"))


def shipped_model(player: str) -> Path:
    """The model file of a built-in player."""
    return Path(str(resources.files("seabattle.learn"))) / "models" / f"{player}.onnx"


@lru_cache(maxsize=8)
def _loaded(path: str, changed: int, size: int) -> Model:
    if size > MOST_BYTES:
        raise ModelError(f"{path} is too large to be a model: {size:,} bytes.")
    try:
        with open_regular(Path(path)) as file:
            content = file.read(MOST_BYTES)
    except OSError as error:
        raise ModelError(f"Cannot read the model {path}: {reason(error)}.") from error
    return Model(content, Path(path).name)


def _metadata(session: Any, name: str) -> dict[str, str]:
    """What a file says about itself, as text that can be printed."""
    try:
        found = dict(session.get_modelmeta().custom_metadata_map)
    except UnicodeDecodeError as error:
        raise ModelError(f"The metadata of {name} is not text.") from error
    keys = [key for key in (*ABOUT, *sorted(found)) if key in found]
    return {_printable(key): _printable(str(found[key])) for key in dict.fromkeys(keys)}


def _printable(text: str) -> str:
    """Without the characters that control a terminal, and not longer than anything of ours."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)[
        :LONGEST_ABOUT
    ]


def _session(content: bytes, name: str) -> Any:
    """A session with one thread: games are played by many processes, each with its own."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has an exception class for each kind of damage
        raise ModelError(
            f"{name} is not a valid model, or is damaged ({len(content):,} bytes)."
        ) from error
