"""What `seabattle doctor` prints: the state of this installation.

The core is tried for real: a game is played, with whatever has to be compiled for it. Optional
parts are imported.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .. import __version__

CORE = ("numpy", "numba", "onnxruntime", "typer", "rich")

PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "plots": ("plots", ("matplotlib",)),
    "spreadsheets": ("xlsx", ("xlsxwriter",)),
    "parquet": ("parquet", ("pyarrow",)),
    "web": ("web", ("fastapi", "uvicorn")),
    "environments": ("envs", ("gymnasium", "pettingzoo")),
    "training": ("learn", ("torch", "onnx", "neat", "sb3_contrib")),
    "cluster": ("scale", ("distributed",)),
    "peers": ("peers", ("pyspiel",)),
}
"""each optional part: the extra that installs it, and the modules it needs"""

PROGRAMS: dict[str, tuple[tuple[str, ...], str]] = {
    "browser": (("chromium",), "the tests of the page need Chromium; install the package chromium"),
    "engines in C": (("gcc", "cc"), "the example engine in C needs a compiler, such as gcc"),
    "engines in JavaScript": (("node",), "the example engine in JavaScript needs Node.js"),
}
"""programs that only tests and examples need, and what to do without them"""


@dataclass(frozen=True)
class PartState:
    """One optional part, or one package of the core."""

    name: str
    works: bool
    detail: str
    """versions, or what is missing and how to install it"""

    def to_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass(frozen=True)
class Diagnosis:
    """The state of this installation."""

    system: dict[str, Any]
    core: tuple[PartState, ...]
    optional: tuple[PartState, ...]

    @property
    def works(self) -> bool:
        """Whether everything that playing needs is there."""
        return all(part.works for part in self.core)

    def to_json(self) -> dict[str, Any]:
        return {
            "works": self.works,
            **self.system,
            "core": [part.to_json() for part in self.core],
            "optional": [part.to_json() for part in self.optional],
        }

    def to_text(self) -> str:
        memory, cache = self.system["memory_mb"], self.system["cache"]
        lines = [
            f"seabattle {self.system['version']}, Python {self.system['python']}",
            f"{self.system['platform']}; {self.system['cores']} cores; "
            + (f"{memory:,} MB of memory" if memory else "unknown memory"),
            f"cache: {cache['folder']} ({cache['compiled']} compiled functions, "
            f"{cache['megabytes']:g} MB; safe to delete)",
            f"results: {self.system['data_folder']}",
        ]
        for title, parts in (("Core", self.core), ("Optional", self.optional)):
            wide = max(len(part.name) for part in parts)
            lines += ["", title]
            lines += [
                f"  {'ok' if part.works else '--'}  {part.name:<{wide}}  {part.detail}"
                for part in parts
            ]
        if not self.works:
            lines += ["", "The core does not work; reinstall with: pip install --upgrade seabattle"]
        return "\n".join(lines)


def diagnose() -> Diagnosis:
    """Look at everything."""
    packages = [_module_state(name, (name,), None) for name in CORE]
    if all(part.works for part in packages):
        packages.append(_game_state())
    optional = [_module_state(name, modules, extra) for name, (extra, modules) in PARTS.items()]
    optional += [_program_state(name, *about) for name, about in PROGRAMS.items()]
    return Diagnosis(_system(), tuple(packages), tuple(optional))


def _system() -> dict[str, Any]:
    from ..experiment.data_folder import data_folder

    return {
        "version": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "cores": cores(),
        "memory_mb": memory_limit_mb(),
        "cache": _cache(),
        "data_folder": str(data_folder()),
    }


def cores() -> int:
    """The number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_limit_mb() -> int | None:
    """The memory that this process may use: the machine's, or less if a control group limits it."""
    limits = []
    with suppress(ValueError, OSError, AttributeError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(file).read_text().strip()
        except OSError:
            continue
        if text.isdigit():
            limits.append(int(text))
    return min(limits) // 2**20 if limits else None


def _cache() -> dict[str, Any]:
    try:
        from ..compiled.kernel_cache import cache_root
    except ImportError:
        return {"folder": "", "compiled": 0, "megabytes": 0.0}
    files = [file for file in cache_root().rglob("*.nbc") if file.is_file()]
    return {
        "folder": str(cache_root()),
        "compiled": len(files),
        "megabytes": round(sum(file.stat().st_size for file in files) / 1e6, 1),
    }


def _module_state(name: str, modules: tuple[str, ...], extra: str | None) -> PartState:
    found = []
    for module in modules:
        try:
            import_module(module)
        except Exception as error:  # a broken package can raise anything
            if isinstance(error, ModuleNotFoundError) and error.name == module:
                why = f"{module} is not installed"
            else:
                why = f"{module} cannot be imported ({type(error).__name__}: {error})"
            how = f"; pip install 'seabattle[{extra}]'" if extra else ""
            return PartState(name, False, why + how)
        found.append(f"{module} {_version(module)}".strip())
    return PartState(name, True, ", ".join(found))


def _version(module: str) -> str:
    names = {"sb3_contrib": "sb3-contrib", "neat": "neat-python", "pyspiel": "open_spiel"}
    try:
        return version(names.get(module, module))
    except PackageNotFoundError:
        return str(getattr(sys.modules[module], "__version__", ""))


def _game_state() -> PartState:
    try:
        from ..experiment.play import play

        shots = len(play("density", "mini", seed=1).shots)
    except Exception as error:
        return PartState("a game", False, f"failed with {type(error).__name__}: {error}")
    return PartState("a game", True, f"played on mini in {shots} shots")


def _program_state(name: str, programs: tuple[str, ...], missing: str) -> PartState:
    for program in programs:
        where = shutil.which(program)
        if where is not None:
            return PartState(name, True, where)
    return PartState(name, False, missing)
