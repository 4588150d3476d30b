"""Rules: presets, names of ships and cells, text and JSON, and what makes no game."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seabattle import PRESETS, Rules, SeabattleError
from seabattle.errors import CellError, FleetDoesNotFit, RulesError
from seabattle.rules import ANSWERS, CONTACTS, TURNS

any_rules = st.builds(
    Rules,
    st.integers(2, 16),
    st.integers(2, 16),
    st.lists(st.integers(1, 2), min_size=1, max_size=2).map(tuple),
    st.sampled_from(CONTACTS),
    st.sampled_from(ANSWERS),
    st.sampled_from(TURNS),
)


def test_there_are_eight_presets() -> None:
    assert list(PRESETS) == [
        "classic", "mini", "thesis", "blind", "named", "patrol", "trio", "russian",
    ]  # fmt: skip
    assert PRESETS["classic"] == Rules()
    assert {name: rules.turns for name, rules in PRESETS.items() if rules.turns != "alternate"} == {
        "mini": "rounds",
        "thesis": "rounds",
        "russian": "again",
    }


@given(any_rules)
def test_text_and_json_round_trip(rules: Rules) -> None:
    assert Rules.from_text(rules.to_text()) == rules
    assert Rules.from_json(rules.to_json()) == rules


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_written_by_its_name(name: str) -> None:
    assert PRESETS[name].to_text() == PRESETS[name].name == name
    assert Rules.from_json(name) == PRESETS[name]


def test_overrides_replace_single_rules() -> None:
    rules = Rules.from_text("russian size=8x12 fleet=2,4 contact=any answers=named turns=rounds")
    assert rules == Rules(8, 12, (4, 2), "any", "named", "rounds")
    assert Rules().override(size=8) == Rules().override(size="8x8")


def test_ships_are_named_by_length() -> None:
    names = Rules(fleet=(6, 5, 4, 3, 3, 3, 3, 2, 2, 1, 1)).ship_names
    assert names == (
        "ship-6", "carrier", "battleship", "cruiser", "submarine", "cruiser-2", "submarine-2",
        "destroyer", "destroyer-2", "boat", "boat-2",
    )  # fmt: skip
    assert PRESETS["russian"].ship_names[3:6] == ("destroyer", "destroyer-2", "destroyer-3")


def test_a_ship_may_be_called_by_its_length_where_that_is_clear() -> None:
    assert Rules().ship("5") == Rules().ship("Carrier") == 0
    with pytest.raises(RulesError, match="cruiser, submarine"):
        Rules().ship("3")
    with pytest.raises(RulesError, match="Did you mean 'carrier'"):
        Rules().ship("carier")


@given(any_rules)
def test_cell_names_round_trip(rules: Rules) -> None:
    assert [rules.cell(rules.cell_name(cell)) for cell in range(rules.cells)] == list(
        range(rules.cells)
    )
    assert rules.cell_name(0) == "A1"


@pytest.mark.parametrize("text", ["", "A", "5", "A0", "K1", "A11", "AA1", "A1x", "é1", "A-1"])
def test_text_that_is_not_a_cell_is_refused(text: str) -> None:
    with pytest.raises(CellError, match="A1 to J10"):
        Rules().cell(text)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rows": 0}, "2 to 16 rows, not 0"),
        ({"columns": -3}, "2 to 16 columns, not -3"),
        ({"rows": 17}, "2 to 16 rows"),
        ({"rows": 2.5}, "2 to 16 rows"),
        ({"fleet": ()}, "one or more ship lengths"),
        ({"fleet": (0,)}, "1 cell long"),
        ({"fleet": (-2,)}, "1 cell long"),
        ({"contact": "non"}, "Did you mean 'none'"),
        ({"answers": "hit"}, "hit-miss, sunk, sunk-named, named"),
        ({"turns": "twice"}, "alternate, rounds, again"),
    ],
)
def test_invalid_rules_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(("size", "fleet"), [(4, (5,)), (2, (2, 2, 1))])
def test_a_fleet_that_does_not_fit_is_refused(size: int, fleet: tuple[int, ...]) -> None:
    with pytest.raises(FleetDoesNotFit, match="does not fit"):
        Rules(size, size, fleet)


@pytest.mark.parametrize(
    "text", ["", "clasic", "classic fleet", "classic size=", "8x", "classic a=b", "x fleet=2", "0"]
)
def test_text_that_is_not_rules_is_refused(text: str) -> None:
    with pytest.raises(RulesError):
        Rules.from_text(text)


@given(st.text())
def test_any_text_is_rules_or_a_clear_error(text: str) -> None:
    try:
        Rules.from_text(text)
    except SeabattleError as error:
        sentence = str(error)
    else:
        return
    assert sentence.endswith((".", "?"))


@pytest.mark.parametrize("value", [None, 3, [], {"rows": "x"}, {"colour": 1}, {"fleet": 3}])
def test_json_that_is_not_rules_is_refused(value: object) -> None:
    with pytest.raises(RulesError):
        Rules.from_json(value)
