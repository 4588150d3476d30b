"""Two-sided games in data sets: both sides, their turns, and the way back to the duel."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from seabattle import play_duel
from seabattle.dataset import check_dataset, read_minari, read_parquet
from seabattle.dataset.duels import check_duels, duel_episodes
from seabattle.errors import DatasetError
from seabattle.record import DuelRecord
from seabattle.rules import Rules
from tests.conftest import Run

pytest.importorskip("minari")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

RULES = ("mini", "trio turns=alternate", "russian size=6 fleet=3,2,1", "trio turns=rounds")


@pytest.mark.parametrize("rules", RULES)
def test_the_sides_of_a_duel_are_its_shots_in_order(rules: str) -> None:
    for seed in range(4):
        record = play_duel("even", "random", rules, seed=seed)
        sides = list(duel_episodes([record], rules))
        shots = sorted(
            (int(move), int(cell))
            for side in sides
            if side.duel
            for move, cell in zip(side.duel.moves, side.actions, strict=True)
        )
        assert [cell for _, cell in shots] == list(record.cells)
        assert [move for move, _ in shots] == list(range(len(record.cells)))
        duel = record.replay(len(record.cells))
        results = [side.duel.result for side in sides if side.duel]
        assert results.count("won") == (duel.winner is not None)
        assert results.count("drawn") == 2 * duel.drawn
        assert check_duels(iter(sides), Rules.from_text(rules), "shots", False) == (
            1,
            len(record.cells),
        )


def test_a_duel_that_somebody_gave_up_comes_back() -> None:
    whole = play_duel("even", "random", "mini", seed=1)
    for resigned in (0, 1):
        for shots in (1, 6):
            record = DuelRecord(
                whole.first, whole.second, whole.cells[:shots], whole.players, resigned
            )
            sides = list(duel_episodes([record], "mini"))
            check_duels(iter(sides), record.rules, "shots", False)
    cut = whole.upto(5)
    assert {side.duel.result for side in duel_episodes([cut], "mini") if side.duel} == {
        "unfinished"
    }


@pytest.mark.parametrize("out", ["duels.parquet", "seabattle/duels-v0"])
def test_duels_are_exported_and_checked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    words = ("--player", "even", "--opponent", "human-like", "--rules", "mini", "--games", 6)
    code, printed, err = run("dataset", "export", out, *words, "--posterior")
    assert code == 0, err
    assert "12 sides of two-sided games" in printed
    found = check_dataset(out)
    assert found.games == 6
    assert found.provenance is not None
    assert found.provenance.sides == 2
    read = read_parquet if out.endswith(".parquet") else read_minari
    _, episodes = read(tmp_path / "minari" / out if "-v0" in out else tmp_path / out)
    sides = [each.duel for each in episodes if each.duel]
    assert [side.duel for side in sides] == [k // 2 for k in range(12)]
    assert [side.opponent for side in sides[:4]] == ["human-like", "even", "even", "human-like"]
    assert "even against human-like" in run("dataset", "check", out)[1]


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("move", 99, "a shot of a duel is missing"),
        ("result", "drawn", "facts of duel 0"),
        ("own_ships", "cruiser A1 across, destroyer E4 across", "duel 0|is damaged"),
        ("side", 1, "duel 0|damaged"),
        ("duel", 7, "duel 0 is missing"),
    ],
)
def test_a_duel_that_was_changed_is_refused(
    run: Run, tmp_path: Path, column: str, value: object, words: str
) -> None:
    path = tmp_path / "duels.parquet"
    run(
        *("dataset", "export", path, "--player", "even", "--opponent", "random"),
        *("--rules", "mini", "--games", 2),
    )
    table = pq.read_table(path)
    rows = table.to_pylist()
    for row in rows:
        if row["game"] == 0 and (column != "move" or row["step"] == 2):
            row[column] = value
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    with pytest.raises(DatasetError, match=words):
        check_dataset(path)


def test_duels_come_from_tournaments_records_and_csv(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite"
    assert (
        run("tournament", "even", "random", "--rules", "mini", "--games", 4, "--store", store)[0]
        == 0
    )
    out = tmp_path / "run.parquet"
    code, printed, err = run("dataset", "export", out, "--run", 1, "--store", store)
    assert code == 0, err
    assert "8 sides" in printed
    assert check_dataset(out).games == 4

    record = play_duel("even", "random", "mini", seed=2)
    cells = " ".join(record.rules.cell_name(cell) for cell in record.cells)
    told = ", ".join(shot.to_text(record.rules) for _, shot in record.moves)
    lines = ["first,second,first_ships,second_ships,shots"]
    for shots in (cells, told):
        lines.append(f'Ada,Bo,"{record.first.to_text()}","{record.second.to_text()}","{shots}"')
    csv, jsonl = tmp_path / "games.csv", tmp_path / "games.jsonl"
    csv.write_text("\n".join(lines) + "\n")
    code, _, err = run("dataset", "import", csv, jsonl, "--rules", "mini")
    assert code == 0, err
    found = [DuelRecord.from_json(json.loads(line)) for line in jsonl.read_text().splitlines()]
    assert [each.cells for each in found] == [record.cells] * 2
    assert found[0].players == ("Ada", "Bo")
    assert check_dataset(jsonl).games == 2
    assert run("dataset", "export", tmp_path / "csv.parquet", "--records", jsonl)[0] == 0
    assert check_dataset(tmp_path / "csv.parquet").shots == 2 * len(record.cells)

    csv.write_text("\n".join([lines[0], lines[2].replace(" hit", " miss", 1)]))
    code, _, err = run("dataset", "import", csv, jsonl, "--rules", "mini")
    assert code == 2
    assert "line 2" in err
    assert np.all([each.players == ("Ada", "Bo") for each in found])
