"""What a bot is."""

from typing import Any, Protocol

from aachen.bots.thinking import Budget
from aachen.core.state import View


class Bot(Protocol):
    """A player that is a program. It sees what its seat may see, and chooses one of the seat's legal actions.

    A budget is for a whole turn; without one the bot takes what it usually takes. Bots that do not think ahead take no
    notice of it.
    """

    name: str

    def choose(self, view: View[Any], budget: Budget | None = None) -> Any: ...
