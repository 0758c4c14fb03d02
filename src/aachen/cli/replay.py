"""`aachen replay`: a game record, step by step on a terminal, or all of it."""

import argparse
from collections.abc import Callable
from typing import Any

from aachen.carolus import Phase
from aachen.carolus.drawing import draw
from aachen.cli.files import game_of, read_text
from aachen.cli.tell import ending, tell, whose
from aachen.cli.terminal import clean, columns, compiling, edit_lines, is_interactive, use_colour, wrap
from aachen.core import BadRecord, History

PROMPT = "Enter next, t turn, r round, e end, b back, q quits: "


def run(args: argparse.Namespace) -> int:
    text = read_text(args.file)
    with compiling():
        record, history = game_of(text)
    reader = Reader(history, [clean(name, 40) for name in record.names], use_colour(args.colour))
    if args.step is not None:
        reader.check(args.step)
    if args.file != "-" and is_interactive() and not args.all:
        reader.browse(args.step or 0)
    else:
        reader.print_all(args.step or 0)
    return 0


class Reader:
    """Shows a finished or unfinished game."""

    def __init__(self, history: History[Any], names: list[str], colour: bool) -> None:
        self.states, self.steps = history.states, history.steps
        self.names, self.colour = names, colour
        #: How many steps the deal takes, with the Emperor and the lot: they are looked at as one.
        dealing = (place for place, state in enumerate(self.states) if int(state.position["phase"][0]) > Phase.LOT)
        self.dealt = next(dealing, len(self.steps))

    def check(self, number: int) -> None:
        """Raises BadRecord if there is no such step."""
        if not 0 <= number <= len(self.steps):
            raise BadRecord(
                "no-step", "there is no step {step}; steps are 0 to {last}", step=number, last=len(self.steps)
            )

    def board(self, number: int) -> None:
        print(draw(self.states[number].position, colour=self.colour, names=self.names, width=columns()))

    def line(self, number: int) -> str:
        """A step's number, notation and words."""
        step = self.steps[number - 1]
        words = tell(self.states[number - 1], self.states[number], step, self.names)
        if number == self.dealt > 1:
            words = self._deal()
        return wrap(f"{number:>4}  {step.action!s:<10}  {words}", " " * 18)

    def _deal(self) -> str:
        """The deal in words, for its last step."""
        told = [tell(self.states[i], self.states[i + 1], self.steps[i], self.names) for i in range(self.dealt)]
        return " ".join(["Every tile gets a cube.", *(words for words in told if "cube is dealt" not in words)])

    def show(self, number: int) -> None:
        """The board after a step, and the step itself."""
        self.board(number)
        print()
        print(self.line(number) if number else "The table before the deal.")
        self.print_end(number)

    def print_end(self, number: int) -> None:
        outcome = self.states[number].outcome
        if outcome is not None:
            print()
            print(wrap(ending(self.states[number], outcome, self.names)))

    def print_all(self, first: int) -> None:
        """Every step, the board at each round's start, and at the end."""
        if first:
            self.show(first)
            print()
        for number in range(first + 1, len(self.steps) + 1):
            if number < self.dealt:
                continue
            print(self.line(number))
            before, after = (self.states[i].position["round_number"][0] for i in (number - 1, number))
            if before != after and number < len(self.steps):
                print()
                self.board(number)
                print()
        if first < len(self.steps) or not first:
            print()
            self.board(len(self.steps))
            self.print_end(len(self.steps))

    def browse(self, number: int) -> None:
        """Goes through the game as the reader asks."""
        edit_lines()
        self.show(number)
        while True:
            try:
                answer = input(f"[{number}/{len(self.steps)}] {PROMPT}").strip().lower()
            except EOFError:
                print()
                return
            if answer in ("q", "quit"):
                return
            wanted = self._wanted(number, answer)
            if wanted is None:
                print(wrap(f"Please: Enter, t, r, e, b, q, or a number from 0 to {len(self.steps)}."))
            elif wanted == number:
                print("That is the last step." if number else "That is the beginning.")
            else:
                number = wanted
                print()
                self.show(number)

    def _wanted(self, number: int, answer: str) -> int | None:
        """The step to show next; None if the answer means none."""
        match answer:
            case "":
                return self._next(number)
            case "t" | "turn":
                return self._next_other(number, whose)
            case "r" | "round":
                return self._next_other(number, lambda state: state.position["round_number"][0])
            case "e" | "end":
                return len(self.steps)
            case "b" | "back":
                return 0 if number <= self.dealt else number - 1
        if answer.isascii() and answer.isdigit() and len(answer) < 7 and int(answer) <= len(self.steps):
            return int(answer)
        return None

    def _next(self, number: int) -> int:
        return self.dealt if number < self.dealt else min(number + 1, len(self.steps))

    def _next_other(self, number: int, fact: Callable[[Any], object]) -> int:
        """The first later step after which this fact is another one; else the last step."""
        now = fact(self.states[number])
        later = range(max(number + 1, self.dealt), len(self.steps))
        return next((place for place in later if fact(self.states[place]) != now), len(self.steps))
