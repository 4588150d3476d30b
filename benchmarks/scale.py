"""Games a second on a Dask cluster of 1, 2 and 3 workers on this machine.

`python -m benchmarks.scale` starts the scheduler and the workers on 127.0.0.1 itself.
The figures of docs/scale.md come from it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from seabattle import compare
from seabattle.experiment.cluster import cluster

GAMES = 40_000
PLAYER = "density"


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for(count: int, address: str) -> None:
    from distributed import Client

    with Client(address) as client:
        client.wait_for_workers(count, timeout=60)


def measure(address: str, count: int) -> float:
    """Games a second, once the workers have loaded what they need."""
    with cluster(address) as (executor, threads):
        compare([PLAYER], games=200 * count, jobs=threads, executor=executor)
        began = time.perf_counter()
        compare([PLAYER], games=GAMES, jobs=threads, executor=executor)
        return GAMES / (time.perf_counter() - began)


def main() -> None:
    compare([PLAYER], games=200)
    began = time.perf_counter()
    compare([PLAYER], games=GAMES)
    alone = GAMES / (time.perf_counter() - began)
    print(f"{PLAYER} on classic, {GAMES:,} games; one process without a cluster: {alone:,.0f}/s")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        processes = [
            start(
                *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
                *("--scheduler-file", str(file)),
            )
        ]
        try:
            while not (file.exists() and file.read_text()):
                time.sleep(0.1)
            address = json.loads(file.read_text())["address"]
            for count in (1, 2, 3):
                processes.append(
                    start(
                        *("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"),
                        *("--host", "127.0.0.1", "--local-directory", folder),
                    )
                )
                wait_for(count, address)
                rate = measure(address, count)
                print(f"{count} workers: {rate:,.0f} games/s, {rate / alone:.2f} of one process")
        finally:
            for process in processes:
                process.kill()
                process.wait()


if __name__ == "__main__":
    main()
