"""A registry: finding things by name, built in, registered or installed by other packages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, Protocol, TypeVar

from ..errors import SeabattleError, one_of
from .parameters import Parameter, canonical, read_parameters


class Entry(Protocol):
    """What a registry must know of each thing."""

    @property
    def name(self) -> str: ...
    @property
    def make(self) -> Callable[..., Any]: ...
    @property
    def parameters(self) -> Mapping[str, Parameter]: ...


E = TypeVar("E", bound=Entry)


class Registry(Generic[E]):
    """Everything of one kind that is known by name."""

    def __init__(
        self,
        kind: str,
        error: type[SeabattleError],
        *,
        method: str,
        forbidden: str,
        load: Callable[[], None],
    ) -> None:
        """`method` is the signature of the method that makes a thing one of this `kind`,
        `forbidden` the characters that its name cannot contain. `load` registers everything
        that was not registered yet; it is called when a name is not known."""
        self.kind, self._error, self._method = kind, error, method
        self._forbidden, self._load = forbidden, load
        self._entries: dict[str, E] = {}
        self._loaded = False

    def check_name(self, name: str) -> None:
        """Raise an error if nothing can be registered under this name."""
        if not name or any(each.isspace() or each in self._forbidden for each in name):
            *most, last = (repr(each) for each in self._forbidden)
            marks = f"{', '.join(['spaces', *most])} or {last}"
            raise self._error(f"A {self.kind}'s name cannot contain {marks}: {name!r}.")

    def add(self, entry: E) -> None:
        """Make a thing known; the same one may be added again."""
        known = self._entries.get(entry.name)
        if known is not None and known.make is not entry.make:
            raise self._error(f"A {self.kind} called {entry.name!r} is already registered.")
        self._entries[entry.name] = entry

    def load_all(self) -> None:
        if not self._loaded:
            self._load()
            self._loaded = True

    def all(self) -> dict[str, E]:
        """Everything known, by name."""
        self.load_all()
        return dict(sorted(self._entries.items()))

    def find(self, name: str, *, listed: Callable[[E], bool] | None = None) -> E:
        """The thing registered under a name; if there is none, an error names the `listed`."""
        if name not in self._entries:
            self.load_all()
        if name not in self._entries:
            known = sorted(
                each.name for each in self._entries.values() if listed is None or listed(each)
            )
            raise self._error(one_of(self.kind, name, known))
        return self._entries[name]

    def make(self, entry: E, rest: str) -> Any:
        """Make a thing; `rest` is what follows its name and the colon."""
        if hasattr(entry.make, "from_text"):
            made = entry.make.from_text(rest)
        else:
            try:
                given = read_parameters(rest, entry.name, entry.parameters)
            except SeabattleError as error:
                raise self._error(str(error)) from None
            made = entry.make(**given)
        if not callable(getattr(made, self._method.partition("(")[0], None)):
            raise self._error(f"The {self.kind} {entry.name!r} has no {self._method}.")
        return made

    def describe(self, entry: E, rest: str, made: Any) -> str:
        """The canonical form of a name: sorted, without parameters at their defaults."""
        if hasattr(made, "to_text"):
            return f"{entry.name}:{made.to_text()}"
        return canonical(rest, entry.name, entry.parameters)

    @contextmanager
    def temporary(self, without: Collection[str] = ()) -> Iterator[None]:
        """Undo everything added inside the `with` block at its end.

        The things named in `without` are unknown inside, so that others can take their names.
        """
        self.load_all()
        before = dict(self._entries)
        for name in without:
            del self._entries[name]
        try:
            yield
        finally:
            self._entries.clear()
            self._entries.update(before)

    def load_plugins(self, group: str, add: Callable[[EntryPoint, Any], None]) -> None:
        """Add what other packages have installed under names that are still free."""
        for point in entry_points(group=group):
            if point.name in self._entries:
                continue
            try:
                make = point.load()
            except Exception as error:  # a broken plug-in must not break every command
                import warnings

                text = f"The {self.kind} {point.name!r} could not be loaded: {error}"
                warnings.warn(text, stacklevel=2)
                continue
            if point.name not in self._entries:
                add(point, make)


def summary_of(make: Callable[..., Any]) -> str:
    """The first line of the docstring."""
    return (inspect.getdoc(make) or "").split("\n")[0]


def split_name(text: str) -> tuple[str, str]:
    """A name, and what follows the colon."""
    name, _, rest = text.strip().partition(":")
    return name, rest
