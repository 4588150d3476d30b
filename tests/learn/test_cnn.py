"""The games that `cnn` is trained on."""

from __future__ import annotations

import numpy as np

from seabattle.dealing.uniform import layout_for
from seabattle.game import Game
from seabattle.learn.training.cnn import LatestGames
from seabattle.rules import Rules

SMALL = Rules(4, 4, (3, 2), answers="hit-miss")


def test_positions_of_kept_games_are_those_of_the_game():
    """Only the order of the shots and the layout are kept; a replay tells the same."""
    rules, games = SMALL, LatestGames(SMALL.cells, room=3)
    rng = np.random.default_rng(3)
    for number in range(5):  # the first two are pushed out
        order = rng.permutation(rules.cells)
        game = Game(layout_for(rules, 9, number))
        for cell in order:
            if not game.finished:
                game.fire(int(cell))
        ship = np.zeros((1, rules.cells), dtype=bool)
        ship[0, [shot.cell for shot in game.shots if shot.answer.hit]] = True
        fired = np.array([order], dtype=np.int16)
        games.add(fired, np.array([len(game.shots)], dtype=np.int32), ship)
        row = number % 3
        for after in range(len(game.shots)):
            shot = {each.cell for each in game.shots[:after]}
            assert set(np.flatnonzero(games.when[row] < after)) == shot
    assert games.games == 5
    shot, ship = games.draw(200, rng)
    assert ship.sum(axis=1).tolist() == [5] * 200
    assert ((shot & ship).sum(axis=1) < 5).all()  # a finished game is no position
