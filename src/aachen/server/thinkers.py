"""Bots that think beside the event loop: in threads of this process, or on a Ray cluster."""

import asyncio
import os
import random
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aachen import bots, carolus
from aachen.bots import Bot, Budget
from aachen.carolus.threats import threats
from aachen.core.state import State
from aachen.server.entries import STAND_IN
from aachen.server.settings import Settings

#: The levels that may be chosen for each game; games without bots of their own are played at random.
LEVELS = {"carolus": tuple(bots.LEVELS)}
#: Bots that are kept between two decisions of a game, because they remember what they saw coming.
KEPT = 16


def levels_of(game: str) -> tuple[str, ...]:
    return LEVELS.get(game, ("random",))


class RandomBot:
    """For games that have no bot."""

    name = "random"

    def choose(self, view: Any, budget: Any = None) -> Any:
        return random.SystemRandom().choice(view.legal_actions())


def bot_for(game: str, level: str) -> Bot:
    if game not in LEVELS:
        return RandomBot()
    return bots.make(level, int.from_bytes(os.urandom(7), "big"))


def decide(position: Any, kind: type[State[Any]], seat: int, level: str) -> str:
    """What a bot does; a function of its own, so that it can run anywhere."""
    state = kind(position)
    return str(bot_for(kind.game.name, level).choose(state.view(seat)))


def warm_up() -> None:
    """Lets every level and the tools work once, so that nobody waits for the compiler later."""
    state = carolus.new(seed=1)
    for level in bots.LEVELS:
        bots.make(level, 1).choose(state.view(state.actor), Budget(positions=2))
    threats(state, samples=1)
    state.forecast()


class Thinkers:
    """A bounded number of bots that think at the same time."""

    def __init__(self, settings: Settings) -> None:
        self._pool = ThreadPoolExecutor(settings.bot_threads, thread_name_prefix="bot")
        self._most = settings.bot_queue
        self._bots: OrderedDict[tuple[str, int, str], Bot] = OrderedDict()
        self._ray = _ray(settings.ray_address) if settings.ray_address else None
        self.waiting = 0

    @property
    def room(self) -> int:
        """How many more tables may ask."""
        return max(0, self._most - self.waiting)

    async def choose(self, table: str, state: State[Any], seat: int, level: str) -> str:
        """The action of a bot of this level, in notation."""
        level = STAND_IN if level == "stand-in" and state.game.name in LEVELS else level
        self.waiting += 1
        try:
            if self._ray is not None:
                answer: str = await self._ray.remote(state.position, type(state), seat, level)
                return answer
            bot = self._bot(table, seat, state.game.name, level)
            loop = asyncio.get_running_loop()
            return str(await loop.run_in_executor(self._pool, bot.choose, state.view(seat)))
        finally:
            self.waiting -= 1

    def _bot(self, table: str, seat: int, game: str, level: str) -> Bot:
        key = (table, seat, level)
        bot = self._bots.pop(key, None) or bot_for(game, level)
        self._bots[key] = bot
        if len(self._bots) > KEPT:
            self._bots.popitem(last=False)
        return bot

    async def run(self, function: Any, *arguments: Any) -> Any:
        """Anything else that takes long: a hint, a review."""
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)
        finally:
            self.waiting -= 1

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _ray(address: str) -> Any:
    from aachen.arena.cluster import connected

    ray = connected(None if address == "local" else address, None)
    return ray.remote(decide).options(num_cpus=1)
