"""`seabattle equilibrium` and `seabattle hide`, as they are typed."""

from __future__ import annotations

import json
import re

import pytest

from seabattle.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


BOARD = ("--size", "3", "--fleet", "2,1", "--answers", "hit-miss")


def test_an_equilibrium_is_printed_and_resumed(capsys, tmp_path) -> None:
    state = str(tmp_path / "state.npz")
    code, out, _ = run(capsys, "equilibrium", *BOARD, "--state", state, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["exploitability"] <= 1e-6
    assert found["lower_bound"] <= found["value"] <= found["upper_bound"]
    assert sum(each["probability"] for each in found["hider"]["layouts"]) == pytest.approx(1)
    code, out, _ = run(
        capsys, "equilibrium", *BOARD, "--state", state, "--placer", "uniform", "--player", "exact"
    )
    assert code == 0
    assert f"value           {found['value']:.6f} shots" in out
    assert "uniform" in out
    assert "exact" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("equilibrium",), r"15,046,987,768 layouts needs about .* TB, and the limit is 4 GB"),
        (("equilibrium", *BOARD, "--gap", "0"), "must be 1e-07 shots or more"),
        (("equilibrium", *BOARD, "--seconds", "0"), "time limit must be more than 0"),
        (("equilibrium", *BOARD, "--placer", "nobody"), "Unknown placer 'nobody'"),
        (("equilibrium", "--approximate", "--rounds", "0"), "rounds must be from 1"),
        (("equilibrium", "--approximate", "--out", "/no/file.json"), "Cannot write /no/file.json"),
        (("equilibrium", "--rules", "mini", "--state", "/no/state"), "Cannot write /no/state"),
        (("equilibrium", "--rules", "mini", "--png", "/no/file.png"), "Cannot write /no/file.png"),
        (("hide", "--rules", "mini", "--layout", "cruiser A1 across"), "does not place"),
        (("hide", "--rules", "mini", "--games", "1"), "10 to 1,000,000 random layouts"),
    ],
)
def test_bad_input_is_one_sentence(capsys, arguments, told) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert re.search(told, err)


def test_advice_is_printed(capsys) -> None:
    layout = "cruiser B2 down, destroyer A5 down"
    given = ("hide", "--rules", "mini", "--player", "exact", "--layout", layout)
    code, out, _ = run(capsys, *given, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["layout"] == layout
    assert [each["name"] for each in found["strategies"]] == ["exact"]
    code, out, _ = run(capsys, *given)
    assert code == 0
    assert f"{found['strategies'][0]['shots']:6.1f}" in out
