"""Compiled code is cached by the state of all its sources, and templates are composed."""

from __future__ import annotations

import ast
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

import seabattle
from seabattle.compiled import jit
from seabattle.compiled.jit import cache_directory, compose, kernel

PACKAGE = Path(seabattle.__file__).parent
COMPILERS = {"kernel", "compose", "compile_strategy", "compile_search", "intrinsic", "njit"}


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
    """A copy of the package's sources whose cache directory is asked for."""
    folder = tmp_path / "seabattle"
    for path in SOURCES:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(PACKAGE / path, folder / path)
    monkeypatch.setattr(jit, "__file__", str(folder / "compiled" / "jit.py"))
    return folder


def edit(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("# edited\n")


def test_there_is_compiled_code_beside_the_kernels_modules() -> None:
    assert sum(path.stem.endswith("_kernels") for path in COMPILED) > 15
    assert sum(not path.stem.endswith("_kernels") for path in COMPILED) > 10


def test_an_edit_of_any_compiled_source_starts_a_new_cache(copy: Path) -> None:
    names = [cache_directory().name]
    for path in COMPILED:
        edit(copy / path)
        names.append(cache_directory().name)
    changes = zip(COMPILED, pairwise(names), strict=True)
    assert [path for path, (old, new) in changes if old == new] == []
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("path", ["rules.py", "cli/play.py", "web/api.py", "solver/proof.py"])
def test_an_edit_of_plain_python_keeps_the_cache(copy: Path, path: str) -> None:
    before = cache_directory()
    edit(copy / path)
    assert cache_directory() == before


def test_the_cache_lies_where_the_machine_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory().parent == tmp_path / "seabattle" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory().parent == tmp_path / ".cache" / "seabattle" / "kernels"


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
