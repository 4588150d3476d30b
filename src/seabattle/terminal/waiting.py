"""A line on a terminal that says what is going on, compilation on first use included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def waiting(console: Console, what: str) -> Iterator[None]:
    """Show a spinner with these words while something takes its time.

    Compiling takes many times as long as what it is for, so it is shown instead, with the
    number of functions compiled so far.
    """
    from ..compiled.jit import compilation_watched

    with console.status(f"{what} ...") as status:

        def tell(functions: int) -> None:
            status.update(f"compiling for first use (functions so far: {functions}) ...")

        with compilation_watched(tell):
            yield
