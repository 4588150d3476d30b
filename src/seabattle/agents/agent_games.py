"""The games of one agent: what it may do, and what it is told.

Every call returns text for the agent and the same facts as JSON. A hidden layout is told
only when its game is over, and that of a task never, because tasks are the same for all; an
agent can try each of them once. The number of games is limited, and so is how crowded a board
may be, so that no call takes long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..belief import infer
from ..dealing.uniform import random_layout, tries_worth
from ..errors import AgentError, CellError, PlayerError, ShotError, one_of
from ..experiment.play import ask
from ..game import Duel, Game
from ..layout import Layout
from ..observation import Observation
from ..players import Player, all_players, make_player
from ..report.consult import BEST_CELLS
from ..report.drawing.picture import percent, picture_of_game
from ..report.drawing.text import board_lines
from ..rules import PRESETS, Rules
from ..shots import Shot
from .position_text import position_text, rules_text
from .scoring import Attempt, TaskScore, shortened
from .tasks import FIND_ALL, all_tasks, find_task

OPEN_GAMES = 20
"""games of one agent that are not over"""
KEPT_GAMES = 100
"""games in all; the oldest that are over are forgotten"""
MOST_SHIPS = 20
ANALYSIS_SECONDS = 5.0
"""exact counting may take this long; beyond it, an analysis is sampled"""
LONGEST_TEXT = 1_000
"""characters of an argument"""

GameStage = Literal["placing", "shooting", "over"]


@dataclass(frozen=True)
class Told:
    """What an agent is told: text, and the same as JSON."""

    text: str
    facts: dict[str, Any]


def _told(shots: Iterable[Shot], rules: Rules) -> str:
    return ", ".join(shot.to_text(rules) for shot in shots)


def _cells(text: str, rules: Rules) -> list[int]:
    """One cell; under salvo rules several, with spaces or commas between them."""
    if rules.salvo == 1:
        return [rules.cell(text)]
    return [rules.cell(word) for word in text.replace(",", " ").split()]


@dataclass
class Solo:
    """A game of one: the agent shoots at a hidden fleet."""

    game: Game
    illegal: int = 0
    repeated: int = 0

    @property
    def rules(self) -> Rules:
        return self.game.rules

    @property
    def observation(self) -> Observation:
        return Observation(self.rules, self.game.shots)

    @property
    def stage(self) -> GameStage:
        return "over" if self.game.finished else "shooting"

    @property
    def salvo(self) -> int:
        """How many shots the next turn has."""
        return self.game.salvo

    def fire(self, cells: list[int]) -> str:
        return f"{_told(self.game.fire_salvo(cells), self.rules)}."

    def ending(self) -> str:
        shots = len(self.game.shots)
        return f"The game is over: you found the whole fleet with {shots} shots."

    def hidden(self) -> str:
        return self.game.layout.to_text()


@dataclass
class Against:
    """A two-sided game: the agent against one of our players, each with a fleet."""

    opponent: str
    player: Player
    theirs: Layout = field(repr=False)
    agent_side: int
    rng: np.random.Generator = field(repr=False)
    duel: Duel | None = None
    illegal: int = 0
    repeated: int = 0
    resigned: bool = False

    @property
    def rules(self) -> Rules:
        return self.theirs.rules

    @property
    def observation(self) -> Observation:
        shots = () if self.duel is None else self.duel.targets[self.agent_side].shots
        return Observation(self.rules, shots)

    @property
    def stage(self) -> GameStage:
        if self.duel is None:
            return "over" if self.resigned else "placing"
        return "over" if self.duel.finished else "shooting"

    def place(self, own: Layout) -> str:
        """Put the agent's fleet on the board; the opponent may move first."""
        sides = (own, self.theirs) if self.agent_side == 0 else (self.theirs, own)
        self.duel = Duel(*sides)
        return self._replies()

    @property
    def salvo(self) -> int:
        """How many shots the agent's next turn has."""
        return 0 if self.duel is None else self.duel.salvo_of(self.agent_side)

    def fire(self, cells: list[int]) -> str:
        assert self.duel is not None
        own = f"You: {_told(self.duel.fire_salvo(cells), self.rules)}."
        return " ".join(filter(None, (own, self._replies())))

    def resign(self) -> None:
        self.resigned = True
        if self.duel is not None:
            self.duel.resign(self.agent_side)

    def _replies(self) -> str:
        """Let the opponent shoot while it is its turn."""
        assert self.duel is not None
        side, told = 1 - self.agent_side, []
        while self.duel.to_move == side:
            known = Observation(self.rules, self.duel.targets[side].shots)
            cells = [ask(self.player, known, self.rng)]
            while len(cells) < self.duel.salvo:
                known = known.choosing(cells[-1])
                cells.append(ask(self.player, known, self.rng))
            told.append(_told(self.duel.fire_salvo(cells), self.rules))
        return f"{self.opponent}: {', '.join(told)}." if told else ""

    def ending(self) -> str:
        if self.resigned:
            return f"The game is over: you resigned, and {self.opponent} wins."
        assert self.duel is not None
        if self.duel.drawn:
            return "The game is over: it is drawn."
        winner = "you win" if self.duel.winner == self.agent_side else f"{self.opponent} wins"
        return f"The game is over: {winner}."

    def hidden(self) -> str:
        return self.theirs.to_text()

    def own_board(self) -> str:
        """The agent's fleet and the shots at it."""
        assert self.duel is not None
        target = self.duel.targets[1 - self.agent_side]
        lines = board_lines(picture_of_game(target.layout, target.shots))
        legend = "Your fleet (digits are ships, o miss, X hit, # sunk):"
        return "\n".join([legend, *(line.plain for line in lines)])


AgentGame = Solo | Against | Attempt


class AgentGames:
    """The games of one agent, by their ids."""

    def __init__(self, seed: int | None = None, *, analysis: bool = True) -> None:
        self._rng = np.random.default_rng(seed)
        self._games: dict[str, AgentGame] = {}
        self._tried: set[str] = set()
        self._started = 0
        self.analysis = analysis

    def list_rules(self, name: str = "") -> Told:
        """The presets, or one set of rules in full."""
        if name:
            rules = _rules(name)
            return Told(rules_text(rules, two_sides=True), {"rules": rules.to_json()})
        lines = [
            f"{preset}: {rules.rows}x{rules.columns}, fleet {','.join(map(str, rules.fleet))}, "
            f"contact {rules.contact}, answers {rules.answers}, turns {rules.turns}"
            for preset, rules in PRESETS.items()
        ]
        more = (
            "Any preset can be changed: 'classic size=8 fleet=4,3,2 contact=none'. "
            f"Opponents: {', '.join(opponents())}."
        )
        facts = {"presets": list(PRESETS), "opponents": opponents()}
        return Told("\n".join([*lines, more]), facts)

    def start(self, rules: str = "classic", opponent: str = "", first: str = "me") -> Told:
        """Start a game against a hidden fleet, or against an opponent."""
        self._check_room()
        chosen = _rules(rules)
        if not tries_worth(chosen) or len(chosen.fleet) > MOST_SHIPS:
            raise AgentError(
                f"The fleet must have at most {MOST_SHIPS} ships, with some room around them; take "
                "a larger board or fewer ships."
            )
        if first not in ("me", "them"):
            raise AgentError(one_of("value of first", first[:40], ("me", "them")))
        hidden = random_layout(chosen, self._rng)
        if not opponent:
            return self._begin(Solo(Game(hidden)), f"{rules_text(chosen)}\n{FIND_ALL}")
        player = _opponent(opponent, chosen)
        seed = np.random.default_rng(int(self._rng.integers(2**63)))
        game = Against(opponent, player, hidden, 0 if first == "me" else 1, seed)
        asked = (
            "Place your fleet first: every ship with its top left cell and its direction, such as "
            f"'{_example(chosen)}', or 'random'."
        )
        return self._begin(game, f"{rules_text(chosen, two_sides=True)}\n{asked}")

    def list_tasks(self) -> Told:
        """The tasks that agents are scored on."""
        tasks = all_tasks()
        lines = [
            f"{task.id}: {task.question} {len(task.observation.shots)} shots so far."
            for task in tasks
        ]
        return Told("\n".join(lines), {"tasks": [task.to_json() for task in tasks]})

    def start_task(self, task: str) -> Told:
        """Start an attempt at a task."""
        self._check_room()
        chosen = find_task(task)
        if chosen.id in self._tried:
            raise AgentError(f"You have tried {chosen.id} already; each task can be tried once.")
        self._tried.add(chosen.id)
        return self._begin(Attempt(chosen), f"{rules_text(chosen.rules)}\n{chosen.question}")

    def place(self, game: str, ships: str) -> Told:
        """Place the agent's fleet in a game against an opponent."""
        found = self._find(game)
        if not isinstance(found, Against):
            raise AgentError(f"In game {game} you only shoot; there is no fleet to place.")
        if found.stage != "placing":
            raise AgentError(
                f"Your fleet in game {game} is already placed."
                if found.stage == "shooting"
                else f"Game {game} is over."
            )
        if ships.strip().lower() == "random":
            own = random_layout(found.rules, self._rng)
        else:
            own = Layout.from_text(_short(ships), found.rules)
        return self._tell(game, found, f"Your fleet: {own.to_text()}. {found.place(own)}".strip())

    def shoot(self, game: str, cell: str) -> Told:
        """Take a turn: one shot, or all shots of a salvo. A move that is not legal is explained
        and counted, and fires nothing."""
        found = self._find(game)
        if isinstance(found, Attempt):
            return self._attempt(game, found, cell)
        if found.stage == "placing":
            raise AgentError(f"Place your fleet in game {game} before you shoot.")
        if found.stage == "over":
            raise AgentError(f"Game {game} is over; start another one.")
        try:
            numbers = _cells(_short(cell), found.rules)
            if len(numbers) != found.salvo:
                shots = "shot" if found.salvo == 1 else "shots"
                raise CellError(f"This turn has {found.salvo} {shots}, not {len(numbers)}.")
        except CellError as error:
            found.illegal += 1
            return self._tell(game, found, f"Illegal move: {shortened(str(error))}", legal=False)
        try:
            return self._tell(game, found, found.fire(numbers))
        except ShotError as error:
            found.repeated += 1
            said = f"Repeated cell: {error} Choose an unknown cell."
            return self._tell(game, found, said, legal=False)

    def show(self, game: str) -> Told:
        """The position of a game."""
        return self._tell(game, self._find(game), "")

    def end(self, game: str) -> Told:
        """Give up: the layout of a game is told, and a task is scored as far as it got."""
        found = self._find(game)
        if isinstance(found, Attempt):
            del self._games[game]
            return _scored(game, found, "You gave this task up.")
        if found.stage == "over":
            raise AgentError(f"Game {game} is over already.")
        if isinstance(found, Against):
            found.resign()
            return self._tell(game, found, "")
        del self._games[game]
        facts = {"game": game, "stage": "over", "layout": found.hidden()}
        return Told(f"You gave game {game} up. The fleet was: {found.hidden()}.", facts)

    def analyze(self, game: str) -> Told:
        """The chance of a ship on each cell, and the best shots."""
        found = self._find(game)
        if not self.analysis:
            raise AgentError("Analysis is switched off on this server.")
        if isinstance(found, Attempt):
            raise AgentError("There is no analysis in a task; its moves are scored at the end.")
        if found.stage == "over":
            raise AgentError(f"Game {game} is over; there is nothing left to analyse.")
        rng = np.random.default_rng(0)
        belief = infer(found.observation, seconds=ANALYSIS_SECONDS, rng=rng)
        rules, chances = found.rules, belief.probability.ravel()
        best = sorted(found.observation.unknown, key=lambda cell: -chances[cell])[:BEST_CELLS]
        listed = ", ".join(f"{rules.cell_name(cell)} {percent(chances[cell])}" for cell in best)
        how = "exact" if belief.method == "exact" else "estimated from samples"
        left = "" if belief.layouts is None else f" {belief.layouts:,} layouts are possible."
        return Told(
            f"Best shots by their chance of a hit ({how}): {listed}.{left}",
            {"game": game, **belief.to_json()},
        )

    def _begin(self, game: AgentGame, introduction: str) -> Told:
        self._started += 1
        name = f"game-{self._started}"
        self._games[name] = game
        over = [each for each, kept in self._games.items() if _over(kept)]
        for each in over[: max(0, len(self._games) - KEPT_GAMES)]:
            del self._games[each]
        return self._tell(name, game, f"This is {name}.\n{introduction}")

    def _check_room(self) -> None:
        if sum(not _over(game) for game in self._games.values()) >= OPEN_GAMES:
            raise AgentError(
                f"You have {OPEN_GAMES} games that are not over; finish one, or end it, before you "
                "start another."
            )

    def _find(self, game: str) -> AgentGame:
        if game in self._games:
            return self._games[game]
        known = ", ".join(list(self._games)[-5:])
        raise AgentError(
            f"There is no game {_short(game)[:40]!r}; "
            + (f"the latest are {known}." if known else "start one first.")
        )

    def _attempt(self, game: str, attempt: Attempt, cell: str) -> Told:
        reply = attempt.move(_short(cell))
        if attempt.over:
            del self._games[game]
            return _scored(game, attempt, reply.sentence)
        return self._tell(game, attempt, reply.sentence, legal=reply.kind == "shot")

    def _tell(self, name: str, game: AgentGame, said: str, *, legal: bool | None = None) -> Told:
        """What happened, then the position as it is now."""
        observation = game.observation
        stage: GameStage = "shooting" if isinstance(game, Attempt) else game.stage
        facts = {
            "game": name,
            "stage": stage,
            **({} if legal is None else {"legal": legal}),
            "rules": game.rules.to_text(),
            "shots": observation.to_text(),
            "finished": observation.finished,
        }
        if isinstance(game, Attempt):
            return Told("\n".join(filter(None, (said, position_text(observation)))), facts)
        facts |= {"illegal": game.illegal, "repeated": game.repeated}
        lines = [said]
        if stage != "placing":
            lines.append(position_text(observation))
            if isinstance(game, Against) and game.duel is not None:
                lines.append(game.own_board())
        if stage == "over":
            counted = f"Illegal moves: {game.illegal}, repeated cells: {game.repeated}."
            lines += [game.ending(), f"The hidden fleet was: {game.hidden()}.", counted]
            facts |= {"layout": game.hidden(), "result": game.ending()}
        return Told("\n".join(filter(None, lines)), facts)


def opponents() -> list[str]:
    """The players that an agent can play against: those that move at once."""
    return [name for name, info in all_players().items() if not info.slow and not info.needs]


def score_lines(score: TaskScore) -> Iterator[str]:
    """A score in words."""
    yield (
        f"{score.shots} shot{'' if score.shots == 1 else 's'}, {score.illegal} illegal moves, "
        f"{score.repeated} repeated cells."
    )
    if score.mean_regret is not None:
        yield (
            f"Regret in hit chance per shot: {score.mean_regret:.4f} "
            f"(0 is exact play; in all {sum(score.regrets):.4f})."
        )


def _scored(game: str, attempt: Attempt, said: str) -> Told:
    score = attempt.score()
    end = "The task is done." if score.finished else "The task was not finished."
    text = f"{said}\n{end} {' '.join(score_lines(score))}"
    return Told(text, {"game": game, "stage": "over", "score": score.to_json()})


def _over(game: AgentGame) -> bool:
    return game.over if isinstance(game, Attempt) else game.stage == "over"


def _rules(text: str) -> Rules:
    return Rules.from_text(_short(text))


def _short(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise AgentError(
            f"A text of {len(text):,} characters is too long; use at most {LONGEST_TEXT:,}."
        )
    return text


def _opponent(name: str, rules: Rules) -> Player:
    if name not in opponents():
        raise AgentError(one_of("opponent", name[:40], opponents()))
    player = make_player(name)
    try:  # networks play only the rules they were trained for
        ask(player, Observation(rules), np.random.default_rng(0))
    except PlayerError:
        raise
    except Exception as error:
        raise AgentError(f"{name} cannot play these rules: {error}") from error
    return player


def _example(rules: Rules) -> str:
    name = rules.ship_names[0]
    across = rules.fleet[0] <= rules.columns
    return f"{name} A1 {'across' if across else 'down'}, ..."
