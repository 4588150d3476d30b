"""Kernels that call kernels: only what Python calls becomes machine code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from seabattle.compiled.jit import QUIET_VARIABLE, kernel


@kernel
def halved(number: int) -> int:
    if number < 0:
        raise ValueError("negative")
    return number // 2


@kernel
def halvings(number: int) -> int:
    """How often a number can be halved; calls itself."""
    return 0 if number == 0 else 1 + halvings(halved(number))


@kernel
def halvings_of_all(first: int, last: int) -> int:
    total = 0
    for number in range(first, last):
        total += halvings(number)
    return total


def compiled_in_full(function: Any) -> bool:
    return bool(function.overloads)


def test_a_kernel_that_only_kernels_call_is_not_compiled_in_full() -> None:
    assert halvings_of_all(0, 100) == sum(number.bit_length() for number in range(100))
    assert compiled_in_full(halvings_of_all)
    assert not compiled_in_full(halved)


def test_python_can_call_a_part_too() -> None:
    assert halvings_of_all(5, 9) == 3 + 3 + 3 + 4
    assert halvings(1000) == 10
    assert compiled_in_full(halvings)


def test_an_error_in_a_part_reaches_python() -> None:
    with pytest.raises(ValueError, match="negative"):
        halvings_of_all(-1, 3)


PARTS = """
from seabattle.compiled.jit import kernel
@kernel
def part(number):
    return number + 1
"""
FIRST = "from parts import *\n@kernel\ndef first(n):\n    return part(n)\nprint(first(1))"
SECOND = (
    "from parts import *\n@kernel\ndef second(n):\n    return 10 * part(n)\n"
    "print(second(1), sum(part.part.stats.cache_hits.values()))"
)


def test_a_part_is_compiled_once_for_the_kernels_of_all_processes(tmp_path: Path) -> None:
    for name, text in (("parts", PARTS), ("first", FIRST), ("second", SECOND)):
        (tmp_path / f"{name}.py").write_text(text)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), QUIET_VARIABLE: "1"}

    def run(name: str) -> str:
        command = [sys.executable, str(tmp_path / f"{name}.py")]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    assert run("first") == "2"
    assert run("second") == "20 1"
    assert run("second") == "20 0"  # the whole kernel comes from the cache
