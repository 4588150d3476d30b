"""`seabattle mcp` and `seabattle tasks`: language models as players."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import AgentError, MissingPart
from . import completion
from .options import Json

if TYPE_CHECKING:
    from ..agents.scoring import TaskScore
    from ..agents.tasks import Task


def mcp(
    no_analysis: Annotated[
        bool, typer.Option("--no-analysis", help="Do not offer the tool that shows the best shots.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the hidden layouts.", show_default="random")
    ] = None,
) -> None:
    """Let a language model play: an MCP server on standard input and output.

    Examples:
      seabattle mcp
      seabattle mcp --no-analysis
    """
    from ..compiled.seeds import checked_seed

    if seed is not None:
        checked_seed(seed)
    try:
        from ..agents.mcp_server import make_server
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        raise MissingPart(f"The MCP server needs {package}: pip install 'seabattle[mcp]'") from None
    make_server(seed, analysis=not no_analysis).run("stdio")


def tasks(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="TASK", help="Only these tasks.", show_default="all"),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Let this player do the tasks, and score it.",
            autocompletion=completion.players,
        ),
    ] = None,
    moves: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Score recorded moves: JSON with a list of moves for each task, such as "
            '{"mini-game-1": ["C3", "B2"]}.',
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the player's randomness.")] = 0,
    json_output: Json = False,
) -> None:
    """List tasks for language models, show some, or score moves.

    Moves are scored against exact play.

    Examples:
      seabattle tasks
      seabattle tasks mini-position-2
      seabattle tasks --player exact
      seabattle tasks --moves moves.json --json
    """
    from ..agents.tasks import all_tasks, find_task

    chosen = [find_task(name) for name in names] if names else list(all_tasks())
    if player is not None and moves is not None:
        raise AgentError("Score a player or recorded moves, not both.")
    if player is None and moves is None:
        _show(chosen, bool(names), json_output)
        return
    if player is not None:
        scores = _play(player, chosen, seed)
        by = player
    else:
        assert moves is not None
        scores = _replay(moves, [task.id for task in chosen])
        by = str(moves)
    _print_scores(by, scores, json_output)


def _show(chosen: list[Task], in_full: bool, json_output: bool) -> None:
    from ..agents.position_text import position_text, rules_text

    if json_output:
        print(json.dumps({"tasks": [task.to_json() for task in chosen]}))
        return
    if in_full:
        parts = [
            f"{task.id}\n{rules_text(task.rules)}\n{task.question}\n"
            f"{position_text(task.observation)}"
            for task in chosen
        ]
        print("\n\n".join(parts))
        return
    print(f"{'task':<20} {'rules':<8} shots so far")
    for task in chosen:
        print(f"{task.id:<20} {task.rules.to_text():<8} {len(task.observation.shots)}")


def _play(player: str, chosen: list[Task], seed: int) -> list[TaskScore]:
    from ..agents.scoring import play_task
    from ..compiled.seeds import checked_seed
    from ..players import make_player

    shooter = make_player(player)
    checked_seed(seed)
    return [play_task(shooter, task, seed) for task in chosen]


def _replay(file: Path, chosen: list[str]) -> list[TaskScore]:
    from ..agents.scoring import Attempt
    from ..agents.tasks import find_task

    scores = []
    for name, given in _read_moves(file).items():
        attempt = Attempt(find_task(name))
        for number, move in enumerate(given, start=1):
            if attempt.over:
                raise AgentError(
                    f"{file}: {name} ends with move {number - 1}, but {len(given)} are recorded."
                )
            attempt.move(move)
        if name in chosen:
            scores.append(attempt.score())
    if not scores:
        raise AgentError(f"{file} has no moves of these tasks.")
    return scores


def _read_moves(file: Path) -> dict[str, list[str]]:
    from ..errors import reason
    from ..regular_files import read_text

    try:
        value: Any = json.loads(read_text(file))
    except OSError as error:
        raise AgentError(f"Cannot read {file}: {reason(error)}.") from None
    except (ValueError, RecursionError):
        raise AgentError(f"{file} is not JSON.") from None
    if not isinstance(value, dict) or not all(
        isinstance(given, list) and all(isinstance(move, str) for move in given)
        for given in value.values()
    ):
        raise AgentError(
            f"{file} must be a JSON object with a list of moves for each task, such as "
            '{"mini-game-1": ["C3", "B2"]}.'
        )
    return value


def _print_scores(by: str, scores: list[TaskScore], json_output: bool) -> None:
    from ..agents.scoring import summary_of

    summary = summary_of(scores)
    if json_output:
        print(
            json.dumps(
                {"by": by, "summary": summary, "tasks": [score.to_json() for score in scores]}
            )
        )
        return
    print(f"{'task':<20} {'shots':>5} {'illegal':>8} {'repeated':>9} {'regret per shot':>16}")
    for score in scores:
        state = "" if score.finished else "  not finished"
        print(
            f"{score.task.id:<20} {score.shots:>5} {score.illegal:>8} {score.repeated:>9} "
            f"{_number(score.mean_regret):>16}{state}"
        )
    print(
        f"\n{by}: {summary['finished']} of {summary['tasks']} tasks finished, "
        f"{summary['shots']} shots, {summary['illegal']} illegal moves, {summary['repeated']} "
        f"repeated cells.\nRegret in hit chance per shot: {_number(summary['mean_regret'])}; best "
        f"cell chosen: {_share(summary['best_moves'])} of the shots."
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}%"
