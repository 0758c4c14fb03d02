"""A table's game as its log tells it: a fold over entries, and the commands that add to it. Knows no database.

A command either adds entries or raises Refused and leaves everything as it was before. The service gives commands to a
copy (`draft`), writes the entries that it added, and only then lets it take the place of the original.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from aachen.core import AachenError, History, Step
from aachen.core.fairness import FairDice, tags, tags_so_far
from aachen.core.record import Record, result_of
from aachen.core.state import State, known
from aachen.core.words import Seat
from aachen.server.entries import DAY, MINUTE, Entry, Kind, Layout, Pace, SeatKind

#: What a player who comes back to a live game has at least, in seconds.
FRESH_START = MINUTE


class Refused(AachenError):
    """The command cannot be carried out; nothing has changed."""


class Play:
    """A table: its seats, its game, its clocks."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.places = list(layout.places)
        kind = known(layout.game)
        game = kind.game
        first = kind(game.read(layout.start)) if layout.start else kind(game.start(layout.options))
        self.history: History[State[Any]] = History(first)
        self.version = 0
        self.status = "open"
        self.result = ""
        self.draws: list[int] = []  # the number of each chance action that still stands
        self.next_draw = 0  # never goes back
        self.asked: dict[int, float] = {}  # the seats that are asked now, each since when
        self.questions = [0] * first.seats  # how many questions each seat has been asked so far
        self.left = [layout.seconds] * first.seats  # on the clocks
        self.takeback: tuple[int, int, frozenset[int]] | None = None  # who asks, to which step, who has granted it
        self.confirming: int | None = None  # the seat whose last word is awaited
        self.times: list[float] = []  # of each step
        self.rewinds = 0  # undos and takebacks so far
        self.refs: dict[tuple[str, str], int] = {}  # the last messages, by player and name
        self.restored = False  # it went on from a checkpoint because the rules play otherwise now
        self.new: list[Entry] = []
        self._dice: FairDice | None = None

    def draft(self) -> "Play":
        """A copy to try a command on."""
        copy: Play = Play.__new__(Play)
        copy.__dict__.update(self.__dict__)
        for name in ("places", "draws", "questions", "left", "times"):
            setattr(copy, name, list(getattr(self, name)))
        copy.history = self.history.copy()
        copy.asked, copy.refs, copy.new = dict(self.asked), dict(self.refs), []
        return copy

    @classmethod
    def of(cls, layout: Layout, entries: Iterable[Entry]) -> "Play":
        """The table as its log tells it."""
        play = cls(layout)
        play.follow(entries)
        return play

    def follow(self, entries: Iterable[Entry]) -> None:
        """Adds entries that were written elsewhere."""
        for entry in entries:
            self._fold_or_restore(entry)

    # What it looks like

    @property
    def state(self) -> State[Any]:
        return self.history.state

    @property
    def dice(self) -> FairDice:
        if self._dice is None:
            people = ((seat, place.nonce) for seat, place in enumerate(self.places) if place.nonce)
            self._dice = FairDice(self.layout.seed, self.layout.id, tuple(people))
        return self._dice

    @property
    def is_live(self) -> bool:
        return self.status == "playing"

    @property
    def has_ended(self) -> bool:
        return self.status in ("over", "abandoned")

    def seat_of(self, player: str) -> int | None:
        """The seat of this person, also while a bot plays on there."""
        return next((seat for seat, place in enumerate(self.places) if player and place.player == player), None)

    def waiting_for(self) -> list[int]:
        """The seats of people that are asked now."""
        return [seat for seat in self.asked if self.places[seat].is_person]

    def bots_to_act(self) -> list[int]:
        """The seats where a bot is asked now."""
        return [seat for seat in self.asked if self.places[seat].bot]

    def deadline(self, seat: int) -> float | None:
        """When the time of this seat runs out; None if it has no such time."""
        if not self.is_live or seat not in self.asked or not self.places[seat].is_person:
            return None
        if self.layout.pace == Pace.LIVE:
            return self.asked[seat] + self.left[seat]
        return self.asked[seat] + self.layout.days * DAY if self.layout.pace == Pace.DAYS else None

    def due(self) -> float | None:
        """When the server has to do something here: 0 for at once, None for not before a person does."""
        if not self.is_live:
            return None
        if self.bots_to_act() or (self.confirming is None and not self.asked):
            return 0.0
        deadlines = [time for seat in self.asked if (time := self.deadline(seat)) is not None]
        return min(deadlines, default=None)

    def record(self) -> Record:
        """The game so far, with what is needed to check its dice; the seed only when the table has ended."""
        names = [place.name or f"Seat {seat}" for seat, place in enumerate(self.places)]
        fair = (tags if self.has_ended else tags_so_far)(self.dice, self.draws)
        more = {"Table": self.layout.id} | ({"ForkOf": self.layout.forked_from} if self.layout.forked_from else {})
        return self.history.record(names, more | fair)

    # Commands: sitting down

    def sit(self, now: float, player: str, name: str, seat: int, nonce: str, by_invitation: bool = False) -> None:
        """A person takes a seat; with the last one the game starts."""
        if self.status != "open":
            raise Refused("not-open", "the game has begun; a free seat cannot be had any more")
        if not 0 <= seat < len(self.places):
            raise Refused("no-seat", "there is no seat {seat}; the seats are 0 to {last}",
                          seat=seat, last=len(self.places) - 1)  # fmt: skip
        place = self.places[seat]
        if place.is_taken:
            raise Refused("seat-taken", "seat {seat} is taken", seat=seat)
        if self.seat_of(player) is not None:
            raise Refused("sits-already", "you sit at this table already")
        invited = by_invitation or player == place.kept_for
        allowed = {SeatKind.OPEN: True, SeatKind.OWNER: player == self.layout.owner, SeatKind.INVITED: invited}
        if not allowed[place.kind]:
            raise Refused("seat-kept", "seat {seat} is kept for somebody else", seat=seat)
        names = {other.name.casefold() for other in self.places if other.player}
        if name.casefold() in names:
            raise Refused("name-taken", "somebody at this table is called {name} already", name=name)
        self._add(Kind.SIT, now, seat, player=player, facts={"name": name, "nonce": nonce})
        if all(place.is_taken for place in self.places):
            self._add(Kind.START, now)
            self.go_on(now)

    def leave(self, now: float, player: str) -> None:
        """Before the game the seat is free again; later a bot plays on. With nobody left the table is abandoned."""
        seat = self._own_seat(player)
        if self.status == "open":
            self._add(Kind.STAND_UP, now, seat, player=player)
            if player == self.layout.owner:
                self._add(Kind.ABANDON, now)
            return
        if not self.is_live:
            raise Refused("over", "the game is over")
        self._add(Kind.LEAVE, now, seat, player=player)
        if not any(place.player and not place.left for place in self.places):
            self._add(Kind.ABANDON, now)
        else:
            self.settle(now)

    # Commands: playing

    def act(self, now: float, player: str, question: int, text: str, ref: str = "", *, at_once: bool = False) -> None:
        """A person acts. `at_once` confirms the end of a turn without being asked."""
        seat = self._asked_seat(player, question)
        if self.confirming is not None:
            raise Refused("confirm-first", "confirm the turn, or take an action of it back")
        self._act(now, seat, text, player, ref)
        if at_once and self.confirming == seat:
            self._add(Kind.CONFIRM, now, seat, player=player)
        self.go_on(now)

    def confirm(self, now: float, player: str, question: int, ref: str = "") -> None:
        """The last word at the end of a turn: now the dice are thrown, or the game ends."""
        seat = self._asked_seat(player, question)
        if self.confirming != seat:
            raise Refused("nothing-to-confirm", "there is nothing to confirm; an action is asked for")
        self._add(Kind.CONFIRM, now, seat, player=player, ref=ref)
        self.go_on(now)

    def undo(self, now: float, player: str, ref: str = "") -> None:
        """Takes the last action back, free until chance has acted or another seat has."""
        seat = self._own_seat(player)
        if not self.is_live:
            raise Refused("over", "the game is not being played")
        if not self.history.can_undo(seat):
            raise Refused("no-undo", "nothing can be taken back any more; ask the others for a takeback")
        self._add(Kind.UNDO, now, seat, player=player, ref=ref)

    def bot_acts(self, now: float, seat: int, question: int, text: str) -> None:
        """The bot at this seat acts. Raises Refused if it is too late."""
        if seat not in self.asked or not self.places[seat].bot or self.questions[seat] != question:
            raise Refused("stale", "that decision is gone")
        self._act(now, seat, text)
        self.go_on(now)

    # Commands: takebacks

    def ask_takeback(self, now: float, player: str, step: int, ref: str = "") -> None:
        """Asks everybody to go back to where this many steps (as the player sees them) had been played."""
        seat = self._own_seat(player)
        if not self.is_live:
            raise Refused("over", "the game is not being played")
        seen = self.seen_steps(seat)
        if not 0 <= step < len(seen):
            raise Refused("no-step", "the game can go back to steps 0 to {last}", last=len(seen) - 1)
        self._add(Kind.ASK, now, seat, str(seen[step][0]), player=player, ref=ref)
        self._grant_if_all(now)

    def answer_takeback(self, now: float, player: str, grant: bool, ref: str = "") -> None:
        seat = self._own_seat(player)
        if self.takeback is None or self.takeback[0] == seat:
            raise Refused("no-takeback", "nobody else asks for a takeback")
        self._add(Kind.GRANT if grant else Kind.REFUSE, now, seat, player=player, ref=ref)
        self._grant_if_all(now)

    def _grant_if_all(self, now: float) -> None:
        if self.takeback is None:
            return
        asks, step, granted = self.takeback
        people = {seat for seat, place in enumerate(self.places) if place.is_person}
        if people <= granted | {asks}:
            self._add(Kind.TAKEBACK, now, None, str(step))
            self.go_on(now)

    # Commands: being away

    def expire(self, now: float) -> None:
        """Bots take over where time has run out."""
        for seat in list(self.asked):
            deadline = self.deadline(seat)
            if deadline is not None and deadline <= now:
                self._add(Kind.STAND_IN, now, seat)
        self.settle(now)

    def replace_absent(self, now: float, seat: int) -> None:
        """A bot takes over for a person who is away; whether they are is for the caller to know."""
        if not self.is_live or not 0 <= seat < len(self.places) or not self.places[seat].is_person:
            raise Refused("no-stand-in", "nobody needs a stand-in there")
        self._add(Kind.STAND_IN, now, seat)
        self.settle(now)

    def come_back(self, now: float, player: str) -> None:
        """A person takes the seat over from the bot."""
        seat = self._own_seat(player)
        if not self.is_live or not self.places[seat].away:
            raise Refused("not-away", "no bot plays for you")
        self._add(Kind.BACK, now, seat, player=player)

    def settle(self, now: float) -> None:
        """After somebody went away: their last word and their consent are not waited for."""
        if self.confirming is not None and not self.places[self.confirming].is_person:
            self._add(Kind.CONFIRM, now, self.confirming)
        self._grant_if_all(now)
        self.go_on(now)

    def go_on(self, now: float) -> None:
        """Lets chance act while it is its turn, and ends the table when the game is over."""
        while self.is_live and self.confirming is None and self.state.is_chance:
            action = self.dice.draw(self.next_draw, self.state)
            after = self.state.apply(action)
            check = "" if after.is_chance else after.text
            self._add(Kind.CHANCE, now, None, str(action), draw=self.next_draw, check=check)
        if self.is_live and self.confirming is None and self.state.is_over:
            self._add(Kind.OVER, now, None, result_of(self.state))

    # Helpers of the commands

    def _own_seat(self, player: str) -> int:
        seat = self.seat_of(player)
        if seat is None or self.places[seat].left:
            raise Refused("not-seated", "you have no seat at this table")
        return seat

    def _asked_seat(self, player: str, question: int) -> int:
        seat = self._own_seat(player)
        if not self.is_live:
            raise Refused("over", "the game is not being played")
        if self.places[seat].away:
            raise Refused("away", "a bot plays for you; take your seat back first")
        if self.questions[seat] != question or seat not in self.asked:
            raise Refused("stale", "that decision is gone")
        return seat

    def _act(self, now: float, seat: int, text: str, player: str = "", ref: str = "") -> None:
        self.state.apply(text, seat)
        self._add(Kind.ACT, now, seat, text, player=player, ref=ref)

    def _add(
        self, kind: Kind, now: float, seat: int | None = None, text: str = "", *, draw: int | None = None,
        player: str = "", ref: str = "", check: str = "", facts: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        entry = Entry(self.version + 1, kind, now, seat, text, draw, player, ref, check, dict(facts or {}))
        self._fold(entry)
        self.new.append(entry)

    # The fold

    def _fold_or_restore(self, entry: Entry) -> None:
        """Folds an entry of the log. If the rules play otherwise than when it was written, its checkpoint counts."""
        try:
            self._fold(entry)
        except AachenError:
            if not entry.check:
                self.version = entry.version  # told by the next checkpoint
                return
        if entry.check and self.state.text != entry.check:
            kind = type(self.state)
            self.history = History(kind(kind.game.read(entry.check)))
            self.draws, self.times, self.restored = [], [], True
            self._ask(entry)

    def _fold(self, entry: Entry) -> None:
        match entry.kind:
            case Kind.ACT:
                self._step(entry)
                alone = len(self.history.states[-2].actors) == 1
                ends = self.state.is_chance or self.state.is_over
                self.confirming = entry.seat if entry.player and alone and ends else None
            case Kind.CHANCE:
                self._step(entry)
                assert entry.draw is not None
                self.draws.append(entry.draw)
                self.next_draw = entry.draw + 1
            case Kind.CONFIRM:
                self.confirming = None
            case Kind.UNDO:
                self.history.undo(entry.seat)
                del self.times[len(self.history.steps) :]
                self.confirming, self.rewinds = None, self.rewinds + 1
            case Kind.TAKEBACK:
                self._take_back(int(entry.text))
            case Kind.ASK:
                assert entry.seat is not None
                self.takeback = entry.seat, int(entry.text), frozenset()
            case Kind.GRANT if self.takeback:
                asks, step, granted = self.takeback
                self.takeback = asks, step, granted | {entry.seat or 0}
            case Kind.REFUSE:
                self.takeback = None
            case Kind.START:
                self.status = "playing"
            case Kind.OVER:
                self.status, self.result = "over", entry.text
            case Kind.ABANDON:
                self.status = "abandoned"
            case _:
                self._fold_seat(entry)
        if entry.kind in (Kind.ACT, Kind.CHANCE, Kind.UNDO):
            self.takeback = None
        self.version = entry.version
        if entry.ref:
            self.refs[entry.player, entry.ref] = entry.version
            if len(self.refs) > 200:
                del self.refs[next(iter(self.refs))]
        self._ask(entry)

    def _fold_seat(self, entry: Entry) -> None:
        assert entry.seat is not None
        place = self.places[entry.seat]
        match entry.kind:
            case Kind.SIT:
                place = place.with_(player=entry.player, name=entry.facts["name"], nonce=entry.facts["nonce"])
            case Kind.STAND_UP:
                place = place.with_(player="", name="", nonce="")
            case Kind.STAND_IN:
                place = place.with_(away=True)
            case Kind.LEAVE:
                place = place.with_(away=True, left=True)
            case Kind.BACK:
                place = place.with_(away=False)
                self.left[entry.seat] = max(self.left[entry.seat], FRESH_START)
                self.asked.pop(entry.seat, None)  # asked anew
        self.places[entry.seat] = place
        self._dice = None

    def _step(self, entry: Entry) -> None:
        self.history.play(entry.text, entry.seat)
        self.times.append(entry.at)

    def _take_back(self, step: int) -> None:
        self.history.back_to(step)
        del self.times[step:]
        chances = sum(done.seat is None for done in self.history.steps)
        del self.draws[chances:]
        self.confirming, self.takeback, self.rewinds = None, None, self.rewinds + 1

    def _ask(self, entry: Entry) -> None:
        """Keeps up who is asked, since when, and the clocks of those who are no longer."""
        if not self.is_live:
            self.asked = {}
            return
        now_asked = {self.confirming} if self.confirming is not None else set(map(int, self.state.actors))
        again = entry.seat if entry.kind in (Kind.ACT, Kind.UNDO, Kind.CONFIRM) else None
        for seat in list(self.asked):
            if seat not in now_asked:
                since = self.asked.pop(seat)
                if self.layout.pace == Pace.LIVE and self.places[seat].is_person:
                    self.left[seat] = max(0.0, self.left[seat] - (entry.at - since)) + self.layout.increment
        for seat in now_asked:
            if seat not in self.asked:
                self.asked[seat] = entry.at
                self.questions[seat] += 1
            elif seat == again or entry.kind == Kind.TAKEBACK:
                self.questions[seat] += 1

    # What a viewer may know

    def seen_steps(self, viewer: int | None) -> list[tuple[int, Step]]:
        """The steps that this seat may know (None: a spectator), each with its number in the whole game."""
        states, steps = self.history.states, self.history.steps
        seat = None if viewer is None else Seat(viewer)
        seen = []
        for number, step in enumerate(steps):
            before = states[number]
            action = before.game.seen(before.position, step.seat, step.action, seat) if self.hides else step.action
            if action is not None:
                seen.append((number, Step(step.seat, action)))
        return seen

    def steps_from(self, first: int) -> list[tuple[int, Step]]:
        """The steps from this one on, with their numbers; for games where nothing is hidden."""
        return list(enumerate(self.history.steps_from(first), first))

    @property
    def hides(self) -> bool:
        """Whether the game has secrets that must still be kept."""
        return self.state.game.has_secrets and self.status in ("open", "playing")


def facts_text(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, sort_keys=True) if facts else ""
