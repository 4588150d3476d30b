"""Every error that a user can cause. The message says what was wrong and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SeabattleError(ValueError):
    """Base class of all errors in this package; the message can be shown to the user."""


class RulesError(SeabattleError):
    """Invalid rules: unknown values, sizes out of range."""


class FleetDoesNotFit(RulesError):
    """There is no legal way to put this fleet on this board."""


class CellError(SeabattleError):
    """Text or a number that is not a cell of the board."""


class LayoutError(SeabattleError):
    """A placement of ships that the rules forbid."""


class ShotError(SeabattleError):
    """An illegal shot: repeated, or after the end of the game."""


class AnswerError(SeabattleError):
    """An answer that the rules cannot give."""


class ImpossibleObservation(SeabattleError):
    """Shots and answers that no layout could produce."""


class EngineError(SeabattleError):
    """An inference engine that is unknown or cannot do what was asked."""


class PriorError(SeabattleError):
    """Weights that do not form a prior."""


class PlayerError(SeabattleError):
    """An unknown player or parameter, or a player that broke the rules."""


class ProtocolError(PlayerError):
    """A line that is not a message of the engine protocol, or not the one that is due."""


class PlacerError(SeabattleError):
    """An unknown placer, or one that returned an illegal layout."""


class RecordError(SeabattleError):
    """A record that cannot be read or does not replay."""


class ExperimentError(SeabattleError):
    """An experiment that cannot be run as asked."""


class StoreError(SeabattleError):
    """A results file that cannot be opened, read or written."""


class OutputError(SeabattleError):
    """A file or folder that cannot be written."""


class MissingPart(SeabattleError):
    """A missing optional dependency."""


class EnvError(SeabattleError):
    """An environment that cannot be made or stepped as asked."""


class TooLarge(SeabattleError):
    """A computation that would exceed the memory limit."""


class ModelError(SeabattleError):
    """A model file that is missing, damaged, not ours, or trained for other rules."""


class TrainingError(SeabattleError):
    """A training run that cannot be started or resumed as asked."""


class SolveError(SeabattleError):
    """A board that cannot be solved as asked."""


class AgentError(SeabattleError):
    """A call of an agent that is not possible, or recorded moves that cannot be read."""


class DatasetError(SeabattleError):
    """A data set that cannot be written, is damaged, or is for other rules."""


class PuzzleError(SeabattleError):
    """A puzzle that does not exist, or an answer that cannot be one."""


def reason(error: Exception) -> str:
    """`permission denied`: why a file or program could not be used, as the end of a sentence."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def one_of(what: str, given: object, valid: Iterable[str]) -> str:
    """A sentence for an unknown name: what is valid, and the nearest match."""
    names = list(valid)
    close = difflib.get_close_matches(str(given), names, n=1, cutoff=0.7)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"Unknown {what} {str(given)!r}; choose from {', '.join(names)}.{hint}"
