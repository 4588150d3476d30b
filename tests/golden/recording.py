"""How a recording is normalised, stored and compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent

CHANGING = frozenset(
    (
        "milliseconds", "seconds", "seconds_per_game", "peak_memory_mb",
        "id", "token", "invite", "nonce", "commitment", "rematch",
    )
)  # fmt: skip
"""Keys whose values differ from run to run: times, memory, and random secrets."""

DIGITS = 9
"""Significant digits kept of a float. CPUs differ in the last few bits of a sum or a
logarithm (vector width, fused multiply-add), so full precision would not be portable."""


@dataclass(frozen=True)
class Recording:
    """One file of cases."""

    name: str
    cases: tuple[str, ...]
    play: Callable[[str], Any]
    """a case's name -> what it gives, as JSON"""

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.json"

    def write(self) -> None:
        lines = (f"{json.dumps(case)}: {as_line(self.play(case))}" for case in self.cases)
        self.file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")

    def read(self) -> dict[str, Any]:
        recorded: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
        return recorded

    def check(self, case: str) -> None:
        """Play a case and fail with a list of what changed."""
        recorded, line = self.read()[case], as_line(self.play(case))
        if line != as_line(recorded):
            changed = list(differences(recorded, json.loads(line))) or ["the order of keys"]
            raise AssertionError(f"{self.name}, {case}:\n" + "\n".join(changed))


def as_line(value: Any) -> str:
    return json.dumps(normalised(value), ensure_ascii=False)


def normalised(value: Any) -> Any:
    """The value without what differs between runs and machines."""
    match value:
        case dict():
            return {
                key: "*" if key in CHANGING and part is not None else normalised(part)
                for key, part in value.items()
            }
        case list() | tuple():
            return [normalised(part) for part in value]
        case float():
            return float(f"{value:.{DIGITS}g}")
        case _:
            return value


def differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """One line for each place where two JSON values differ."""
    parts: Iterable[Any]
    if isinstance(old, dict) and isinstance(new, dict):
        parts = dict.fromkeys((*old, *new))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        parts = range(len(old))
    else:
        if old != new:
            yield f"  {where or 'all'}: {old!r} became {new!r}"
        return
    for part in parts:
        here = f"{where}[{part!r}]"
        if isinstance(old, dict) and (part not in old or part not in new):
            yield f"  {here} was {'added' if part not in old else 'removed'}"
        else:
            yield from differences(old[part], new[part], here)
