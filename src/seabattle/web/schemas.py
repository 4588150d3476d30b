"""Bodies of requests and responses, as the OpenAPI description shows them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ..learners.person_memory import MOST_GAMES
from ..rules import LARGEST_SIDE, SMALLEST_SIDE, Answers, Contact, Turns


class ErrorResponse(BaseModel):
    """Why a request was refused."""

    error: str


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RulesParts(_Request):
    """Rules part by part; a part that is left out is that of `classic`."""

    rows: Annotated[int, Field(ge=SMALLEST_SIDE, le=LARGEST_SIDE)] = 10
    columns: Annotated[int, Field(ge=SMALLEST_SIDE, le=LARGEST_SIDE)] = 10
    fleet: Annotated[
        list[Annotated[int, Field(ge=1, le=LARGEST_SIDE)]], Field(min_length=1, max_length=256)
    ] = [5, 4, 3, 3, 2]
    contact: Contact = "any"
    answers: Answers = "sunk-named"
    turns: Turns = "alternate"
    salvo: Literal["ships"] | Annotated[int, Field(ge=1, le=LARGEST_SIDE**2)] = 1
    """shots per turn, answered together; `ships`: as many as you have ships afloat"""


AnyRules = Annotated[str, Field(max_length=1000)] | RulesParts
PlayerName = Annotated[str, Field(min_length=1, max_length=200)]


def _one_line(name: str) -> str:
    name = " ".join(name.split())
    if not name.isprintable():
        raise ValueError("a name must be printable text")
    return name


PersonName = Annotated[str, Field(max_length=30), AfterValidator(_one_line)]


class RulesRequest(_Request):
    rules: AnyRules = "classic"


class PositionRequest(_Request):
    """Rules, and the shots fired under them, in order."""

    rules: AnyRules = "classic"
    shots: Annotated[str, Field(max_length=8000)] = ""


class ChoiceRequest(PositionRequest):
    player: PlayerName


class SearchResponse(BaseModel):
    """What a search found at its root; lists are by row."""

    player: str
    suggestion: str
    """the cell that it chooses"""
    unit: str
    """the unit of the values"""
    simulations: int
    seconds: float
    note: str
    """a remark on the run; usually empty"""
    visits: list[list[float]]
    """simulations that began with each cell; 0 where it was not tried"""
    values: list[list[float | None]]
    """how good each cell looked, higher being better; null where it was not tried"""


class NumbersMap(BaseModel):
    """A number per cell, by row; null where a cell has none."""

    title: str
    values: list[list[float | None]]


class NumbersResponse(BaseModel):
    """The numbers that a player goes by: what `analyze --json` lists under `maps`."""

    player: str
    maps: list[NumbersMap]
    """such as one per ship and their sum; the last one decides"""


class ChoiceResponse(BaseModel):
    """What a player would shoot at."""

    player: str
    cell: str
    search: SearchResponse | None
    """null for a player that does not search"""
    numbers: NumbersResponse | None = None
    """null for a player that shows none"""


class RememberedGameBody(_Request):
    """A finished game against the computer, and the person's side in it."""

    person: Literal[0, 1]
    record: Annotated[str, Field(max_length=5000)]


RememberedGames = Annotated[list[RememberedGameBody], Field(max_length=MOST_GAMES)]


class HabitsRequest(_Request):
    rules: AnyRules = "classic"
    games: RememberedGames


class NewGameRequest(_Request):
    kind: Literal["computer", "people", "watch"] = "computer"
    rules: AnyRules = "classic"
    opponent: PlayerName = "random"
    """for `computer`"""
    players: tuple[PlayerName, PlayerName] = ("random", "random")
    """for `watch`"""
    first: Literal["me", "opponent", "either"] = "me"
    """who shoots first, for `computer`"""
    hints: bool = False
    """whether both may ask for hints, for `people`"""
    spectators: bool = False
    """whether others may watch, for `people`"""
    repeats: bool = False
    """whether people may shoot at a known cell again, as a wasted move"""
    memory: RememberedGames | None = None
    """earlier games under these rules that an opponent who learns is told about, for `computer`"""
    name: PersonName = ""


class InvitationRequest(_Request):
    invite: Annotated[str, Field(max_length=100)]


class JoinRequest(InvitationRequest):
    name: PersonName = ""


class QrCodeRequest(_Request):
    link: Annotated[str, Field(min_length=1, max_length=500)]


class ShipPlacement(_Request):
    ship: Annotated[str, Field(max_length=20)]
    cell: Annotated[str, Field(max_length=5)]
    direction: Literal["across", "down"]


class FleetRequest(_Request):
    ships: Annotated[list[ShipPlacement], Field(max_length=256)]


class HideRequest(FleetRequest):
    """A layout to be advised on."""

    rules: AnyRules = "classic"


CellName = Annotated[str, Field(max_length=5)]


class ShotRequest(_Request):
    """A turn: `cell`, or the `cells` of a salvo."""

    cell: CellName | None = None
    cells: Annotated[list[CellName], Field(max_length=LARGEST_SIDE**2)] = []
    waste: bool = False
    """shoot even at cells that you have shot at before, if the game allows it"""

    @model_validator(mode="after")
    def _one_of_them(self) -> ShotRequest:
        if (self.cell is None) == (not self.cells):
            raise ValueError("a turn is one cell, or the cells of a salvo")
        return self

    @property
    def chosen(self) -> list[str]:
        return self.cells if self.cell is None else [self.cell]


class RecordRequest(_Request):
    record: Annotated[str, Field(max_length=20_000)]
