"""Playing games on a Dask cluster.

Its executor replaces the local process pool and is given the same calls (see `workers`).
If a worker dies, another one plays its batch again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib.util import find_spec

from .. import __version__
from ..errors import ExperimentError, MissingPart

CONNECT_SECONDS = 15


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """The executor of the cluster with this scheduler, and its number of threads."""
    if find_spec("distributed") is None:
        raise MissingPart("A cluster needs distributed: pip install 'seabattle[scale]'")
    no_scheduler = ExperimentError(
        f"There is no Dask scheduler at {address!r}; start one with 'dask scheduler' and give the "
        "address that it prints, such as tcp://127.0.0.1:8786."
    )
    if not re.fullmatch(r"((tcp|tls|wss?)://)?[^/:]+:[0-9]+", address):
        raise no_scheduler
    from distributed import Client

    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except OSError as error:
        raise no_scheduler from error
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ExperimentError(
                f"The scheduler at {address} has no workers; start some with "
                f"'dask worker {address} --nthreads 1'."
            )
        versions = set(client.run(installed_version).values())
        if versions != {__version__}:
            found = ", ".join(sorted(map(str, versions)))
            raise ExperimentError(
                f"The workers run seabattle {found}, but this is {__version__}; results of "
                "different versions cannot be mixed."
            )
        yield client.get_executor(pure=False), threads
    finally:
        client.close()


def installed_version() -> str:
    """Run on every worker, to compare its version with ours."""
    return __version__
