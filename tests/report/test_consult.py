"""What a player makes of a position, for people and programs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from seabattle import Observation, Rules, make_player
from seabattle.errors import PlayerError, ShotError
from seabattle.players import SearchReport
from seabattle.report.consult import Consultation, consult
from seabattle.report.drawing import to_svg

MINI = Rules.from_text("mini")
SEEN = Observation.from_text("C3 hit, C4 miss", MINI)


@dataclass(frozen=True)
class Told:
    """A search with a given report."""

    report_given: SearchReport

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self.report_given.suggestion

    def report(self, observation: Observation, rng: np.random.Generator) -> SearchReport:
        return self.report_given


@dataclass
class Root:
    """A board of visits and values, a few of them set."""

    suggestion: int = 0
    visits: dict[int, float] = field(default_factory=dict)
    values: dict[int, float] = field(default_factory=dict)

    def found(self, **changes: Any) -> Consultation:
        visits, values = np.zeros(25), np.full(25, np.nan)
        for cell, count in self.visits.items():
            visits[cell] = count
        for cell, value in self.values.items():
            values[cell] = value
        given = {"visits": visits, "values": values, **changes}
        report = SearchReport(self.suggestion, unit="luck", simulations=7, seconds=0.5, **given)
        return consult("told", Told(report), SEEN, np.random.default_rng(0))


def shown(finding: Consultation, width: int = 80) -> list[str]:
    return [line.plain for line in finding.maps(width)]


def test_visits_are_shares_and_values_are_scaled_between_worst_and_best() -> None:
    finding = Root(1, {0: 1, 1: 3}, {0: -20.0, 1: -10.0}).found()
    assert shown(finding)[:3] == [
        "visits, percent    value, 0 to 99",
        "   1  2  3  4  5      1  2  3  4  5",
        "A 25>75  .  .  .   A  0>99  .  .  .",
    ]
    assert finding.remarks()[1:] == ["Value is luck: 0 stands for -20, 99 for -10."]
    assert finding.best_cells() == [1, 0]
    assert len(shown(finding, width=30)) == 2 * 7 + 1


def test_equal_values_are_all_the_best() -> None:
    finding = Root(0, {0: 1, 1: 1}, {0: 0.5, 1: 0.5}).found(note="Slowly.")
    assert shown(finding)[2] == "A>50 50  .  .  .   A>99 99  .  .  ."
    assert finding.remarks()[-1] == "Note: Slowly."


def test_a_search_that_tried_nothing_is_still_shown() -> None:
    finding = Root(0).found()
    assert shown(finding)[2] == "A> .  .  .  .  .   A> .  .  .  .  ."
    assert finding.best_cells() == [0]
    assert [to_svg(picture)[:4] for picture in finding.pictures()] == ["<svg", "<svg"]


def test_missing_numbers_are_null_in_json() -> None:
    search = Root(0, {0: 2, 1: 1}, {0: 0.5, 1: -np.inf}).found().search_json()
    assert search is not None
    assert search["values"][0] == [0.5, None, None, None, None]
    assert search["visits"][0] == [2, 1, 0, 0, 0]
    assert json.loads(json.dumps(search, allow_nan=False)) == search


def test_the_report_is_of_the_search_that_chooses() -> None:
    player = make_player("ismcts:iterations=100")
    finding = consult("it", player, SEEN, np.random.default_rng(3))
    assert finding.report is not None
    assert finding.cell == player.choose(SEEN, np.random.default_rng(3))


def test_a_player_that_does_not_search_has_a_choice_only() -> None:
    finding = consult("exact", make_player("exact"), SEEN, np.random.default_rng(0))
    assert finding.search_json() is None
    assert finding.headline() == "exact does not search; it would shoot at B3."
    assert finding.pictures() == finding.maps(80) == finding.remarks() == finding.best_cells() == []


def test_a_player_that_goes_by_numbers_shows_them_per_ship_and_summed() -> None:
    finding = consult("density", make_player("density"), SEEN, np.random.default_rng(0))
    titles = [picture.title for picture in finding.pictures()]
    assert titles == ["density: cruiser", "density: destroyer", "density: all ships"]
    told = finding.maps_json()
    assert told is not None
    assert [each["title"] for each in told["maps"]] == ["cruiser", "destroyer", "all ships"]
    assert told["maps"][0]["values"][2][2] is None  # C3 was shot at
    drawn = "\n".join(line.plain for line in finding.maps(80))
    assert "cruiser, 0 to 99" in drawn
    assert "all ships, 0 to 99" in drawn
    assert "0 to 99 stands for: cruiser" in finding.remarks()[1]


def test_an_invalid_search_report_is_refused() -> None:
    with pytest.raises(PlayerError, match="not one of the cells"):
        Root(suggestion=12).found()
    with pytest.raises(PlayerError, match=r"has the shape \(5, 5\)"):
        Root().found(visits=np.zeros((5, 5)))
    whole = Observation.from_text("A1 hit, A2 hit, A3 hit, C1 hit, D1 hit", MINI)
    with pytest.raises(ShotError, match="nothing left to shoot at"):
        consult("random", make_player("random"), whole, np.random.default_rng(0))
