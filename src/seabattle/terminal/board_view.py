"""Boards with their titles and status lines, and shots in words, as one side sees them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ..game import Duel
from ..layout import Layout
from ..observation import Observation
from ..report.drawing import beside, board_lines, picture_of_game, picture_of_observation
from ..rules import Rules
from ..shots import Shot
from .participants import Participant, Seats

MOST_LENGTHS = 12
"""with more ships than this, they are counted instead of listed, to fit below a board"""


def title(seat: Participant, what: str) -> Text:
    """Whose board it is; long names are cut so that they do not widen the board."""
    name = seat.name
    return Text(f"{name if len(name) <= 24 else name[:21] + '...'}'s {what}", "bold")


def boards_seen_by(
    side: int, duel: Duel, seats: Seats, width: int, *, fleets: bool = False
) -> list[Text]:
    """One's own board, and what one knows of the other's; with `fleets`, also which ships
    remain."""
    mine, theirs = duel.targets[1 - side], duel.targets[side]
    seen = Observation(duel.rules, theirs.shots)
    left = [
        title(seats[side], "fleet"),
        *board_lines(picture_of_game(mine.layout, mine.shots)),
        Text(_own_status(mine.layout, mine.shots), "dim"),
    ]
    right = [
        title(seats[1 - side], "waters"),
        *board_lines(picture_of_observation(seen)),
        Text(enemy_status(seen), "dim"),
    ]
    if fleets:
        left.append(Text(_lengths(_own_afloat(mine.layout, mine.shots), duel.rules), "dim"))
        right.append(Text(_enemy_afloat(seen), "dim"))
    return beside(left, right, width)


def open_boards(duel: Duel, names: tuple[Text, Text], width: int) -> list[Text]:
    """Both boards with everything visible, below the given titles."""
    boards = []
    for side in (0, 1):
        target = duel.targets[1 - side]
        boards.append([names[side], *board_lines(picture_of_game(target.layout, target.shots))])
    return beside(boards[0], boards[1], width)


def told_to_shooter(shots: Sequence[Shot], rules: Rules) -> Text:
    """A turn of one's own and its answers, in the words of the rules in force."""
    return _coloured("You fire at", [_answer_text(shot, rules) for shot in shots])


def _answer_text(shot: Shot, rules: Rules) -> str:
    cell, answer = rules.cell_name(shot.cell), shot.answer
    if shot.wasted:
        return f"{cell} again: the move is wasted"
    said = "hit" if answer.hit else "miss"
    if answer.sunk:
        said += " and sunk"
    if answer.ship is not None:
        said += f", the {rules.ship_names[answer.ship]}"
    return f"{cell}: {said}"


def told_to_owner(name: str, duel: Duel, side: int, cells: Sequence[int]) -> Text:
    """A turn against one's own fleet; its owner knows the ships, whatever the rules tell."""
    target = duel.targets[side]
    struck = {shot.cell for shot in target.shots} - set(cells)
    told = []
    for cell in cells:
        struck.add(cell)
        ship = target.layout.ship_at.get(cell)
        said = "miss"
        if ship is not None:
            sunk = " and sunk" if struck.issuperset(target.layout.ship_cells[ship]) else ""
            said = f"hit{sunk}, your {duel.rules.ship_names[ship]}"
        told.append(f"{duel.rules.cell_name(cell)}: {said}")
    return _coloured(f"{name} fires at", told)


def _coloured(who: str, told: list[str]) -> Text:
    """A turn in one line, so that a salvo does not push the boards off the screen, in their
    colours."""
    line = Text(f"{who} {'; '.join(told)}")
    line.highlight_regex(r": hit[^;]*", "bold red")
    line.highlight_regex(r": miss", "cyan")
    return line


def _own_afloat(layout: Layout, shots: tuple[Shot, ...]) -> list[int]:
    """The ships that are not sunk."""
    fired = {shot.cell for shot in shots}
    return [ship for ship, cells in enumerate(layout.ship_cells) if not fired.issuperset(cells)]


def _own_status(layout: Layout, shots: tuple[Shot, ...]) -> str:
    return f"{len(_own_afloat(layout, shots))} of {len(layout.ship_cells)} ships afloat"


def _enemy_afloat(seen: Observation) -> str:
    """The ships that remain, as far as the rules tell."""
    match seen.rules.answers:
        case "hit-miss":
            return "sinking is not announced"
        case "sunk":
            return "which ones is not known"
    return _lengths(seen.afloat, seen.rules)


def _lengths(ships: Sequence[int], rules: Rules) -> str:
    """`afloat: 5 4 3 3`"""
    if len(ships) > MOST_LENGTHS:
        return f"afloat: {len(ships)} ships"
    return f"afloat: {' '.join(str(rules.fleet[ship]) for ship in ships) or 'none'}"


def enemy_status(seen: Observation) -> str:
    status = f"{len(seen.hits)} of {seen.rules.ship_cells} cells hit"
    if seen.rules.answers == "hit-miss":
        return status
    sunk = sum(shot.answer.sunk for shot in seen.shots)
    return f"{status}, {sunk} of {len(seen.rules.fleet)} ships sunk"
