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
    from numba.core import event

    with console.status(f"{what} ...") as status:

        class Compiling(event.Listener):
            functions = 0

            def on_start(self, event: event.Event) -> None:
                pass

            def on_end(self, event: event.Event) -> None:
                self.functions += 1
                status.update(f"compiling for first use ({self.functions} functions so far) ...")

        listener = Compiling()
        event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
        try:
            yield
        finally:
            event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]
