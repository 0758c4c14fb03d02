"""The rules of Relics, in the order of play, and the doors to them."""

from aachen.core.kernel import Rules, compiled, whole
from aachen.core.schema import Array
from tiny import actions as codes
from tiny.position import CARDS, NOBODY, Data, Phase, Position

DEAL, BID, OPEN, CLAIM = int(Phase.DEAL), int(Phase.BID), int(Phase.OPEN), int(Phase.CLAIM)
ANSWER, PAY, SHOW, OVER = int(Phase.ANSWER), int(Phase.PAY), int(Phase.SHOW), int(Phase.OVER)


@compiled
def in_deck(s: Position, card: int) -> bool:
    for seat in range(s.seats):
        if s.card[seat] == card:
            return False
    return (whole(s.shown) >> (card - 1)) & 1 == 0


@compiled
def deal(s: Position, card: int) -> None:
    s.card[s.turn] = card
    s.turn = (s.turn + 1) % s.seats
    if s.turn == 0:
        s.phase = BID


@compiled
def bid(s: Position, seat: int, action: int) -> None:
    """A bid is made of small actions, ended by `done`. Nobody notices, until all are ready."""
    if action == codes.COIN:
        s.bid[seat] += 1
        return
    s.ready[seat] = 1
    if s.ready.sum() == s.seats:
        s.phase = OPEN


@compiled
def open_fists(s: Position) -> None:
    for seat in range(s.seats):
        s.ready[seat] = 0
        if s.bid[seat] > s.bid[s.turn]:
            s.turn = seat
    s.phase = CLAIM


@compiled
def answer(s: Position, seat: int, action: int) -> None:
    """Whatever the answer, the interrupted turn goes on."""
    if action == codes.OBJECT:
        s.coins[seat] -= 1
        s.bid[s.turn] += 1
    s.phase = PAY


@compiled
def show_cards(s: Position, d: Data) -> None:
    """The relic is worth what the cards bring together; then the next round, or the end."""
    for seat in range(s.seats):
        if s.turn != NOBODY:
            s.relics[s.turn] += d.worth[whole(s.card[seat]) - 1]
        s.shown |= 1 << (whole(s.card[seat]) - 1)
        s.card[seat] = 0
        s.bid[seat] = 0
    s.turn = 0
    s.phase = DEAL if s.round_number < s.rounds else OVER
    s.round_number += s.phase == DEAL


@compiled
def actors(s: Position, d: Data) -> int:
    if s.phase == BID:
        asked = 0
        for seat in range(s.seats):
            asked |= (1 - whole(s.ready[seat])) << seat
        return asked
    if s.phase == ANSWER:
        return 1 << (whole(s.turn) + 1) % whole(s.seats)
    if s.phase == CLAIM or s.phase == PAY:
        return 1 << whole(s.turn)
    return 0


@compiled
def legal(s: Position, d: Data, seat: int, out: Array) -> int:
    """In every phase one action is always possible, and stands last; the other must be affordable."""
    if s.phase == BID:
        out[0] = codes.COIN
        n = int(s.bid[seat] < s.coins[seat])
        out[n] = codes.DONE
    elif s.phase == ANSWER:
        out[0] = codes.OBJECT
        n = int(s.coins[seat] > 0)
        out[n] = codes.PASS
    else:
        out[0] = codes.CLAIM if s.phase == CLAIM else codes.PAY
        n = int(s.bid[seat] <= s.coins[seat])
        out[n] = codes.LEAVE
    return n + 1


@compiled
def chance(s: Position, d: Data, out: Array, weights: Array) -> int:
    """The deal; and what reveals a secret: a single outcome, but chance's, because nothing is taken back behind it."""
    n = 0
    if s.phase == DEAL:
        for card in range(1, CARDS + 1):
            out[n] = codes.DEAL + card
            weights[n] = 1
            n += in_deck(s, card)
    elif s.phase == OPEN or s.phase == SHOW:
        out[n] = codes.OPEN if s.phase == OPEN else codes.SHOW
        weights[n] = 1
        n = 1
    return n


@compiled
def apply(s: Position, d: Data, seat: int, action: int) -> None:
    if s.phase == BID:
        bid(s, seat, action)
    elif action == codes.CLAIM:
        s.phase = ANSWER
    elif s.phase == ANSWER:
        answer(s, seat, action)
    elif action == codes.PAY:
        s.coins[seat] -= s.bid[seat]
        s.phase = SHOW
    elif action == codes.LEAVE:
        s.turn = NOBODY
        s.phase = SHOW
    elif action == codes.OPEN:
        open_fists(s)
    elif action == codes.SHOW:
        show_cards(s, d)
    else:
        deal(s, action - codes.DEAL)


@compiled
def winners(s: Position, d: Data) -> int:
    most, won = -1, 0
    for seat in range(s.seats if s.phase == OVER else 0):
        score = whole(s.relics[seat]) + whole(s.coins[seat])
        if score > most:
            most, won = score, 0
        if score == most:
            won |= 1 << seat
    return won


RULES = Rules(actors, legal, chance, apply, winners, with_data=True)
