"""Errors that say what was wrong and what would be right.

Every error carries a `code` and `params`, so that a page can word it in its own language; `str()` is the
English sentence. An error never comes with a changed state.
"""

from typing import Any


class AachenError(ValueError):
    """Something that was asked for is not possible.

    `code` names the kind of mistake and never changes its meaning; `params` are the facts of this case.
    """

    def __init__(self, code: str, sentence: str, **params: object) -> None:
        super().__init__(sentence.format(**params) if params else sentence)
        self.code = code
        self.sentence = sentence
        self.params = params

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes whole."""
        return _again, (type(self), self.code, self.sentence, self.params)


def _again(kind: type["AachenError"], code: str, sentence: str, params: dict[str, object]) -> "AachenError":
    return kind(code, sentence, **params)


class IllegalAction(AachenError):
    """The action is not legal now."""


class BadNotation(AachenError):
    """The text is no action of this game."""


class BadPosition(AachenError):
    """The text is no position, or the position breaks an invariant of the game."""


class BadRecord(AachenError):
    """The text is no game record, or the game it tells cannot be played."""


class BadOptions(AachenError):
    """No game can be played with these options."""
