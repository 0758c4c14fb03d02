"""The actions of Relics: single words."""

from dataclasses import dataclass

from aachen.core.errors import BadNotation
from aachen.core.words import Action as CoreAction
from tiny.position import CARDS

COIN, DONE, OPEN, CLAIM, LEAVE, OBJECT, PASS, PAY, SHOW, DEAL = range(10)
WORDS = (
    "coin", "done", "open", "claim", "leave", "object", "pass", "pay", "show",
    "deal:?",  # a deal as others see it; never legal
    *(f"deal:{card}" for card in range(1, CARDS + 1)),  # the code is DEAL + card
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Action(CoreAction):
    """What a seat or chance does; the word is its notation."""

    word: str

    def __post_init__(self) -> None:
        if self.word not in WORDS:
            raise BadNotation("no-action", "{word!r} is none of {right}", word=self.word[:40], right=", ".join(WORDS))

    @property
    def code(self) -> int:
        return WORDS.index(self.word)

    def __str__(self) -> str:
        return self.word


#: Every action, at the index of its code.
ACTIONS = tuple(Action(word) for word in WORDS)


def parse(text: str) -> Action:
    """The action that this notation means. Raises BadNotation."""
    return Action(text.strip())
