"""Positions small enough for brute force, and what brute force says about them."""

from __future__ import annotations

from hypothesis import strategies as st

from seabattle.game import Game
from seabattle.layout import Layout
from seabattle.observation import Observation
from seabattle.rules import ANSWERS, CONTACTS, Rules
from tests import oracle

SMALL = [
    (2, 2, (1,)),
    (2, 3, (2, 1)),
    (3, 3, (2, 1, 1)),
    (3, 3, (3, 2)),
    (3, 4, (2, 2)),
    (4, 3, (3, 2, 1)),
    (4, 4, (4, 2)),
    (4, 4, (2, 2, 2)),
    (2, 7, (3, 1, 1)),
    (5, 3, (2, 2, 1, 1)),
    (4, 5, (3, 3)),
    (5, 4, (3, 2, 2)),
    (4, 4, (4, 4, 4, 4)),
    (6, 2, (2, 2, 2)),
    (5, 3, (3, 3, 2)),
    (3, 5, (1, 1, 1, 1)),
]


@st.composite
def positions(draw: st.DrawFn) -> Observation:
    """Shots at a small board, in an order that often sinks ships."""
    rows, columns, fleet = draw(st.sampled_from(SMALL))
    contact, answers = draw(st.sampled_from(CONTACTS)), draw(st.sampled_from(ANSWERS))
    rules = Rules(rows, columns, fleet, contact, answers)
    layouts = oracle.all_layouts(rows, columns, fleet, contact)
    if not layouts:
        return Observation(rules)
    layout = layouts[draw(st.integers(0, len(layouts) - 1))]
    game = Game(Layout.from_text(_text(rules, layout), rules))
    cells = draw(st.permutations(range(rules.cells)))
    if draw(st.booleans()):
        cells = sorted(cells, key=lambda cell: cell not in game.layout.ship_at)
    for cell in cells[: draw(st.integers(0, rules.cells))]:
        if not game.finished:
            game.fire(cell)
    return Observation(rules, game.shots)


def _text(rules: Rules, layout: oracle.Layout) -> str:
    ships = []
    for name, run in zip(rules.ship_names, layout, strict=True):
        down = len(run) > 1 and min(run) + 1 not in run
        ships.append(f"{name} {rules.cell_name(min(run))} {'down' if down else 'across'}")
    return ", ".join(ships)


def answers_told(observation: Observation) -> list[oracle.Told]:
    """The answers of an observation in the oracle's words."""
    told: list[oracle.Told] = []
    for shot in observation.shots:
        word = "sunk" if shot.answer.sunk else "hit" if shot.answer.hit else "miss"
        told.append((word,) if shot.answer.ship is None else (word, shot.answer.ship))
    return told


def layouts_left(observation: Observation) -> list[oracle.Layout]:
    """The layouts, found by brute force, that give an observation's answers to its shots."""
    rules = observation.rules
    return oracle.layouts_left(
        oracle.all_layouts(rules.rows, rules.columns, rules.fleet, rules.contact),
        tuple(shot.cell for shot in observation.shots),
        answers_told(observation),
        rules.answers,
    )
