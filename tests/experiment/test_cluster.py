"""A real Dask scheduler and real workers on this machine: the same rows as locally."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seabattle import compare
from seabattle.errors import ExperimentError, MissingPart
from seabattle.experiment.cluster import ADDRESS
from seabattle.experiment.cluster import cluster as connect
from seabattle.experiment.tournament import tournament
from tests.experiment.stored_games import rows, wait_for_games
from tests.forking import Seabattle

pytest.importorskip("distributed")

QUIET = {**os.environ, "SEABATTLE_QUIET": "1", "DASK_DISTRIBUTED__WORKER__DAEMON": "False"}


class Cluster:
    """A scheduler and three workers, each a process."""

    def __init__(self, folder: Path) -> None:
        file = folder / "scheduler.json"
        self.processes = [
            self.start(
                *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
                *("--no-jupyter", "--scheduler-file", str(file)),
            )
        ]
        for _ in range(300):
            if file.exists() and file.read_text():
                break
            time.sleep(0.1)
        self.address = json.loads(file.read_text())["address"]
        self.workers = [
            self.start(
                *("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"),
                *("--host", "127.0.0.1", "--local-directory", str(folder)),
            )
            for _ in range(3)
        ]
        self.processes += self.workers

    @staticmethod
    def start(*arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=QUIET,
        )

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait(timeout=30)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    started = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        wait_for_workers(started)
        yield started
    finally:
        started.stop()


def seabattle(*arguments: object) -> subprocess.Popen[str]:
    return Seabattle(
        *arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=QUIET,
    )


def finished(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=180)
    assert process.returncode == 0, err
    return out


def wait_for_workers(cluster: Cluster) -> None:
    command = ("compare", "random", "--rules", "mini", "--games", 1, "--scheduler", cluster.address)
    for _ in range(30):
        process = seabattle(*command)
        _, err = process.communicate(timeout=60)
        if process.returncode == 0:
            return
        assert "has no workers" in err, err
        time.sleep(0.5)
    pytest.fail("no worker came")


PLAYED = """
import sys
from distributed import Client

def played():
    import sys
    return "seabattle.players.even" in sys.modules

with Client(sys.argv[1]) as client:
    print(sum(client.run(played).values()))
"""


def workers_that_played(cluster: Cluster) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PLAYED, cluster.address], capture_output=True, text=True, timeout=60
    )
    return int(done.stdout)


def test_a_sequential_test_reaches_the_same_verdict(cluster: Cluster) -> None:
    words = ("test", "even", "human-like", "--rules", "mini", "--better-by", "0.5", "--json")
    away = seabattle(*words, "--scheduler", cluster.address)
    assert json.loads(finished(away)) == json.loads(finished(seabattle(*words)))


def test_a_cluster_finds_what_one_process_finds(cluster):
    out = finished(
        seabattle(
            *("compare", "even", "random", "--rules", "mini", "--games", 3000, "--seed", 2),
            *("--json", "--scheduler", cluster.address),
        )
    )
    local = compare(["even", "random"], "mini", games=3000, seed=2)
    for there, here in zip(json.loads(out)["players"], local.players, strict=True):
        assert there["shots"] == list(here.shots)
    out = finished(
        seabattle(
            *("tournament", "even", "random", "even@edges", "--rules", "mini", "--games", 40),
            *("--json", "--scheduler", cluster.address),
        )
    )
    assert workers_that_played(cluster) == 3
    assert json.loads(out) == tournament(["even", "random", "even@edges"], "mini", 40).to_json()


def test_a_worker_that_is_killed_loses_nothing(cluster, tmp_path):
    arguments = ("compare", "even", "human-like", "--games", 30000, "--seed", 5, "--store")
    local, path = tmp_path / "local.sqlite", tmp_path / "cluster.sqlite"
    finished(seabattle(*arguments, local))
    process = seabattle(*arguments, path, "--scheduler", cluster.address)
    wait_for_games(path, process)
    cluster.workers[0].kill()
    finished(process)
    assert rows(path) == rows(local)


@pytest.mark.parametrize(
    ("address", "words"),
    [("tcp://127.0.0.1:9", "no Dask scheduler at"), ("nonsense://x", "no Dask scheduler at")],
)
def test_an_address_without_a_scheduler_is_reported(address, words):
    code = (
        "from seabattle.experiment import cluster; cluster.CONNECT_SECONDS = 2; "
        "from seabattle.cli import main; main()"
    )
    arguments = ["compare", "random", "--rules", "mini", "--games", "2", "--scheduler", address]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_training_data_made_on_a_cluster_is_the_same(cluster, tmp_path, monkeypatch):
    from seabattle.learn.training.labelled_positions import make_labelled_positions
    from seabattle.learn.training.trainer import TrainingSetup
    from seabattle.rules import Rules

    monkeypatch.setattr("seabattle.learn.training.labelled_positions.PART", 5)
    rules = Rules(4, 4, (3, 2), answers="hit-miss")
    sets = []
    with connect(cluster.address) as (executor, threads):
        for name, jobs, where in (("here", 1, None), ("there", threads, executor)):
            folder = tmp_path / name
            folder.mkdir()
            setup = TrainingSetup(rules, 1, folder, 10, jobs=jobs, executor=where)
            sets.append(make_labelled_positions(setup, 1, 30, 10**6))
    assert (sets[0] == sets[1]).all()


def test_workers_of_another_version_are_refused(cluster, monkeypatch):
    monkeypatch.setattr("seabattle.experiment.cluster.__version__", "99.0")
    with pytest.raises(ExperimentError, match=r"but this is 99\.0"), connect(cluster.address):
        pass


def test_a_missing_dask_is_explained(monkeypatch):
    monkeypatch.setattr("seabattle.experiment.cluster.find_spec", lambda _: None)
    with pytest.raises(MissingPart, match=r"seabattle\[scale\]"), connect("tcp://127.0.0.1:1"):
        pass


@pytest.mark.parametrize(
    ("address", "valid"),
    [
        ("tcp://[::1]:8786", True),
        ("[fe80::1%eth0]:8786", True),
        ("tls://cluster.example:8786", True),
        ("10.0.0.1:8786", True),
        ("::1:8786", False),
        ("tcp://[::1]", False),
        ("tcp://host:8786/x", False),
    ],
)
def test_schedulers_may_have_addresses_of_both_kinds(address, valid):
    assert bool(ADDRESS.fullmatch(address)) == valid


def test_a_cluster_that_loses_its_workers_says_so(cluster):
    """The last test of this cluster."""
    with connect(cluster.address) as (executor, _):
        assert executor.trouble() is None
        for worker in cluster.workers:
            worker.kill()
        for _ in range(100):
            if told := executor.trouble():
                break
            time.sleep(0.1)
        assert told == (
            f"The scheduler at {cluster.address} has no workers left; start some with "
            f"'dask worker {cluster.address} --nthreads 1'."
        )
