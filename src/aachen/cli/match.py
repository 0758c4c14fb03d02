"""A game at the terminal: people are asked, bots and dice take their turns, and every step is saved."""

import random
import re
import shlex
from collections.abc import Sequence

from aachen.bots.players import ThinkingBot, make
from aachen.bots.thinking import Budget
from aachen.carolus import Action, Clan, Name, Phase, State, parse
from aachen.carolus.drawing import SIDE_NAMES, draw
from aachen.carolus.refusals import asked, one_of
from aachen.carolus.words import CLAN_LETTERS
from aachen.cli.analyse import in_words, notation
from aachen.cli.files import Autosave, keep_aside, named, os_reason, read_game, write
from aachen.cli.help import help_text, rules_text
from aachen.cli.listing import forecast_table, hint, list_actions, numbered
from aachen.cli.questions import Leave
from aachen.cli.seating import HUMAN, Seating, seating_of
from aachen.cli.tell import ending, story
from aachen.cli.terminal import ask, clean, columns, command, compiling, without_rule, wrap
from aachen.core import AachenError, BadNotation, BadRecord, History, IllegalAction
from aachen.core.words import Seat

COMMANDS = ("help", "list", "board", "forecast", "hint", "undo", "save", "load", "quit")
SHORT = {"?": "help", "h": "help", "l": "list", "f": "forecast", "u": "undo", "q": "quit", "exit": "quit"}
#: Who gives hints, and how long it thinks about one.
ADVISER, HINT = "emperor", Budget(seconds=1.0)


class Match:
    """A game under way, who plays it, and how much of it has been told."""

    def __init__(
        self, history: History[State], seating: Seating, autosave: Autosave, colour: bool, seed: int | None = None
    ) -> None:
        self.autosave, self.colour = autosave, colour
        self.adviser: ThinkingBot | None = None
        self.rng = random.Random(seed)
        self._sit_down(history, seating)

    def _sit_down(self, history: History[State], seating: Seating) -> None:
        self.history, self.seating = history, seating
        kinds = enumerate(seating.kinds)
        self.bots = {seat: make(kind, self.rng.getrandbits(32)) for seat, kind in kinds if kind != HUMAN}
        own = [place for place, step in enumerate(history.steps, 1) if step.seat in seating.people]
        self.told = own[-1] if own else 0
        self.agreed = -1  # the number of steps at which a player let the dice roll, or the game end
        self.notice = ""

    @property
    def state(self) -> State:
        return self.history.state

    # The loop

    def play(self) -> int:
        """Plays to the end, or until the player leaves; the exit code."""
        try:
            self._save()
            while not self.state.is_over or self._must_agree():
                self._step()
            self._finish()
            return 0
        except (EOFError, Leave) as reason:
            print("\n" * isinstance(reason, EOFError) + self._farewell())
            return 0
        except KeyboardInterrupt:
            print("\n" + self._farewell())
            return 130

    def _step(self) -> None:
        state = self.state
        if self._must_agree():
            self._ask_to_go_on()
        elif state.is_chance:
            self._do(state.draw_action(self.rng), None)
        elif state.actor in self.bots:
            self._do(self.bots[state.actor].choose(state.view(state.actor)), state.actor)
        else:
            self._ask_for_action(state.actor)

    def _do(self, action: Action, seat: int | None) -> None:
        self.history.play(action, seat)
        self._save()

    def _must_agree(self) -> bool:
        """A person's action that dice, the end or another's turn would follow can still be taken back.

        It needs a last word.
        """
        steps = self.history.steps
        if not steps or steps[-1].seat not in self.seating.people or self.agreed == len(steps):
            return False
        return self.state.is_chance or self.state.is_over or self._has_ended_turn()

    def _has_ended_turn(self) -> bool:
        """Whether the last action named the last crown of a throw, so that another seat follows."""
        last, before = self.history.steps[-1], self.history.states[-2]
        return Phase(int(before.position["phase"][0])) == Phase.CROWN and self.state.actors != (last.seat,)

    # What is asked

    def _ask_to_go_on(self) -> None:
        self._tell_news()
        self._show_notice()
        going_on = "ends your turn"
        if self.state.is_over:
            going_on = f"ends the game ({self._winner()})"
        elif self.state.is_chance:
            going_on = "throws the dice"
        while True:
            line = ask(f"Enter {going_on}, undo takes your last action back: ")
            if not line:
                self.agreed = len(self.history.steps)
                return
            changed = self._command(line, None)
            if changed:
                return
            if changed is None:
                print(wrap(f"Please: Enter {going_on}, undo takes your last action back; help tells more."))

    def _winner(self) -> str:
        outcome = self.state.outcome
        assert outcome is not None, "asked at the end of the game alone"
        winners = " and ".join(SIDE_NAMES[side] for side in outcome.winners)
        return f"a draw of {winners}" if outcome.is_draw else f"{winners} wins"

    def _ask_for_action(self, seat: int) -> None:
        """Shows the table and asks until something has changed."""
        self._tell_news()
        self._board()
        print()
        name = self.seating.names[seat]
        if len(self.seating.people) > 1:
            print(f"{name} ({SIDE_NAMES[self.state.side(seat)]}), it is your turn.")
        self._show_notice()
        print(wrap(hint(self.state, seat)))
        while True:
            line = ask(f"{name}> ") or "list"
            changed = self._command(line, seat)
            if changed is None:
                changed = self._play_words(seat, line.replace(",", " ").split())
            if changed:
                return
            self._show_notice()

    def _play_words(self, seat: int, words: Sequence[str]) -> bool:
        """Plays the actions of a line up to the first illegal one; whether there was a legal one.

        If a word of the line means nothing, none is played.
        """
        listed = numbered(self.state, seat)  # numbers mean the list as it was when the line was typed
        try:
            actions = [self._meant(word, listed, seat) for word in words]
        except AachenError as error:
            self.notice = "Nothing was played. " * (len(words) > 1) + self._by_name(str(error))
            return False
        for place, action in enumerate(actions):
            try:
                if self.state.actors != (seat,):
                    raise IllegalAction("turn-over", "the rest must wait until you are asked again")
                self._do(action, seat)
            except AachenError as error:
                self.notice = self._by_name(str(error))
                if place:
                    self.notice = f"Not played: {clean(' '.join(words[place:]), 60)}. {self.notice}"
                return place > 0
        return True

    def _meant(self, word: str, listed: Sequence[Action], seat: int) -> Action:
        """The action that a word tells, by notation or by number. Raises BadNotation."""
        if word.startswith("#"):
            digits = word[1:]
            if digits.isascii() and digits.isdigit() and 1 <= int(digits[:9]) <= len(listed):
                return listed[int(digits[:9]) - 1]
            raise BadNotation(
                "no-number", "{word} is not in the list; it goes from #1 to #{last}",
                word=clean(word, 20), last=len(listed),
            )  # fmt: skip
        if word.isascii() and word.isdigit():
            raise BadNotation(
                "bare-number", "{word}: a number alone is not clear; write #{word} for the list, d3 for a disc, "
                "m3 for the Emperor", word=word[:9],
            )  # fmt: skip
        if word.lower() in COMMANDS:
            raise BadNotation("command", "{word} is a command; it stands alone on its line", word=word.lower())
        try:
            return Name(Clan(CLAN_LETTERS.index(word))) if self._is_bare_clan(word) else parse(word)
        except BadNotation:
            if re.fullmatch(r"[dm]\d+", word.lower(), re.ASCII):
                right = self._range(word[0].lower(), seat)
                raise BadNotation("no-such", "{word} does not exist; {right}", word=word[:9], right=right) from None
            raise BadNotation(
                "no-word", "{word!r} is no action (d3, rE, r@, m2, =r, all, #1) and no command; try list, hint or help",
                word=clean(word, 20),
            ) from None  # fmt: skip

    def _is_bare_clan(self, word: str) -> bool:
        """A clan's letter alone is clear where a clan is asked for."""
        phase = Phase(int(self.state.position["phase"][0]))
        return phase in (Phase.CROWN, Phase.JOKER, Phase.CHOOSE) and len(word) == 1 and word in CLAN_LETTERS

    def _range(self, letter: str, seat: int) -> str:
        """What discs or moves there are for the seat."""
        s = self.state.position[0]
        phase, disc = Phase(int(s["phase"])), int(s["disc"][seat])
        if phase == (Phase.DISC if letter == "d" else Phase.MOVE):
            return f"{self.seating.names[seat]} is to {asked(self.state.position, Seat(seat))}"
        if letter == "m" and phase == Phase.CUBE:
            return f"with disc {disc} the Emperor moves {one_of([f'm{n}' for n in range(1, disc + 1)])}"
        return "discs are d1 to d5" if letter == "d" else "moves are m1 to m5"

    def _by_name(self, sentence: str) -> str:
        """Rules speak of seats by number, and cite rules; people have names, and want to play."""
        names = self.seating.names
        said = without_rule(sentence)
        return re.sub(r"\bseat ([0-3])\b", lambda m: names[int(m[1])] if int(m[1]) < len(names) else m[0], said)

    # Commands

    def _command(self, line: str, seat: int | None) -> bool | None:
        """Carries out a command; whether the game has changed. None if the line is no command."""
        word, _, rest = line.partition(" ")
        name = SHORT.get(word.lower(), word.lower())
        if name not in COMMANDS:
            return None
        if rest.strip() and name not in ("save", "load") and (name, rest.strip().lower()) != ("help", "rules"):
            print(f"Please write {name} alone.")
            return False
        try:
            return self._carry_out(name, rest.strip(), seat)
        except OSError as error:
            print(wrap(f"That did not work: {os_reason(error)}"))
        except AachenError as error:
            print(wrap(self._by_name(clean(str(error)))))
        return False

    def _carry_out(self, name: str, rest: str, seat: int | None) -> bool:
        match name:
            case "help":
                print(rules_text(self.state) if rest else help_text())
            case "list":
                print(list_actions(self.state, seat) if seat is not None else "Enter, or undo.")
            case "board":
                self._board()
            case "forecast":
                print(forecast_table(self.state, seat))
            case "hint":
                print(self._advice(seat) if seat is not None else "Enter, or undo.")
            case "undo":
                self._undo(seat)
                return True
            case "save":
                self._save_as(rest)
            case "load":
                self._load(rest)
                return True
            case "quit":
                raise Leave
        return False

    def _advice(self, seat: int) -> str:
        """What the strongest bot would play, and why."""
        only, *more = self.state.legal_actions(seat)
        if not more:
            return f"Only one action is possible: {only}."
        if self.adviser is None:
            self.adviser = ThinkingBot(ADVISER)
            with compiling():
                self.adviser.analyse(self.state, Budget(positions=1))
        best, *others = self.adviser.analyse(self.state, HINT).thoughts
        side, next_best = SIDE_NAMES[self.state.side(seat)], others[0]
        chances = f"{best.chance:.1%} to win for {side}; next best is {next_best.action} with {next_best.chance:.1%}"
        why = f"Expected: {notation(best.line)}. {in_words(self.state, best.line, self.seating.names)}"
        return wrap(f"The {ADVISER} would play {best.action}: {chances}.") + "\n" + wrap(why)

    def _undo(self, seat: int | None) -> None:
        """Takes the last action back if a person did it; a bot's answer or the dice stay. Raises IllegalAction."""
        steps = self.history.steps
        last = steps[-1].seat if steps else None
        self.history.undo(seat if last is None or last in self.bots else last)
        self.told = min(self.told, len(self.history.steps))
        self.notice = f"Taken back: {steps[-1].action}."
        self._save()

    def _save_as(self, name: str) -> None:
        """Raises OSError or BadRecord."""
        if not name:
            self._save()
            print(wrap(f"The game is saved as {self.autosave.path}." if self.autosave.works else "It is not saved."))
            return
        path = named(_checked(name))
        if path.exists() and ask("It exists. Overwrite? [y/N] ").lower() not in ("y", "yes"):
            print("Not saved.")
            return
        write(path, self._text())
        print(wrap(f"Saved as {clean(name)}."))

    def _load(self, name: str) -> None:
        """Goes on with another game; the present one is kept. Raises OSError or BadRecord, and changes nothing."""
        if not name:
            raise BadRecord("no-file", "load needs a file's name: load FILE")
        record, history = read_game(_checked(name))
        seating = seating_of(record)
        if history.state.is_over:
            how = command(f"replay {shlex.quote(name)}")
            raise BadRecord("game-over", "this game is over; look at it with: {how}", how=how)
        news = f"Loaded {clean(name)}."
        if any(step.seat in self.seating.people for step in self.history.steps) and self.autosave.works:
            news += f" The game before it is kept as {keep_aside(self.autosave.path, 'unfinished')}."
        self._sit_down(history, seating)
        self.notice = news
        self._save()

    # What is told and kept

    def _tell_news(self) -> None:
        history = self.history
        for paragraph in story(history.states, history.steps, self.told, self.seating.names):
            print(wrap(paragraph))
        self.told = len(history.steps)

    def _show_notice(self) -> None:
        if self.notice:
            print(wrap(clean(self.notice)))
        self.notice = ""

    def _board(self) -> None:
        print("\n" + draw(self.state.position, colour=self.colour, names=self.seating.names, width=columns()))

    def _text(self) -> str:
        return str(self.history.record(self.seating.names, self.seating.tags))

    def _save(self) -> None:
        """A game of bots alone needs no autosave, and must not take the place of a person's."""
        if self.seating.people:
            self.autosave.save(self._text())

    def _farewell(self) -> str:
        if not self.seating.people or not self.autosave.works:
            return "The game is not saved."
        return wrap(f"The game is kept in {self.autosave.path}; `{command('play')}` goes on with it.")

    def _finish(self) -> None:
        self._tell_news()
        self._board()
        print()
        outcome = self.state.outcome
        assert outcome is not None, "only a finished game is told to its end"
        print(wrap(ending(self.state, outcome, self.seating.names)))
        kept = self.autosave.keep_finished(self._text())
        if kept:
            print(f"The record is {kept}")
            print(f"To look through it: {command(f'replay {shlex.quote(str(kept))}')}")
        if self.seating.people:
            self.autosave.forget()


def _checked(name: str) -> str:
    if not name.isprintable():
        raise BadRecord("bad-name", "{name} is no name for a file", name=clean(name, 60))
    return name
