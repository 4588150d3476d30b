"""Run every benchmark, or those named: `python -m benchmarks [NAME...]`."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import time
from pathlib import Path


def names() -> list[str]:
    """The modules of this folder that are benchmarks: those that define `main`."""
    modules = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return [name for name in sorted(modules) if not name.startswith("_") and name != "timing"]


def run(chosen: list[str]) -> int:
    known = names()
    for name in chosen:
        if name not in known:
            print(f"Unknown benchmark {name!r}; choose from {', '.join(known)}.", file=sys.stderr)
            return 2
    for name in chosen or known:
        print(f"== {name}", flush=True)
        began = time.perf_counter()
        importlib.import_module(f"{__package__}.{name}").main()
        print(f"   ({time.perf_counter() - began:.1f} s)\n", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:]))
