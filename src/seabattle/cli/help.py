"""How `--help` looks: plain text for 80 columns, with metavars, sections and examples.

A command's docstring is its help. What follows the line `Examples:` is printed as it
stands, below the options.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from typer.core import TyperCommand, TyperGroup

from .interrupts import Interrupted
from .options import RULE_OPTIONS

EXAMPLES = "Examples:"
METAVARS = {"int": "N", "float": "NUMBER", "Path": "PATH"}
"""what stands for a value in the help, by its type, unless the option says it better"""


class Command(TyperCommand):
    """A command whose help ends with examples."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        text, _, examples = (settings.pop("help", None) or "").partition(EXAMPLES)
        super().__init__(name, help=text.strip(), **settings)
        self.examples = [line.strip() for line in examples.splitlines() if line.strip()]
        for parameter in self.params:
            if parameter.metavar is None and not getattr(parameter, "is_flag", False):
                parameter.metavar = _metavar(parameter)

    def invoke(self, ctx: Any) -> Any:
        if ctx.params.get("json_output") and not sys.stderr.isatty():
            os.environ.setdefault("SEABATTLE_QUIET", "1")  # see `compiled.jit`
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:  # Typer would end without a word
            raise Interrupted(str(stopped) or "Stopped.") from None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS]", *(_usage(each) for each in self.params if _is_argument(each))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Rules": []}
        # A command that takes all the options of the rules shows them in a section of their own.
        ruled = RULE_OPTIONS.keys() <= {parameter.name for parameter in self.params}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            name, text = record
            text = re.sub(r"\[default: \((.*)\)\]", r"[default: \1]", text)
            if _is_argument(parameter):
                text = text.removesuffix("[required]").rstrip()
                sections["Arguments"].append((str(parameter.metavar), text))
            elif ruled and parameter.name in RULE_OPTIONS:
                sections["Rules"].append((name, text))
            else:
                sections["Options"].append((name, text))
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        if self.examples:
            with formatter.section(EXAMPLES.rstrip(":")):
                for line in self.examples:
                    formatter.write(f"  {line}\n")


class CommandGroup(TyperGroup):
    """Commands that show the help if none is given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _usage(argument: Any) -> str:
    word = argument.metavar if argument.required else f"[{argument.metavar}]"
    return f"{word}..." if argument.nargs == -1 else word


def _metavar(parameter: Any) -> str:
    if _is_argument(parameter):
        return str(parameter.name).upper()
    annotation = parameter.type_descriptor.annotation
    return METAVARS.get(getattr(annotation, "__name__", ""), "TEXT")
