"""Rules and positions in words, as a language model reads them.

A grid alone is easily misread, so a position has both the grid and the list of shots, in the
text form that every command takes.
"""

from __future__ import annotations

from ..observation import Observation
from ..report.drawing import picture_of_observation
from ..report.drawing.text import board_lines
from ..report.formatting import afloat_line
from ..rules import Rules

_CONTACT = {
    "any": "Ships may touch.",
    "corners": "Ships may touch at corners, but not side by side.",
    "none": "Ships never touch, not even at corners.",
}
_ANSWERS = {
    "hit-miss": "After each shot you are told hit or miss. Sinking is not announced.",
    "sunk": "After each shot you are told miss, hit or sunk. Which ship sank is not announced.",
    "sunk-named": "After each shot you are told miss or hit, or which ship has sunk.",
    "named": "After each shot you are told miss, or which ship was hit, and whether it has sunk.",
}
_TURNS = {
    "alternate": "The two sides take turns with one shot each; the first to find the whole "
    "fleet wins.",
    "rounds": "Both sides fire equally often; if both find the whole fleet in the same round, "
    "the game is drawn.",
    "again": "A hit earns another shot; the first to find the whole fleet wins.",
}


def rules_text(rules: Rules, *, two_sides: bool = False) -> str:
    """The rules in full sentences."""
    last_row = chr(ord("A") + rules.rows - 1)
    fleet = ", ".join(
        f"{name} ({length})" for name, length in zip(rules.ship_names, rules.fleet, strict=True)
    )
    sentences = [
        f"The board has rows A to {last_row} and columns 1 to {rules.columns}. A cell is a row "
        "letter and a column number, such as B3.",
        f"A hidden fleet of {len(rules.fleet)} ships covers {rules.ship_cells} of the "
        f"{rules.cells} cells: {fleet}. A ship is a straight run of cells, across or down.",
        _CONTACT[rules.contact],
        _ANSWERS[rules.answers],
    ]
    if rules.salvo != 1:
        sentences.append(_salvo_text(rules, two_sides))
    elif two_sides:
        sentences.append(_TURNS[rules.turns])
    return "\n".join(sentences)


def _salvo_text(rules: Rules, two_sides: bool) -> str:
    whose = "you have" if two_sides else "the enemy has"
    size = (
        f"as many shots as {whose} ships afloat"
        if rules.salvo == "ships"
        else f"{rules.salvo} shots"
    )
    end = ""
    if two_sides:
        end = (
            " The first to find the whole fleet wins."
            if rules.turns == "alternate"
            else " Both sides have equally many turns, so the game can be drawn."
        )
    return (
        f"A turn is a salvo of {size}, at most the cells that are left. Name all its cells in one "
        f"move; the answers come together, cell by cell.{end}"
    )


def position_text(observation: Observation) -> str:
    """What the shooter knows: the grid, the shots in order, and what is afloat."""
    count = len(observation.shots)
    drawn = [line.plain for line in board_lines(picture_of_observation(observation))]
    return "\n".join(
        [
            f"Board after {count} shot{'' if count == 1 else 's'} (. unknown, o miss, X hit, "
            "# sunk, < the last shot):",
            *drawn,
            f"Shots in order: {observation.to_text() or 'none'}",
            f"Afloat: {afloat_line(observation)}",
            "The whole fleet is found."
            if observation.finished
            else f"You may shoot at any unknown cell; {len(observation.unknown)} are left.",
        ]
    )
