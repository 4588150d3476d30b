"""A line on a terminal that says what is going on, compilation on first use included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def waiting(console: Console, what: str) -> Iterator[None]:
    """Show a spinner with these words while something takes its time.

    Compiling takes many times as long as what it is for, so it is shown instead, with the
    number of functions compiled so far.
    """
    with console.status(f"{what} ...") as status:

        def tell(functions: int) -> None:
            status.update(f"compiling for first use (functions so far: {functions}) ...")

        with compilation_watched(tell):
            yield


@contextmanager
def compilation_watched(tell: Callable[[int], None]) -> Iterator[None]:
    """Tell how many functions have been compiled, whenever there is one more."""
    from numba.core import event

    class Counter(event.Listener):
        functions = 0

        def on_start(self, event: event.Event) -> None:
            pass

        def on_end(self, event: event.Event) -> None:
            self.functions += 1
            tell(self.functions)

    counter = Counter()
    event.register("numba:compile", counter)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        event.unregister("numba:compile", counter)  # type: ignore[no-untyped-call]
