"""Atomic operations on array elements that several threads share.

Kernels run without the GIL. Threads that work on one tree change it here: each change is
one processor instruction (or a short loop of them, for floats) and needs no lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy.typing as npt
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .jit import kernel


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array_type, array = signature.args[0], arguments[0]
    made = context.make_array(array_type)(context, builder, array)
    find: Any = cgutils.get_item_pointer
    return find(context, builder, array_type, made, [arguments[1]], wraparound=False)


def _atomic_add(typing_context: Any, array: Any, index: Any, amount: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        operation = "fadd" if isinstance(signature.args[0].dtype, types.Float) else "add"
        place = _pointer(context, builder, signature, arguments)
        return builder.atomic_rmw(operation, place, arguments[2], "seq_cst")

    return array.dtype(array, types.intp, array.dtype), generate


def _atomic_swap_if(typing_context: Any, array: Any, index: Any, old: Any, new: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _pointer(context, builder, signature, arguments)
        outcome = builder.cmpxchg(place, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(outcome, 0)

    return array.dtype(array, types.intp, array.dtype, array.dtype), generate


def _atomic_load(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _pointer(context, builder, signature, arguments)
        return builder.load_atomic(place, "seq_cst", array.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), generate


atomic_add: Callable[[npt.NDArray[Any], int, Any], Any] = intrinsic(_atomic_add)
"""Add to an element; returns what it was before."""

atomic_swap_if: Callable[[npt.NDArray[Any], int, Any, Any], Any] = intrinsic(_atomic_swap_if)
"""Replace an element by `new` if it is `old`; returns what it was before."""

atomic_load: Callable[[npt.NDArray[Any], int], Any] = intrinsic(_atomic_load)
"""An element as other threads last wrote it."""

_let_others_run: Any = types.ExternalFunction(
    "SwitchToThread" if os.name == "nt" else "sched_yield", types.int32()
)

SPINS = 4000
"""Reads of an element before the thread yields the processor: about 2 µs, well above the
time in which a running thread answers."""


@kernel
def wait_while(array: npt.NDArray[Any], index: int, value: int) -> None:
    """Wait until an element is not `value`."""
    looks = 0
    while atomic_load(array, index) == value:
        looks += 1
        if looks > SPINS:
            _let_others_run()
