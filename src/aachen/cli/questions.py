"""The questions before a game: how many players, who sits where, which variants. Enter takes the usual answer."""

from collections.abc import Callable, Sequence

from aachen.bots.players import LEVELS
from aachen.carolus.drawing import SIDE_NAMES
from aachen.carolus.words import side_at
from aachen.cli.seating import HUMAN, KINDS, Seating, seat_people, usual_name
from aachen.cli.terminal import ask, clean, wrap
from aachen.core import BadOptions

#: Who plays against a person that does not choose.
USUAL_LEVEL = "squire"


class Leave(Exception):
    """The player wants to stop for now."""


def ask_seating() -> Seating:
    """How many players, and for each seat a person with a name, or a bot."""
    players = int(choose("How many players", ("2", "3", "4"), "2"))
    kinds = [HUMAN] + [USUAL_LEVEL] * (players - 1)
    words: list[str] = []
    print("The bots, from the weakest to the strongest:")
    print("\n".join(wrap(f"  {level:<8} {skill}", " " * 11) for level, skill in LEVELS.items()))
    for seat in range(players):
        kinds[seat], name = _who(f"Who plays {_place(players, seat)}", kinds[seat])
        words.append(f"{HUMAN}:{_name(kinds, seat, words, name)}" if kinds[seat] == HUMAN else kinds[seat])
    return seat_people(words)


def _place(players: int, seat: int) -> str:
    """`White`; with partners `White` and `White's partner`."""
    side = side_at(players, seat)
    return SIDE_NAMES[side] if side == seat else f"{SIDE_NAMES[side]}'s partner"


def _who(question: str, usual: str) -> tuple[str, str]:
    """What plays there, and the name if it came along, as in `human:Anna`."""
    name = ""

    def without_name(answer: str) -> str:
        nonlocal name
        kind, _, given = answer.partition(":")
        is_human = bool(kind.strip()) and HUMAN.startswith(kind.strip().lower())
        name = given.strip() if is_human else ""
        return kind.strip() if is_human else answer

    return choose(question, (HUMAN, *LEVELS), usual, without_name, KINDS), name


def _name(kinds: Sequence[str], seat: int, words: Sequence[str], given: str) -> str:
    usual = usual_name(kinds, seat)
    while True:
        name = given or _line(f"  Name [{usual}]: ") or usual
        try:
            return seat_people([*words, f"{HUMAN}:{name}"]).names[seat]
        except BadOptions:
            print(wrap(f"Somebody is called {clean(name, 40)} already; names must differ."))
            given = ""


def _line(prompt: str) -> str:
    """What is typed; `quit` leaves. Raises EOFError and Leave."""
    *above, last = wrap(prompt).split("\n")  # what is typed needs room on its line
    for part in above:
        print(part)
    line = ask(f"{last} " if above else prompt)
    if line.lower() in ("quit", "exit", "q"):
        raise Leave
    return line


def ask_variants(players: int) -> dict[str, object]:
    """The options of the game; none for the usual rules."""
    if choose("Rules", ("usual", "variants"), "usual") == "usual":
        return {}
    options: dict[str, object] = {
        "dice": choose("  Dice: throw all, or you may choose one before the throw", ("all", "choose-one"), "all"),
        "crowns": choose("  Crowns: named at once, or kept for your next turn", ("at-once", "deferred"), "at-once"),
    }
    if players == 4:
        options["talk"] = choose("  Talk between partners", ("open", "none"), "open")
    return options | {"round_limit": _round_limit()}


def _round_limit() -> int:
    while True:
        answer = _line("  The game ends after how many rounds [100]: ") or "100"
        if answer.isascii() and answer.isdigit() and 1 <= int(answer[:9]) <= 9999:
            return int(answer)
        print("Please: a number from 1 to 9999, or Enter for 100.")


def choose(
    question: str,
    answers: Sequence[str],
    usual: str,
    heard: Callable[[str], str] = lambda answer: answer,
    more: Sequence[str] = (),
) -> str:
    """One of the answers: Enter takes the usual one, and the first letters are enough where they are clear.

    More of them are understood, but not offered.
    """
    *some, last = answers
    while True:
        answer = heard(_line(f"{question}: {', '.join(some)} or {last} [{usual}]? ")).lower()
        if not answer:
            return usual
        meant = [right for right in answers if right.startswith(answer)] or [
            right for right in more if right.startswith(answer)
        ]
        if len(meant) == 1:
            return meant[0]
        print(wrap(f"Please: {', '.join(some)} or {last}; Enter takes {usual}, quit leaves."))


def agree(question: str) -> bool:
    """Yes or no; Enter is yes."""
    return choose(question, ("yes", "no"), "yes") == "yes"
