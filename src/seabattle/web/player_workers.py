"""Players, beliefs and dealing in worker processes, with time limits.

A worker that plays or analyses receives observations and never a layout; layouts are dealt in
workers that no player runs in. Slow players, beliefs and measurements of players have their own
workers, so that a quick player never waits behind them.

Whatever is used for the first time may have to be compiled first. `prepare` does that in the
background, `preparation` says how far it is, and `ready` whether a player can move at once.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
from collections import OrderedDict
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from ..dealing.plain_dealing import plain_layout
from ..errors import SeabattleError
from ..layout import Layout
from ..observation import Observation
from ..players import player_info
from ..rules import Rules
from .preparation import Preparation, Step
from .refusals import NoAnswer
from .request_rates import PendingThoughts
from .settings import ServerSettings
from .worker_pool import Closing, PlayerFailed, WorkerPool
from .worker_process import TIGHT, WorkerTask

log = logging.getLogger("seabattle.web")

T = TypeVar("T")


class PlayerWorkers:
    """The worker processes of a server."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._quick = WorkerPool(settings.quick_workers, settings, imports=settings.imports)
        self._slow = WorkerPool(settings.slow_workers, settings, imports=settings.imports)
        self._belief = WorkerPool(settings.belief_workers, settings)
        self._dealer = WorkerPool(1, settings)
        self._tight_dealer = WorkerPool(1, settings, memory_bytes=settings.deal_bytes)
        self._measurer = WorkerPool(1, settings, imports=settings.imports, niceness=MEASURING)
        self._cannot_play: dict[str, dict[str, str]] = {}
        self._strengths: dict[str, dict[str, Any]] = {}
        self._too_tight: OrderedDict[Rules, None] = OrderedDict()
        """rules whose fleets need more memory to be dealt than there is"""
        self._checked: OrderedDict[tuple[str, Rules], None] = OrderedDict()
        """players that can play under these rules"""
        self._slow_players: OrderedDict[tuple[str, Rules], None] = OrderedDict()
        """players, with rules, that a quick worker took long for"""
        self._first_uses: set[asyncio.Task[None]] = set()
        self.preparation = Preparation()
        self.thoughts = PendingThoughts(settings.thoughts_per_client)
        self._measurements = PendingThoughts(settings.thoughts_per_client)
        """apart from the thoughts: nobody's heat map is refused because of them"""

    @property
    def _pools(self) -> tuple[WorkerPool, ...]:
        dealers = self._dealer, self._tight_dealer
        return self._quick, self._slow, self._belief, *dealers, self._measurer

    @property
    def processes(self) -> list[int]:
        """The process ids of all workers."""
        return [process for pool in self._pools for process in pool.processes]

    async def warm_up(self) -> None:
        """Start the processes that the first visitor needs, and compile what they run: first the
        opponent that the page suggests, which shares most of it with the heat maps."""
        await self._quick.start()
        step = self.prepare(USUAL_OPPONENT, Rules(), SERVER)
        self.preparation.step("belief", HEAT_MAPS)
        await step.finished.wait()
        await self.belief(Observation(Rules()), SERVER)

    async def close(self) -> None:
        for pool in self._pools:
            await pool.close()

    async def deal(self, rules: Rules, client: str) -> Layout:
        """A layout that nobody can predict, uniform over all legal ones. One that is soon found
        waits for no worker; fleets that random placements almost never fit are dealt one after
        the other, with limits."""
        found = plain_layout(rules, random.SystemRandom())
        if found is not None:
            return found
        limit = self._settings.first_use_seconds
        text = await self._dealer.ask(_about_rules("deal-loose", rules), limit, client)
        if text == TIGHT:
            if rules in self._too_tight:
                raise SeabattleError(TOO_TIGHT)
            try:
                with self.thoughts.one_more(client):
                    text = await self._tight_dealer.ask(
                        _about_rules("deal", rules), self._settings.deal_seconds, client
                    )
            except (NoAnswer, PlayerFailed) as problem:
                if isinstance(problem, Closing):
                    raise
                if isinstance(problem, PlayerFailed):  # it would not fit another time, either
                    _remember(self._too_tight, rules)
                raise SeabattleError(TOO_TIGHT) from None
        return Layout.from_text(text, rules)

    async def check(self, player: str, rules: Rules, client: str) -> None:
        """Raise an error if there is no such player, or it cannot play under these rules."""
        player_info(_name(player))
        key = (player, rules)
        if key not in self._checked:
            task = _about_rules("check", rules, player, search_seconds=self._most)
            await self._quick.ask(task, self._settings.first_use_seconds, client)
            _remember(self._checked, key)

    async def cannot_play(self, rules: Rules, client: str) -> dict[str, str]:
        """The players that cannot play under these rules, with the reason."""
        key = rules.to_text()
        if key not in self._cannot_play:
            task = _about_rules("cannot-play", rules)
            found = await self._quick.ask(task, self._settings.first_use_seconds, client)
            if len(self._cannot_play) >= REMEMBERED_RULES:
                self._cannot_play.clear()
            self._cannot_play[key] = found
        return self._cannot_play[key]

    def prepare(self, player: str, rules: Rules, client: str) -> Step:
        """Use a player for the first time, in the background, unless that has begun already."""
        variant = _variant(player)
        step, new = self.preparation.step(variant, _name(player))
        if new:
            brief = variant if player_info(_name(player)).searches else player
            use = asyncio.create_task(self._first_use(step, brief, Observation(rules), client))
            self._first_uses.add(use)
            use.add_done_callback(self._first_uses.discard)
        return step

    async def _first_use(
        self, step: Step, player: str, observation: Observation, client: str
    ) -> None:
        task = _about("choose", observation, player, search_seconds=self._most)
        pool = self._slow if player_info(_name(player)).slow else self._quick
        try:
            await self._ask_first(pool, task, step, self._settings.think_seconds, client)
        except SeabattleError:
            pass  # its first move in a game says what is wrong
        except Exception:
            log.exception("A player could not be prepared.")
        finally:
            step.finish()

    async def ready(self, player: str, rules: Rules, client: str) -> bool:
        """Whether a player can move at once; waits a moment for one whose first use has just
        begun."""
        step = self.prepare(player, rules, client)
        if not step.finished.is_set():
            patience = max(0.0, self._settings.patience_seconds - step.seconds)
            try:
                await asyncio.wait_for(step.finished.wait(), patience)
            except TimeoutError:
                return False
        return True

    async def choose(
        self,
        player: str,
        observation: Observation,
        client: str,
        memory: list[dict[str, Any]] | None = None,
    ) -> int:
        """The cell that a player shoots at next, if it knows these earlier games."""
        return int(await self._ask_player("choose", player, observation, client, memory))

    async def hide(
        self, player: str, rules: Rules, memory: list[dict[str, Any]], client: str
    ) -> Layout:
        """The layout of a player that places its fleet itself and knows these earlier games."""
        task = replace(_about_rules("hide", rules, player), memory=memory)
        with self.thoughts.one_more(client):
            # Nobody who wants a plain layout waits behind this.
            text = await self._tight_dealer.ask(task, self._settings.first_use_seconds, client)
        return Layout.from_text(text, rules)

    async def habits(
        self, rules: Rules, memory: list[dict[str, Any]], client: str
    ) -> list[dict[str, Any]]:
        """What these games say about somebody (see `Habit.to_json`)."""
        task = replace(_about_rules("habits", rules), memory=memory)
        with self.thoughts.one_more(client):
            found = await self._quick.ask(task, self._settings.first_use_seconds, client)
        assert isinstance(found, list)
        return found

    async def consult(self, player: str, observation: Observation, client: str) -> dict[str, Any]:
        """The cell that a player would shoot at, and what its search found."""
        try:
            with self.thoughts.one_more(client):
                found = await self._ask_player("consult", player, observation, client)
        except NoAnswer as error:
            if isinstance(error, Closing) or (
                "iterations" not in player_info(_name(player)).parameters
            ):
                raise
            raise NoAnswer(
                f"{error} Give it fewer iterations, or a time limit (seconds=5)."
            ) from None
        assert isinstance(found, dict)
        return found

    async def _ask_player(
        self,
        what: str,
        player: str,
        observation: Observation,
        client: str,
        memory: list[dict[str, Any]] | None = None,
    ) -> Any:
        key = (player, observation.rules)
        slow = player_info(_name(player)).slow or key in self._slow_players
        task = _about(what, observation, player, search_seconds=self._most)
        if memory:
            task = replace(task, memory=memory)

        def took(seconds: float) -> None:
            if not slow and seconds > SLOW_SECONDS:
                _remember(self._slow_players, key)

        # A move has no more time because something must be compiled for it: that would be time
        # for an endless search.
        await self.prepare(player, observation.rules, client).finished.wait()
        pool = self._slow if slow else self._quick
        return await pool.ask(task, self._settings.think_seconds, client, took=took)

    async def belief(self, observation: Observation, client: str) -> dict[str, Any]:
        """How likely a ship is on each cell (see `Belief.to_json`)."""
        think = self._settings.think_seconds
        task = _about("belief", observation, exact_seconds=think / 2)
        step, _ = self.preparation.step("belief", HEAT_MAPS)
        with self.thoughts.one_more(client):
            if step.state == "waiting":
                # A player that is being prepared may be compiling the same functions.
                for other in self.preparation.running():
                    await other.finished.wait()
            found = await self._ask_first(self._belief, task, step, 3 * think, client)
        assert isinstance(found, dict)
        return found

    async def advise(self, layout: Layout, client: str) -> dict[str, Any]:
        """How well a layout hides (see `Advice.to_json`)."""
        task = WorkerTask("advise", rules=layout.rules.to_text(), layout=layout.to_text())
        step, _ = self.preparation.step("advice", ADVICE)
        with self.thoughts.one_more(client):
            limit = 3 * self._settings.think_seconds
            found = await self._ask_first(self._slow, task, step, limit, client)
        assert isinstance(found, dict)
        return found

    async def sunk_ships(self, observation: Observation, client: str) -> dict[str, Any]:
        """What is certain about the ships that a position sank (see `SunkShips.to_json`)."""
        task = _about("sunk-ships", observation)
        with self.thoughts.one_more(client):
            found = await self._belief.ask(task, self._settings.first_use_seconds, client)
        assert isinstance(found, dict)
        return found

    async def strength(self, player: str, rules: Rules, client: str) -> dict[str, Any]:
        """How many shots a player needs on average, measured with a few games in a worker of its
        own: nobody's game waits for that."""
        if player_info(_name(player)).slow:
            raise NoAnswer(f"{player} is too slow to be measured here.")
        key = f"{player} {rules.to_text()}"
        if key not in self._strengths:
            task = _about_rules("strength", rules, player, search_seconds=self._most)
            with self._measurements.one_more(client):
                found = await self._measurer.ask(task, self._settings.first_use_seconds, client)
            if len(self._strengths) >= REMEMBERED_RULES:
                self._strengths.clear()
            self._strengths[key] = found
        return self._strengths[key]

    async def puzzle(
        self, puzzle_id: str, client: str, answer: list[str] | None = None
    ) -> dict[str, Any]:
        """A puzzle; with an answer, also what that is worth and the solution."""
        task = WorkerTask("puzzle", puzzle=puzzle_id, answer=answer)
        step, _ = self.preparation.step("belief", HEAT_MAPS)
        with self.thoughts.one_more(client):
            limit = 3 * self._settings.think_seconds
            found = await self._ask_first(self._belief, task, step, limit, client)
        assert isinstance(found, dict)
        return found

    async def _ask_first(
        self,
        pool: WorkerPool,
        task: WorkerTask,
        step: Step,
        seconds: float,
        client: str,
    ) -> Any:
        """Ask a pool; the time limit of the first use allows for a compilation."""
        if step.finished.is_set():
            return await pool.ask(task, seconds, client)
        step.start()
        try:
            seconds += self._settings.first_use_seconds
            return await pool.ask(task, seconds, client, compiled=step.count_compiled)
        finally:
            step.finish()

    @property
    def _most(self) -> float:
        return self._settings.search_seconds


def _about(
    what: str,
    observation: Observation,
    player: str = "",
    *,
    exact_seconds: float = 0.0,
    search_seconds: float = 0.0,
) -> WorkerTask:
    return WorkerTask(
        what,
        player,
        _rules_text(observation.rules),
        tuple((shot.cell, shot.answer.code) for shot in observation.shots),
        observation.pending,
        secrets.randbits(63),
        exact_seconds,
        search_seconds,
    )


@lru_cache(maxsize=256)
def _rules_text(rules: Rules) -> str:
    return rules.to_text()


def _about_rules(
    what: str, rules: Rules, player: str = "", *, search_seconds: float = 0.0
) -> WorkerTask:
    return _about(what, Observation(rules), player, search_seconds=search_seconds)


USUAL_OPPONENT = "ophlp"
"""The opponent that the page suggests."""

TOO_TIGHT = (
    "This fleet fills its board so tightly that dealing it takes more time or memory than this "
    "server allows; take a larger board or fewer ships."
)

ADVICE = "advice on layouts"
HEAT_MAPS = "heat maps"

MEASURING = 10
"""niceness of the worker that measures players: games go first"""

SERVER = ""
"""the server itself, in the place of an address"""

REMEMBERED_RULES = 200
"""Rules for which is remembered who can play them, and players that were slow under them."""

SLOW_SECONDS = 1.0
"""A player that took longer than this joins the slow ones, under the same rules."""


def _remember(known: OrderedDict[T, None], key: T) -> None:
    known[key] = None
    while len(known) > REMEMBERED_RULES:
        known.popitem(last=False)


def learns(player: str) -> bool:
    """Whether a player learns from game to game."""
    return player_info(_name(player)).learns


def places_itself(player: str) -> bool:
    """Whether a player has a placer of its own."""
    return bool(player_info(_name(player)).placer)


def _name(player: str) -> str:
    return player.partition(":")[0].strip()


@lru_cache(maxsize=1024)
def _variant(player: str) -> str:
    """A player's name; of a search, a short one with the parameters that decide which kernels it
    runs, each of which may have to be compiled: the words, and whether threads share the work."""
    info = player_info(_name(player))
    if not info.searches:
        return info.name
    parameters, words = info.parameters, set()
    for entry in player.partition(":")[2].split(","):
        key, _, value = (part.strip() for part in entry.partition("="))
        if key in parameters and value in parameters[key].choices:
            words.add(f"{key}={value}")
        elif key == "threads" and key in parameters:
            words.add("threads=2")
    if "seconds" in parameters:
        words.add(f"seconds={BRIEFLY}")
    return f"{info.name}:{','.join(sorted(words))}"


BRIEFLY = 0.05
"""Seconds of the search that a variant is compiled for."""
