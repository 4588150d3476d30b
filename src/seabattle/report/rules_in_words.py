"""The parts of the rules in words, the same in the commands and for language models.

Each is a clause without a capital or a full stop, so that it fits a table and a sentence.
"""

from __future__ import annotations

from ..rules import Answers, Contact, Rules

_CONTACT: dict[Contact, str] = {
    "any": "ships may touch",
    "corners": "ships may touch at corners only",
    "none": "ships never touch, not even at corners",
}
_ANSWERS: dict[Answers, str] = {
    "hit-miss": "you are told hit or miss, but not when a ship sinks",
    "sunk": "you are told hit or miss, and when a ship sinks, but not which one",
    "sunk-named": "you are told hit or miss, and which ship has sunk",
    "named": "you are told miss, or which ship was hit, and when it has sunk",
}


def contact_in_words(rules: Rules) -> str:
    return _CONTACT[rules.contact]


def answers_in_words(rules: Rules) -> str:
    return _ANSWERS[rules.answers]


def turns_in_words(rules: Rules) -> str:
    """How the sides take turns, and who wins."""
    turn = "shot" if rules.salvo == 1 else "salvo"
    match rules.turns:
        case "alternate":
            return f"one {turn} each in turn; the first to find the whole fleet wins"
        case "rounds":
            return (
                f"both sides fire equally many {turn}s; if both find the whole fleet in the same "
                "round, the game is drawn"
            )
        case "again":
            return "a hit earns another shot; the first to find the whole fleet wins"


def salvo_in_words(rules: Rules) -> str:
    """How many shots a turn has."""
    if rules.salvo == 1:
        return "a turn is one shot"
    if rules.salvo != "ships":
        return f"a turn is a salvo of {rules.salvo} shots, answered together"
    return (
        "a turn is a salvo of as many shots as you have ships afloat, answered together; in games "
        "of one, as many as the enemy has"
        + ("; no sinking is announced, so it stays the same" if rules.answers == "hit-miss" else "")
    )
