"""A prior in a file: how likely ships are to lie where, from recorded layouts.

`seabattle dataset prior` makes one, and `exact:prior=FILE` plays with it. The weights come
from `placement_model`: habits that chance explains as well are left out. The file is JSON:
the board, the fleet and the contact that it is for, the number of layouts, a weight for every
placement of each length, and for every distance between two ships if distances matter.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from ..compiled.rules_tables import board_of
from ..dealing.recorded import recorded_layouts
from ..errors import OutputError, PriorError, reason
from ..regular_files import read_text
from ..rules import Rules
from .placement_model import PlacementModel
from .weighted_player import LearnedPrior

KIND, VERSION = "seabattle prior", 1
MOST_WEIGHT = 1e9


def model_of(path: Path, rules: Rules) -> PlacementModel:
    """What the layouts of a file show; see `dealing.recorded` for its format."""
    model = PlacementModel.empty(rules)
    for row in recorded_layouts(path, rules):
        model = model.and_layouts(row[None])
    return model


def write_prior(model: PlacementModel, path: Path) -> None:
    weights, pairs = model.weights, model.pair_factors
    content = {
        "kind": KIND,
        "version": VERSION,
        "rules": _board(model.rules),
        "layouts": model.games,
        "weights": {
            str(length): {
                text: round(float(weights[ship, placement]), 9)
                for text, placement in _placements(model.rules, ship).items()
            }
            for ship, length in enumerate(model.rules.fleet)
        },
        "distances": None if pairs is None else [round(float(each), 9) for each in pairs],
    }
    try:
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {reason(error)}.") from None


def read_prior(path: Path, rules: Rules) -> LearnedPrior:
    """The prior of a file, which must be for these rules."""
    try:
        content = json.loads(read_text(path))
    except OSError as error:
        why = reason(error)
        raise PriorError(f"Cannot read the prior {path}: {why}.") from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise PriorError(
            f"{path} is not a file of a prior; 'seabattle dataset prior LAYOUTS {path}' makes one."
        )
    if content.get("version") != VERSION:
        raise PriorError(f"{path} is a prior of another version than {VERSION}; make it again.")
    if content.get("rules") != _board(rules):
        raise PriorError(
            f"The prior {path} is for other rules: {_shown(content.get('rules'))}, not "
            f"{_shown(_board(rules))}."
        )
    board = board_of(rules)
    weights = np.zeros((len(rules.fleet), int(board.placements)))
    for ship, length in enumerate(rules.fleet):
        given = _object(content.get("weights")).get(str(length))
        numbers = {text: _weight(value) for text, value in _object(given).items()}
        known = _placements(rules, ship)
        if numbers.keys() != known.keys() or not sum(numbers.values()) > 0:  # nan is not either
            raise _damaged(path, f"weights of the ships of length {length}")
        for text, placement in known.items():
            weights[ship, placement] = numbers[text]
    games = content.get("layouts")
    if type(games) is not int or not 0 <= games < 2**63:
        raise _damaged(path, "number of layouts")
    pairs = content.get("distances")
    if pairs is not None:
        factors = [_weight(each) for each in pairs] if isinstance(pairs, list) else []
        expected = len(PlacementModel.empty(rules).pairs)
        if len(factors) != expected or not sum(factors) > 0:
            raise _damaged(path, "weights of the distances between ships")
        pairs = np.array(factors, dtype=np.float64)
    return LearnedPrior(weights, games, pairs)


def _damaged(path: Path, what: str) -> PriorError:
    return PriorError(f"The prior {path} is damaged: its {what} are missing or wrong.")


def _board(rules: Rules) -> dict[str, Any]:
    """What a prior depends on: not answers, turns or salvos."""
    return {
        "rows": rules.rows,
        "columns": rules.columns,
        "fleet": list(rules.fleet),
        "contact": rules.contact,
    }


def _shown(board: object) -> str:
    found = _object(board)
    try:
        fleet = ",".join(map(str, found["fleet"]))
        return f"{found['rows']}x{found['columns']} fleet={fleet} contact={found['contact']}"
    except (KeyError, TypeError):
        return "unknown ones"


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _weight(value: Any) -> float:
    """A weight of 0 or more; nan for anything else."""
    if type(value) not in (int, float) or not 0 <= value < MOST_WEIGHT:
        return math.nan
    return float(value)


def _placements(rules: Rules, ship: int) -> dict[str, int]:
    """The placements of a ship by their text: `A1 across`."""
    board, length = board_of(rules), rules.fleet[ship]
    found = {}
    for placement in range(int(board.first[ship]), int(board.last[ship])):
        cells = board.cover[placement, :length]
        down = length > 1 and int(cells[1]) - int(cells[0]) != 1
        found[f"{rules.cell_name(int(cells[0]))} {'down' if down else 'across'}"] = placement
    return found
