"""Compiling with Numba: caching, composing, and the notice on first use.

Every compiled function is made by `kernel` (or by `compose`, for a template with
exchangeable parts), so that caching, releasing the GIL and the notice on the first
compilation are decided in one place. `kernel_cache` says when cached code is out of date, `parts`
how kernels that call each other are compiled.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from numba.core import event

from .kernel_cache import cache_root
from .parts import KernelDispatcher

F = TypeVar("F", bound=Callable[..., Any])

QUIET_VARIABLE = "SEABATTLE_QUIET"
"""If this is set in the environment, compilation is not announced (workers, JSON pipes)."""


class _Announce(event.Listener):
    """Say once, on standard error, that kernels are being compiled."""

    told = False

    def on_start(self, event: event.Event) -> None:
        self.tell()

    def tell(self) -> None:
        if not _Announce.told and not os.environ.get(QUIET_VARIABLE):
            _Announce.told = True
            print(
                "seabattle: compiling for first use (later runs start at once) ...",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: event.Event) -> None:
        pass


class _Counter(event.Listener):
    """Tell how many functions have been compiled, after each one."""

    functions = 0

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell

    def on_start(self, event: event.Event) -> None:
        pass

    def on_end(self, event: event.Event) -> None:
        self.functions += 1
        self._tell(self.functions)


@contextmanager
def compilation_watched(tell: Callable[[int], None]) -> Iterator[None]:
    """Tell how many functions have been compiled, whenever there is one more."""
    counter = _Counter(tell)
    event.register("numba:compile", counter)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        event.unregister("numba:compile", counter)  # type: ignore[no-untyped-call]


_announce = _Announce()
event.register("numba:compile", _announce)  # type: ignore[no-untyped-call]


def announce_if_cold() -> None:
    """Give the notice on behalf of worker processes, which are quiet."""
    if not any(cache_root().glob("strategy-*/*.nbc")):
        _announce.tell()


def kernel(function: F) -> F:
    """Compile `function` on first use, cache it on disk, run it without the GIL."""
    return _compiled(function)


def lean_kernel(function: F) -> F:
    """`kernel` for a function that makes and returns no array.

    It does not count references to the arrays it works on. Each count is an atomic
    instruction, and in a tree search they took a third of the time.
    """
    return _compiled(function, _nrt=False)


def _compiled(function: F, **options: Any) -> F:
    # Nothing calls kernels from C, and a wrapper for that takes time to compile.
    return cast(
        F,
        KernelDispatcher(
            function, {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, **options}
        ),
    )


def compose(
    template: Callable[..., Any],
    name: str,
    *,
    compiler: Callable[[Any], Any] = kernel,
    **parts: Callable[..., Any],
) -> Any:
    """Compile `template` with its free names bound to `parts`.

    A template is an ordinary function that calls names which no module defines
    (`choose`, `update`); each composition is a kernel of its own. Closures would
    read better, but Numba cannot cache a closure over compiled functions: it would
    be compiled anew in every process.
    """
    bound = types.FunctionType(template.__code__, {**template.__globals__, **parts}, name)
    bound.__qualname__ = f"{template.__name__.strip('_')}_{name}"
    bound.__module__ = template.__module__
    vars(bound)["parts"] = tuple(parts.values())
    return compiler(bound)
