"""What `learning-exact` gains over `exact` as a match goes on, placer by placer.

`python -m benchmarks.learning --rules mini --matches 40 --games 200 --images docs/images` makes
a table and a plot of docs/hiding.md; without arguments, this is a short run. Both shoot at the
same layouts, so the differences are paired; their intervals are those of the means of matches,
which are independent. Until it has learned a prior, `learning-exact` plays as `exact`, whose game
then counts for both; `--differences` does not even play it, so that many matches against `uniform`
take little time. `--reveal shots` hides the layouts: the learner then sees what its own shots have
shown until the game ends, which is when `exact` has found a random fleet.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from seabattle import Rules
from seabattle.dealing import deal_games, layout_of, place_games
from seabattle.experiment.match import portions_of
from seabattle.experiment.statistics import half_width, mean_interval
from seabattle.game import Game
from seabattle.players import make_player
from seabattle.revealed import RevealedGame

PLACERS = ("uniform", "edges", "edges:tries=200", "spread", "clustered", "human")
ONLY_ON = {"mini": ("adversarial:against=exact,games=60",), "classic": ("equilibrium",)}
"""placers that are slow or missing elsewhere"""

Shots = npt.NDArray[np.float64]
"""(2, matches, games) of `learning-exact` and of `exact`"""
Means = list[tuple[range, float, float]]
"""a mean and half its interval, for games 1 to 5, 6 to 10, ..."""


def main(
    board: str = "mini",
    matches: int = 4,
    games: int = 20,
    reveal: str = "layouts",
    placers: Sequence[str] = (),
    images: Path | None = None,
    *,
    differences: bool = False,
) -> None:
    rules = Rules.of(board)
    found = {}
    for placer in placers or (*PLACERS, *ONLY_ON.get(board, ())):
        shots = np.stack(
            [played(rules, placer, match, games, reveal, differences) for match in range(matches)],
            axis=1,
        )
        show(placer, shots, differences)
        found[placer] = portion_means(shots[0] - shots[1])
    if images is not None:
        draw(found, board, images / f"learning-{board}{'-shots' * (reveal == 'shots')}.svg")


def played(
    rules: Rules, placer: str, match: int, games: int, reveal: str, differences: bool = False
) -> Shots:
    """(2, games) the shots in one match; with `differences`, 0 where both play alike."""
    seeds = np.arange(games, dtype=np.uint64)
    hidden = place_games(rules, match, range(games), placer)
    random = deal_games(rules, 10_000 + match, range(games))
    usual, learner = make_player("exact"), make_player("learning-exact")
    if reveal == "shots":
        ended = usual.play_games(rules, random, seeds)[0]  # type: ignore[attr-defined]
    shots = np.zeros((2, games))
    for number in range(games):
        learned = learner.prior_for(rules) is not None  # type: ignore[attr-defined]
        one, seed = hidden[number][None], seeds[number][None]
        fired = np.zeros(0, dtype=np.int64)
        if learned or not differences:
            count, cells = usual.play_games(rules, one, seed)  # type: ignore[attr-defined]
            shots[:, number], fired = count[0], cells[0]
        if learned:
            count, cells = learner.play_games(rules, one, seed)  # type: ignore[attr-defined]
            shots[0, number], fired = count[0], cells[0]
        game = Game(layout_of(rules, hidden[number]))
        told = shots[0, number] if reveal == "layouts" else min(shots[0, number], ended[number])
        for cell in fired[: int(told)]:
            game.shoot(int(cell))
        learner = learner.after_game(  # type: ignore[attr-defined]
            RevealedGame(
                layout=layout_of(rules, random[number]),
                shots=tuple(game.shots),
                enemy_shots=(),
                enemy_layout=game.layout if reveal == "layouts" else None,
                result="won" if game.finished else "lost",
                moved_first=True,
            )
        )
    return shots


def portion_means(shots: npt.NDArray[np.float64]) -> Means:
    """(matches, games) as games 1 to 5, 6 to 10, ...: the mean and half its 95% interval."""
    found = []
    for games in portions_of(shots.shape[1]):
        interval = mean_interval(shots[:, games.start : games.stop].mean(axis=1))
        found.append((games, sum(interval) / 2, half_width(interval)))
    return found


def show(placer: str, shots: Shots, differences: bool) -> None:
    names = "difference" if differences else "learning-exact, exact, difference"
    print(f"   {placer}: games, {names}", flush=True)
    columns = (shots[0], shots[1], shots[0] - shots[1])
    for learning, usual, gained in zip(*map(portion_means, columns), strict=True):
        games = learning[0]
        shown = (gained,) if differences else (learning, usual, gained)
        cells = [f"{mean:7.2f} ± {half:.2f}" for _, mean, half in shown]
        print(f"     {games.start + 1:>4} to {games.stop:<5}{''.join(cells)}", flush=True)


def draw(found: dict[str, Means], board: str, path: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    from seabattle.report.plots import SETTINGS, look

    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        axis = figure.subplots()
        axis.axhline(0, color="black", linewidth=1)
        for number, (placer, spans) in enumerate(found.items()):
            # A little apart, so that the intervals do not cover each other.
            apart = 1.03 ** (number - len(found) / 2)
            axis.errorbar(
                [apart * (games.start + games.stop + 1) / 2 for games, _, _ in spans],
                [mean for _, mean, _ in spans],
                [half for _, _, half in spans],
                capsize=3,
                label=placer,
                **look(number),
            )
        axis.set(
            title=f"learning-exact on {board}",
            xlabel="game of the match",
            ylabel="shots, compared with exact",
            xscale="log",
        )
        spans = next(iter(found.values()))
        axis.set_xticks(
            [(games.start + games.stop + 1) / 2 for games, _, _ in spans],
            [f"{games.start + 1} to {games.stop}" for games, _, _ in spans],
        )
        axis.minorticks_off()
        axis.legend(fontsize=8)
        figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="mini")
    parser.add_argument("--matches", type=int, default=4)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--reveal", choices=("layouts", "shots"), default="layouts")
    parser.add_argument("--placer", action="append", default=[])
    parser.add_argument("--images", type=Path)
    parser.add_argument("--differences", action="store_true", help="print no other figures")
    given = parser.parse_args()
    if given.differences and given.reveal == "shots":
        parser.error("--differences needs the layouts revealed: nothing is known of unplayed games")
    main(
        given.rules,
        given.matches,
        given.games,
        given.reveal,
        given.placer,
        given.images,
        differences=given.differences,
    )
