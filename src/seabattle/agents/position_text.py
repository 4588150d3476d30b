"""Rules and positions in words, as a language model reads them.

A grid alone is easily misread, so a position has both the grid and the list of shots, in the
text form that every command takes.
"""

from __future__ import annotations

from ..observation import Observation
from ..report.drawing import picture_of_observation
from ..report.drawing.text import board_lines
from ..report.formatting import afloat_line
from ..report.rules_in_words import (
    answers_in_words,
    contact_in_words,
    salvo_in_words,
    turns_in_words,
)
from ..rules import Rules


def rules_text(rules: Rules, *, two_sides: bool = False) -> str:
    """The rules in full sentences."""
    last_row = chr(ord("A") + rules.rows - 1)
    fleet = ", ".join(
        f"{name} ({length})" for name, length in zip(rules.ship_names, rules.fleet, strict=True)
    )
    turn = "shot" if rules.salvo == 1 else "salvo"
    sentences = [
        f"The board has rows A to {last_row} and columns 1 to {rules.columns}. A cell is a row "
        "letter and a column number, such as B3.",
        f"A hidden fleet of {len(rules.fleet)} ships covers {rules.ship_cells} of the "
        f"{rules.cells} cells: {fleet}. A ship is a straight run of cells, across or down.",
        _sentence(contact_in_words(rules)),
        _sentence(f"after each {turn} {answers_in_words(rules)}"),
    ]
    if rules.salvo != 1:
        sentences.append(
            f"{_sentence(salvo_in_words(rules))} A turn never has more shots than there are cells "
            "left. Name all its cells in one move."
        )
    if two_sides:
        sentences.append(_sentence(turns_in_words(rules)))
    return "\n".join(sentences)


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


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
