"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..rules import ANSWERS, CONTACTS, PRESETS, TURNS, Rules
from . import completion


def either(choices: Sequence[str]) -> str:
    """`any, corners or none`"""
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


def choice_option(metavar: str, meaning: str, choices: Sequence[str]) -> Any:
    """An option with a few possible values, which its help lists."""
    return typer.Option(
        metavar=metavar,
        help=f"{meaning}: {either(choices)}.",
        autocompletion=completion.words(*choices),
    )


RulesName = Annotated[
    str | None,
    typer.Option(
        metavar="RULES",
        help=f"A preset ({', '.join(PRESETS)}) or rules in text form.",
        autocompletion=completion.presets,
    ),
]
Size = Annotated[str | None, typer.Option(metavar="SIZE", help="Board size, such as 8 or 8x12.")]
Fleet = Annotated[str | None, typer.Option(metavar="LENGTHS", help="Ship lengths, such as 4,3,2.")]
ContactOption = Annotated[str | None, choice_option("CONTACT", "Where ships may touch", CONTACTS)]
AnswersOption = Annotated[str | None, choice_option("ANSWERS", "What a shot reveals", ANSWERS)]
TurnsOption = Annotated[str | None, choice_option("TURNS", "Who shoots next", TURNS)]
SalvoOption = Annotated[
    str | None,
    typer.Option(
        metavar="SHOTS",
        help="Shots per turn, answered together: a number, or ships for one per ship afloat.",
        autocompletion=completion.words("1", "ships"),
    ),
]

Png = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the heat maps to a PNG file.")
]
Svg = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the heat maps to an SVG file.")
]
GamesOption = Annotated[int, typer.Option(help="Games per player.")]
Seed = Annotated[int, typer.Option(help="Seed of the layouts and of the players' randomness.")]
Jobs = Annotated[int, typer.Option(help="Number of processes.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
LayoutSetOption = Annotated[
    str | None,
    typer.Option(
        "--set",
        metavar="SET",
        help="Play the layouts of a set: train, for tuning, or test, for final figures. Every run "
        "on the test set is logged.",
    ),
]
LogOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Where runs on the test set are logged.",
        show_default="results/test-set.jsonl in the source tree, else in your data folder",
    ),
]
PlacerOption = Annotated[
    str,
    typer.Option(
        metavar="PLACER",
        help="Who hides the ships, such as edges or human:edge=1; 'players --placers' lists them.",
        autocompletion=completion.placers,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on the Dask cluster of this scheduler."),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Keep every game in this results file, and resume from the games it has; "
        "'default' is a file in your data folder.",
    ),
]

RULE_OPTIONS: dict[str, Any] = {
    "rules": RulesName,
    "size": Size,
    "fleet": Fleet,
    "contact": ContactOption,
    "answers": AnswersOption,
    "turns": TurnsOption,
    "salvo": SalvoOption,
}


def rules_given(ctx: typer.Context) -> bool:
    """Whether the user chose the rules of a command that has them from `with_rules`."""
    sources = [ctx.get_parameter_source(part) for part in RULE_OPTIONS]
    return any(source is not None and source.name != "DEFAULT" for source in sources)


def with_rules(
    command: Callable[..., None], usual: Callable[[dict[str, Any]], str] | None = None
) -> Callable[..., None]:
    """Give a command `--rules` and its overrides; it receives them as one `rules: Rules`.

    Without `--rules`, the rules are `classic`, or what `usual` derives from the other
    options.
    """

    @functools.wraps(command)
    def wrapped(**given: Any) -> None:
        overrides = {name: given.pop(name) for name in RULE_OPTIONS}
        preset = overrides.pop("rules")
        if preset is None and usual is not None:
            preset = usual(given)
        command(rules=Rules.from_text(preset).override(**overrides), **given)

    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.name != "rules"]
    shared = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default="classic" if name == "rules" and usual is None else None,
            annotation=hint,
        )
        for name, hint in RULE_OPTIONS.items()
    ]
    ordered = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + shared
    wrapped.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in ordered}
    return wrapped
