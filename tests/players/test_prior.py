"""`exact:prior=FILE`: a prior from recorded layouts, made by `dataset prior`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from seabattle import Observation, Rules, compare, make_player
from seabattle.dealing import layout_of, place_games
from seabattle.errors import PriorError
from seabattle.learners.prior_file import read_prior
from tests import oracle
from tests.conftest import Run

RULES = Rules(4, 4, (3, 2), "any", "sunk")
HABIT = "edges:tries=200"


def recorded(path: Path, rules: Rules = RULES, placer: str = HABIT, games: int = 150) -> Path:
    rows = place_games(rules, 1, range(games), placer)
    path.write_text("".join(f"{layout_of(rules, row).to_text()}\n" for row in rows))
    return path


@pytest.fixture
def prior(tmp_path: Path, run: Run) -> Path:
    out = tmp_path / "prior.json"
    code, told, err = run(
        "dataset", "prior", recorded(tmp_path / "l.txt"), out, "--rules", RULES.to_text()
    )
    assert code == 0, err
    assert "150 layouts, which do not look random" in told
    return out


def test_it_shoots_where_the_weighted_layouts_most_often_have_a_ship(prior: Path) -> None:
    """Every layout that agrees, counted by hand with the weights of the file."""
    content = json.loads(prior.read_text())

    def weight(run: frozenset[int]) -> float:
        first, second = sorted(run)[:2]
        text = f"{RULES.cell_name(first)} {'across' if second == first + 1 else 'down'}"
        return float(content["weights"][str(len(run))][text])

    apart = read_prior(prior, RULES).pairs
    layouts = oracle.all_layouts(4, 4, (3, 2), "any")
    player = make_player(f"exact:prior={prior}")
    for shots in ("", "B2 miss", "A1 hit", "A1 miss, B1 hit, C3 miss"):
        seen = Observation.from_text(shots, RULES)
        cells = tuple(shot.cell for shot in seen.shots)
        chances = np.zeros(RULES.cells)
        for layout in layouts:
            told = list(oracle.replay(layout, cells, "sunk"))
            expected = [
                ("miss",) if not shot.answer.hit else ("sunk",) if shot.answer.sunk else ("hit",)
                for shot in seen.shots
            ]
            if told == expected:
                value = weight(layout[0]) * weight(layout[1])
                if apart is not None:
                    value *= apart[_distance(layout)]
                for run in layout:
                    chances[list(run)] += value
        chances[list(cells)] = -1
        chosen = player.choose(seen, np.random.default_rng(1))
        assert chances[chosen] >= chances.max() * (1 - 1e-6)


def _distance(layout: oracle.Layout) -> int:
    """King moves between the nearest cells of two ships."""
    return min(max(abs(a // 4 - b // 4), abs(a % 4 - b % 4)) for a in layout[0] for b in layout[1])


def test_it_gains_on_the_habit_it_was_made_from(prior: Path) -> None:
    result = compare(["exact", f"exact:prior={prior}"], RULES, games=200, seed=9, placer=HABIT)
    usual, informed = (player.mean for player in result.players)
    # The gain is about 1.5 shots, and the standard error of the paired difference about 0.15.
    assert informed < usual - 0.7


def test_random_layouts_give_exact_itself(tmp_path: Path, run: Run) -> None:
    out = tmp_path / "p.json"
    layouts = recorded(tmp_path / "l.txt", placer="uniform", games=60)
    code, told, _ = run("dataset", "prior", layouts, out, "--rules", RULES.to_text())
    assert code == 0
    assert "look random: it plays as 'exact'" in told
    one, other = compare(["exact", f"exact:prior={out}"], RULES, games=30).players
    assert one.shots == other.shots


def test_a_prior_is_for_the_board_and_not_for_the_answers(prior: Path) -> None:
    read_prior(prior, Rules(4, 4, (3, 2), "any", "hit-miss", "rounds", salvo=3))
    with pytest.raises(PriorError, match=r"is for other rules: 4x4 fleet=3,2 contact=any, not 5x5"):
        read_prior(prior, Rules(5, 5, (3, 2)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:400], "is not a file of a prior"),
        (lambda _: "[1, 2]", "is not a file of a prior"),
        (lambda _: "\udcff".encode("utf-8", "surrogateescape"), "is not a file of a prior"),
        (lambda text: text.replace('"version": 1', '"version": 9'), "another version"),
        (lambda text: text.replace('"A1 across"', '"Z9 across"', 1), "ships of length 3"),
        (lambda text: text.replace('"A1 across": ', '"A1 across": -', 1), "ships of length 3"),
        (lambda text: text.replace('"A1 across": ', '"A1 across": 1e', 1), "prior"),
        (lambda text: text.replace('"layouts": 150', '"layouts": "many"'), "number of layouts"),
        (lambda text: text.replace('"rules": {', '"rules": {"x": [],'), "other rules"),
    ],
)
def test_a_damaged_file_is_a_sentence(change: object, message: str, prior: Path, run: Run) -> None:
    changed = change(prior.read_text())  # type: ignore[operator]
    prior.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    code, out, err = run(
        "compare", f"exact:prior={prior}", "--rules", RULES.to_text(), "--games", 2
    )
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_files_that_are_not_there_or_no_layouts(tmp_path: Path, run: Run) -> None:
    code, _, err = run("compare", f"exact:prior={tmp_path / 'none'}", "--rules", "mini")
    assert code == 2
    assert "There is no file" in err
    (tmp_path / "bad.txt").write_text("carrier A1 across\n")
    code, _, err = run("dataset", "prior", tmp_path / "bad.txt", tmp_path / "p.json")
    assert code == 2
    assert "line 1, is not a layout under these rules" in err
    assert not (tmp_path / "p.json").exists()
    code, _, err = run("compare", "exact:prior=/dev/zero", "--rules", "mini", "--games", 2)
    assert code == 2
    assert "Cannot read the prior /dev/zero" in err


def test_visitors_of_the_browser_cannot_name_a_prior() -> None:
    from seabattle.players import player_info

    info = player_info("exact")
    assert info.parameters["prior"].names_a_file
    shown = info.to_json(files=False)["parameters"]
    assert [each["name"] for each in shown] == ["seconds", "ties"]
