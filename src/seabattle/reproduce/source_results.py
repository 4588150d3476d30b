"""What the five source documents report about play, table by table and figure by figure.

T: T. Kancko, "Reinforcement Learning for the Game of Battleship", Masaryk University, 2020.
E: the comparison of turns, runtime and memory (random, HLP variants, greedy, ISMCTS).
L: "Battleship AI" (probability density, CNN, policy gradient).
R: "Battleship Against Intelligent Adversary", CS 4701.
P: Y.-C. Hsiao and R. Sundaram, "A Parallelized Monte Carlo Battleship Implementation", 2022.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ExperimentError, one_of

MEANS, RUNNING, HISTOGRAM, RUNTIME, MEMORY, DUEL, HUMAN = (
    "means",
    "running mean",
    "histogram",
    "runtime",
    "memory",
    "games of two",
    "needs people",
)


@dataclass(frozen=True)
class Row:
    """One line of a table, or one curve of a figure."""

    label: str
    """what the document calls it"""
    player: str
    """which of ours plays it"""
    mean: float | None = None
    """shots a game in the document"""
    range: tuple[int, int] | None = None
    """fewest and most shots in the document"""
    seconds: float | None = None
    """for a game in the document"""
    share: tuple[int, int, float] | None = None
    """of the document's games, this share took from so many to so many shots"""
    peak: str = ""
    """where the document's histogram is highest"""
    won: tuple[int, int] | None = None
    """games won of games played against the random player, in the document"""
    winning_shots: float | None = None
    """shots in the games that it won, in the document"""
    claim: str = ""
    """what the document says where it gives no number"""
    why: str = ""
    """why ours differs, where it is known to"""
    rules: str = ""
    """where they are not those of the exhibit"""


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a document."""

    name: str
    title: str
    kind: str
    rules: str
    games: int
    """behind each row of the document"""
    rows: tuple[Row, ...] = ()
    note: str = ""

    @property
    def document(self) -> str:
        return self.name[0]


T_RANDOM = (
    "the exact value is 17 · 101 / 18 = 95.39 whatever the layouts, so the document's 200 games "
    "were not drawn or counted as they should be"
)
T_SAMPLE = (
    "the same 200 games put random play far from its exact value, so how they were drawn or "
    "counted is in doubt"
)
EVEN_MINI = (
    "the document does not say which half of the board is even; no reading gives 13.07 together "
    "with its 15.22 for the human-like player"
)
LAYOUTS = "the document does not say how it draws layouts; ours are uniform over all legal ones"
HLP = (
    "the document leaves open which hit the random direction starts from; starting at the latest "
    "comes closest"
)
R_ORDER = (
    "in-order play is done once it has passed the lowest ship, so fair games put it before random"
)
R_RANDOM = (
    "random play needs k(n + 1)/(k + 1) shots whatever the layouts, 94.27 with 14 ship cells and "
    "95.39 with 17, so a peak near 85 cannot come out of fair games"
)
R_PARITY = (
    "without following up hits it sweeps the pattern and then the rest of the board, so it "
    "finishes late"
)
CNN = (
    "the document leaves open the filters' size, the loss and the games that it learns from; ours "
    "learns from its own games, turned and mirrored"
)
R_CHART = "the document reads peaks off charts of 100 games; where the mean lies it does not say"
NEAT = (
    "every genome is judged by 500 games on the same layouts as the others, and the better half "
    "lives on unchanged, for 1,500 generations"
)

MCTS_BEST = (
    "the document does not say which child it takes for the best at the end (by mean, sum or "
    "visits), nor whether the shots already fired count in its reward; a guessed miss could win "
    "there, and hardly ever does here"
)

_RANDOM_MINI = Row("Random", "random", 21.8)
_NEAT = Row("NEAT", "neat", 18.0, why=NEAT)
_HUMAN_MINI = Row("Human-like", "human-like", 15.22)
_EVEN_MINI = Row("Even", "even", 13.07, why=EVEN_MINI)
_HEAT_MAP = Row("Heat-map", "heat-map", 11.2, share=(11, 12, 0.70), why=LAYOUTS)


def _mcts(
    label: str, reward: str, select: str, iterations: int, mean: float, **more: object
) -> Row:
    player = f"mcts:iterations={iterations},reward={reward},select={select}"
    return Row(f"{label}, {iterations}", player, mean, why=MCTS_BEST, **more)  # type: ignore[arg-type]


_MCTS_MINI = _mcts("MCTS", "classic", "any", 1000, 12.23)

_T = (
    Exhibit(
        "T-4.1",
        "Heuristics on the 5×5 board",
        MEANS,
        "mini",
        1000,
        (
            Row("Random", "random", 21.86, seconds=10e-6),
            Row("NEAT", "neat", 17.99, seconds=8e-6, why=NEAT),
            Row("Human-like", "human-like", 15.22, seconds=10e-6),
            Row("Even", "even", 13.07, seconds=10e-6, why=EVEN_MINI),
            Row("Heat-map", "heat-map", 11.23, seconds=2.04e-3, why=LAYOUTS),
        ),
    ),
    Exhibit(
        "T-4.2",
        "MCTS on 5×5 by iterations per action",
        MEANS,
        "mini",
        200,
        (
            _mcts("MCTS", "classic", "any", 500, 12.38, seconds=1.61),
            _mcts("MCTS", "classic", "any", 1000, 12.23, seconds=3.18),
        ),
        "The document does not say how many games; its 10×10 tables have 200.",
    ),
    Exhibit(
        "T-4.3",
        "MCTS on 5×5 with rewards for whole ships",
        MEANS,
        "mini",
        200,
        (
            _mcts("Ships-squared", "ships-squared", "any", 500, 12.105),
            _mcts("Ships-squared", "ships-squared", "any", 1000, 12.08),
            _mcts("Full-ships", "full-ships", "any", 500, 11.97),
            _mcts("Full-ships", "full-ships", "any", 1000, 11.755),
        ),
        "The document does not say how many games; its 10×10 tables have 200.",
    ),
    Exhibit(
        "T-4.4",
        "MCTS on 5×5 choosing only simulated hits",
        MEANS,
        "mini",
        200,
        (
            _mcts("MCTS", "classic", "hits", 500, 12.18),
            _mcts("MCTS", "classic", "hits", 1000, 12.08),
            _mcts("Ships-squared", "ships-squared", "hits", 500, 11.75),
            _mcts("Ships-squared", "ships-squared", "hits", 1000, 11.70),
            _mcts("Full-ships", "full-ships", "hits", 500, 11.95),
            _mcts("Full-ships", "full-ships", "hits", 1000, 11.69),
        ),
        "The document does not say how many games; its 10×10 tables have 200.",
    ),
    Exhibit(
        "T-4.5",
        "Heuristics on the 10×10 board",
        MEANS,
        "thesis",
        200,
        (
            Row("Random", "random", 93.8, seconds=0.03e-3, why=T_RANDOM),
            Row("HumanLike", "human-like", 61.3, seconds=0.03e-3, why=T_SAMPLE),
            Row("Even", "even", 58.35, seconds=0.03e-3, why=T_SAMPLE),
        ),
    ),
    Exhibit(
        "T-4.6",
        "MCTS on 10×10 with the original reward",
        MEANS,
        "thesis",
        200,
        (
            _mcts("Classic", "classic", "any", 500, 51.95),
            _mcts("Classic", "classic", "any", 1000, 51.0),
            _mcts("Classic only hits", "classic", "hits", 500, 51.8),
            _mcts("Classic only hits", "classic", "hits", 1000, 49.45),
        ),
    ),
    Exhibit(
        "T-4.7",
        "MCTS on 10×10 with ships squared",
        MEANS,
        "thesis",
        200,
        (
            _mcts("Ships-squared", "ships-squared", "any", 500, 56.1),
            _mcts("Ships-squared", "ships-squared", "any", 1000, 55.55),
            _mcts("Ships-squared only hits", "ships-squared", "hits", 500, 53.05),
            _mcts("Ships-squared only hits", "ships-squared", "hits", 1000, 48.1),
        ),
    ),
    Exhibit(
        "T-4.8",
        "MCTS on 10×10 with full ships",
        MEANS,
        "thesis",
        200,
        (
            _mcts("Full-ships", "full-ships", "any", 500, 82.55),
            _mcts("Full-ships", "full-ships", "any", 1000, 80.4),
            _mcts("Full-ships only hits", "full-ships", "hits", 500, 82.6),
            _mcts("Full-ships only hits", "full-ships", "hits", 1000, 80.15),
        ),
    ),
    Exhibit("T-fig-4.1", "Mean of the random player", RUNNING, "mini", 1000, (_RANDOM_MINI,)),
    Exhibit("T-fig-4.2", "NEAT beside random: means", RUNNING, "mini", 1000, (_RANDOM_MINI, _NEAT)),
    Exhibit(
        "T-fig-4.3",
        "NEAT beside random: moves a game",
        HISTOGRAM,
        "mini",
        1000,
        (_RANDOM_MINI, _NEAT),
    ),
    Exhibit(
        "T-fig-4.4",
        "Human-like: means",
        RUNNING,
        "mini",
        1000,
        (_RANDOM_MINI, _NEAT, _HUMAN_MINI),
    ),
    Exhibit(
        "T-fig-4.5",
        "Human-like: moves a game",
        HISTOGRAM,
        "mini",
        1000,
        (_RANDOM_MINI, _NEAT, _HUMAN_MINI),
    ),
    Exhibit(
        "T-fig-4.6", "Even and human-like: means", RUNNING, "mini", 1000, (_HUMAN_MINI, _EVEN_MINI)
    ),
    Exhibit(
        "T-fig-4.7",
        "Even and human-like: moves a game",
        HISTOGRAM,
        "mini",
        1000,
        (_HUMAN_MINI, _EVEN_MINI),
    ),
    Exhibit(
        "T-fig-4.8",
        "Heat-map: means",
        RUNNING,
        "mini",
        1000,
        (_RANDOM_MINI, _NEAT, _HUMAN_MINI, _EVEN_MINI, _HEAT_MAP),
    ),
    Exhibit(
        "T-fig-4.9",
        "Heat-map: moves a game",
        HISTOGRAM,
        "mini",
        1000,
        (_EVEN_MINI, _HEAT_MAP),
    ),
    Exhibit(
        "T-fig-4.10",
        "MCTS with 1000 iterations: means",
        RUNNING,
        "mini",
        200,
        (_EVEN_MINI, _HEAT_MAP, _MCTS_MINI),
    ),
    Exhibit(
        "T-fig-4.11",
        "MCTS with 1000 iterations: moves a game",
        HISTOGRAM,
        "mini",
        200,
        (_EVEN_MINI, _HEAT_MAP, _MCTS_MINI),
    ),
    Exhibit(
        "T-fig-4.12",
        "All heuristics on 10×10: moves a game",
        HISTOGRAM,
        "thesis",
        200,
        (
            Row("Random", "random", 93.8, share=(100, 100, 0.17), why=T_RANDOM),
            Row("Human-like", "human-like", 61.3, why=T_SAMPLE),
            Row("Even", "even", 58.35, why=T_SAMPLE),
            _mcts("MCTS ships-squared only hits", "ships-squared", "hits", 1000, 48.1),
        ),
    ),
)

_E_PLAYERS = (
    ("Random", "random", 95.644, (72, 100), ""),
    ("HLP", "hlp", 60.731, (26, 99), HLP),
    ("OHLP", "ohlp", 60.188, (21, 98), ""),
    ("PHLP", "phlp", 54.042, (28, 72), HLP),
    ("OPHLP", "ophlp", 51.96, (26, 69), ""),
    ("Greedy", "greedy", 46.723, (25, 72), ""),
)
_ISMCTS_CLAIM = "no figures: it seldom finished a game"

_E = (
    Exhibit(
        "E-1",
        "Turns of each approach",
        MEANS,
        "classic",
        1000,
        tuple(
            Row(label, player, mean, span, why=why) for label, player, mean, span, why in _E_PLAYERS
        ),
    ),
    Exhibit(
        "E-fig-6",
        "Runtime for 250 to 2,500 games, without greedy",
        RUNTIME,
        "classic",
        2500,
        tuple(Row(label, player) for label, player, *_ in _E_PLAYERS[:-1]),
        "The document: all within a few seconds at 2,500 games and linear in their number; "
        "random the quickest, PHLP the slowest. Ours is processor time.",
    ),
    Exhibit(
        "E-fig-7",
        "Runtime for 250 to 2,500 games, with greedy",
        RUNTIME,
        "classic",
        2500,
        tuple(Row(label, player) for label, player, *_ in _E_PLAYERS),
        "The document: greedy takes far longer than the others; linear in the number of games. "
        "Ours is processor time.",
    ),
    Exhibit(
        "E-fig-8",
        "Memory for 250 to 2,500 games",
        MEMORY,
        "classic",
        2500,
        tuple(Row(label, player) for label, player, *_ in _E_PLAYERS),
        "The document: about the same for all, growing with the number of games. It took the "
        "growth of the process's resident size; ours is what Python and NumPy held at most.",
    ),
    Exhibit(
        "E-ismcts",
        "ISMCTS against random",
        DUEL,
        "trio",
        1,
        (
            Row(
                "5×5, ships 3, 2, 2",
                "ismcts:iterations=200",
                claim=_ISMCTS_CLAIM,
                why="determinizations come from the posterior here, so it cannot stall",
            ),
            Row(
                "10×10",
                "ismcts:iterations=200",
                claim="stalled on most games",
                why="determinizations come from the posterior here, so it cannot stall",
                rules="classic",
            ),
        ),
        "In the document random always moves first; here each does in half of the games.",
    ),
)

_L = tuple(
    Exhibit(
        f"L-{player}",
        f"{label}: steps a game",
        HISTOGRAM,
        "blind",
        8000,
        (Row(label, player, mean, why=why),),
    )
    for label, player, mean, why in (
        ("Probability density", "density", 56.64, ""),
        ("CNN", "cnn", 51.18, CNN),
        ("Policy gradient", "policy-gradient", 55.54, "trained on 48,000 games, not 20,000"),
    )
)


def _chart(number: int, title: str, label: str, player: str, peak: str, why: str) -> Exhibit:
    return Exhibit(
        f"R-{number}",
        title,
        HISTOGRAM,
        "named",
        100,
        (
            Row(f"{label}, 14 cells", player, peak=peak, why=why),
            Row(
                f"{label}, 17 cells",
                player,
                peak=peak,
                why=why,
                rules="named fleet=5,4,3,3,2",
            ),
        ),
        "The document names four ships (14 cells) in one place and computes with 17 in another.",
    )


_R = (
    Exhibit(
        "R-1",
        "Games won and lost against people",
        HUMAN,
        "named",
        0,
        note="Two of the document's authors played these games themselves, winning about two in "
        "five; games against people cannot be played again by a command. 'seabattle play' lets "
        "you play any of the five.",
    ),
    _chart(2, "In-order firing", "In-order", "in-order", "~90", R_ORDER),
    _chart(3, "Random firing", "Random", "random", "~85", R_RANDOM),
    _chart(4, "N-parity", "N-parity", "n-parity", "75 to 80", R_PARITY),
    _chart(5, "N-parity with hunt", "N-parity + hunt", "n-parity-hunt", "55 to 75", R_CHART),
    _chart(6, "Game tree", "Game tree", "game-tree", "~50", R_CHART),
)

_P_ROWS: tuple[tuple[int, int, float, str, str, str], ...] = (
    # N, branch, decay; then for threads 1, branch/2 and branch: time, won, moves of each game
    (5, 10, 1.5, "7 5 7 6 7/0 1 1 1 1/10 11 20 18 16",
     "6 4 4 5 6/1 1 1 1 1/18 15 19 23 13", "5 3 4 6 5/1 1 0 0 1/23 18 18 24 15"),
    (5, 10, 1.3, "9 8 9 8 7/1 1 1 1 1/20 16 18 17 14",
     "6 6 5 6 6/1 1 1 1 1/11 19 18 18 16", "4 5 5 4 5/0 1 1 0 1/20 19 21 24 18"),
    (6, 20, 1.6, "160 205 158 187 221/1 1 0 1 1/26 25 29 31 22",
     "57 44 48 45 37/1 1 0 1 1/27 24 29 21 25", "24 37 31 38 28/1 1 1 0 1/23 30 26 32 20"),
    (6, 20, 1.4, "", "1284 1163 1682 1143 2412/1 1 0 1 1/28 26 35 20 24",
     "1019 751 1010 1206 823/1 1 1 0 1/25 19 29 33 24"),
    (7, 25, 1.8, "", "128 120 95 113 103/1 1 1 1 1/39 34 25 39 30",
     "100 108 93 100 97/0 1 1 1 1/39 37 27 36 28"),
    (7, 25, 1.6, "", "338 258 357 287 429/1 1 1 1 1/34 23 27 21 37",
     "116 160 225 290 371/1 1 0 1 1/23 20 25 23 30"),
    (8, 30, 2.0, "", "204 363 475 393 404/1 1 0 1 1/55 34 60 47 42",
     "254 350 379 399 382/1 0 1 1 1/35 49 39 46 42"),
    (8, 30, 1.8, "", "548 652 550 444 426/1 1 1 1 1/58 39 48 28 49",
     "406 443 395/1 0 1/38 62 43"),
)  # fmt: skip
"""P's table. Its last row has three games where the others have five."""


def _p_rows(threads: tuple[int, ...]) -> tuple[Row, ...]:
    rows = []
    for side, branch, decay, *columns in _P_ROWS:
        for column in threads:
            count = (1, branch // 2, branch)[column]
            label = f"N={side}, branch {branch}, decay {decay:g}, {count} thread" + "s" * (
                count > 1
            )
            player = f"branch-mcts:branch={branch},decay={decay:g}"
            if count > 1:
                player += f",threads={count}"
            rules = f"patrol size={side}"
            if not columns[column]:
                rows.append(Row(label, player, claim="killed", rules=rules))
                continue
            times, won, moves = (
                [float(word) for word in part.split()] for part in columns[column].split("/")
            )
            rows.append(
                Row(
                    label,
                    player,
                    mean=sum(moves) / len(moves),
                    seconds=sum(times) / len(times),
                    won=(int(sum(won)), len(won)),
                    winning_shots=sum(m for m, w in zip(moves, won, strict=True) if w) / sum(won),
                    rules=rules,
                )
            )
    return tuple(rows)


_P = (
    Exhibit(
        "P-table",
        "MCTS with branch and decay against random",
        DUEL,
        "patrol",
        5,
        _p_rows((0, 1, 2)),
        "Moves are those of all games in the document; ours are the shots for a whole fleet.",
    ),
    Exhibit(
        "P-plot-1",
        "Running time by threads",
        DUEL,
        "patrol",
        5,
        _p_rows((1, 2)),
        "The document: the more threads the quicker, and minutes to hours from N = 6 on.",
    ),
    Exhibit(
        "P-plot-2",
        "Share of the board that is shot at",
        DUEL,
        "patrol",
        5,
        _p_rows((1,)),
        "The document: 60 to 70% of the cells, less than 60% for N = 6 with decay 1.6.",
    ),
    Exhibit(
        "P-plot-3",
        "Moves to win",
        DUEL,
        "patrol",
        5,
        _p_rows((1,)),
    ),
)

EXHIBITS: dict[str, Exhibit] = {each.name: each for each in (*_T, *_E, *_L, *_R, *_P)}


def exhibit(name: str) -> Exhibit:
    """The exhibit with this name, in any case."""
    found = {each.lower(): each for each in EXHIBITS}.get(name.strip().lower())
    if found is None:
        raise ExperimentError(one_of("table", name, EXHIBITS))
    return EXHIBITS[found]
