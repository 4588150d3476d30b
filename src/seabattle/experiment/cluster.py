"""Playing games on a Dask cluster.

Its executor replaces the local process pool and is given the same calls (see `workers`).
If a worker dies, another one plays its batch again. What workers return is unpickled by
Dask itself, so a cluster must be as trusted as this machine (see docs/scale.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, TypeVar

from .. import __version__
from ..errors import ExperimentError, MissingPart

T = TypeVar("T")

CONNECT_SECONDS = 15
ANSWER_SECONDS = 5
"""how long the scheduler has to say how many workers it has"""
ADDRESS = re.compile(r"((tcp|tls|wss?)://)?(\[[0-9A-Fa-f:.]+(%\w+)?\]|[^]/:[]+):[0-9]{1,5}")
"""a host or an IPv6 address in brackets, and a port"""


class ClusterExecutor(Executor):
    """Hands calls to a cluster, and notices when it has lost its workers."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._inner = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = self._inner.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._inner.shutdown(wait=wait)

    def trouble(self) -> str | None:
        from distributed.comm.core import CommClosedError

        try:
            ask = self._client.scheduler.ncores
            workers = self._client.sync(ask, callback_timeout=ANSWER_SECONDS)
        except (OSError, TimeoutError, CommClosedError):
            return f"The scheduler at {self._address} does not answer; still waiting for it."
        if sum(workers.values()):
            return None
        return f"The scheduler at {self._address} has no workers left; {_start(self._address)}."


def _start(address: str) -> str:
    return f"start some with 'dask worker {address} --nthreads 1'"


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """The executor of the cluster with this scheduler, and its number of threads."""
    if find_spec("distributed") is None:
        raise MissingPart("A cluster needs distributed: pip install 'seabattle[scale]'")
    no_scheduler = ExperimentError(
        f"There is no Dask scheduler at {address!r}; start one with 'dask scheduler' and give the "
        "address that it prints, such as tcp://127.0.0.1:8786."
    )
    if not ADDRESS.fullmatch(address):
        raise no_scheduler
    from distributed import Client

    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, OverflowError, ValueError) as error:
        raise no_scheduler from error
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ExperimentError(f"The scheduler at {address} has no workers; {_start(address)}.")
        versions = set(client.run(installed_version).values())
        if versions != {__version__}:
            found = ", ".join(sorted(map(str, versions)))
            raise ExperimentError(
                f"The workers run seabattle {found}, but this is {__version__}; results of "
                "different versions cannot be mixed."
            )
        yield ClusterExecutor(client, address), threads
    finally:
        client.close()


def installed_version() -> str:
    """Run on every worker, to compare its version with ours."""
    return __version__
