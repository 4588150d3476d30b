"""Every purpose has a stream of its own, and seeds are whole numbers of 63 bits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import seabattle
from seabattle.compiled import seeds
from seabattle.compiled.seeds import checked_seed
from seabattle.errors import ExperimentError

PURPOSES = {name: value for name, value in vars(seeds).items() if name.endswith("_STREAM")}


def test_no_two_purposes_share_a_stream() -> None:
    assert len(PURPOSES) >= 8
    assert len(set(PURPOSES.values())) == len(PURPOSES)


def test_purposes_are_numbered_in_one_module_only() -> None:
    source = Path(seabattle.__file__).parent
    numbered = re.compile(r"^\w*_STREAM\b.*= *\d", re.MULTILINE)
    found = {path.name for path in source.rglob("*.py") if numbered.search(path.read_text("utf-8"))}
    assert found == {"seeds.py"}


def test_the_numbers_that_recorded_games_depend_on_are_unchanged() -> None:
    assert (seeds.LAYOUT_STREAM, seeds.PLAYER_STREAM, seeds.TIGHT_STREAM) == (0, 1, 2)


@pytest.mark.parametrize("seed", [0, 1, 2026, 2**63 - 1])
def test_a_valid_seed_is_returned_as_it_is(seed: int) -> None:
    assert checked_seed(seed) == seed


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64])
def test_other_seeds_are_refused_with_the_range(seed: int) -> None:
    with pytest.raises(ExperimentError, match=rf"from 0 to 2\^63 - 1, not {seed}\."):
        checked_seed(seed)
