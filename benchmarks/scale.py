"""Games a second on a Dask cluster of 1, 2 and 3 workers on this machine.

`python -m benchmarks.scale` starts the scheduler and the workers on 127.0.0.1 itself.
The figures of docs/scale.md come from it. Beside the games per second that a clock shows,
it counts games per second of the workers' own processor time, which other programs on
the machine disturb less, and the processor time of the scheduler.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from seabattle import compare
from seabattle.experiment.cluster import cluster

GAMES = 40_000
TASKS = 2_000
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


def processor_seconds(processes: list[subprocess.Popen[bytes]]) -> float:
    """The processor time that these have used."""
    ticks = 0
    for process in processes:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(address: str, processes: list[subprocess.Popen[bytes]]) -> tuple[float, float, float]:
    """Games a second by the clock and by the workers' processor time, and the scheduler's
    processor time for a thousand games; once the workers have loaded what they need."""
    scheduler, workers = processes[:1], processes[1:]
    with cluster(address) as (executor, threads):
        compare([PLAYER], games=200 * threads, jobs=threads, executor=executor)
        used, scheduled = processor_seconds(workers), processor_seconds(scheduler)
        began = time.perf_counter()
        compare([PLAYER], games=GAMES, jobs=threads, executor=executor)
        clock = time.perf_counter() - began
        used = processor_seconds(workers) - used
        scheduled = processor_seconds(scheduler) - scheduled
    return GAMES / clock, GAMES / used, 1000 * scheduled / GAMES


def nothing(number: int) -> int:
    return number


def scheduler_seconds_a_task(address: str, processes: list[subprocess.Popen[bytes]]) -> float:
    """What handing out one task costs the scheduler."""
    with cluster(address) as (executor, _):
        before = processor_seconds(processes[:1])
        list(executor.map(nothing, range(TASKS)))
        return (processor_seconds(processes[:1]) - before) / TASKS


def rows_a_second() -> float:
    """Games that one process writes to a store, per processor second."""
    from seabattle.experiment.results_log import Series
    from seabattle.experiment.store import Store, StoreLog
    from seabattle.experiment.workers import play_numbered
    from seabattle.rules import Rules

    rules = Rules()
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.sqlite") as store:
        series = Series(PLAYER, rules, 1, GAMES, player=PLAYER)
        log = StoreLog(store, "benchmark", {})
        log.begin([series])
        batches = []
        while (games := log.reserve(series, 10_000)) is not None:
            batches.append(play_numbered(PLAYER, PLAYER, rules, 1, games, cells=True))
        began = time.process_time()
        for batch in batches:
            log.keep(series, batch)
        used = time.process_time() - began
        sizes = [
            len(each.cells) + each.shots.nbytes + each.placements.nbytes
            for each in batches
            if each.placements is not None
        ]
        print(f"bytes that come back for a game that is kept: {sum(sizes) / GAMES:.0f}")
        written = sum(path.stat().st_size for path in Path(folder).iterdir())
        print(f"bytes of the file for a game: at most {written / GAMES:.0f}")
        return GAMES / used


def main() -> None:
    compare([PLAYER], games=200)
    began, used = time.perf_counter(), time.process_time()
    compare([PLAYER], games=GAMES)
    alone = GAMES / (time.perf_counter() - began)
    alone_used = GAMES / (time.process_time() - used)
    print(f"{PLAYER} on classic, {GAMES:,} games; load {os.getloadavg()[0]:.1f}")
    print(f"no cluster: {alone:,.0f} games/s, {alone_used:,.0f} per processor second")
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
                clock, used, scheduled = measure(address, processes)
                print(
                    f"{count} workers: {clock:,.0f} games/s ({clock / alone:.2f}), {used:,.0f} per "
                    f"processor second ({used / alone_used:.2f}), scheduler {scheduled:.3f} s for "
                    "1,000 games"
                )
            task = scheduler_seconds_a_task(address, processes)
            print(f"scheduler: {1e3 * task:.2f} ms of processor time a task")
            print(f"store: {rows_a_second():,.0f} games per processor second")
        finally:
            for process in processes:
                process.kill()
                process.wait()


if __name__ == "__main__":
    main()
