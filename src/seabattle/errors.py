"""Every error that a user can cause, each with a sentence that helps."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SeabattleError(ValueError):
    """Base of all errors of this package; the message is fit to show to a person."""


class RulesError(SeabattleError):
    """Rules that make no game: unknown values, sizes out of range."""


class FleetDoesNotFit(RulesError):
    """There is no legal way to put this fleet on this board."""


class CellError(SeabattleError):
    """Text or a number that is no cell of the board."""


class LayoutError(SeabattleError):
    """A placement of ships that the rules forbid."""


class ShotError(SeabattleError):
    """A shot that may not be fired: repeated, or after the end."""


class AnswerError(SeabattleError):
    """An answer that the rules cannot give."""


class ImpossibleObservation(SeabattleError):
    """Shots and answers that no layout agrees with."""


class EngineError(SeabattleError):
    """An engine of inference that is unknown or cannot do what was asked."""


class PriorError(SeabattleError):
    """Weights that make no prior."""


class PlayerError(SeabattleError):
    """An unknown player or parameter, or a player that broke the rules."""


class PlacerError(SeabattleError):
    """An unknown placer, or one that gave no legal layout."""


class RecordError(SeabattleError):
    """A record that cannot be read or does not replay."""


class ExperimentError(SeabattleError):
    """An experiment that cannot be run as asked."""


class StoreError(SeabattleError):
    """A results file that cannot be opened, read or written."""


class OutputError(SeabattleError):
    """A file or folder that cannot be written to."""


class MissingPart(SeabattleError):
    """Something that an optional dependency would do, and it is not installed."""


class EnvError(SeabattleError):
    """An environment that cannot be made or stepped as asked."""


class TooLarge(SeabattleError):
    """A computation that would not fit into the memory allowed."""


class ModelError(SeabattleError):
    """A model file that is missing, damaged, foreign, or made for other rules."""


class TrainingError(SeabattleError):
    """A training that cannot be run or resumed as asked."""


class SolveError(SeabattleError):
    """A board that cannot be solved as asked."""


def one_of(what: str, given: object, valid: Iterable[str]) -> str:
    """A sentence for an unknown name: what is valid, and the nearest match."""
    names = list(valid)
    close = difflib.get_close_matches(str(given), names, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"Unknown {what} {str(given)!r}; choose from {', '.join(names)}.{hint}"
