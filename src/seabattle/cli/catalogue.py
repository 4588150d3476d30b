"""`seabattle rules` and `seabattle players`: list the presets and the players."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..report.rules_in_words import (
    answers_in_words,
    contact_in_words,
    salvo_in_words,
    turns_in_words,
)
from ..rules import PRESETS, Rules
from . import completion
from .options import AnswersOption, ContactOption, Fleet, SalvoOption, Size, TurnsOption

if TYPE_CHECKING:
    from ..dealing.placers import PlacerInfo
    from ..players import PlayerInfo


def rules(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="RULES",
            help="A preset, or rules in text form.",
            autocompletion=completion.presets,
        ),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    size: Size = None,
    fleet: Fleet = None,
    contact: ContactOption = None,
    answers: AnswersOption = None,
    turns: TurnsOption = None,
    salvo: SalvoOption = None,
) -> None:
    """List the presets, or show one set of rules in full.

    Examples:
      seabattle rules
      seabattle rules russian
      seabattle rules classic --size 8 --fleet 4,3,2 --contact none
    """
    overrides = {
        "size": size, "fleet": fleet, "contact": contact, "answers": answers, "turns": turns,
        "salvo": salvo,
    }  # fmt: skip
    if name is None and not any(overrides.values()):
        if json_output:
            print(json.dumps({each: PRESETS[each].to_json() for each in PRESETS}))
            return
        _table(
            ("preset", "board", "fleet", "contact", "answers", "turns"),
            [
                (
                    each,
                    f"{r.rows}x{r.columns}",
                    ",".join(map(str, r.fleet)),
                    r.contact,
                    r.answers,
                    r.turns,
                )
                for each, r in PRESETS.items()
            ],
        )
        return
    chosen = Rules.from_text(name or "classic").override(**overrides)
    if json_output:
        print(json.dumps(chosen.to_json()))
        return
    print(f"{chosen.to_text()}\n")
    print(
        f"board    {chosen.rows} rows A to {chr(64 + chosen.rows)}, columns 1 to {chosen.columns}"
    )
    ships = ", ".join(
        f"{ship} {length}" for ship, length in zip(chosen.ship_names, chosen.fleet, strict=True)
    )
    print(textwrap.fill(f"fleet    {ships}", 79, subsequent_indent=" " * 9))
    print(f"         {chosen.ship_cells} of {chosen.cells} cells")
    lines = [
        f"contact  {chosen.contact}: {contact_in_words(chosen)}",
        f"answers  {chosen.answers}: {answers_in_words(chosen)}",
        f"turns    {chosen.turns}: {turns_in_words(chosen)}",
    ]
    if chosen.salvo != 1:
        lines.append(f"salvo    {chosen.salvo}: {salvo_in_words(chosen)}")
    for line in lines:
        print(textwrap.fill(line, 79, subsequent_indent=" " * 9))


def players(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="PLAYER", help="Show one player in full.", autocompletion=completion.players
        ),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Also list the models trained in a folder, such as out/train."
        ),
    ] = None,
    placers: Annotated[
        bool, typer.Option("--placers", help="List the placers, which hide fleets, instead.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List every player, its source, parameters and needs, or every placer.

    Examples:
      seabattle players
      seabattle players mcts
      seabattle players --placers
      seabattle players --models out/train
    """
    from ..players import SOURCES, SOURCES_PAGE, all_players, player_info

    if placers:
        _list_placers(name, json_output)
        return
    infos = [player_info(name)] if name else list(all_players().values())
    trained = {} if models is None else {"models": _trained_models(models, name)}
    if json_output:
        print(json.dumps({"players": [info.to_json() for info in infos], **trained}))
        return
    _table(
        ("player", "source", "what it does"),
        [(info.name, info.source, info.summary) for info in infos],
    )
    _print_parameters(infos)
    print("\n" + ", ".join(f"{letter} {name}" for letter, name in SOURCES.items()))
    print(f"Sources: {SOURCES_PAGE}")
    if models is not None:
        print(f"\nModels in {models}:" if trained["models"] else f"\nNo models in {models}.")
        for model in trained["models"]:
            print(f"  {model['name']}")
            about = model["about"]
            print(f"      {about.get('steps', '?')} steps, {about.get('date', '?')}; rules:")
            print(f"      {Rules.from_json(model['rules']).to_text()}")


def _list_placers(name: str | None, json_output: bool) -> None:
    from ..dealing.placers import all_placers, placer_info

    infos = [placer_info(name)] if name else list(all_placers().values())
    if json_output:
        print(json.dumps({"placers": [info.to_json() for info in infos]}))
        return
    _table(("placer", "how it hides a fleet"), [(info.name, info.summary) for info in infos])
    _print_parameters(infos)


def _print_parameters(infos: Sequence[PlayerInfo] | Sequence[PlacerInfo]) -> None:
    """How each parameter stands in a name, its values and its default."""
    for info in infos:
        for p in info.parameters.values():
            values = "|".join(p.choices) if p.choices else _KINDS[p.kind]
            default = "" if p.default in (None, "") else f", default {_shown(p.default)}"
            print(f"\n  {info.name}:{p.name}=  {values}{default}", end="")
            if p.help:
                help_text = textwrap.fill(
                    p.help, 80, initial_indent=" " * 6, subsequent_indent=" " * 6
                )
                print(f"\n{help_text}", end="")
    print()


_KINDS = {int: "whole number", float: "number", bool: "true|false", str: "text", Path: "file"}


def _shown(default: Any) -> str:
    """A default as it is written in a name."""
    return str(default).lower() if isinstance(default, bool) else str(default)


def _trained_models(folder: Path, player: str | None) -> list[dict[str, Any]]:
    """The models in a folder, of one player or of all, under the names they play by."""
    from ..learn.onnx_model import load_model, models_in
    from ..players.network_player import model_player

    loaded = [(path, load_model(path)) for path in models_in(folder)]
    return [
        {
            "name": model_player(path),
            "player": model.player,
            "file": str(path),
            "rules": model.rules.to_json(),
            "about": {key: value for key, value in model.about.items() if key != "rules"},
        }
        for path, model in loaded
        if player in (None, model.player)
    ]


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Plain columns, the last one wrapped at 80 characters."""
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header) - 1)]
    indent = " " * sum(width + 2 for width in widths)
    for *parts, last in (header, *rows):
        start = "".join(f"{part:<{width + 2}}" for part, width in zip(parts, widths, strict=True))
        print(textwrap.fill(last, 80, initial_indent=start, subsequent_indent=indent).rstrip())
