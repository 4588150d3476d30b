"""The results store: nothing lost, nothing twice, whoever is interrupted and how."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openpyxl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from seabattle import Comparison, compare
from seabattle.dealing.uniform import layout_for
from seabattle.errors import OutputError, StoreError
from seabattle.experiment.claim_owner import is_suspended
from seabattle.experiment.results_log import Series
from seabattle.experiment.store import Rows, Store, StoreLog, default_path
from seabattle.experiment.workers import Workers, play_numbered
from seabattle.record import read_record
from seabattle.report.games_table import export
from tests.experiment.stored_games import COMMAND, rows, start, wait_for_games
from tests.sample_players import Backwards
from tests.strategies import small_rules


def times(path: Path) -> dict[tuple[int, int], float]:
    """How long each game took: a game that was played again has another time."""
    connection = sqlite3.connect(path, timeout=30)
    found = connection.execute("SELECT series, number, seconds FROM game").fetchall()
    connection.close()
    return {(series, number): seconds for series, number, seconds in found}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> list[tuple[object, ...]]:
    path = tmp_path_factory.mktemp("store") / "whole.sqlite"
    done = start(path)
    done.communicate(timeout=120)
    assert done.returncode == 0
    return rows(path)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "games.sqlite") as opened:
        yield opened


def kept(store: Store, players: list[str], games: int, rules: str = "mini") -> Comparison:
    with store.log("comparison", {"players": players, "games": games}) as log:
        return compare(players, rules, games=games, seed=3, log=log)


def test_a_comparison_with_a_store_finds_what_one_without_finds(store):
    assert kept(store, ["even", "random"], 40) == compare(["even", "random"], "mini", 40, 3)
    assert kept(store, ["even", "random"], 40) == compare(["even", "random"], "mini", 40, 3)


@settings(deadline=None, max_examples=25)
@given(rules=small_rules())
def test_every_row_replays_as_the_game_that_was_played(rules, tmp_path_factory):
    with Store(tmp_path_factory.mktemp("store") / "games.sqlite") as store:
        with store.log("comparison", {}) as log:
            result = compare(["random"], rules, games=4, seed=8, log=log)
        for game in store.games_of(1):
            record = game.record()
            assert record.layout == layout_for(rules, 8, game.number)
            assert len(record.shots) == game.shots == result.players[0].shots[game.number]
            assert record.replay(game.shots).finished
            assert read_record(record.to_text()) == record


@pytest.mark.parametrize(
    ("how", "jobs"), [(signal.SIGKILL, 1), (signal.SIGKILL, 2), (signal.SIGINT, 2)]
)
def test_a_run_that_was_stopped_goes_on_and_ends_with_the_rows_of_an_undisturbed_one(
    tmp_path, undisturbed, how, jobs
):
    path = tmp_path / "games.sqlite"
    process = start(path, COMMAND.replace("--store", f"--jobs {jobs} --store"))
    wait_for_games(path, process)
    os.killpg(process.pid, how)
    _, err = process.communicate(timeout=60)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert "Traceback" not in err
    before = times(path)
    assert 500 <= len(before) < len(undisturbed)
    again = start(path)
    again.communicate(timeout=120)
    assert again.returncode == 0
    assert rows(path) == undisturbed
    after = times(path)
    assert all(after[game] == seconds for game, seconds in before.items())  # none played again


def test_two_processes_on_one_file_share_the_work(tmp_path, undisturbed):
    path = tmp_path / "games.sqlite"
    both = [start(path), start(path)]
    for process in both:
        process.communicate(timeout=120)
        assert process.returncode == 0
    assert rows(path) == undisturbed


def test_a_disk_that_fills_up_is_reported_and_what_was_finished_is_kept(tmp_path, undisturbed):
    path = tmp_path / "games.sqlite"
    limit = 4 * 2**20

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    process = start(path, preexec_fn=small_files)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "is the disk full? Finished games are kept" in err
    assert "Traceback" not in err
    assert 0 < len(times(path)) < len(undisturbed)
    again = start(path)
    again.communicate(timeout=120)
    assert again.returncode == 0
    assert rows(path) == undisturbed


def test_sqlite_saying_full_is_reported(store):
    store.query("PRAGMA max_page_count = 30")
    with pytest.raises(StoreError, match="disk is full"):
        kept(store, ["even"], 5000)
    store.query("PRAGMA max_page_count = 1000000")
    assert kept(store, ["even"], 5000) == compare(["even"], "mini", 5000, 3)


def test_a_longer_run_begins_with_the_rows_of_a_shorter_one(store):
    kept(store, ["even"], 30)
    before = times(store.path)
    kept(store, ["even", "random"], 50)
    after = times(store.path)
    assert len(after) == 100
    assert all(after[game] == seconds for game, seconds in before.items())
    assert [run.games for run in store.runs()] == [30, 100]


def test_deleting_a_run_keeps_what_another_needs(store):
    kept(store, ["even"], 30)
    kept(store, ["even", "random"], 50)
    store.delete(2)
    assert len(times(store.path)) == 30
    store.delete(1)
    assert times(store.path) == {}
    assert store.runs() == []
    with pytest.raises(StoreError, match="no run 1"):
        store.delete(1)


def claim(store: Store, owner: str, until: float, games: range) -> None:
    store.query(
        "INSERT INTO claim SELECT id, ?, ?, ?, ? FROM series",
        *(games.start, games.stop, owner, until),
    )


def prepared(store: Store) -> tuple[StoreLog, Series]:
    series = Series("even", compare(["even"], "mini", 1).rules, 3, 20, player="even")
    log = StoreLog(store, "comparison", {})
    log.begin([series])
    return log, series


@pytest.mark.parametrize(
    ("owner", "until"),
    [
        ("{host} 999999999 12345 x", 900),  # no such process
        ("{host} {pid} 12345 x", 900),  # another process had this number
        ("elsewhere 1 ? x", -1),  # not renewed in time
    ],
)
def test_claims_of_dead_processes_are_void(store, owner, until):
    until += time.time()

    log, series = prepared(store)
    claim(store, owner.format(host=socket.gethostname(), pid=os.getpid()), until, range(15))
    assert log.reserve(series, 50) == range(20)


def test_games_that_others_have_claimed_are_left_to_them(store):
    log, series = prepared(store)
    claim(store, "elsewhere 1 ? x", time.time() + 900, range(5, 15))
    assert log.reserve(series, 50) == range(5)
    assert log.reserve(series, 3) == range(15, 18)
    assert log.reserve(series, 50) == range(18, 20)
    assert log.reserve(series, 50) is None
    store.query("UPDATE claim SET until = 0 WHERE owner = 'elsewhere 1 ? x'")
    assert log.reserve(series, 50) == range(5, 15)


def test_a_player_without_a_name_cannot_be_kept(store):
    with (
        pytest.raises(StoreError, match="register it"),
        store.log("comparison", {}) as log,
    ):
        compare([Backwards()], "mini", 3, log=log)


def test_files_that_are_not_stores_are_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database at all, but long enough to look at" * 20)
    with pytest.raises(StoreError, match="not a results file"):
        Store(text)
    assert text.read_text().startswith("not a database")
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        Store(other)
    with Store(tmp_path / "later.sqlite") as store:
        store.query("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="needs a newer version"):
        Store(tmp_path / "later.sqlite")
    with Store(tmp_path / "earlier.sqlite") as store:
        store.query("PRAGMA user_version = 1")
    with pytest.raises(StoreError, match="written by an earlier version of seabattle"):
        Store(tmp_path / "earlier.sqlite")
    with pytest.raises(StoreError, match="no results file"):
        Store(tmp_path / "missing.sqlite", create=False)
    with pytest.raises(StoreError, match="Cannot create the folder"):
        Store("/proc/nowhere/games.sqlite")


def test_runs_are_exported_in_three_forms(store, tmp_path):
    kept(store, ["even", "random"], 30)
    for kind in ("csv", "parquet", "xlsx"):
        assert export(store.games_of(1), tmp_path / f"games.{kind}") == 60
    with (tmp_path / "games.csv").open(newline="") as file:
        header, *table = list(csv.reader(file))
    assert header[:4] == ["entrant", "opponent", "player", "rules"]
    assert [int(row[7]) for row in table] == [game.shots for game in store.games_of(1)]
    parquet = pq.read_table(tmp_path / "games.parquet").to_pylist()
    assert [row["shots"] for row in parquet] == [int(row[7]) for row in table]
    assert [row["cells"] for row in parquet] == [row[10] for row in table]
    sheet = openpyxl.load_workbook(tmp_path / "games.xlsx")["games"]
    assert [row[7] for row in sheet.iter_rows(min_row=2, values_only=True)] == [
        int(row[7]) for row in table
    ]
    with pytest.raises(OutputError, match="The file name must end in"):
        export(store.games_of(1), tmp_path / "games.txt")


def test_runs_can_be_listed_shown_replayed_exported_and_deleted(run, tmp_path):
    path = tmp_path / "games.sqlite"
    arguments = ("even", "random", "--rules", "mini", "--games", 30, "--seed", 4)
    _, table, _ = run("compare", *arguments, "--store", path)
    code, out, _ = run("runs", "list", "--store", path)
    assert code == 0
    assert "finished" in out
    assert "players even, random; rules mini; seed 4" in out
    _, out, _ = run("runs", "show", 1, "--store", path)
    assert out.endswith(table)
    _, out, _ = run("runs", "replay", 1, 7, "--player", "even", "--store", path)
    record = read_record(out)
    assert record.player == "even"  # type: ignore[union-attr]
    code, _, err = run("runs", "replay", 1, 30, "--store", path)
    assert code == 2
    assert "Run 1 has no game 30." in err
    _, out, _ = run("runs", "export", 1, tmp_path / "g.csv", "--store", path)
    assert "60 games" in out
    assert run("runs", "delete", 1, "--store", path)[0] == 0
    assert run("runs", "list", "--store", path)[1] == "No runs yet.\n"
    code, _, err = run("runs", "show", 1, "--store", path)
    assert code == 2
    assert "has no run 1" in err


def test_a_run_that_was_stopped_is_shown_as_unfinished(run, tmp_path):
    path = tmp_path / "games.sqlite"
    with Store(path) as store:
        prepared(store)
    _, out, _ = run("runs", "show", 1, "--store", path)
    assert "Run 1: comparison, unfinished, 0 of 20 games" in out
    assert "even: 20 games" in out
    assert json.loads(run("runs", "show", 1, "--store", path, "--json")[1])["result"] is None


def test_the_default_file_is_in_the_users_data_folder(run, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "seabattle" / "results.sqlite"
    assert run("compare", "even", "--rules", "mini", "--games", 3, "--store", "default")[0] == 0
    assert "comparison" in run("runs", "list")[1]


def test_games_that_are_too_many_for_memory_give_the_same_statistics(store, monkeypatch, tmp_path):
    """Their shots stay in the file, and only blocks of them are read."""
    from seabattle.experiment import store as module
    from seabattle.report.comparison_table import text_table
    from seabattle.report.outputs import write_csv
    from seabattle.report.plots import write_plots

    usual = kept(store, ["even", "random"], 501)
    monkeypatch.setattr(module, "MOST_LOADED", 100)
    monkeypatch.setattr(module, "BLOCK", 64)
    large = kept(store, ["even", "random"], 501)
    for one, other in zip(usual.players, large.players, strict=True):
        assert isinstance(other.shots, module.StoredShots)
        assert (one.mean, one.median, one.min) == (other.mean, other.median, other.min)
        assert (one.max, one.p95) == (other.max, other.p95)
        assert one.sd == pytest.approx(other.sd, rel=1e-12)
        assert one.ci95 == pytest.approx(other.ci95, rel=1e-12)
        assert tuple(other.shots) == one.shots
        assert (len(other.shots), other.shots[7], other.shots[-1]) == (501, *one.shots[7::493])
        assert other.shots[498:] == one.shots[498:]
        with pytest.raises(IndexError):
            other.shots[501]
    (pair,), (same,) = usual.paired, large.paired
    assert pair.mean_difference == same.mean_difference
    assert pair.ci95 == pytest.approx(same.ci95, rel=1e-12)
    assert large.to_json()["players"][0]["shots"] == list(usual.players[0].shots)
    for result in (usual, large):
        assert "".join(result.json_parts()) == json.dumps(result.to_json())
    assert len(list(large.json_parts())) > 16  # blocks, not one list
    assert text_table(large).startswith(text_table(usual).partition(" ms")[0][:200])
    for result, name in ((usual, "usual.csv"), (large, "large.csv")):
        write_csv(result, tmp_path / name)
    assert (tmp_path / "usual.csv").read_text() == (tmp_path / "large.csv").read_text()
    assert write_plots(large, tmp_path)


VERSION_2 = """
CREATE TABLE run (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, settings TEXT NOT NULL,
    version TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, stopping_rule TEXT,
    UNIQUE (kind, settings, version));
CREATE TABLE series (id INTEGER PRIMARY KEY, player TEXT NOT NULL, rules TEXT NOT NULL,
    seed INTEGER NOT NULL, placer TEXT NOT NULL, version TEXT NOT NULL, peak_memory_mb REAL,
    UNIQUE (player, rules, seed, placer, version));
INSERT INTO run SELECT * FROM now.run;
INSERT INTO series SELECT * FROM now.series;
CREATE TABLE run_series AS SELECT * FROM now.run_series;
CREATE TABLE game AS SELECT * FROM now.game;
CREATE TABLE claim AS SELECT * FROM now.claim;
PRAGMA application_id = 0x5EABA77E;
PRAGMA user_version = 2;
"""


def test_a_file_of_version_2_is_updated_and_keeps_its_games(store, tmp_path):
    usual = kept(store, ["even", "random"], 40)
    path = tmp_path / "old.sqlite"
    connection = sqlite3.connect(path)
    connection.execute(f"ATTACH '{store.path}' AS now")
    connection.executescript(VERSION_2)
    connection.close()
    assert rows(path) == rows(store.path)
    with Store(path) as old:
        (run,) = old.runs()
        assert (run.id, run.games, run.played) == (1, 80, 80)
        assert Comparison.of(old.results(1), seed=3).players == usual.players
        assert not kept(old, ["human-like"], 4).players[0].faults
        old.delete(2)
        kept(old, ["human-like"], 4)
        assert [run.id for run in old.runs()] == [1, 3]


def test_a_file_of_version_3_is_updated_and_keeps_its_games(store):
    usual = kept(store, ["even"], 40)
    store.query("DROP TABLE lost_game")
    store.query("PRAGMA user_version = 3")
    with Store(store.path) as old:
        assert Comparison.of(old.results(1), seed=3).players == usual.players
        assert not any(game.lost for game in old.games_of(1))


def test_numbers_of_deleted_runs_and_series_are_not_given_again(store):
    kept(store, ["even"], 4)
    store.delete(1)
    kept(store, ["random"], 4)
    assert [run.id for run in store.runs()] == [2]
    assert store.query("SELECT id FROM series").fetchall() == [(2,)]


def test_a_run_that_is_being_played_is_not_deleted(run, tmp_path, undisturbed):
    path = tmp_path / "games.sqlite"
    process = start(path, COMMAND.replace("30000", "3000000"))
    kept = wait_for_games(path, process)
    code, _, err = run("runs", "delete", 1, "--store", path)
    assert code == 2
    assert f"Run 1 is being played by process {process.pid}; stop it first." in err
    assert wait_for_games(path, process, kept + 1) > kept
    process.kill()
    process.communicate()
    start(path).communicate(timeout=120)  # the games that the other run has not played
    number = 5
    assert [row for row in rows(path) if row[number] < 30_000] == undisturbed
    assert run("runs", "delete", 1, "--store", path)[0] == 0


def test_games_of_a_series_that_was_deleted_are_not_written_under_another(store):
    log, series = prepared(store)
    games = log.reserve(series, 5)
    played = play_numbered("even", "even", series.rules, 3, games, cells=True)
    store.query("PRAGMA foreign_keys = OFF")  # what a foreign program might do
    store.query("UPDATE series SET player = 'random'")
    with pytest.raises(StoreError, match=r"were deleted from .* while they were being played"):
        log.keep(series, played)
    with pytest.raises(StoreError, match="were deleted"):
        log.reserve(series, 5)
    assert store.query("SELECT count(*) FROM game").fetchone() == (0,)


def test_a_suspended_process_is_named_and_its_claims_expire(store, monkeypatch, capfd):
    """Its games are played by whoever waits for them."""
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        other.send_signal(signal.SIGSTOP)
        birth = Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()[19]
        owner = f"{socket.gethostname()} {other.pid} {birth} x"
        prepared(store)
        claim(store, owner, time.time() + 1.5, range(5, 15))
        monkeypatch.setattr("seabattle.experiment.batches.PATIENCE_SECONDS", 0.3)
        monkeypatch.setattr("seabattle.experiment.batches.POLL_SECONDS", 0.1)
        usual = compare(["even"], "mini", 20, 3)
        capfd.readouterr()
        with store.log("comparison", {}) as log:
            assert compare(["even"], "mini", 20, 3, log=log) == usual
        told = f"Waiting for the games of even from process {other.pid}, which is suspended."
        assert told in capfd.readouterr().err
    finally:
        other.kill()
        other.wait()


WRITER = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("writing", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
connection.execute("COMMIT")
"""


class Resuming(io.StringIO):
    """Standard error; what is written to it resumes a process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        super().__init__()
        self.process = process

    def write(self, text: str) -> int:
        self.process.send_signal(signal.SIGCONT)
        return super().write(text)


def test_who_waits_for_a_process_that_was_suspended_while_writing_says_so(
    tmp_path, monkeypatch, capfd
):
    monkeypatch.setattr("seabattle.experiment.store.PATIENCE_SECONDS", 0.1)
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        other = subprocess.Popen(
            [sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True
        )
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "writing\n"
            while not is_suspended(other.pid):
                time.sleep(0.01)
            held = f"process {other.pid}, which is suspended ('kill -CONT {other.pid}' resumes it),"
            with monkeypatch.context() as briefly:
                briefly.setattr("seabattle.experiment.store.BUSY_SECONDS", 0.3)
                with pytest.raises(StoreError, match=re.escape(f"is locked by {held}")):
                    prepared(store)
            told = f"seabattle: Waiting for {held} to finish writing to {path}.\n"
            assert capfd.readouterr().err == told
            notices = Resuming(other)
            monkeypatch.setattr(sys, "stderr", notices)
            prepared(store)
            assert notices.getvalue() == told
        finally:
            other.kill()
            other.communicate()


def test_a_suspended_worker_is_named():
    workers = Workers(1)
    try:
        workers.submit(os.getpid).result(timeout=60)
        (pid,) = workers._processes  # type: ignore[attr-defined]
        assert workers.trouble() is None
        os.kill(pid, signal.SIGSTOP)
        while "T" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
            time.sleep(0.01)
        assert workers.trouble() == (
            f"Waiting for a suspended worker process; 'kill -CONT {pid}' resumes it."
        )
    finally:
        workers.stop()


def test_a_file_is_created_for_its_owner_alone(tmp_path):
    before = os.umask(0)
    try:
        with Store(tmp_path / "games.sqlite") as store:
            kept(store, ["even"], 3)
            made = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert made
    assert set(made.values()) == {0o600}, made


def test_a_damaged_page_is_a_sentence(run, tmp_path):
    path = tmp_path / "games.sqlite"
    with Store(path) as store:
        kept(store, ["even"], 3000)
        store.query("PRAGMA wal_checkpoint(TRUNCATE)")
    page, pages = 4096, path.stat().st_size // 4096

    def damage(first: int) -> None:
        with path.open("r+b") as file:
            file.seek(first * page)
            file.write(b"\xff" * (pages - 1 - first) * page)

    damage(pages * 3 // 4)
    with Store(path) as store:  # whose first rows are fine
        for read in (list, Rows.fetchall):
            with pytest.raises(StoreError, match="damaged"):
                read(store.query("SELECT cells FROM game"))
    damage(20)
    for words in (["show", 1], ["export", 1, tmp_path / "games.csv"], ["list"]):
        code, _, err = run("runs", *words, "--store", path)
        assert code == 2, words
        assert "not a results file, or is damaged" in err, words


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE game SET shots = 'many'",
        "UPDATE game SET shots = 26",
        "UPDATE run SET settings = '{'",
        "UPDATE run SET stopping_rule = '[1]'",
        "UPDATE run SET settings = '1.5'",
        "UPDATE run SET started = x'ff00'",
        "UPDATE series SET player = x'ff00'",
        "UPDATE series SET rules = x'ff00'",
        "UPDATE series SET peak_memory_mb = 'much'",
        "INSERT INTO lost_game VALUES (1, 'none')",
    ],
)
def test_values_that_no_run_has_written_are_refused(store, run, change):
    kept(store, ["even"], 4)
    store.query(change)
    code, _, err = run("runs", "show", 1, "--store", store.path)
    assert code == 2
    assert "not a results file, or is damaged" in err


def test_a_game_with_a_number_below_0_is_missing(store, run):
    usual = kept(store, ["even"], 4)
    store.query("UPDATE game SET number = -1 WHERE number = 3")
    code, _, err = run("runs", "show", 1, "--store", store.path)
    assert code == 2
    assert "has 3 of 4 games" in err
    assert kept(store, ["even"], 4) == usual


def test_a_lost_game_with_a_number_below_0_is_none_of_the_games(store, run):
    kept(store, ["even"], 4)
    store.query("INSERT INTO lost_game VALUES (1, -1)")
    ((_, result),) = store.results(1)
    assert result.faults.lost == frozenset()


def test_a_game_with_half_a_number_is_damage(store):
    kept(store, ["even"], 4)
    store.query("UPDATE game SET number = 1.5 WHERE number = 3")
    with pytest.raises(StoreError, match="is damaged"):
        kept(store, ["even"], 4)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="is not a file"):
        Store(tmp_path / "pipe")


def test_a_file_may_be_opened_while_another_process_creates_it(tmp_path):
    """Whoever opens it sees an empty file or a results file, never one of another program."""
    together = threading.Barrier(4)

    def open_all(_: int) -> None:
        for number in range(60):
            together.wait(timeout=60)
            try:
                Store(tmp_path / f"{number}.sqlite").close()
            except StoreError:
                together.abort()
                raise

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(open_all, range(4))) == [None] * 4
