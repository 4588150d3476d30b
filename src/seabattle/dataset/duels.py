"""Two-sided games as episodes: one for each side that has shot.

A side's episode is a game of one shooter at the other's layout, which stops when the duel
does. `DuelSide` says which duel it belongs to and when each shot was fired, so that the duel
can be put together again.

>>> from seabattle import play_duel
>>> first, second = duel_episodes([play_duel("even", "random", "mini", seed=1)], "mini")
>>> [episode.duel.result for episode in (first, second)], first.duel.moves[:3].tolist()
(['won', 'lost'], [0, 2, 4])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np

from ..errors import DatasetError
from ..experiment.layout_sets import LayoutSet, set_seed
from ..experiment.play import play_duel
from ..game import Duel
from ..layout import Layout
from ..players import make_player
from ..record import DuelRecord, GameRecord
from ..rules import Rules
from .episodes import DuelSide, Episode, differs, episode_of, of_these_rules


def duel_episodes(
    records: Iterable[DuelRecord],
    rules: Rules | str,
    reward: str = "shots",
    posterior: bool = False,
    first_duel: int = 0,
) -> Iterator[Episode]:
    """The episodes of recorded duels, which must all be under these rules."""
    checked_salvo(Rules.of(rules))
    number = 0
    for duel, record in enumerate(records, first_duel):
        of_these_rules(record.rules, Rules.of(rules), duel)
        if not record.cells:
            raise DatasetError(f"Game {duel} has no shots, so it is not an episode.")
        played = record.replay(len(record.cells))
        if any(played.wasted_by(side) for side in (0, 1)):
            raise DatasetError(
                f"Game {duel} has moves that were wasted on known cells; an episode has none."
            )
        layouts = (record.first, record.second)
        for side, target in enumerate(played.targets):
            if not target.shots:
                continue
            one = GameRecord(layouts[1 - side], target.shots, record.players[side])
            about = DuelSide(
                duel,
                side,
                record.players[1 - side],
                layouts[side].to_text(),
                _result(played, side),
                np.array([k for k, mover in enumerate(played.moves) if mover == side]),
            )
            yield episode_of(one, number, reward, posterior, about)
            number += 1


def checked_salvo(rules: Rules) -> None:
    """An episode is a game of one, whose turns must not depend on the other side's shots."""
    if rules.salvo == "ships":
        raise DatasetError(
            "With salvo=ships a side's turns depend on the ships that it has left, so the two "
            "sides of a game are not separate episodes; use a fixed salvo, such as salvo=3."
        )


def played_duels(
    player: str,
    opponent: str,
    rules: Rules,
    games: int,
    seed: int = 0,
    layout_set: LayoutSet | None = None,
) -> Iterator[DuelRecord]:
    """Duels of two players, who move first in turns; both fleets are placed at random."""
    checked_salvo(rules)
    shooters = [make_player(name) for name in (player, opponent)]  # a bad name is found at once
    assert shooters
    drawn_from = set_seed(layout_set, seed)
    for game in range(games):
        pair = (player, opponent) if game % 2 == 0 else (opponent, player)
        yield play_duel(*pair, rules, seed=np.random.default_rng([drawn_from, game]))


def check_duels(
    episodes: Iterator[Episode], rules: Rules, reward: str, posterior: bool
) -> tuple[int, int]:
    """Put every duel together, replay it and compare both sides; the games and shots found."""
    games = shots = 0
    for duel, sides in groupby(episodes, key=lambda episode: _side(episode).duel):
        found = list(sides)
        if duel != games:
            raise DatasetError(f"duel {games} is missing")
        again = list(duel_episodes([_record(found, rules)], rules, reward, posterior, duel))
        if len(again) != len(found):
            raise DatasetError(f"a side of duel {duel} is missing")
        for one, other in zip(found, again, strict=True):
            part = differs(one, other)
            if part is not None:
                raise DatasetError(
                    f"the {part} of duel {duel} are not those that its layouts and shots give"
                )
            shots += one.actions.size
        games += 1
    return games, shots


def _record(sides: Sequence[Episode], rules: Rules) -> DuelRecord:
    """The duel that these sides have played."""
    layouts: list[str] = ["", ""]
    names = ["", ""]
    fired: dict[int, int] = {}
    resigned = None
    for episode in sides:
        about = _side(episode)
        layouts[about.side], layouts[1 - about.side] = (
            about.own_ships,
            episode.record.layout.to_text(),
        )
        names[about.side], names[1 - about.side] = episode.record.player, about.opponent
        fired |= dict(zip(about.moves.tolist(), episode.actions.tolist(), strict=True))
        if about.result == "resigned":
            resigned = about.side
        if about.result == "won" and len(sides) == 1 and not episode.finished:
            resigned = 1 - about.side
    if sorted(fired) != list(range(len(fired))):
        raise DatasetError("a shot of a duel is missing")
    first, second = (Layout.from_text(text, rules) for text in layouts)
    cells = tuple(fired[move] for move in range(len(fired)))
    return DuelRecord(first, second, cells, (names[0], names[1]), resigned)


def _side(episode: Episode) -> DuelSide:
    if episode.duel is None:
        raise DatasetError(f"episode {episode.number} does not say which duel it belongs to")
    return episode.duel


def _result(duel: Duel, side: int) -> str:
    """How a duel ended for one side."""
    if duel.resigned == side:
        return "resigned"
    if duel.winner is not None:
        return "won" if duel.winner == side else "lost"
    return "drawn" if duel.drawn else "unfinished"
