"""Counting and finding set bits, by processor instructions that Numba does not expose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic


def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


def _lowest(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero_is_undefined = context.get_constant(types.boolean, False)
        return builder.cttz(arguments[0], zero_is_undefined)

    return types.int64(types.uint64), generate


popcount: Callable[[np.uint64], int] = intrinsic(_popcount)
"""How many bits of a 64-bit word are set."""

lowest: Callable[[np.uint64], int] = intrinsic(_lowest)
"""The number of the lowest set bit; 64 for no bits."""

ONE = np.uint64(1)
