"""What the five source documents report about play, table by table and figure by figure."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ExperimentError, one_of


@dataclass(frozen=True)
class Document:
    """A source document; what it does not state about itself is left empty."""

    letter: str
    authors: str
    title: str
    year: int | None
    kind: str

    @property
    def citation(self) -> str:
        """Authors, title, kind and year, as far as they are stated."""
        return _listed(self.authors, self.title, self.kind, self.year)

    @property
    def details(self) -> str:
        """The same without the title, as a line of its own."""
        text = _listed(self.authors, self.kind, self.year)
        return text[:1].upper() + text[1:]


def _listed(*parts: str | int | None) -> str:
    return ", ".join(str(part) for part in parts if part)


DOCUMENTS = {
    each.letter: each
    for each in (
        Document(
            "T",
            "Tomáš Kancko",
            "Reinforcement Learning for the Game of Battleship",
            2020,
            "bachelor's thesis, Masaryk University, Brno",
        ),
        Document(
            "E",
            "John Ferstle and Michael Nguyen",
            "Analyzing the Efficiency of Algorithms for Battleship",
            2021,
            "project report",
        ),
        Document("L", "", "Battleship AI", None, "project report"),
        Document(
            "R", "", "CS 4701: Battleship Against Intelligent Adversary", None, "course project"
        ),
        Document(
            "P",
            "Yu-Chun Hsiao and Ranjani Sundaram",
            "A Parallelized Monte Carlo Battleship Implementation",
            None,
            "project report",
        ),
    )
}
"""by letter, in the order of docs/sources.md"""

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
    """the document's name for it"""
    player: str
    """our player"""
    mean: float | None = None
    """shots per game in the document"""
    range: tuple[int, int] | None = None
    """fewest and most shots in the document"""
    seconds: float | None = None
    """time per game in the document"""
    share: tuple[int, int, float] | None = None
    """(low, high, share): this share of the document's games took `low` to `high` shots"""
    peak: str = ""
    """where the document's histogram peaks"""
    won: tuple[int, int] | None = None
    """(won, played) against the random player in the document"""
    winning_shots: float | None = None
    """mean shots of the games won, in the document"""
    claim: str = ""
    """what the document says instead of giving a number: completes "In the document, ..." """
    why: str = ""
    """why ours differs, if known"""
    rules: str = ""
    """if they differ from those of the exhibit"""


@dataclass(frozen=True)
class Exhibit:
    """A table or figure in a document."""

    name: str
    title: str
    kind: str
    rules: str
    games: int
    """per row in the document"""
    rows: tuple[Row, ...] = ()
    note: str = ""

    @property
    def document(self) -> str:
        return self.name[0]


T_RANDOM = (
    "the exact mean is 17 · 101 / 18 = 95.39 whatever the layouts, so something is wrong with how "
    "the document's 200 games were drawn or counted"
)
T_SAMPLE = (
    "random play on the same 200 games is far from its exact mean, so the games themselves are "
    "in doubt"
)
EVEN_MINI = (
    "the document does not say which half of the board counts as even; no reading gives both "
    "13.07 here and its 15.22 for the human-like player"
)
LAYOUTS = "the document does not say how it draws layouts; ours are uniform over all legal ones"
HLP = (
    "the document does not say which hit the random direction starts from; starting from the "
    "latest comes closest"
)
R_ORDER = (
    "the cells of a ship lie together, so in fair games in-order play needs fewer shots than "
    "random play"
)
R_RANDOM = (
    "random play needs k(n + 1)/(k + 1) shots on average whatever the layouts (94.27 with 14 ship "
    "cells, 95.39 with 17), so fair games cannot peak near 85"
)
R_PARITY = (
    "it does not follow up hits but shoots at the whole pattern and then at the rest of the "
    "board, so it finishes late"
)
CNN = (
    "the document does not give the filter size, the loss or the training games; ours learns from "
    "its own games, rotated and mirrored"
)
R_CHART = "the document gives only the peaks of charts of 100 games, not the means"
NEAT = (
    "ours evaluates every genome on the same 500 layouts and keeps the better half unchanged, for "
    "1,500 generations"
)

MCTS_BEST = (
    "the document does not say how it chooses the best child at the end (by mean, sum or visits), "
    "nor whether the shots already fired count towards the reward; a guessed miss could be chosen "
    "there, which hardly ever happens here"
)
NO_GAMES = "The document does not say how many games; its 10×10 tables have 200."

_RANDOM_MINI = Row("Random", "random", 21.8)
_NEAT = Row("NEAT", "neat", 18.0, why=NEAT)
_HUMAN_MINI = Row("Human-like", "human-like", 15.22)
_EVEN_MINI = Row("Even", "even", 13.07, why=EVEN_MINI)
_HEAT_MAP = Row("Heat-map", "heat-map", 11.2, share=(11, 12, 0.70), why=LAYOUTS)


def _mcts(
    label: str,
    reward: str,
    select: str,
    iterations: int,
    mean: float,
    seconds: float | None = None,
) -> Row:
    player = f"mcts:iterations={iterations},reward={reward},select={select}"
    return Row(f"{label}, {iterations}", player, mean, seconds=seconds, why=MCTS_BEST)


def _mcts_500_and_1000(
    label: str, reward: str, select: str, means: tuple[float, float]
) -> tuple[Row, ...]:
    return tuple(
        _mcts(label, reward, select, iterations, mean)
        for iterations, mean in zip((500, 1000), means, strict=True)
    )


_MCTS_MINI = _mcts("MCTS", "classic", "any", 1000, 12.23)


def _figure(
    number: int, title: str, kind: str, rows: tuple[Row, ...], games: int = 1000
) -> Exhibit:
    return Exhibit(f"T-fig-4.{number}", title, kind, "mini", games, rows)


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
            _mcts("MCTS", "classic", "any", 500, 12.38, 1.61),
            _mcts("MCTS", "classic", "any", 1000, 12.23, 3.18),
        ),
        NO_GAMES,
    ),
    Exhibit(
        "T-4.3",
        "MCTS on 5×5 with rewards for whole ships",
        MEANS,
        "mini",
        200,
        (
            *_mcts_500_and_1000("Ships-squared", "ships-squared", "any", (12.105, 12.08)),
            *_mcts_500_and_1000("Full-ships", "full-ships", "any", (11.97, 11.755)),
        ),
        NO_GAMES,
    ),
    Exhibit(
        "T-4.4",
        "MCTS on 5×5 choosing only simulated hits",
        MEANS,
        "mini",
        200,
        (
            *_mcts_500_and_1000("MCTS", "classic", "hits", (12.18, 12.08)),
            *_mcts_500_and_1000("Ships-squared", "ships-squared", "hits", (11.75, 11.70)),
            *_mcts_500_and_1000("Full-ships", "full-ships", "hits", (11.95, 11.69)),
        ),
        NO_GAMES,
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
    *(
        Exhibit(
            f"T-4.{number}",
            f"MCTS on 10×10 with {what}",
            MEANS,
            "thesis",
            200,
            (
                *_mcts_500_and_1000(label, reward, "any", any_move),
                *_mcts_500_and_1000(f"{label} only hits", reward, "hits", only_hits),
            ),
        )
        for number, what, label, reward, any_move, only_hits in (
            (6, "the original reward", "Classic", "classic", (51.95, 51.0), (51.8, 49.45)),
            (7, "ships squared", "Ships-squared", "ships-squared", (56.1, 55.55), (53.05, 48.1)),
            (8, "full ships", "Full-ships", "full-ships", (82.55, 80.4), (82.6, 80.15)),
        )
    ),
    _figure(1, "Mean of the random player", RUNNING, (_RANDOM_MINI,)),
    _figure(2, "NEAT beside random: means", RUNNING, (_RANDOM_MINI, _NEAT)),
    _figure(3, "NEAT beside random: moves per game", HISTOGRAM, (_RANDOM_MINI, _NEAT)),
    _figure(4, "Human-like: means", RUNNING, (_RANDOM_MINI, _NEAT, _HUMAN_MINI)),
    _figure(5, "Human-like: moves per game", HISTOGRAM, (_RANDOM_MINI, _NEAT, _HUMAN_MINI)),
    _figure(6, "Even and human-like: means", RUNNING, (_HUMAN_MINI, _EVEN_MINI)),
    _figure(7, "Even and human-like: moves per game", HISTOGRAM, (_HUMAN_MINI, _EVEN_MINI)),
    _figure(
        8,
        "Heat-map: means",
        RUNNING,
        (_RANDOM_MINI, _NEAT, _HUMAN_MINI, _EVEN_MINI, _HEAT_MAP),
    ),
    _figure(9, "Heat-map: moves per game", HISTOGRAM, (_EVEN_MINI, _HEAT_MAP)),
    _figure(
        10,
        "MCTS with 1000 iterations: means",
        RUNNING,
        (_EVEN_MINI, _HEAT_MAP, _MCTS_MINI),
        200,
    ),
    _figure(
        11,
        "MCTS with 1000 iterations: moves per game",
        HISTOGRAM,
        (_EVEN_MINI, _HEAT_MAP, _MCTS_MINI),
        200,
    ),
    Exhibit(
        "T-fig-4.12",
        "All heuristics on 10×10: moves per game",
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
_ISMCTS_WHY = "determinizations are drawn from the posterior here, so it cannot stall"

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
        "In the document, all take a few seconds at most for 2,500 games, and the time is linear "
        "in the number of games; random is the fastest, PHLP the slowest. Our times are processor "
        "time.",
    ),
    Exhibit(
        "E-fig-7",
        "Runtime for 250 to 2,500 games, with greedy",
        RUNTIME,
        "classic",
        2500,
        tuple(Row(label, player) for label, player, *_ in _E_PLAYERS),
        "In the document, greedy takes far longer than the others, and the time is linear in the "
        "number of games. Our times are processor time.",
    ),
    Exhibit(
        "E-fig-8",
        "Memory for 250 to 2,500 games",
        MEMORY,
        "classic",
        2500,
        tuple(Row(label, player) for label, player, *_ in _E_PLAYERS),
        "In the document, memory is about the same for all and grows with the number of games. It "
        "measured the growth of the process's resident memory; ours is the peak that Python and "
        "NumPy allocated.",
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
                claim="it rarely finished a game (no figures)",
                why=_ISMCTS_WHY,
            ),
            Row(
                "10×10",
                "ismcts:iterations=200",
                claim="it stalled in most games",
                why=_ISMCTS_WHY,
                rules="classic",
            ),
        ),
        "In the document, random always moves first; here each side does in half of the games.",
    ),
)

_L = tuple(
    Exhibit(
        f"L-{player}",
        f"{label}: steps per game",
        HISTOGRAM,
        "blind",
        8000,
        (Row(label, player, mean, why=why),),
    )
    for label, player, mean, why in (
        ("Probability density", "density", 56.64, ""),
        ("CNN", "cnn", 51.18, CNN),
        (
            "Policy gradient",
            "policy-gradient",
            55.54,
            "ours was trained on 48,000 games, not 20,000",
        ),
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
        "The document lists four ships (14 cells) in one place and calculates with 17 cells in "
        "another.",
    )


_R = (
    Exhibit(
        "R-1",
        "Games won and lost against people",
        HUMAN,
        "named",
        0,
        note="The document names two people who played against its five programs and won about "
        "two games in five. 'seabattle play' lets you play against any of the five.",
    ),
    _chart(2, "In-order firing", "In-order", "in-order", "~90", R_ORDER),
    _chart(3, "Random firing", "Random", "random", "~85", R_RANDOM),
    _chart(4, "N-parity", "N-parity", "n-parity", "75 to 80", R_PARITY),
    _chart(5, "N-parity with hunt", "N-parity + hunt", "n-parity-hunt", "55 to 75", R_CHART),
    _chart(6, "Game tree", "Game tree", "game-tree", "~50", R_CHART),
)

_P_ROWS: tuple[tuple[int, int, float, str, str, str], ...] = (
    # N, branch, decay; then, with 1, branch/2 and branch threads: time, won, moves of each game
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
"""P's table. Its last row has three games, the others five."""

KILLED = "the run was killed"


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
                rows.append(Row(label, player, claim=KILLED, rules=rules))
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
        "The document's moves are those of all games; ours are the shots for a whole fleet.",
    ),
    Exhibit(
        "P-plot-1",
        "Running time by threads",
        DUEL,
        "patrol",
        5,
        _p_rows((1, 2)),
        "In the document, more threads are faster, and games take minutes to hours from N = 6 on.",
    ),
    Exhibit(
        "P-plot-2",
        "Share of the board that is shot at",
        DUEL,
        "patrol",
        5,
        _p_rows((1,)),
        "In the document, 60 to 70% of the cells, and less than 60% for N = 6 with decay 1.6.",
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
    """The exhibit with this name, in upper or lower case."""
    found = {each.lower(): each for each in EXHIBITS}.get(name.strip().lower())
    if found is None:
        raise ExperimentError(one_of("table", name, EXHIBITS))
    return EXHIBITS[found]
