"""Structs have the fields that their class declares, and compiled code changes them in place."""

from __future__ import annotations

from typing import Annotated

import numba
import numpy as np
import numpy.typing as npt

from seabattle.compiled.structs import new_struct, struct_type


class Counter:
    """A struct of a scalar and two arrays."""

    total: Annotated[int, "i8"]
    small: Annotated[npt.NDArray[np.uint8], "u1", (3,)]
    table: Annotated[npt.NDArray[np.float64], "f8", (2, 4)]


class LongCounter(Counter):
    """The same with one field more."""

    extra: Annotated[int, "i2"]


@numba.njit
def fill(counter: Counter) -> None:
    counter.total += 7
    counter.small[1] = 255
    counter.table[1, 3] = 0.5


def test_fields_have_the_declared_types_and_shapes() -> None:
    kind = struct_type(Counter)
    assert kind.names == ("total", "small", "table")
    assert [(kind[name].base, kind[name].shape) for name in kind.names] == [
        (np.dtype("i8"), ()),
        (np.dtype("u1"), (3,)),
        (np.dtype("f8"), (2, 4)),
    ]
    assert kind.isalignedstruct


def test_a_subclass_adds_fields_after_those_it_inherits() -> None:
    assert struct_type(LongCounter).names == ("total", "small", "table", "extra")


def test_a_declaration_has_one_type() -> None:
    assert struct_type(Counter) is struct_type(Counter)


def test_a_new_struct_is_all_zero_and_its_own() -> None:
    one, other = new_struct(Counter), new_struct(Counter)
    one.total = 3
    assert (one.total, other.total) == (3, 0)
    assert not other.small.any()
    assert not other.table.any()


def test_compiled_code_changes_a_struct_in_place() -> None:
    counter = new_struct(Counter)
    fill(counter)
    fill(counter)
    assert counter.total == 14
    assert counter.small.tolist() == [0, 255, 0]
    assert counter.table.sum() == counter.table[1, 3] == 0.5
