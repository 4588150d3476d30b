"""Data sets load in other people's tools, replay, and are refused when they are damaged."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from seabattle import Observation, Rules, infer, play
from seabattle.dataset import check_dataset, episode_of, read_csv, read_minari, read_parquet
from seabattle.dataset.episodes import played_records
from seabattle.errors import DatasetError
from seabattle.experiment import compare
from seabattle.learn.encoding import planes_of
from tests.conftest import Run
from tests.forking import Seabattle

minari = pytest.importorskip("minari")
pq = pytest.importorskip("pyarrow.parquet")

MINI = ("--rules", "mini", "--games", "12", "--seed", "4")
TRIO = "russian size=6 fleet=3,2,1"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Minari's data sets."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return tmp_path / "minari"


@pytest.mark.parametrize("rules", ["mini", "named", TRIO])
def test_an_episode_is_what_players_and_networks_see(rules: str) -> None:
    record = play("even", rules, seed=3)
    episode = episode_of(record, 0, "hits", posterior=rules == "mini")
    for k in range(len(record.shots) + 1):
        known = Observation(record.rules, record.shots[:k])
        assert (episode.observations[k] == planes_of(known)).all()
        if episode.posterior is not None:
            assert episode.posterior[k] == pytest.approx(infer(known).probability)
    assert [shot.cell for shot in record.shots] == episode.actions.tolist()
    assert [1.0 if shot.answer.hit else -1.0 for shot in record.shots] == episode.rewards.tolist()
    assert episode.terminations.tolist() == [False] * (len(record.shots) - 1) + [True]
    cut = episode_of(record.upto(3), 0)
    assert (cut.terminations.any(), cut.truncations.tolist()) == (False, [False, False, True])


def test_the_games_are_those_of_a_comparison() -> None:
    rules = Rules.from_text("mini")
    shots = [len(record.shots) for record in played_records("density", rules, 700, seed=9)]
    assert tuple(shots) == compare(["density"], rules, games=700, seed=9).players[0].shots


def test_minari_loads_what_is_exported(run: Run, root: Path) -> None:
    name = "seabattle/mini-exact-v0"
    code, out, err = run("dataset", "export", name, *MINI, "--posterior")
    assert code == 0, err
    assert f"minari.load_dataset({name!r})" in out
    loaded = minari.load_dataset(name)
    assert (loaded.total_episodes, loaded.id) == (12, name)
    assert list(minari.list_local_datasets()) == [name]
    rules = Rules.from_text("mini")
    for episode, record in zip(loaded, played_records("exact", rules, 12, seed=4), strict=True):
        assert episode.actions.tolist() == [shot.cell for shot in record.shots]
        assert episode.rewards.tolist() == [-1.0] * len(record.shots)
        assert episode.observations.dtype == np.int8
        # `exact` shoots at the likeliest cell.
        for cell, chances in zip(episode.actions, episode.infos["posterior"], strict=False):
            known = (chances != 1) | (np.arange(25).reshape(5, 5) == cell)
            assert chances.flat[cell] == pytest.approx(chances[known].max())
    env = loaded.recover_environment()
    about = next(iter(loaded.storage.get_episode_metadata([3])))
    env.reset(options=about["options"])
    *_, last = (env.step(cell) for cell in loaded[3].actions)
    assert last[2]
    assert loaded.storage.metadata["seabattle"]["command"].startswith("seabattle dataset export")
    code, out, _ = run("dataset", "check", name, "--json")
    checked = json.loads(out)
    assert (code, checked["games"], checked["provenance"]["source"]) == (0, 12, "exact")
    assert sorted(os.listdir(root / "seabattle")) == ["mini-exact-v0"]


def test_parquet_and_minari_hold_the_same_episodes(run: Run, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "games.parquet"
    for out in ("seabattle/a-v0", file):
        code, _, err = run(
            "dataset", "export", out, "--player", "even", "--rules", TRIO, "--games", 5,
            "--reward", "finish", "--posterior",
        )  # fmt: skip
        assert code == 0, err
    (one, episodes), (other, rows) = read_minari(root / "seabattle" / "a-v0"), read_parquet(file)
    assert (one.rules, one.reward, one.source) == (other.rules, other.reward, other.source)
    for a, b in zip(episodes, rows, strict=True):
        assert a.record == b.record
        assert (a.observations == b.observations).all()
        assert a.rewards == pytest.approx(b.rewards)
        assert a.posterior == pytest.approx(b.posterior)
    table = pq.read_table(file)
    assert table.column_names[:3] == ["game", "step", "player"]
    assert json.loads(table.schema.metadata[b"seabattle"])["observation_shape"] == [6, 6, 6]
    assert check_dataset(file).shots == table.num_rows


def test_a_data_set_can_come_from_a_results_file(run: Run, tmp_path: Path) -> None:
    store, file = tmp_path / "games.sqlite", tmp_path / "games.parquet"
    run("compare", "even", "random", *MINI, "--store", store)
    code, out, _ = run("dataset", "export", file, "--run", 1, "--store", store)
    assert (code, out) == (0, f"Written: {file} (24 games)\n")
    assert check_dataset(file).rules.name == "mini"


def test_a_data_set_for_other_rules_is_refused(run: Run, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "games.parquet"
    run("dataset", "export", file, "--player", "even", *MINI)
    run("dataset", "export", "x/mini-v0", "--player", "even", *MINI)
    for name in (file, "x/mini-v0", root / "x" / "mini-v0"):
        code, _, err = run("dataset", "check", name, "--rules", "classic")
        assert (code, err) == (
            2,
            f"seabattle: {name} is for the rules 'mini', not 'classic'.\n",
        )
        assert run("dataset", "check", name, "--rules", "mini")[0] == 0


def test_a_damaged_parquet_file_is_refused(run: Run, tmp_path: Path) -> None:
    import pyarrow as pa

    file, bad = tmp_path / "games.parquet", tmp_path / "bad.parquet"
    run("dataset", "export", file, "--player", "even", *MINI)
    table, content = pq.read_table(file), file.read_bytes()

    def changed(column: str, row: int, value: object) -> None:
        values = table.column(column).to_pylist()
        values[row] = value
        place = table.schema.get_field_index(column)
        array = pa.array(values, table.schema.field(column).type)
        pq.write_table(table.set_column(place, table.schema.field(column), array), bad)

    observation = table.column("observation")[3].as_py()
    observation[7] ^= 1
    for damage, sentence in (
        (lambda: bad.write_bytes(content[: len(content) // 2]), "damaged or not a data set"),
        (lambda: bad.write_bytes(b"PAR1" + os.urandom(2000) + b"PAR1"), "damaged or not"),
        (lambda: bad.write_bytes(b""), "damaged or not a data set"),
        (lambda: pq.write_table(pa.table({"x": [1]}), bad), "no provenance of seabattle"),
        (lambda: pq.write_table(table.slice(0, 0), bad), "it has no games"),
        (lambda: pq.write_table(table.slice(1), bad), "game 0 has lost some of its steps"),
        (lambda: changed("reward", 2, 5.0), "the rewards of game 0 are not those"),
        (lambda: changed("observation", 3, observation), "the observations of game 0"),
        (lambda: changed("told", 0, "sunk"), "game 0 has answers that its layout does not give"),
        (lambda: changed("ships", 0, "cruiser A1"), "Cannot read the ship"),
        (lambda: changed("action", 1, 99), "not on a board of 25 cells"),
    ):
        damage()
        code, out, err = run("dataset", "check", bad)
        assert (code, out) == (2, "")
        assert sentence in err
        assert err.count("\n") == 1


def test_a_damaged_minari_data_set_is_refused(run: Run, root: Path) -> None:
    run("dataset", "export", "x/mini-v0", "--player", "even", *MINI)
    whole, bad = root / "x" / "mini-v0", root / "x" / "bad-v0"

    def copy() -> Path:
        shutil.rmtree(bad, ignore_errors=True)
        shutil.copytree(whole, bad)
        return bad / "data"

    def no_metadata() -> None:
        (copy() / "metadata.json").unlink()

    def half_an_episode() -> None:
        (file,) = (copy() / "2").glob("*.arrow")
        file.write_bytes(file.read_bytes()[:300])

    def another_layout() -> None:
        file = copy() / "2" / "metadata.json"
        about = json.loads(file.read_text())
        about["options"]["layout"] = "cruiser A1 across, destroyer E4 across"
        file.write_text(json.dumps(about))

    def an_episode_lost() -> None:
        shutil.rmtree(copy() / "5")

    def not_ours() -> None:
        file = copy() / "metadata.json"
        about = json.loads(file.read_text())
        del about["seabattle"]
        file.write_text(json.dumps(about))

    for damage in (no_metadata, half_an_episode, another_layout, an_episode_lost, not_ours):
        damage()
        code, out, err = run("dataset", "check", "x/bad-v0")
        assert (code, out) == (2, ""), damage.__name__
        assert "x/bad-v0 is damaged" in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("export", "no-version"), "is named like 'seabattle/mini-exact-v0'"),
        (("export", "../escape-v0"), "is named like 'seabattle/mini-exact-v0'"),
        (("export", "/no/such/folder/x.parquet"), "Cannot write"),
        (("export", "x/a-v0", "--reward", "fame"), "Unknown reward 'fame'"),
        (("export", "x/a-v0", "--games", "0"), "at least 1"),
        (("export", "x/a-v0", "--player", "nobody"), "Unknown player"),
        (("export", "x/a-v0", "--set", "test"), "no data set is made from it"),
        (("export", "x/a-v0", "--records", "none.jsonl"), "Cannot read none.jsonl"),
        (("export", "x/a-v0", "--records", "a.jsonl", "--run", "1"), "not both"),
        (("export", "x/a-v0", "--run", "1", "--store", "none.sqlite"), "no results file"),
        (("check", "x/nothing-v0"), "There is no data set x/nothing-v0."),
        (("check", "none.parquet"), "There is no data set none.parquet."),
        (("import", "none.csv", "out.jsonl"), "Cannot read none.csv"),
        (("import", "none.csv", "out.txt"), "must end in .jsonl"),
    ],
)
def test_bad_input_is_one_sentence(
    run: Run, root: Path, words: tuple[str, ...], sentence: str
) -> None:
    code, out, err = run("dataset", *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert not list(root.rglob("*a-v0*"))


def test_an_existing_data_set_is_never_overwritten(run: Run, root: Path) -> None:
    words = ("dataset", "export", "x/mini-v0", "--player", "even", *MINI)
    assert run(*words)[0] == 0
    code, _, err = run(*words)
    assert code == 2
    assert "choose another version, such as x/mini-v1." in err


def test_a_killed_export_leaves_no_data_set(root: Path) -> None:
    words = ("dataset", "export", "x/mini-v0", "--player", "random", "--rules", "mini")
    process = Seabattle(*words, "--games", 100000, stdout=subprocess.DEVNULL)
    while process.poll() is None and not list(root.rglob("*.arrow")):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (root / "x" / "mini-v0").exists()
    assert minari.list_local_datasets() == {}


HEAD = "game,player,ships,shots\n"
SHIPS = '"cruiser A1 across, destroyer C1 across"'


def test_human_games_are_read_from_csv_and_exported(run: Run, tmp_path: Path) -> None:
    file, records, table = (tmp_path / name for name in ("h.csv", "h.jsonl", "h.parquet"))
    file.write_text(
        "\ufeff" + HEAD + f'1,Ada,{SHIPS},"A1 hit, A2 hit, B1 miss, A3 hit, C1 hit, C2 hit"\n'
        f"2,,{SHIPS},C3 C2 a1 E5\n"
    )
    code, out, err = run("dataset", "import", file, records, "--rules", "mini", "--player", "Bo")
    assert (code, out) == (0, f"Written: {records} (2 games)\n"), err
    first, second = read_csv(file, Rules.from_text("mini"), "Bo")
    assert (first.player, second.player) == ("Ada", "Bo")
    assert Observation(second.rules, second.shots).to_text() == "C3 miss, C2 hit, A1 hit, E5 miss"
    code, _, err = run("dataset", "export", table, "--records", records)
    assert code == 0, err
    assert check_dataset(records).games == check_dataset(table).games == 2
    code, _, err = run("dataset", "export", table, "--records", records, "--rules", "classic")
    assert code == 2
    assert "are for the rules 'mini', not 'classic'" in err


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("", "line 1: there is no column 'ships'"),
        ("ships,cells\n", "line 1: there is no column 'shots'"),
        (HEAD + f"1,Ada,{SHIPS},A1\n2,Ada,{SHIPS},Z9\n", "line 3: 'Z9' is not a cell"),
        (HEAD + f"1,Ada,{SHIPS},A1 A1\n", "line 2: A1 has been shot at already."),
        (HEAD + f'1,Ada,{SHIPS},"A1 miss"\n', "line 2: Shot 1 of the record says 'A1 miss'"),
        (HEAD + f"1,Ada,{SHIPS},\n", "line 2: the game has no shots."),
        (HEAD + "1,Ada,cruiser A1 across,A1\n", "line 2: The layout does not place the destroyer."),
        (HEAD + '1,Ada,"cruiser A1 across, destroyer B1 across",A1\n', "line 2: Ships touch"),
        (HEAD + f"1,Ada,{SHIPS},A1,extra\n", "line 2: the row does not have one value per column"),
        (HEAD + "1,Ada\n", "line 2: the row does not have one value per column"),
        (HEAD + '1,Ada,"never closed,A1\n', "line 2: unexpected end of data."),
        ("ships,shots,rules\n" + f"{SHIPS},A1,chess\n", "line 2: Unknown rules 'chess'"),
        (HEAD + f"1,Ada,{SHIPS},A1 A2 A3 C1 C2 E5\n", "line 2: The game is over"),
    ],
)
def test_a_wrong_row_is_named_by_its_line(
    run: Run, tmp_path: Path, rows: str, sentence: str
) -> None:
    file, out = tmp_path / "games.csv", tmp_path / "games.jsonl"
    file.write_text(rows)
    code, _, err = run("dataset", "import", file, out, "--rules", "mini")
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [file]


def test_csv_that_is_not_text(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    file.write_bytes(b"\xff\xfe\x00\x81")
    code, _, err = run("dataset", "import", file, tmp_path / "o.jsonl")
    assert code == 2
    assert "is not text in UTF-8" in err


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "line 1: this is not the record of a game in JSON."),
        ("[]\n", "line 1: A record of a game begins with"),
        ("", "has no games."),
    ],
)
def test_damaged_records_are_refused(tmp_path: Path, content: str, sentence: str) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(content)
    with pytest.raises(DatasetError) as refused:
        check_dataset(file)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("blocked", "needs"),
    [("minari", "Data sets in Minari's format need minari"), ("gymnasium", "need Gymnasium")],
)
def test_a_missing_package_is_a_sentence(blocked: str, needs: str) -> None:
    words = ["dataset", "export", "x/a-v0", "--rules", "mini"]
    code = (
        f"import sys; sys.modules[{blocked!r}] = None; from seabattle.cli import main; "
        f"main({words!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert needs in done.stderr
    assert done.stderr.count("\n") == 1
