"""`exact`, and `exact:prior=FILE`: the posterior under a prior from recorded layouts.

Without a prior it is `players.exact`: every layout is as likely as any other. R names placement
statistics as an extension: people do not hide ships uniformly. With `prior`, layouts are as
likely as the file says (`prior_file`). A position is then counted with weights if that takes at
most `PRIOR_SECONDS`, and else sampled (`weighted_posterior`); small boards are exact throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from ..errors import PlayerError, PriorError
from ..players.exact import Exact, Ties
from ..players.posterior_player import EnumerationSeconds
from ..players.registry import register
from ..rules import Rules
from .prior_file import read_prior
from .weighted_player import LearnedPrior, WeightedPlayer

PRIOR_SECONDS = 0.003


@dataclass(frozen=True)
class ExactWithPrior(WeightedPlayer):
    """Shoots where a ship most likely is, if ships lie as often as in a file of a prior."""

    prior: Path
    seconds: float = PRIOR_SECONDS

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise PlayerError(f"seconds must be greater than 0, not {self.seconds}.")

    def check_rules(self, rules: Rules) -> None:
        self.prior_for(rules)

    def prior_for(self, rules: Rules) -> LearnedPrior | None:
        try:
            found = self.prior.stat()
        except (OSError, ValueError):
            raise PriorError(f"There is no file {self.prior} with a prior.") from None
        return _prior(self.prior, (found.st_mtime_ns, found.st_size), rules)


@register("exact", source="seabattle", summary="most likely cell by exact counting")
def exact(
    seconds: EnumerationSeconds = 1.0,
    ties: Ties = "first",
    prior: Annotated[Path | None, "a file from 'dataset prior': where ships have been"] = None,
) -> Exact | ExactWithPrior:
    if prior is None:
        return Exact(seconds, ties)
    if ties != "first":
        raise PlayerError("With a prior, 'exact' takes the first of equally likely cells.")
    return ExactWithPrior(prior, min(seconds, PRIOR_SECONDS))


@lru_cache(maxsize=16)
def _prior(path: Path, stamp: tuple[int, int], rules: Rules) -> LearnedPrior | None:
    """The prior of a file as it is now; None if it is that of chance."""
    found = read_prior(path, rules)
    return None if found.pairs is None and set(found.weights.flat) <= {0.0, 1.0} else found
