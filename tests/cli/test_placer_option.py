"""`--placer` on the commands that play, and the leaderboard's matrix."""

from __future__ import annotations

import json

import pytest

from seabattle.cli import main


def run(capsys, *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


def means(text: str) -> list[float]:
    return [player["mean"] for player in json.loads(text)["players"]]


def test_compare_plays_against_the_placer_and_says_so(capsys, tmp_path):
    words = ("compare", "even", "greedy", "--rules", "mini", "--games", "200", "--json")
    _, usual, _ = run(capsys, *words)
    _, edges, _ = run(capsys, *words, "--placer", "edges")
    assert json.loads(edges)["placer"] == "edges"
    assert "placer" not in json.loads(usual)
    assert means(edges) != means(usual)
    store = str(tmp_path / "r.sqlite")
    assert run(capsys, *words, "--placer", "edges", "--store", store)[1] is not None
    _, shown, _ = run(capsys, "runs", "show", "1", "--store", store, "--json")
    assert means(json.dumps(json.loads(shown)["result"])) == means(edges)
    _, table, _ = run(capsys, *words[:-1], "--placer", "edges")
    assert "placed by edges, seed 0" in table


@pytest.mark.parametrize("command", ["compare even", "test even random", "evaluate even"])
def test_an_unknown_placer_is_one_sentence(capsys, command):
    code, _, told = run(capsys, *command.split(), "--rules", "mini", "--placer", "edgs")
    assert code == 2
    assert "Unknown placer 'edgs'" in told
    assert told.count("\n") == 1


def test_the_leaderboard_shows_the_worst_case_of_each_player(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("seabattle.cli.compare.ready_players", lambda *_: (["even", "random"], {}))
    out = tmp_path / "board"
    words = ("--rules", "mini", "--games", "50", "--jobs", "1", "--out", str(out))
    _, text, _ = run(capsys, "leaderboard", *words, "--placer", "edges", "--placer", "spread")
    assert "Shooters against placers" in text
    found = json.loads((out / "placers.json").read_text())
    assert found["placers"] == ["uniform", "edges", "spread"]
    for player in found["players"]:
        assert player["worst"] == found["placers"][player["mean"].index(max(player["mean"]))]
    assert "Shooters against placers" in (out / "index.html").read_text()


def test_the_placers_are_listed_with_their_parameters(capsys):
    _, listed, _ = run(capsys, "players", "--placers")
    assert "human:edge=  number, default 0.5" in listed
    _, one, _ = run(capsys, "players", "--placers", "edges", "--json")
    assert [placer["name"] for placer in json.loads(one)["placers"]] == ["edges"]
    code, _, told = run(capsys, "players", "--placers", "edgs")
    assert (code, told.count("\n")) == (2, 1)
    assert "edges" in told
