"""Consult a player about a position: its choice and, if it searches, what its search found.

People see two maps (how often each cell was tried, and how good it looked), programs get
JSON. `analyze --player`, the terminal and the browser all show the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.text import Text

from ..errors import PlayerError, ShotError
from ..experiment.play import ask, check_choice
from ..observation import Observation
from ..players import CellMap, MapPlayer, Player, SearchPlayer, SearchReport
from .drawing import Picture, beside, heat_lines, picture_of_values, picture_of_visits
from .drawing.text import SEARCH_LEGEND

BEST_CELLS = 5
"""how many of the best cells are listed"""


@dataclass(frozen=True)
class Consultation:
    """A player's answer about a position."""

    player: str
    """its name with its parameters"""
    observation: Observation
    cell: int
    """the cell that it shoots at"""
    report: SearchReport | None
    """None for a player that does not search"""
    own_maps: tuple[CellMap, ...] = ()
    """the numbers it goes by, of a player that shows them"""

    def search_json(self) -> dict[str, Any] | None:
        """The search as JSON, lists by row; the value of a cell not tried is null."""
        report = self.report
        if report is None:
            return None
        rules = self.observation.rules
        board = rules.rows, rules.columns
        values = _or_none(report.values)
        errors = None if report.errors is None else np.array(_or_none(report.errors), dtype=object)
        return {
            "player": self.player,
            "suggestion": rules.cell_name(self.cell),
            "unit": report.unit,
            "simulations": int(report.simulations),
            "seconds": float(report.seconds),
            "note": report.note,
            "visits": np.asarray(report.visits, dtype=float).reshape(board).tolist(),
            "values": np.array(values, dtype=object).reshape(board).tolist(),
            **({} if errors is None else {"errors": errors.reshape(board).tolist()}),
        }

    def maps_json(self) -> dict[str, Any] | None:
        """The numbers it goes by as JSON, lists by row; null where a cell has none."""
        if not self.own_maps:
            return None
        rules = self.observation.rules
        board = rules.rows, rules.columns
        return {
            "player": self.player,
            "maps": [
                {
                    "title": each.title,
                    "values": np.array(_or_none(each.values), dtype=object).reshape(board).tolist(),
                }
                for each in self.own_maps
            ],
        }

    def pictures(self) -> list[Picture]:
        """Maps of visits and values of a search, or the numbers that the player goes by."""
        if self.report is None:
            return [
                picture_of_values(
                    self.observation,
                    each.values.tolist(),
                    self.cell,
                    f"{self.player}: {each.title}",
                )
                for each in self.own_maps
            ]
        report, seen = self.report, self.observation
        return [
            picture_of_visits(seen, report.visits.tolist(), self.cell, f"{self.player}: visits"),
            picture_of_values(
                seen, report.values.tolist(), self.cell, f"{self.player}: {report.unit}"
            ),
        ]

    def headline(self) -> str:
        """One sentence: its choice, and how much work that took."""
        where = self.observation.rules.cell_name(self.cell)
        if self.report is None:
            return f"{self.player} does not search; it would shoot at {where}."
        report = self.report
        work = f"{report.simulations:,} simulation{'' if report.simulations == 1 else 's'}"
        return f"{self.player} would shoot at {where} after {work} in {report.seconds:.2f} s."

    def maps(self, width: int) -> list[Text]:
        """Visits and values as heat maps, side by side if the width allows it."""
        drawings = [heat_lines(picture) for picture in self.pictures()]
        if self.report is None:
            for drawing, each in zip(drawings, self.own_maps, strict=True):
                drawing.insert(0, Text(f"{each.title}, 0 to 99", "bold"))
            lines: list[Text] = []
            for place in range(0, len(drawings), 2):
                pair = drawings[place : place + 2]
                shown = beside(pair[0], pair[1], width, 3) if len(pair) == 2 else pair[0]
                lines += [*([Text()] if lines else []), *shown]
            return lines
        visits, values = drawings
        visits.insert(0, Text("visits, percent", "bold"))
        values.insert(0, Text("value, 0 to 99", "bold"))
        return beside(visits, values, width, 3)

    def remarks(self) -> list[str]:
        """What the maps do not show: the legend, the unit and range of the values, and the note."""
        report = self.report
        if report is None:
            ranges = [
                f"{each.title} {np.nanmin(each.values):.4g} to {np.nanmax(each.values):.4g}"
                for each in self.own_maps
                if np.isfinite(each.values).any()
            ]
            return (
                [f"({SEARCH_LEGEND})", f"0 to 99 stands for: {'; '.join(ranges)}."]
                if ranges
                else []
            )
        said = [f"({SEARCH_LEGEND})"]
        tried = report.values[np.isfinite(report.values)]
        if len(tried):
            said.append(
                f"Value is {report.unit}: 0 stands for {tried.min():.4g}, 99 for {tried.max():.4g}."
            )
        return [*said, f"Note: {report.note}"] if report.note else said

    def best_cells(self) -> list[int]:
        """Its choice, then the other cells that it tried, most visited first."""
        report = self.report
        if report is None:
            return []
        tried = np.flatnonzero(report.visits > 0).tolist()
        worth = np.where(np.isfinite(report.values), report.values, -np.inf)
        order = sorted(tried, key=lambda cell: (-report.visits[cell], -worth[cell], cell))
        return [self.cell, *(cell for cell in order if cell != self.cell)][:BEST_CELLS]


def consult(
    name: str, player: Player, observation: Observation, rng: np.random.Generator
) -> Consultation:
    """What a player would shoot at, and what its search found."""
    if observation.finished:
        raise ShotError(f"The whole fleet is found, so {name} has nothing left to shoot at.")
    if not isinstance(player, SearchPlayer):
        own = tuple(player.maps(observation)) if isinstance(player, MapPlayer) else ()
        for each in own:
            _check_shape(f"map {each.title!r}", name, each.values, observation)
        return Consultation(name, observation, ask(player, observation, rng), None, own)
    report = player.report(observation, rng)
    cell = check_choice(player, report.suggestion, observation)
    for what in (report.visits, report.values):
        _check_shape("report", name, what, observation)
    return Consultation(name, observation, cell, report)


def _check_shape(what: str, name: str, values: Any, observation: Observation) -> None:
    if np.shape(values) != (observation.rules.cells,):
        raise PlayerError(
            f"The {what} of {name} has the shape {np.shape(values)}; "
            f"it needs one number for each of the {observation.rules.cells} cells."
        )


def _or_none(values: npt.NDArray[np.float64]) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]
