"""What the five source documents report about play, table by table and figure by figure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

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

COUNT, HEAT, MAPS, MEANS, RUNNING, HISTOGRAM, RUNTIME, MEMORY, DUEL, HUMAN = (
    "counts",
    "heat maps",
    "players' maps",
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
    """where the document's histogram peaks, in its words"""
    peak_range: tuple[int, int] = (0, 0)
    """the same as the fewest and the most shots"""
    spread: tuple[int, int] | None = None
    """(low, high): where most games of the document's histogram lie"""
    outliers: tuple[int, int] | None = None
    """(low, high): where the document has "a few outliers" """
    place: str = ""
    """of a runtime: `fastest` or `slowest` in the document"""
    games: int | None = None
    """in the document, if they differ from those of the exhibit"""
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
    no_figures: bool = False
    """whether the document says nothing that ours could be compared with"""
    count: int | None = None
    """the document's number, of an exhibit of numbers"""
    shots: str = ""
    """of a map: the shots so far and their answers"""
    map: str = ""
    """of a player's map: its title"""
    lowest: str = ""
    """of a player's map: the cells with the lowest numbers in the document"""
    highest: str = ""
    """of a player's map: the cells with the highest numbers in the document"""
    heat: tuple[float, ...] = ()
    """of a heat map: the document's probability of a ship on each cell; nan where it prints
    none"""
    moves: int | None = None
    """of T's tree: the moves of a game whose branches are counted; layouts are counted if None"""
    base: str = ""
    """the player that the document's improvement refers to"""
    improvement: float | None = None
    """by which share of the base's shots above the fewest possible the document's mean is lower"""
    iterations: int | None = None
    """of a search, per action"""
    total_iterations: int | None = None
    """simulations per game in the document"""
    seconds_per_move: float | None = None
    seconds_per_iteration: float | None = None
    branches: int | None = None
    """of P's tree: all ways through it"""
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
    games_assumed: bool = False
    """whether the document does not say how many games a row has"""
    most: int | None = None
    """the most games that we play, where the document's number is kept to"""

    @property
    def document(self) -> str:
        return self.name[0]


T_RANDOM = (
    "Random play is exact: 17 · 101 / 18 = 95.39 shots whatever the layouts, with a standard "
    "error of 0.34 over 200 games; ours agrees with that."
)
T_HUMAN = "The player is fully described, and on 5×5 it agrees; no other reading was found."
EVEN = (
    "The other readings of the text (docs/players.md) lie farther from one of the two boards' "
    "figures."
)
HLP = (
    "The text does not say which hit the random direction starts from. The figures of all three "
    "readings are in docs/players.md; this one comes closest."
)
R_ORDER = "In the document, random play is better than in-order play; here it is worse."
R_RANDOM = (
    "Random play is exact: k(n + 1)/(k + 1) shots whatever the layouts, 94.27 with 14 ship cells "
    "and 95.39 with 17, and the likeliest number of shots is 100. A game of at most 65 shots has a "
    "probability of 0.14% with 14 cells and 0.03% with 17, so a few of them in 100 games are all "
    "but impossible."
)
R_PARITY = "n-parity:pattern=diagonals finishes later still (docs/players.md)."
R_HUNT = "n-parity-hunt:pattern=diagonals gives a far narrower curve (docs/players.md)."
R_TREE = "game-tree:pattern=index gives a far wider curve (docs/players.md)."
NEAT = (
    "ours starts with every input connected to every output: from the document's start, without "
    "connections, the same training reaches 19.20 ± 0.08 shots (docs/learning-neat.md)"
)
IMPROVEMENT = (
    "The document's improvement is a share of the shots above the fewest possible, 5: (b − x) / "
    "(b − 5), where b is the mean of the original search with as many iterations (T-4.2). All ten "
    "of its percentages are this one, cut to one decimal; ours are calculated in the same way."
)
NO_GAMES = (
    "Where the document does not say how many games MCTS played, 200 are assumed, as in its 10×10 "
    "tables."
)

_RANDOM_MINI = Row("Random", "random", 21.8)
_NEAT = Row("NEAT", "neat", 18.0, why=NEAT)
_HUMAN_MINI = Row("Human-like", "human-like", 15.22)
_EVEN_MINI = Row("Even", "even", 13.07, tried=EVEN)
_HEAT_MAP = Row("Heat-map", "heat-map", 11.2)


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
    seconds_per_iteration: float | None = None,
    tried: str = "",
) -> Row:
    return Row(
        f"{label}, {iterations}",
        f"mcts:iterations={iterations},reward={reward},select={select}",
        mean,
        seconds=seconds,
        tried=tried,
        base=f"mcts:iterations={iterations}" if improvement is not None else "",
        improvement=improvement,
        iterations=iterations,
        total_iterations=total_iterations,
        seconds_per_move=seconds_per_move,
        seconds_per_iteration=seconds_per_iteration,
    )


def _mcts_500_and_1000(
    label: str,
    reward: str,
    select: str,
    means: tuple[float, float],
    improvements: tuple[float | None, float | None] = (None, None),
    tried: tuple[str, ...] = ("", ""),
) -> tuple[Row, ...]:
    return tuple(
        _mcts(label, reward, select, iterations, mean, improvement=better, tried=trial)
        for iterations, mean, better, trial in zip(
            (500, 1000), means, improvements, tried, strict=True
        )
    )


def _final_means(*measured: tuple[float, float]) -> tuple[str, ...]:
    """What T's 10×10 rows gave with the other final choice: shots and ±, over 50 games."""
    return tuple(
        f"With final=mean instead of the sum it takes {shots} ± {error} shots (50 games, "
        "docs/tree-search.md)."
        for shots, error in measured
    )


_MCTS_MINI = replace(_mcts("MCTS", "classic", "any", 1000, 12.23), games=200)
_BEST_MCTS = _mcts(
    "Ships-squared only hits",
    "ships-squared",
    "hits",
    1000,
    48.1,
    seconds_per_move=4.8,
    tried=_final_means((46.6, 2.2))[0],
)
PER_MOVE = (
    "The document says that a move takes about 4.8 s, without saying with which settings; the "
    "figure is beside the row that it calls the most successful."
)


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
    """Some of T's maps, which it numbers from 1; map 1 is the empty board."""
    shots = T_GAME.split(", ")
    rows = []
    for number in range(first, last + 1):
        printed = _T_LAST_MAPS[number - 10] if number >= 10 else ""
        heat = tuple(
            math.nan if word == "-" else float(word) for word in printed.replace("/", " ").split()
        )
        latest = f"shot {number - 1} at {shots[number - 2][:2]}" if number > 1 else "empty board"
        rows.append(
            Row(
                f"Map {number}, {latest}",
                "",
                claim="" if printed else "the map is a picture without figures in the text we have",
                no_figures=not printed,
                shots=", ".join(shots[: number - 1]),
                heat=heat,
            )
        )
    return tuple(rows)


def _heat_maps(number: int, first: int, last: int, note: str = "") -> Exhibit:
    return Exhibit(
        f"T-fig-2.{number}",
        f"Heat maps {first} to {last}",
        HEAT,
        "mini",
        0,
        _heat_rows(first, last),
        note,
    )


def _figure(number: int, title: str, kind: str, rows: tuple[Row, ...], note: str = "") -> Exhibit:
    return Exhibit(f"T-fig-4.{number}", title, kind, "mini", 1000, rows, note)


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
                no_figures=True,
            ),
        ),
        "The maps here have the document's scale; 'seabattle analyze --scale thesis' draws any "
        "position with it.",
    ),
    _heat_maps(
        10,
        1,
        3,
        "The document has twelve maps, three in each figure, and numbers them as moves 1 to 12. "
        "The last shows eleven shots, so the first is the empty board.",
    ),
    _heat_maps(11, 4, 6),
    _heat_maps(12, 7, 9),
    _heat_maps(
        13,
        10,
        12,
        "The order of the first eight shots is ours: of all orders of the cells in the document's "
        "figure, this is the only one (but for the first two, which may change places) in which "
        "each shot is at a likeliest cell.",
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
                seconds_per_iteration=13.6e-6,
                tried="Over 200 games, final=mean takes 12.07 ± 0.36 shots and final=visits "
                "12.22 ± 0.40 (docs/tree-search.md).",
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
                seconds_per_iteration=13.6e-6,
            ),
        ),
        "The document's text has 0.0136 ms per iteration, twice what its table gives: 1.61 s for "
        "234,380 iterations are 0.0069 ms each.",
        games_assumed=True,
    ),
    Exhibit(
        "T-4.3",
        "MCTS on 5×5 with rewards for whole ships",
        MEANS,
        "mini",
        200,
        (
            *_mcts_500_and_1000(
                "Ships-squared",
                "ships-squared",
                "any",
                (12.105, 12.08),
                (0.037, 0.02),
                (
                    "Over 200 games, final=mean takes 11.66 ± 0.31 shots, found=ships 11.98 ± "
                    "0.31 and shots=simulated 11.38 ± 0.33 (docs/tree-search.md).",
                    "",
                ),
            ),
            *_mcts_500_and_1000("Full-ships", "full-ships", "any", (11.97, 11.755), (0.055, 0.065)),
        ),
        IMPROVEMENT,
        games_assumed=True,
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
        IMPROVEMENT,
        games_assumed=True,
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
                *_mcts_500_and_1000(label, reward, "any", any_move, tried=trials[:2]),
                *(
                    _BEST_MCTS if each.player == _BEST_MCTS.player else each
                    for each in _mcts_500_and_1000(
                        f"{label} only hits", reward, "hits", only_hits, tried=trials[2:]
                    )
                ),
            ),
            PER_MOVE,
        )
        for number, what, label, reward, any_move, only_hits, trials in (
            (
                6,
                "the original reward",
                "Classic",
                "classic",
                (51.95, 51.0),
                (51.8, 49.45),
                _final_means((50.7, 2.6), (49.5, 2.0), (51.0, 2.5), (49.4, 1.8)),
            ),
            (
                7,
                "ships squared",
                "Ships-squared",
                "ships-squared",
                (56.1, 55.55),
                (53.05, 48.1),
                (
                    _final_means((48.0, 2.4))[0] + " Over 20 games, found=ships takes 50.6 ± 4.6 "
                    "and shots=simulated 48.8 ± 3.5.",
                    *_final_means((49.5, 2.6), (48.1, 2.2), (46.6, 2.2)),
                ),
            ),
            (
                8,
                "full ships",
                "Full-ships",
                "full-ships",
                (82.55, 80.4),
                (82.6, 80.15),
                _final_means((79.2, 3.3), (74.3, 3.4), (78.1, 3.5), (73.0, 3.6)),
            ),
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
    _figure(
        9,
        "Heat-map: moves per game",
        HISTOGRAM,
        (_EVEN_MINI, replace(_HEAT_MAP, share=(11, 12, 0.70))),
    ),
    _figure(
        10,
        "MCTS with 1000 iterations: means",
        RUNNING,
        (_EVEN_MINI, _HEAT_MAP, _MCTS_MINI),
        NO_GAMES,
    ),
    _figure(
        11,
        "MCTS with 1000 iterations: moves per game",
        HISTOGRAM,
        (_EVEN_MINI, _HEAT_MAP, _MCTS_MINI),
        NO_GAMES,
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
            replace(_BEST_MCTS, label="MCTS ships-squared only hits, 1000"),
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


def _timed(players: tuple[tuple[str, str, float, tuple[int, int], str], ...]) -> tuple[Row, ...]:
    """Rows of a runtime; E names the fastest and the slowest of its figure 6."""
    places = {"Random": "fastest", "PHLP": "slowest"}
    return tuple(Row(label, player, place=places.get(label, "")) for label, player, *_ in players)


_ISMCTS_WHY = "determinizations are drawn from the posterior here, so it cannot stall"

_HARDER = (
    "weaker play comes to positions in which layouts are harder to draw; in the same positions it "
    "is faster (docs/tree-search.md)"
)
_MISSES = "A4 miss, G7 miss, C3 miss, D8 miss, F5 miss, H2 miss, J6 miss"
_OWN_CELLS = "which cells were missed is not in the text; these are ours"

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
        "E-fig-3",
        "Heat map of the carrier after two misses",
        MAPS,
        "classic",
        0,
        (
            Row(
                "Greedy, carrier, two misses",
                "greedy",
                map="carrier",
                shots="A4 miss, G7 miss",
                lowest="A1 A2 A3",
                claim="the first three cells of the top row have lower numbers, because the "
                "carrier fits there only vertically",
            ),
        ),
        "One of the misses must be at A4 for what the text says; the place of the other is ours. "
        "'seabattle analyze --player greedy' draws the numbers of any position.",
    ),
    Exhibit(
        "E-fig-4",
        "Heat map of the carrier after seven misses",
        MAPS,
        "classic",
        0,
        (
            Row(
                "Greedy, carrier, seven misses",
                "greedy",
                map="carrier",
                shots=_MISSES,
                claim=_OWN_CELLS,
                no_figures=True,
            ),
        ),
    ),
    Exhibit(
        "E-fig-6",
        "Runtime for 250 to 2,500 games, without greedy",
        RUNTIME,
        "classic",
        2500,
        _timed(_E_PLAYERS[:-1]),
        "In the document, the time is linear in the number of games, the approaches lie within a "
        "couple of seconds of each other at 2,500 games, random is the fastest and PHLP the "
        "slowest. Our times are processor time; 'per shot' is the last one divided by all shots.",
    ),
    Exhibit(
        "E-fig-7",
        "Runtime for 250 to 2,500 games, with greedy",
        RUNTIME,
        "classic",
        2500,
        tuple(
            replace(row, place="slowest" if row.label == "Greedy" else "")
            for row in _timed(_E_PLAYERS)
        ),
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
                claim="5×5 had a much higher success rate of not stalling and finishing a game "
                "than 10×10 (no figures)",
                why=_ISMCTS_WHY,
            ),
            Row(
                "10×10",
                "ismcts:iterations=200",
                claim="the program as a whole rarely produced results due to stalling (no figures)",
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
                f"{board}, {iterations:,} iterations, "
                + (f"{layouts} determinizations" if layouts else "one per iteration"),
                f"ismcts:iterations={iterations},determinizations={layouts}",
                claim="fewer determinizations and iterations are faster and weaker (no figures)",
                why=_HARDER if rules == "classic" and iterations == 50 else "",
                rules=rules,
            )
            for board, rules in (("5×5", "trio"), ("10×10", "classic"))
            for iterations in (50, 500)
            for layouts in (5, 50, 0)
        ),
        "Random always moves first, as in the document. The document's third setting, the longest "
        "time to create a determinization, made no difference there. Here it does not bind: "
        "'ismcts:determinization_seconds=1' chooses the same cells, and a test says so. A row is "
        "compared with the largest setting on its board: the document says that fewer "
        "determinizations and iterations are weaker and faster. The verdicts compare processor "
        "time per move, which other work on the machine hardly changes, over the first ten games.",
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
        most=8000,
    )
    for label, player, mean, tried in (
        ("Probability density", "density", 56.64, ""),
        (
            "CNN",
            "cnn",
            51.18,
            "The document does not give the filter size, the loss or where its positions come "
            "from.",
        ),
        (
            "Policy gradient",
            "policy-gradient",
            55.54,
            "Ours learned from 48,000 games, the document's from about 20,000.",
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
            Row("Random", "random", claim=_NO_FIGURE, no_figures=True),
            Row("Hunt with a stack", "hunt-stack", claim=_NO_FIGURE, no_figures=True),
            Row("Hunt with parity", "hunt-parity", claim=_NO_FIGURE, no_figures=True),
            Row("Probability density", "density", 56.64),
        ),
        most=8000,
    ),
)


def _chart(
    number: int,
    title: str,
    player: str,
    peak: str,
    peak_range: tuple[int, int],
    tried: str,
    *,
    spread: tuple[int, int] | None = None,
    outliers: tuple[int, int] | None = None,
) -> Exhibit:
    row = Row(
        f"{title}, 14 cells",
        player,
        peak=peak,
        peak_range=peak_range,
        spread=spread,
        outliers=outliers,
        tried=tried,
    )
    larger = replace(row, label=f"{title}, 17 cells", rules="named fleet=5,4,3,3,2")
    return Exhibit(
        f"R-{number}",
        title,
        HISTOGRAM,
        "named",
        100,
        (row, larger),
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
        "two games in five. 'seabattle play' and 'seabattle serve' let you play against any of the "
        "five; the page's Results view counts the games that people have finished against each "
        "player on that server.",
    ),
    Exhibit(
        "R-seek",
        "Heat maps of the search for a ship",
        MAPS,
        "named",
        0,
        (
            Row(
                "Game tree, ship of 5, empty board",
                "game-tree",
                map="carrier",
                highest="E5 E6 F5 F6",
                claim="the spots in the centre are the brightest",
            ),
            Row(
                "Game tree, ship of 3, four misses",
                "game-tree",
                map="cruiser",
                shots="E5 miss, E6 miss, F5 miss, F6 miss",
                claim=_OWN_CELLS,
                no_figures=True,
            ),
        ),
        "The document says that after a few misses in the centre the centres of the edges are the "
        "next highest for a ship of 3. After these four, they are not: the highest are 16 cells "
        "farther in. 'seabattle analyze --player game-tree' draws the numbers of any position.",
    ),
    _chart(2, "In-order firing", "in-order", "~90", (88, 92), R_ORDER, outliers=(40, 65)),
    _chart(3, "Random firing", "random", "~85", (83, 87), R_RANDOM, outliers=(40, 65)),
    _chart(4, "N-parity", "n-parity", "75 to 80", (75, 80), R_PARITY, spread=(60, 90)),
    _chart(5, "N-parity with hunt", "n-parity-hunt", "55 to 75", (55, 75), R_HUNT, spread=(45, 85)),
    _chart(6, "Game tree", "game-tree", "~50", (48, 52), R_TREE, spread=(45, 65)),
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
P_TRIED = {
    (5, 1.5): "For the whole fleet, 100 games: 19.5 ± 0.6 shots, 17.4 ± 0.9 with outcomes=both, "
    "17.3 ± 0.7 with iterations=10, 16.3 ± 0.5 with estimate=exact; with a smaller node bound it "
    "plays the same games (docs/tree-search.md).",
    (7, 1.8): "For the whole fleet, 40 games with nodes=20000: 37.2 ± 1.3 shots, 28.8 ± 2.8 with "
    "outcomes=both, 30.0 ± 2.2 with iterations=10, 29.7 ± 2.4 with estimate=exact; with "
    "nodes=200000 38.5 ± 1.2 (docs/tree-search.md).",
    (8, 2.0): "For the whole fleet, 24 games with nodes=20000: 47.5 ± 2.1 shots, 35.2 ± 4.6 with "
    "outcomes=both (docs/tree-search.md).",
}
"""what was tried, by N and decay"""


def _branches(branch: int, decay: float) -> int:
    """The branches of P's tree: branch, then branch / decay below each of them, and so on."""
    total, width = 1, float(branch)
    while width >= 2:
        total *= int(width)
        width /= decay
    return total


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
                    tried=P_TRIED.get((side, decay), ""),
                    branches=_branches(branch, decay),
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
        "The numbers above the points are the branches of the whole tree, calculated from "
        "branch and decay; the document's plot has such numbers, but its text does not. Its "
        "headline is that more threads are faster, and its table has that for N = 6 with decay "
        "1.6 (186, 46 and 32 s with 1, 10 and 20 threads), far less for N = 5 (6.4, 5.0 and 4.6"
        " s with decay 1.5). From N = 6 on its games take between 24 s and 40 min. Its "
        "conclusion, from roughly 60 seconds to 5 to 10, is not in its table. Here, on N = 5 "
        "with decay 1.5, where a move takes about 2 ms, threads cost more than they save: "
        "'seabattle compare branch-mcts:branch=10,decay=1.5 "
        "branch-mcts:branch=10,decay=1.5,threads=5 branch-mcts:branch=10,decay=1.5,threads=10 "
        "--rules patrol --size 5 --games 20 --seed 1' printed 35, 103 and 181 ms per game on "
        "two busy cores. The column 'time' has the larger boards; with a search that is long "
        "enough, two threads on two idle cores are nearly twice as fast (docs/parallel.md).",
        quantity="seconds per game",
    ),
    Exhibit(
        "P-plot-2",
        "Share of the board that is shot at",
        DUEL,
        "patrol",
        5,
        _p_rows((1,)),
        "The document says 60 to 70% of the cells, and less than 60% for N = 6 with decay 1.6. Its "
        "table has 67 to 72% there; it is below 60% for N = 7 with decay 1.6: 58% with 12 threads "
        "and 49% with 25. The verdicts give both for each row.",
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
                no_figures=True,
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
        "threads.",
    ),
)

EXHIBITS: dict[str, Exhibit] = {each.name: each for each in (*_T, *_E, *_L, *_R, *_P)}

GROUPS = {
    "MCTS on 5×5 (T-4.2 to T-4.4)": ("T-4.2", "T-4.3", "T-4.4"),
    "MCTS on 10×10 (T-4.6 to T-4.8)": ("T-4.6", "T-4.7", "T-4.8"),
    "MCTS with branch and decay (P-table)": ("P-table",),
}
"""exhibits whose rows are settings of one search, and are also compared as a whole"""


def exhibit(name: str) -> Exhibit:
    """The exhibit with this name, in upper or lower case."""
    found = {each.lower(): each for each in EXHIBITS}.get(name.strip().lower())
    if found is None:
        raise ExperimentError(one_of("table", name, EXHIBITS))
    return EXHIBITS[found]
