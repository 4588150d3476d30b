"""Where compiled functions are cached, and when they are out of date.

Numba's own cache checks only the file that defines a function, not the files of the functions it
calls, whose code ends up in the same machine code. Here the cache folder of a function is named
after the contents of every source file that its machine code can come from: its own file, the
compiled modules that it imports, directly or not, and those of the parts it was composed of. So
stale code never runs, an edit recompiles only what depends on it, and two copies of the same
sources share one cache.
"""

from __future__ import annotations

import atexit
import gc
import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numba
from numba.core import caching
from numba.core.compiler_lock import global_compiler_lock

from .compile_lock import CompileLock

PACKAGE = Path(__file__).parent.parent
COMPILED_FOLDERS = ("compiled", "players", "search")
"""Where modules not named `*_kernels` contain compiled functions too."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<base>[.\w]+)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n]*)"
    r"|import[ \t]+(?P<modules>[^\n]+))",
    re.MULTILINE,
)


def cache_root() -> Path:
    """The folder that holds all cached code: `NUMBA_CACHE_DIR`, or where caches are kept here."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(named)
    return _kernels_in(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))


@cache
def _kernels_in(caches: str) -> Path:
    return Path(caches) / "seabattle" / "kernels"


def cache_folder(*files: Path) -> Path:
    """Where code compiled from these source files is kept."""
    return cache_root() / f"{files[0].stem}-{_state_of(files)}"


@cache
def _state_of(files: tuple[Path, ...]) -> str:
    """A digest of these files and all that their code can come from."""
    state = hashlib.sha256(f"{numba.__version__} {platform.machine()}".encode())
    for source in sorted(frozenset().union(*map(sources_of, files)), key=_name_of):
        state.update(f"{_name_of(source)} {_digest(source)}\n".encode())
    return state.hexdigest()[:16]


@cache
def state_of_all_sources() -> str:
    """A digest of every source file with compiled code."""
    return _state_of(tuple(sorted(filter(_has_compiled_code, PACKAGE.rglob("*.py")))))


@cache
def sources_of(file: Path) -> frozenset[Path]:
    """The file and the compiled modules that it imports, directly or not."""
    found, to_read = {file}, [file]
    while to_read:
        new = set(_imported(to_read.pop())) - found
        found |= new
        to_read += new
    return frozenset(found)


def defining_files(function: Callable[..., Any]) -> list[Path]:
    """The files that define a function and the parts it was composed of."""
    parts: tuple[Callable[..., Any], ...] = getattr(function, "parts", ())
    files = [Path(function.__code__.co_filename)]
    for part in parts:
        files += defining_files(getattr(part, "py_func", part))
    return list(dict.fromkeys(files))


def enable_caching(dispatcher: Any, kind: type[KernelCache]) -> None:
    """Keep what this compiled function compiles to, as Numba's `cache=True` does elsewhere."""
    dispatcher._cache = cache = kind(dispatcher.py_func)
    compile_once = dispatcher.compile

    def compile(signature: Any) -> Any:
        # One thread at a time takes the lock and lets go of it.
        with global_compiler_lock, _collecting_less():
            try:
                return compile_once(signature)
            finally:
                cache.unlock()

    dispatcher.compile = compile


NEW_OBJECTS = 200_000
"""Objects between two collections while Numba compiles. It makes millions that live on, and looking
through them every 700 takes a tenth of the time. This takes some 30 MB more."""


@contextmanager
def _collecting_less() -> Iterator[None]:
    """Collect garbage less often inside."""
    first, *others = gc.get_threshold()
    if not 0 < first < NEW_OBJECTS:  # collection is off, or rare enough
        yield
        return
    gc.set_threshold(NEW_OBJECTS, *others)
    try:
        yield
    finally:
        gc.set_threshold(first, *others)


class _Locator(caching._CacheLocator):
    def __init__(self, function: Callable[..., Any]) -> None:
        self._py_file = function.__code__.co_filename  # named in Numba's warnings
        self._line = function.__code__.co_firstlineno
        self._folder = _writable(cache_folder(*defining_files(function)))

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        return cls(py_func) if Path(py_file).exists() else None


class CacheFiles(caching.CompileResultCacheImpl):
    # In a notebook there is no file, and one of Numba's own locators finds the cell.
    _locator_classes = (_Locator, *caching.CompileResultCacheImpl._locator_classes)


class KernelCache(caching.FunctionCache):
    """Set up on first use: a process imports hundreds of kernels and uses a few of them."""

    _impl_class = CacheFiles

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if "_function" not in vars(self) or "_impl" in vars(self):
            raise AttributeError(name)
        super().__init__(self._function)  # type: ignore[no-untyped-call]
        return getattr(self, name)

    @cached_property
    def _lock(self) -> CompileLock:
        return CompileLock(Path(self._cache_path) / f"{self._impl.filename_base}.lock")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        put_off_blas()
        found = self._load(sig, target_context)
        if found is None:
            self._lock.acquire()
            found = self._load(sig, target_context)
        return found

    def unlock(self) -> None:
        """Let other processes go on: the function is cached, or cannot be compiled."""
        if "_lock" in vars(self):
            self._lock.release()

    def _load(self, sig: Any, target_context: Any) -> Any:
        return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]


@cache
def put_off_blas() -> None:
    """Let Numba look for BLAS when a function needs it, which none of ours does.

    It looks when it first loads or compiles anything, and so imports `scipy.linalg` where SciPy is
    installed: a fifth of a second in every process.
    """
    if "numba.np.arraymath" in sys.modules or find_spec("scipy") is None:
        return
    from numba.np import linalg

    look, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = look


@cache
def _imported(file: Path) -> tuple[Path, ...]:
    """The modules with compiled code that a file imports."""
    return tuple({each: None for each in _modules_imported(file) if _has_compiled_code(each)})


def _modules_imported(file: Path) -> Iterator[Path]:
    """The modules of this package that a file imports, and its neighbours."""
    text = file.read_text(encoding="utf-8")
    for line in _IMPORT.finditer(text):
        if line["modules"]:
            names = [each.split()[0] for each in line["modules"].split(",") if each.strip()]
            for name in names:
                yield from _module_files(_absolute(name))
            continue
        base = line["base"]
        folder = _relative(file, base) if base.startswith(".") else _absolute(base)
        files = _module_files(folder)
        yield from files
        # Names imported from a package may be modules; those imported from a module are not.
        if folder is not None and not any(each.stem == folder.name for each in files):
            for name in re.findall(r"\w+", re.sub(r"#.*", "", line["names"])):
                yield from _module_files(folder / name)


def _relative(file: Path, base: str) -> Path:
    name = base.lstrip(".")
    folder = file.parent
    for _ in range(len(base) - len(name) - 1):
        folder = folder.parent
    return folder.joinpath(*name.split(".")) if name else folder


def _absolute(name: str) -> Path | None:
    first, *rest = name.split(".")
    return PACKAGE.joinpath(*rest) if first == PACKAGE.name else None


@cache
def _module_files(path: Path | None) -> tuple[Path, ...]:
    if path is None:
        return ()
    files = (path.with_name(path.name + ".py"), path / "__init__.py")
    return tuple(file for file in files if file.is_file())


def _has_compiled_code(file: Path) -> bool:
    if not file.is_relative_to(PACKAGE):
        return True
    return file.stem.endswith("_kernels") or file.parent in {
        PACKAGE / folder for folder in COMPILED_FOLDERS
    }


@cache
def _name_of(file: Path) -> str:
    """A file's name in the digest: the same wherever the package is installed."""
    return str(file.relative_to(PACKAGE)) if file.is_relative_to(PACKAGE) else str(file)


@cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def _writable(folder: Path) -> Path:
    """The folder, or a temporary one if nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return _temporary_root()
    return folder


@cache
def _temporary_root() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="seabattle-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    print(
        f"seabattle: {cache_root()} cannot be written, so code is compiled again in every run; "
        "set NUMBA_CACHE_DIR to a folder that can.",
        file=sys.stderr,
        flush=True,
    )
    return folder
