"""How a recording is normalised, stored and compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from traceback import print_exc
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
    def file(self) -> str:
        return f"{self.name}.json"

    def write(self, folder: Path) -> None:
        """Play every case; one that raises an error is recorded as such."""
        lines = (f"{json.dumps(case)}: {self._line(case)}" for case in self.cases)
        (folder / self.file).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")

    def read(self, folder: Path) -> dict[str, Any]:
        recorded: dict[str, Any] = json.loads((folder / self.file).read_text(encoding="utf-8"))
        return recorded

    def _line(self, case: str) -> str:
        try:
            found = self.play(case)
        except Exception as error:
            print_exc()
            found = {"raised": f"{type(error).__name__}: {error}"}
        return json.dumps(normalised(found), ensure_ascii=False)


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
