"""What the five source documents report about play, table by table and figure by figure."""

from __future__ import annotations

import math
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

COUNT, HEAT, MEANS, RUNNING, HISTOGRAM, RUNTIME, MEMORY, DUEL, HUMAN = (
    "counts",
    "heat maps",
    "means",
    "running mean",
    "histogram",
    "runtime",
    "memory",
    "two-sided games",
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
    """why ours differs, if a trial has shown it"""
    tried: str = ""
    """of a difference without a known reason: what was tried"""
    cannot: bool = False
    """whether the claim cannot be played again"""
    peak_verdict: str = ""
    """what is said of a row that has only a peak"""
    count: int | None = None
    """the document's number, of an exhibit of numbers"""
    shots: str = ""
    """of a heat map: the shots so far and their answers"""
    heat: tuple[float, ...] = ()
    """of a heat map: the document's probability of a ship on each cell; nan where it prints
    none"""
    moves: int | None = None
    """of T's tree: the moves of a game whose branches are counted; layouts are counted if None"""
    base: str = ""
    """the player that the document's improvement refers to"""
    improvement: float | None = None
    """by which share the document's mean is below that of the base"""
    iterations: int | None = None
    """of a search, per action"""
    total_iterations: int | None = None
    """simulations per game in the document"""
    seconds_per_move: float | None = None
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
    quantity: str = ""
    """what a figure of two-sided games shows"""
    by_settings: bool = False
    """whether the rows are settings of one player, the last of each board the largest"""
    random_first: bool = False
    """in two-sided games, whether the random opponent always moves first"""

    @property
    def document(self) -> str:
        return self.name[0]


T_RANDOM = (
    "random play is exact: 17 · 101 / 18 = 95.39 shots whatever the layouts, with a standard "
    "error of 0.34 over 200 games; ours agrees with that"
)
T_HUMAN = "the player is fully described, and on 5×5 it agrees; no other reading was found"
EVEN = (
    "docs/players.md gives the other readings of the text, which lie farther from one of the "
    "two boards' figures"
)
HLP = (
    "the text does not say which hit the random direction starts from; of those tried, the latest "
    "hit comes closest"
)
R_ORDER = (
    "the cells of a ship lie together, so in-order play finishes with the row of the lowest ship "
    "and needs fewer shots than random play, under any layouts that treat rows alike"
)
R_RANDOM = (
    "random play is exact: k(n + 1)/(k + 1) shots whatever the layouts, 94.27 with 14 ship cells "
    "and 95.39 with 17, and the likeliest number of shots is 100"
)
R_PARITY = (
    "without a hunt it shoots at the whole pattern and then at the rest of the board, whichever "
    "pattern, so it finishes late (--player n-parity:pattern=diagonals)"
)
NEAT = (
    "ours starts with every input connected to every output: from the document's start, without "
    "connections, the same training reaches 19.20 ± 0.08 shots (docs/learning-neat.md)"
)
MCTS = (
    "tried without effect: the final choice by mean, sum or visits, counting shots fired, whole "
    "ships instead of tiles (docs/tree-search.md)"
)
NO_GAMES = "The document does not say how many games; its 10×10 tables have 200."

_RANDOM_MINI = Row("Random", "random", 21.8)
_NEAT = Row("NEAT", "neat", 18.0, why=NEAT)
_HUMAN_MINI = Row("Human-like", "human-like", 15.22)
_EVEN_MINI = Row("Even", "even", 13.07, tried=EVEN)
_HEAT_MAP = Row("Heat-map", "heat-map", 11.2, share=(11, 12, 0.70))


def _mcts(
    label: str,
    reward: str,
    select: str,
    iterations: int,
    mean: float,
    seconds: float | None = None,
    *,
    improvement: float | None = None,
    total_iterations: int | None = None,
    seconds_per_move: float | None = None,
) -> Row:
    return Row(
        f"{label}, {iterations}",
        f"mcts:iterations={iterations},reward={reward},select={select}",
        mean,
        seconds=seconds,
        tried=MCTS,
        base=f"mcts:iterations={iterations}" if improvement is not None else "",
        improvement=improvement,
        iterations=iterations,
        total_iterations=total_iterations,
        seconds_per_move=seconds_per_move,
    )


def _mcts_500_and_1000(
    label: str,
    reward: str,
    select: str,
    means: tuple[float, float],
    improvements: tuple[float | None, float | None] = (None, None),
) -> tuple[Row, ...]:
    return tuple(
        _mcts(label, reward, select, iterations, mean, improvement=better)
        for iterations, mean, better in zip((500, 1000), means, improvements, strict=True)
    )


_MCTS_MINI = _mcts("MCTS", "classic", "any", 1000, 12.23)


T_GAME = (
    "A3 miss, C1 miss, B2 hit, B3 miss, C2 hit, A2 miss, D2 miss, C4 miss, C5 miss, E3 hit, E2 miss"
)
"""the game of T's heat maps, by the cells of its figure 2.13, which names the last three shots: of
all orders of the others, only this one and the one that begins with C1 always shoot at a likeliest
cell"""
_T_LAST_MAPS = (
    "0 - - 0 0/0 - - 0 0/- - 0 - -/0 - 0 0 0/.33 .67 1 .67 .33",
    "0 - - 0 0/0 - - 0 0/- - 0 - -/0 - 0 0 0/.33 .67 - .67 .33",
    "0 - - 0 0/0 - - 0 0/- - 0 - -/0 - 0 0 0/0 - - 1 1",
)
"""T's figure 2.13, after each of its last three shots; cells shot at have no number"""


def _heat_rows(first: int, last: int) -> tuple[Row, ...]:
    """The maps after some of the shots of T's game."""
    shots = T_GAME.split(", ")
    rows = []
    for number in range(first, last + 1):
        printed = _T_LAST_MAPS[number - 9] if number >= 9 else ""
        heat = tuple(
            math.nan if word == "-" else float(word) for word in printed.replace("/", " ").split()
        )
        claim = "" if printed else "the map is a picture without figures in the text we have"
        cell = shots[number - 1].partition(" ")[0]
        rows.append(
            Row(
                f"Shot {number}, {cell}",
                "",
                claim=claim,
                cannot=not printed,
                shots=", ".join(shots[:number]),
                heat=heat,
            )
        )
    return tuple(rows)


def _heat_maps(number: int, first: int, last: int, note: str = "") -> Exhibit:
    shots = f"shots {first} to {last}"
    return Exhibit(
        f"T-fig-2.{number}", f"Heat maps, {shots}", HEAT, "mini", 0, _heat_rows(first, last), note
    )


def _figure(
    number: int, title: str, kind: str, rows: tuple[Row, ...], games: int = 1000
) -> Exhibit:
    return Exhibit(f"T-fig-4.{number}", title, kind, "mini", games, rows)


_T = (
    Exhibit(
        "T-2.1",
        "Branches of the game tree, and layouts",
        COUNT,
        "mini",
        0,
        (
            *(
                Row(f"Tree, {moves} moves", "", count=count, moves=moves)
                for moves, count in (
                    (5, 6_375_600),
                    (6, 637_560_000),
                    (7, 36_340_920_000),
                    (8, 1_526_318_640_000),
                    (9, 51_894_833_760_000),
                )
            ),
            Row("Heat-map, 5×5", "", count=524),
            Row(
                "Heat-map, 9×9",
                "",
                count=482_547_096,
                rules="thesis size=9",
                why="the document tells the two ships of three apart, so this is twice the number "
                "that 'seabattle count' gives",
            ),
        ),
        "Branches of m moves: 25! / (25 − m)! · C(m − 1, m − 5). The document's formula has "
        "(25 − m + 1)!, but its example and its figures are these.",
    ),
    Exhibit(
        "T-fig-2.9",
        "Colour scale of the heat maps",
        HEAT,
        "mini",
        0,
        (
            Row(
                "Empty board",
                "",
                claim="the scale is a picture without figures; the text says that cells are the "
                "darker the likelier, and darkest above 70%",
                cannot=True,
            ),
        ),
        "The maps here have the document's scale; 'seabattle analyze --scale thesis' draws any "
        "position with it.",
    ),
    _heat_maps(10, 1, 3),
    _heat_maps(11, 4, 6),
    _heat_maps(12, 7, 8),
    _heat_maps(
        13,
        9,
        11,
        "The document counts these as moves 10 to 12; its boards show one shot fewer. The order of "
        "the first eight shots is ours: of all orders of the cells in its figure, this is the only "
        "one (but for the first two, which may change places) in which each shot is at a likeliest "
        "cell.",
    ),
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
            Row("Even", "even", 13.07, seconds=10e-6, tried=EVEN),
            Row("Heat-map", "heat-map", 11.23, seconds=2.04e-3),
        ),
    ),
    Exhibit(
        "T-4.2",
        "MCTS on 5×5 by iterations per action",
        MEANS,
        "mini",
        200,
        (
            _mcts(
                "MCTS",
                "classic",
                "any",
                500,
                12.38,
                1.61,
                total_iterations=234_380,
                seconds_per_move=0.13,
            ),
            _mcts(
                "MCTS",
                "classic",
                "any",
                1000,
                12.23,
                3.18,
                total_iterations=468_240,
                seconds_per_move=0.26,
            ),
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
            *_mcts_500_and_1000(
                "Ships-squared", "ships-squared", "any", (12.105, 12.08), (0.037, 0.02)
            ),
            *_mcts_500_and_1000("Full-ships", "full-ships", "any", (11.97, 11.755), (0.055, 0.065)),
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
            *_mcts_500_and_1000("MCTS", "classic", "hits", (12.18, 12.08), (0.027, 0.02)),
            *_mcts_500_and_1000(
                "Ships-squared", "ships-squared", "hits", (11.75, 11.70), (0.085, 0.073)
            ),
            *_mcts_500_and_1000("Full-ships", "full-ships", "hits", (11.95, 11.69), (0.058, 0.074)),
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
            Row("Random", "random", 93.8, seconds=0.03e-3, seconds_per_move=3e-7, tried=T_RANDOM),
            Row(
                "HumanLike",
                "human-like",
                61.3,
                seconds=0.03e-3,
                seconds_per_move=5e-7,
                tried=T_HUMAN,
            ),
            Row("Even", "even", 58.35, seconds=0.03e-3, seconds_per_move=5e-7, tried=EVEN),
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
            Row("Random", "random", 93.8, share=(100, 100, 0.17), tried=T_RANDOM),
            Row("Human-like", "human-like", 61.3, tried=T_HUMAN),
            Row("Even", "even", 58.35, tried=EVEN),
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
            Row(label, player, mean, span, tried=tried)
            for label, player, mean, span, tried in _E_PLAYERS
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
        "in the number of games; random is the fastest, PHLP the slowest. Here the order differs: "
        "random is the fastest too, but HLP and OHLP, which fire more shots than PHLP, are the "
        "slowest, because in compiled code the parity of a cell costs next to nothing. Our times "
        "are processor time.",
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
        "measured the growth of the process's resident memory; so do we, in a fresh process for "
        "each player that has the interpreter and the libraries before.",
    ),
    Exhibit(
        "E-ismcts",
        "ISMCTS against random",
        DUEL,
        "trio",
        0,
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
        "Random always moves first, as in the document.",
        random_first=True,
    ),
    Exhibit(
        "E-ismcts-settings",
        "ISMCTS against random by determinizations and iterations",
        DUEL,
        "trio",
        0,
        tuple(
            Row(
                f"{board}, {iterations:,} iterations, {layouts or 'as many'} determinizations",
                f"ismcts:iterations={iterations},determinizations={layouts}",
                claim="fewer determinizations and iterations are faster and weaker (no figures)",
                rules=rules,
            )
            for board, rules in (("5×5", "trio"), ("10×10", "classic"))
            for iterations in (50, 500)
            for layouts in (5, 50, 0)
        ),
        "Random always moves first, as in the document. The document's third setting, the longest "
        "time to create a determinization, made no difference there. Here it cannot bind: "
        "'ismcts:determinization_seconds=1' chooses the same cells, and a test says so. A row is "
        "compared with the largest setting on its board: the document says that fewer "
        "determinizations and iterations are weaker and faster. The column 'per move' has the "
        "time.",
        quantity="moves until a side has won",
        by_settings=True,
        random_first=True,
    ),
)

_L_HISTOGRAMS = tuple(
    Exhibit(
        f"L-{player}",
        f"{label}: steps per game",
        HISTOGRAM,
        "blind",
        8000,
        (Row(label, player, mean, tried=tried),),
    )
    for label, player, mean, tried in (
        ("Probability density", "density", 56.64, ""),
        (
            "CNN",
            "cnn",
            51.18,
            "the document does not give the filter size, the loss or where its positions come from",
        ),
        (
            "Policy gradient",
            "policy-gradient",
            55.54,
            "ours learned from 48,000 games, the document's from about 20,000",
        ),
    )
)
_NO_FIGURE = "the document shows this only in a picture, without figures"
_L = (
    *_L_HISTOGRAMS,
    Exhibit(
        "L-traditional",
        "The traditional methods beside density",
        HISTOGRAM,
        "blind",
        8000,
        (
            Row("Random", "random", claim=_NO_FIGURE, cannot=True),
            Row("Hunt with a stack", "hunt-stack", claim=_NO_FIGURE, cannot=True),
            Row("Hunt with parity", "hunt-parity", claim=_NO_FIGURE, cannot=True),
            Row("Probability density", "density", 56.64),
        ),
    ),
)


def _chart(
    number: int, title: str, label: str, player: str, peak: str, verdict: str, why: str
) -> Exhibit:
    return Exhibit(
        f"R-{number}",
        title,
        HISTOGRAM,
        "named",
        100,
        (
            Row(f"{label}, 14 cells", player, peak=peak, why=why, peak_verdict=verdict),
            Row(
                f"{label}, 17 cells",
                player,
                peak=peak,
                why=why,
                peak_verdict=verdict,
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
    _chart(
        2,
        "In-order firing",
        "In-order",
        "in-order",
        "~90, with outliers from 40 to 65",
        "differs, unexplained",
        R_ORDER,
    ),
    _chart(3, "Random firing", "Random", "random", "~85", "differs, unexplained", R_RANDOM),
    _chart(
        4,
        "N-parity",
        "N-parity",
        "n-parity",
        "75 to 80, from roughly 60 to 90",
        "differs, unexplained",
        R_PARITY,
    ),
    _chart(
        5,
        "N-parity with hunt",
        "N-parity + hunt",
        "n-parity-hunt",
        "55 to 75, from roughly 45 to 85",
        "agrees",
        "a wide curve, which the diagonals do not give (standard deviation 8 to 9)",
    ),
    _chart(
        6,
        "Game tree",
        "Game tree",
        "game-tree",
        "~50, from roughly 45 to 65",
        "differs, unexplained",
        "ours is better by some shots; 'game-tree:pattern=index' peaks near 50 but is far wider",
    ),
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
P_KILLED = (
    "here the search goes depth first, keeps one line of nodes and visits at most 500,000, so it "
    "finishes"
)
P_TRIED = "outcomes=both, iterations=10 and estimate=exact were tried (docs/tree-search.md)"


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
                rows.append(Row(label, player, claim=KILLED, why=P_KILLED, rules=rules))
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
                    tried=P_TRIED,
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
        "A game ends when either side has won, as in the document, and the moves compared are "
        "those until then.",
    ),
    Exhibit(
        "P-plot-1",
        "Running time by threads",
        DUEL,
        "patrol",
        5,
        _p_rows((1, 2)),
        "The document's headline is that more threads are faster: differs because a move takes "
        "milliseconds here, where the document's games take minutes to hours from N = 6 on, so "
        "starting threads costs more than they save. To see it: 'seabattle compare "
        "branch-mcts:branch=10,decay=1.5 branch-mcts:branch=10,decay=1.5,threads=10 --rules patrol "
        "--size 5 --games 20'. With a search that is long enough, two threads on two cores are "
        "nearly twice as fast (docs/parallel.md).",
        quantity="seconds per game",
    ),
    Exhibit(
        "P-plot-2",
        "Share of the board that is shot at",
        DUEL,
        "patrol",
        5,
        _p_rows((1,)),
        "In the document, 60 to 70% of the cells, and less than 60% for N = 6 with decay 1.6.",
        quantity="share of the board",
    ),
    Exhibit(
        "P-plot-3",
        "Moves to win",
        DUEL,
        "patrol",
        5,
        _p_rows((1,)),
        quantity="moves to win",
    ),
    Exhibit(
        "P-minimax",
        "Minimax with alpha-beta beside Monte Carlo, serial and parallel",
        MEANS,
        "patrol size=3x4 fleet=2,2",
        0,
        tuple(
            Row(
                f"{label}, {threads} thread{'s' * (threads > 1)}",
                player + ("" if threads == 1 else f"{',' if ':' in player else ':'}threads=2"),
                claim="the document names this comparison as future work, without figures",
                cannot=True,
            )
            for label, player in (
                ("Minimax", "minimax"),
                ("MCTS (P), branch 12", "branch-mcts:branch=12,decay=1.5"),
                ("MCTS (T)", "mcts:iterations=1000"),
                ("ISMCTS (E)", "ismcts:iterations=1000"),
            )
            for threads in (1, 2)
        ),
        "3×4 is the largest board that alpha-beta is allowed. It minimises the worst case, which "
        "is the upper end of its range, not the mean; it plays the same moves with any number of "
        "threads. Threads do not pay on a board this small.",
    ),
)

EXHIBITS: dict[str, Exhibit] = {each.name: each for each in (*_T, *_E, *_L, *_R, *_P)}


def exhibit(name: str) -> Exhibit:
    """The exhibit with this name, in upper or lower case."""
    found = {each.lower(): each for each in EXHIBITS}.get(name.strip().lower())
    if found is None:
        raise ExperimentError(one_of("table", name, EXHIBITS))
    return EXHIBITS[found]
