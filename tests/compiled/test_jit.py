"""Compiled code is cached by the contents of its sources, and templates are composed."""

from __future__ import annotations

import ast
import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from numba.core.errors import NumbaError

import seabattle
from seabattle.compiled import jit, kernel_cache
from seabattle.compiled.jit import compose, kernel, lean_kernel
from seabattle.compiled.kernel_cache import cache_folder, cache_root

PACKAGE = Path(seabattle.__file__).parent
COMPILERS = {
    "kernel",
    "lean_kernel",
    "compose",
    "compile_strategy",
    "compile_search",
    "intrinsic",
    "njit",
}


def compiles(source: Path) -> bool:
    """Whether a file has a function that Numba compiles."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        used = [node.func] if isinstance(node, ast.Call) else getattr(node, "decorator_list", [])
        for name in used:
            if COMPILERS & {getattr(name, "id", ""), getattr(name, "attr", "")}:
                return True
    return False


SOURCES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
COMPILED = [path for path in SOURCES if compiles(PACKAGE / path)]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's sources whose cache folders are asked for."""
    folder = tmp_path / "seabattle"
    for path in SOURCES:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(PACKAGE / path, folder / path)
    monkeypatch.setattr(kernel_cache, "PACKAGE", folder)
    return folder


def edit(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("# edited\n")


def folders(package: Path) -> dict[Path, str]:
    """The cache folder of every compiled source, as a process that starts now would name it."""
    kernel_cache._digest.cache_clear()
    kernel_cache._state_of.cache_clear()
    return {path: cache_folder(package / path).name for path in COMPILED}


def test_there_is_compiled_code_beside_the_kernels_modules() -> None:
    assert sum(path.stem.endswith("_kernels") for path in COMPILED) > 15
    assert sum(not path.stem.endswith("_kernels") for path in COMPILED) > 10


def test_an_edit_recompiles_what_imports_the_file_and_nothing_else(copy: Path) -> None:
    before = folders(copy)
    imported = {each: imports(copy, each) for each in COMPILED}
    for path in COMPILED:
        edit(copy / path)
        after = folders(copy)
        changed = {each for each in COMPILED if before[each] != after[each]}
        users = {each for each in COMPILED if path in imported[each]}
        assert changed == users | {path}, path
        before = after


@cache
def import_statements(file: Path) -> list[ast.ImportFrom]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]


def imports(copy: Path, path: Path) -> set[Path]:
    """What a module imports, directly or not, by Python's own parser; plain modules are passed
    over, as compiled code cannot come from them."""
    found: set[Path] = set()
    to_read = [path]
    while to_read:
        here = to_read.pop()
        for node in import_statements(copy / here):
            if node.level:
                base = here.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            elif (node.module or "").split(".")[0] == "seabattle":
                base = Path(*(node.module or "").split(".")[1:])
            else:
                continue
            for each in (base, *(base / name.name for name in node.names)):
                for file in (each.with_suffix(".py") if each.name else each, each / "__init__.py"):
                    if file in SOURCES and file not in found and holds_compiled_code(file):
                        found.add(file)
                        to_read.append(file)
    return found


def holds_compiled_code(path: Path) -> bool:
    return path.stem.endswith("_kernels") or str(path.parent) in kernel_cache.COMPILED_FOLDERS


def test_a_kernel_recompiles_after_an_edit_two_modules_away(copy: Path) -> None:
    path = Path("admiral/endgame_kernels.py")
    before = folders(copy)
    edit(copy / "compiled" / "bits.py")
    assert folders(copy)[path] != before[path]


@pytest.mark.parametrize("path", ["rules.py", "cli/play.py", "web/api.py", "solver/proof.py"])
def test_an_edit_of_plain_python_keeps_the_cache(copy: Path, path: str) -> None:
    before = folders(copy)
    edit(copy / path)
    assert folders(copy) == before


def test_two_copies_of_the_same_sources_share_a_cache(copy: Path) -> None:
    shared = folders(copy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_cache, "PACKAGE", PACKAGE)
        assert folders(PACKAGE) == shared


def test_the_cache_lies_where_the_machine_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_root() == tmp_path / "seabattle" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_root() == tmp_path / ".cache" / "seabattle" / "kernels"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    assert cache_root() == tmp_path / "mine"


STRATEGY = """
from seabattle.compiled.jit import compose, kernel, lean_kernel
from {part} import step
def template(number):
    return step(number)
composed = compose(template, "{part}", step=step)
print(composed(5), sum(composed.stats.cache_hits.values()))
"""


def test_an_edited_part_is_compiled_again_and_an_untouched_one_is_not(tmp_path: Path) -> None:
    part = tmp_path / "part.py"
    (tmp_path / "strategy.py").write_text(STRATEGY.format(part="part"))
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), str(tmp_path)]),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
        jit.QUIET_VARIABLE: "1",
    }

    def run() -> str:
        command = [sys.executable, str(tmp_path / "strategy.py")]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    part.write_text(
        "from seabattle.compiled.jit import kernel\n@kernel\ndef step(n):\n    return n + 1\n"
    )
    assert [run(), run()] == ["6 0", "6 1"]
    part.write_text(part.read_text().replace("n + 1", "n + 2"))
    assert [run(), run()] == ["7 0", "7 1"]


COMPILING = """
import sys
from seabattle.compiled import compile_lock
from seabattle.compiled.jit import kernel
compile_lock.PATIENCE = float(sys.argv[1])
@kernel
def total(n):
    found = 0
    for i in range(n):
        found += i % 7
    return found
print("ready", flush=True)
sys.stdin.readline()
print(total(5), sum(total.stats.cache_hits.values()), flush=True)
"""


@pytest.fixture
def compiling(tmp_path: Path) -> Iterator[Callable[[float], subprocess.Popen[str]]]:
    """Starts processes that compile one function when they are told to."""
    script = tmp_path / "compiling.py"
    script.write_text(COMPILING)
    environment = os.environ | {
        "PYTHONPATH": str(PACKAGE.parent),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        jit.QUIET_VARIABLE: "1",
    }
    with ExitStack() as processes:

        def start(patience: float) -> subprocess.Popen[str]:
            command = [sys.executable, str(script), str(patience)]
            pipe = subprocess.PIPE
            process = processes.enter_context(
                subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
            )
            processes.callback(process.kill)
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            return process

        yield start


def test_of_several_processes_at_once_one_compiles(
    compiling: Callable[[float], subprocess.Popen[str]],
) -> None:
    processes = [compiling(60) for _ in range(3)]
    for process in processes:
        assert process.stdin is not None
        print(file=process.stdin, flush=True)
    results = [process.communicate()[0].split() for process in processes]
    assert [result for result, _ in results] == ["10"] * 3
    assert sorted(loaded for _, loaded in results) == ["0", "1", "1"]


def test_nobody_waits_for_a_process_that_was_killed_or_for_ever(
    compiling: Callable[[float], subprocess.Popen[str]], tmp_path: Path
) -> None:
    assert compiling(60).communicate("\n")[0] == "10 0\n"
    (lock,) = (tmp_path / "cache").rglob("*.lock")

    def forget() -> None:
        for file in lock.parent.glob("*.nb?"):
            file.unlink()

    hold = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print()"
    command = [sys.executable, "-c", f"{hold}; sys.stdout.flush(); sys.stdin.read()", lock]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        forget()
        assert compiling(0.5).communicate("\n")[0] == "10 0\n"
        forget()
        waiting = compiling(600)
        print(file=waiting.stdin, flush=True)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=3)
        holder.kill()
        assert waiting.communicate()[0] == "10 0\n"


def test_a_function_that_cannot_be_compiled_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @kernel
    def wrong(number: int) -> int:
        return number.nothing  # type: ignore[attr-defined, no-any-return]

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    with pytest.raises(NumbaError):
        wrong(1)
    (lock,) = tmp_path.rglob("*.lock")
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_an_unwritable_cache_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path / "file" / "cache"),
        "PYTHONPATH": str(PACKAGE.parent),
    }
    code = (
        "import numpy as np; from seabattle.compiled.bitboards import has_bit, set_bit; "
        "bits = np.zeros(4, np.uint64); set_bit(bits, 3); assert has_bit(bits, 3)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("cannot be written") == 1


UNCACHED = """
import ctypes
from seabattle.compiled.jit import kernel
absolute = ctypes.CDLL(None).abs
absolute.argtypes, absolute.restype = (ctypes.c_int,), ctypes.c_int
@kernel
def distance(first, second):
    return absolute(first - second)
print(distance(3, 5))
"""


def test_a_function_that_cannot_be_cached_works_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "uncached.py").write_text(UNCACHED)
    environment = os.environ | {
        "NUMBA_OPT": "0",  # otherwise LLVM hides the address from Numba
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(PACKAGE.parent),
    }
    command = [sys.executable, str(tmp_path / "uncached.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout == "2\n", done.stderr
    assert "uncached.py:6: NumbaWarning: Cannot cache" in done.stderr


def test_a_notice_is_printed_once_and_never_when_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = jit._Announce()
    monkeypatch.setattr(jit._Announce, "told", False)
    monkeypatch.setenv(jit.QUIET_VARIABLE, "1")
    listener.on_start(None)  # type: ignore[arg-type]
    assert capsys.readouterr() == ("", "")
    monkeypatch.delenv(jit.QUIET_VARIABLE)
    for _ in range(2):
        listener.on_start(None)  # type: ignore[arg-type]
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "compiling for first use" in told.err


def template(number: int) -> int:
    return step(step(number))  # type: ignore[name-defined]  # noqa: F821


@kernel
def double(number: int) -> int:
    return 2 * number


@kernel
def add_three(number: int) -> int:
    return number + 3


def test_a_template_is_compiled_with_the_parts_it_is_given() -> None:
    doubled = compose(template, "doubled", step=double)
    raised = compose(template, "raised", step=add_three)
    assert (doubled(5), raised(5)) == (20, 11)
    assert doubled.__name__ != raised.__name__
    with pytest.raises(NameError):
        template(5)


@lean_kernel
def first_of(numbers: npt.NDArray[np.int64]) -> int:
    part = numbers[1:]
    return part[0]


@lean_kernel
def rest_of(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return numbers[1:]


@lean_kernel
def made(count: int) -> int:
    return np.zeros(count).size


def test_lean_kernels_work_on_arrays_but_neither_make_nor_return_them() -> None:
    """Numba refuses both where it does not count references."""
    assert first_of(np.arange(3)) == 1
    with pytest.raises(NumbaError, match="Only accept returning of array passed"):
        rest_of(np.arange(3))
    with pytest.raises(NumbaError):
        made(3)


LOADED = """
import sys
from seabattle import compare
compare(["random"], rules="mini", games=2)
assert "scipy.linalg" not in sys.modules
import numba, numpy as np
two = numba.njit(lambda a: np.dot(a, a))(np.array([[0.0, 1.0], [2.0, 0.0]]))
assert two.tolist() == [[2.0, 0.0], [0.0, 2.0]]
"""


def test_scipy_is_loaded_only_for_functions_that_need_it() -> None:
    subprocess.run([sys.executable, "-c", LOADED], check=True)
