"""The tasks are fixed, and moves are scored against the exact posterior."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from seabattle import Observation, make_player
from seabattle.agents import all_tasks, find_task, position_text, rules_text
from seabattle.agents.scoring import MOST_REFUSED, Attempt, play_task, summary_of
from seabattle.errors import AgentError, ShotError
from seabattle.rules import PRESETS
from tests import oracle
from tests.belief.small_positions import layouts_left as brute_force
from tests.conftest import Run


def test_the_set_never_changes() -> None:
    """Scores are comparable only if everybody has the same tasks, hidden layouts included."""
    told = [[task.id, task.rules.to_text(), task.observation.to_text(), task.layout.to_text()]
            for task in all_tasks()]  # fmt: skip
    digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()
    assert digest == "3c7f0f9cb61c4d9738155b89d16edae2bfe6cfef10430f8f48c759dfbb21f1b3"
    assert len({task.id for task in all_tasks()}) == len(all_tasks()) == 27
    assert {task.kind for task in all_tasks()} == {"game", "position"}
    assert {task.rules.salvo for task in all_tasks()} == {1}  # `Attempt` takes one cell per move


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.id)
def test_a_task_does_not_tell_its_layout(task: object) -> None:
    found = find_task(str(getattr(task, "id", "")))
    told = json.dumps(found.to_json()) + repr(found) + position_text(found.observation)
    assert found.layout.to_text() not in told
    assert "across" not in told + rules_text(found.rules).replace("across or down", "")


@pytest.mark.parametrize("name", ["mini-game-1", "trio-game-2", "mini-position-2"])
def test_scores_are_those_of_all_layouts_counted_one_by_one(name: str) -> None:
    score = play_task(make_player("human-like"), find_task(name), seed=4)
    task, shots = score.task, list(score.task.observation.shots)
    attempt = Attempt(task)
    for move in score.moves:
        known = Observation(task.rules, tuple(shots))
        per_ship = oracle.chances(brute_force(known), task.rules.cells)
        shares = [float(sum(column)) for column in zip(*per_ship, strict=True)]
        open_cells = {cell: shares[cell] for cell in known.unknown}
        assert move.chance == pytest.approx(open_cells[task.rules.cell(move.move)])
        assert move.best_chance == pytest.approx(max(open_cells.values()))
        attempt.move(move.move)
        shots = list(attempt.observation.shots)
    assert score.finished
    assert score.shots == len(score.moves)


def test_exact_play_has_no_regret_and_random_play_much() -> None:
    quick = [task for task in all_tasks() if task.rules.name in ("mini", "trio", "named")]
    exact, chance = (
        summary_of(play_task(make_player(name), task) for task in quick)
        for name in ("exact", "random")
    )
    assert exact["mean_regret"] == pytest.approx(0, abs=1e-12)
    assert exact["best_moves"] == 1
    assert exact["finished"] == chance["finished"] == len(quick)
    assert chance["mean_regret"] > 0.3
    assert chance["shots"] > 1.3 * exact["shots"]


def test_moves_that_are_no_shots_are_counted_and_change_nothing() -> None:
    attempt = Attempt(find_task("mini-game-1"))
    replies = [attempt.move(text) for text in ("Z9", "C3", " c3 ", "", "x" * 5000, "A1")]
    assert [reply.kind for reply in replies] == [
        "illegal", "shot", "repeated", "illegal", "illegal", "shot",
    ]  # fmt: skip
    assert replies[0].sentence.startswith("Illegal move: 'Z9' is not a cell of this board")
    assert replies[2].sentence.startswith("Repeated cell: C3 has been shot at already.")
    assert all(len(reply.sentence) < 400 for reply in replies)
    score = attempt.score()
    assert (score.shots, score.illegal, score.repeated, score.finished) == (2, 3, 1, False)
    assert len(attempt.observation.shots) == 2


def test_an_attempt_ends_after_too_many_refused_moves() -> None:
    attempt = Attempt(find_task("classic-position-1"))
    for _ in range(MOST_REFUSED):
        assert not attempt.over
        last = attempt.move("nonsense")
    assert attempt.over
    assert not attempt.finished
    assert last.sentence.endswith(f"The task ends after {MOST_REFUSED} such moves.")
    with pytest.raises(ShotError, match="This task is over"):
        attempt.move("A1")
    assert attempt.score().mean_regret is None


def test_a_position_asks_for_one_shot() -> None:
    attempt = Attempt(find_task("classic-position-2"))
    cell = attempt.observation.unknown[0]
    attempt.move(attempt.rules.cell_name(cell))
    assert attempt.over
    assert attempt.score().shots == 1


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_in_words_name_every_ship_and_the_last_cell(preset: str) -> None:
    rules = PRESETS[preset]
    for two_sides in (False, True):
        text = rules_text(rules, two_sides=two_sides)
        assert all(name in text for name in rules.ship_names)
        assert f"columns 1 to {rules.columns}" in text


def test_a_position_in_words_can_be_read_back() -> None:
    for task in all_tasks():
        lines = position_text(task.observation).splitlines()
        (shots,) = (line for line in lines if line.startswith("Shots in order: "))
        text = shots.removeprefix("Shots in order: ").replace("none", "")
        assert Observation.from_text(text, task.rules) == task.observation


def test_the_command_lists_shows_and_scores(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("tasks", "--json")
    assert code == 0
    assert [task["id"] for task in json.loads(out)["tasks"]] == [task.id for task in all_tasks()]
    assert "layout" not in out
    _, out, _ = run("tasks")
    assert len(out.splitlines()) == 28
    _, out, _ = run("tasks", "mini-position-1")
    assert "Fire one shot" in out
    _, out, _ = run("tasks", "mini-game-1", "mini-game-2", "--player", "even", "--json")
    played = json.loads(out)
    moves = {task["task"]: [move["move"] for move in task["moves"]] for task in played["tasks"]}
    file = tmp_path / "moves.json"
    file.write_text(json.dumps(moves))
    _, out, _ = run("tasks", "--moves", file, "--json")
    assert json.loads(out) == {**played, "by": str(file)}
    _, out, _ = run("tasks", "--moves", file)
    assert "2 of 2 tasks finished" in out


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "Cannot read"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", "must be a JSON object with a list of moves"),
        ('{"mini-game-1": "C3"}', "must be a JSON object with a list of moves"),
        ('{"mini-game-1": [3]}', "must be a JSON object with a list of moves"),
        ('{"mini-game-9": ["C3"]}', "Unknown task 'mini-game-9'"),
        ('{"mini-position-1": ["A1", "A2"]}', "ends with move 1, but 2 are recorded"),
        ("{}", "has no moves of these tasks"),
    ],
)
def test_recorded_moves_that_cannot_be_read(
    run: Run, tmp_path: Path, content: str | None, sentence: str
) -> None:
    file = tmp_path / "moves.json"
    if content is not None:
        file.write_text(content)
    code, out, err = run("tasks", "--moves", file)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_other_bad_input(run: Run, tmp_path: Path) -> None:
    for words, sentence in (
        (["tasks", "mini-gmae-1"], "Did you mean 'mini-game-1'?"),
        (["tasks", "--player", "exact", "--moves", tmp_path], "not both"),
        (["tasks", "--player", "nobody"], "Unknown player"),
        (["tasks", "--player", "random", "--seed", "-1"], "A seed is"),
    ):
        code, _, err = run(*words)
        assert code == 2
        assert sentence in err
    with pytest.raises(AgentError, match="Unknown task"):
        find_task("x" * 10_000)
