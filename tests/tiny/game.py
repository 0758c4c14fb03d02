"""Relics for `aachen.core`: options, outcome, text, and who may know what."""

from collections.abc import Mapping
from typing import Any

from aachen.core import kernel
from aachen.core.errors import AachenError, BadPosition
from aachen.core.game import Game, check_options
from aachen.core.kernel import at
from aachen.core.schema import Positions, copy_of, room_for
from aachen.core.state import State as CoreState
from aachen.core.state import register
from aachen.core.words import Outcome, Seat, Side
from tiny.actions import ACTIONS, Action, parse
from tiny.position import COINS, DATA, HIDDEN, RECORD, ROUNDS, SEATS, Phase, Position
from tiny.rules import RULES

OPTIONS = {"seats": range(2, SEATS + 1), "rounds": range(1, ROUNDS + 1)}
FIELDS = tuple(Position.__annotations__)


class Relics(Game[Action]):
    name = "relics"
    rules_version = "1"
    has_secrets = True
    record = RECORD
    rules = RULES
    data = DATA
    action_type = Action
    actions = ACTIONS

    def start(self, options: Mapping[str, object]) -> Positions:
        check_options(options, OPTIONS)
        full: dict[str, Any] = {"seats": 3, "rounds": 2, **options}
        position = room_for(RECORD)
        s = at(position, 0)
        s.seats, s.rounds, s.round_number = full["seats"], full["rounds"], 1
        s.coins[: s.seats] = COINS
        return position

    def options(self, position: Positions) -> dict[str, object]:
        return {name: int(position[name][0]) for name in OPTIONS}

    def seats(self, position: Positions) -> int:
        return int(position["seats"][0])

    def outcome(self, position: Positions) -> Outcome:
        s, won = at(position, 0), kernel.winners_of(position, self.data)
        scores = tuple(int(s.relics[seat]) + int(s.coins[seat]) for seat in range(s.seats))
        return Outcome(tuple(Side(seat) for seat in range(s.seats) if won >> seat & 1), "rounds", scores)

    # Secrets

    def view(self, position: Positions, seat: Seat | None) -> Positions:
        """The cards of others are hidden, and their bids as long as the fists are closed."""
        view = copy_of(position)
        s = at(view, 0)
        closed = s.phase in (Phase.BID, Phase.OPEN)
        if closed:
            s.phase = Phase.BID  # that all are ready tells when the others were
        for other in range(s.seats):
            if other != seat:
                s.card[other] = HIDDEN if s.card[other] else 0
                if closed:
                    s.bid[other], s.ready[other] = HIDDEN, 0
        return view

    def seen(self, position: Positions, actor: Seat | None, action: Action, seat: Seat | None) -> Action | None:
        """Nobody notices a sealed action of another; of a deal only the seat that gets the card sees which it is."""
        s = at(position, 0)
        if s.phase == Phase.DEAL and seat != s.turn:
            return Action("deal:?")
        return None if s.phase == Phase.BID and seat != actor else action

    # Text

    def parse(self, text: str) -> Action:
        return parse(text)

    def write(self, position: Positions) -> str:
        """`relics seats=2 rounds=1 ... coins=5,5,0 ...`: every field by its name; `?` is what a view hides."""
        s = at(position, 0)
        return f"relics {' '.join(f'{name}={self._write_field(s, name)}' for name in FIELDS)}"

    def _write_field(self, s: Any, name: str) -> str:
        numbers = [int(number) for number in s[name].reshape(-1)]
        return ",".join("?" if number == HIDDEN and name in ("card", "bid") else str(number) for number in numbers)

    def read(self, text: str) -> Positions:
        """Views read back too. A real game would check here what holds in every position."""
        position = room_for(RECORD)
        try:
            for name, word in zip(FIELDS, text.removeprefix("relics ").split(), strict=True):
                told, numbers = word.replace("?", str(HIDDEN)).split("=")
                if told != name:
                    raise ValueError(f"{name} is to come, not {told}")
                position[name].reshape(-1)[:] = [int(number) for number in numbers.split(",")]
            check_options(self.options(position), OPTIONS)
        except (AachenError, ValueError, OverflowError) as error:
            raise BadPosition("not-a-position", "{text!r} is no position: {why}", text=text, why=error) from error
        return position

    def draw(self, position: Positions) -> str:
        return self.write(position).replace(" ", "\n")


GAME = Relics()


class State(CoreState[Action]):
    """A state of Relics."""

    __slots__ = ()
    game = GAME


register(State)


def table(seats: int = 3, rounds: int = 2) -> State:
    """The table before the deal: chance is to act. Raises BadOptions."""
    return State(GAME.start({"seats": seats, "rounds": rounds}))


def read(text: str) -> State:
    """The state whose `text` this is. Raises BadPosition."""
    return State(GAME.read(text))
