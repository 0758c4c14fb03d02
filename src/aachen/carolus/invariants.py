"""What holds in every position of the game. A position that is read is checked here, rule by rule."""

from collections.abc import Callable

from aachen.carolus.position import Position
from aachen.carolus.words import (
    ALL_DISCS,
    CLAN_LETTERS,
    CLANS,
    DEALT_A_CLAN,
    DISCS,
    LEAST_REGIONS,
    NOBODY,
    TILE_LETTERS,
    TILES,
    Clan,
    Phase,
    cubes_at,
    reserve_at,
    sides_at,
)  # fmt: skip
from aachen.core.errors import BadPosition
from aachen.core.kernel import at
from aachen.core.schema import Positions


def check(position: Positions) -> None:
    """Raises BadPosition with the first invariant that is broken."""
    s = at(position, 0)
    for rule in _RULES:
        rule(s)


def _refuse(code: str, sentence: str, **params: object) -> None:
    raise BadPosition(code, sentence, **params)


def _deal(s: Position) -> None:
    """C1. During the deal the first tiles have one cube each, at most three of a clan; later no supply is untouched."""
    if s.phase == Phase.DEAL:
        if not 1 <= s.due <= TILES:
            _refuse("bad-deal", "deal:{due} must be 1 to 15 tiles", due=int(s.due))
        dealt = TILES - int(s.due)
        for tile in range(TILES):
            if s.cubes[tile].sum() != (tile < dealt):
                _refuse("bad-deal", "{due} tiles are to be dealt, so tiles up to {last} have one cube each",
                        due=int(s.due), last=dealt)  # fmt: skip
    elif s.phase < Phase.DISC and s.round_number == 0:
        for tile in range(TILES):
            if s.cubes[tile].sum() != 1:
                _refuse("bad-deal", "in the set-up tile {tile} has just one cube", tile=TILE_LETTERS[tile])
    if s.round_number == 0:
        for clan in range(CLANS):
            dealt = int(s.cubes[:, clan].sum())
            if dealt > DEALT_A_CLAN:
                _refuse("bad-deal", "{clan}: {dealt} are dealt; 3 of a clan are",
                        clan=CLAN_LETTERS[clan], dealt=dealt)  # fmt: skip


def _set_up(s: Position) -> None:
    """Before the first round nothing has been played."""
    setting_up = s.phase in (Phase.DEAL, Phase.EMPEROR, Phase.LOT, Phase.FILL)
    if (setting_up and s.round_number != 0) or (s.phase >= Phase.DISC and s.round_number == 0):
        _refuse("bad-round", "rounds count from 1; the set-up is round 0, not {phase} in round {round}",
                phase=Phase(s.phase).name.lower(), round=int(s.round_number))  # fmt: skip
    if s.round_number == 0 and (s.court.any() or s.castles.any() or s.disc.any() or count_heads(s) != TILES):
        _refuse("bad-set-up", "in the set-up there are no cubes at court, castles, played discs or merged regions")
    if s.phase <= Phase.LOT and (s.reserve.any() or s.jokers.any()):
        _refuse("bad-set-up", "before the lot no seat has a reserve")
    if s.phase > Phase.EMPEROR and s.emperor == NOBODY:
        _refuse("no-emperor", "the Emperor is missing: put ! behind his region")
    if s.phase <= Phase.EMPEROR and s.emperor != NOBODY:
        _refuse("early-emperor", "the Emperor is not on the table before emperor:X was drawn")
    if s.round_number == 0 and s.phase > Phase.LOT:
        _first_reserves(s)
    if s.round_number > s.round_limit:
        _refuse("late-round", "round {round} is beyond the limit of {right}",
                round=int(s.round_number), right=int(s.round_limit))  # fmt: skip


def _first_reserves(s: Position) -> None:
    """C3. One seat after the other."""
    full = reserve_at(s.players)
    for place in range(s.players):
        seat = int(s.order[place])
        held = int(s.reserve[seat].sum() + s.jokers[seat])
        if place != s.turn and held != (full if place < s.turn else 0):
            _refuse("bad-fill", "in the set-up one seat after the other fills its reserve, so seat {seat} has {right} "
                    "cubes, not {held} (C3)", seat=seat, right=full if place < s.turn else 0, held=held)  # fmt: skip


def count_heads(s: Position) -> int:
    return int((s.tiles > 0).sum())


def _regions(s: Position) -> None:
    """C14, C23."""
    heads = [tile for tile in range(TILES) if s.tiles[tile]]
    over = s.phase == Phase.OVER
    if len(heads) < LEAST_REGIONS and not over:
        _refuse("few-regions", "with {number} regions the game is over (C23)", number=len(heads))
    for tile in heads:
        if s.castles[tile] and s.holder[tile] >= sides_at(s.players):
            _refuse("no-such-side", "region {tile}: castles of a side that does not play", tile=TILE_LETTERS[tile])
        if s.tiles[tile] > 1 and not s.castles[tile]:
            _refuse("merged-empty", "region {tile} is merged, so it has castles (C14)", tile=TILE_LETTERS[tile])
        if s.castles[tile] != s.tiles[tile] and s.castles[tile] and not _last_built(s, int(s.holder[tile])):
            _refuse("castles-of-region", "region {tile} of {tiles} tiles has {castles} castles, not one a tile",
                    tile=TILE_LETTERS[tile], tiles=int(s.tiles[tile]), castles=int(s.castles[tile]))  # fmt: skip
    if over and not s.stock[: sides_at(s.players)].all():
        return
    for tile, after in zip(heads, heads[1:] + heads[:1], strict=True):
        if tile != after and s.castles[tile] and s.holder[tile] == s.holder[after]:
            _refuse("unmerged", "regions {tile} and {after} are neighbours of one side: they would have merged (C14)",
                    tile=TILE_LETTERS[tile], after=TILE_LETTERS[after])  # fmt: skip


def _last_built(s: Position, side: int) -> bool:
    return bool(s.stock[side] == 0)


def _castles(s: Position) -> None:
    """C22."""
    for side in range(sides_at(s.players)):
        if s.stock[side] == 0 and s.phase != Phase.OVER:
            _refuse("already-won", "side {side} has all its castles in play: the game is over (C22)", side=side)


def _markers(s: Position) -> None:
    """C9."""
    for clan in Clan:
        counts = [int(s.court[seat, clan]) for seat in range(s.players)]
        holder = int(s.marker[clan])
        if holder == NOBODY and any(counts):
            _refuse("free-marker", "somebody has {clan} cubes at court, so somebody has the marker (C9)",
                    clan=clan.letter)  # fmt: skip
        if holder != NOBODY and counts[holder] < max(counts):
            _refuse("wrong-marker",
                    "seat {seat} has the {clan} marker with {number} cubes at court, another has {most} (C9)",
                    seat=holder, clan=clan.letter, number=counts[holder], most=max(counts))  # fmt: skip
        if holder != NOBODY and s.round_number == 0:
            _refuse("early-marker", "in the set-up nobody has a marker")


def _reserves(s: Position) -> None:
    """C3, C8, C16, C25."""
    full, a_turn = reserve_at(s.players), cubes_at(s.players)
    asked = int(s.order[s.turn])
    for seat in range(s.players):
        held = int(s.reserve[seat].sum() + s.jokers[seat])
        most = full
        if seat == asked:
            if s.phase == Phase.CUBE:
                most = full - a_turn + int(s.due)
            elif s.phase in (Phase.MOVE, Phase.CHOOSE):
                most = full - a_turn
            elif s.phase in (Phase.THROW, Phase.FILL, Phase.CROWN):
                most = full - int(s.due)
        if held > most:
            _refuse("full-reserve", "seat {seat} has {held} cubes in reserve; now it can have {most}",
                    seat=seat, held=held, most=most)  # fmt: skip
        if s.jokers[seat] and not s.deferred:
            _refuse("no-jokers", "there are jokers only with crowns = deferred (C25)")
    if s.jokers[asked] and s.phase in (Phase.CUBE, Phase.MOVE, Phase.CHOOSE, Phase.THROW):
        _refuse("jokers-first", "seat {seat} names its jokers before it plays cubes (C25)", seat=asked)


def _discs(s: Position) -> None:
    """C5 to C7."""
    if s.round_number == 0:
        if (s.unused[: s.players] != ALL_DISCS).any():
            _refuse("bad-discs", "in the set-up every seat has its 5 discs")
        return
    if s.phase == Phase.OVER and not s.disc.any():
        return  # the round is over: discs may be back already
    opening = s.phase == Phase.DISC
    for place in range(s.players):
        seat = int(s.order[place])
        played = int(s.disc[seat])
        if bool(played) != (not opening or place < s.turn):
            wrong = "has not played its disc yet" if played else "must have played a disc"
            _refuse("bad-disc", "seat {seat} " + wrong, seat=seat)
        if played and s.unused[seat] >> played - 1 & 1:
            _refuse("disc-twice", "seat {seat}: disc {disc} is both played and unused", seat=seat, disc=played)
        left = DISCS - (int(s.round_number) - 1) % DISCS - bool(played)
        if int(s.unused[seat]).bit_count() != left:
            _refuse("bad-discs", "seat {seat} has {number} unused discs; in round {round} it has {right}",
                    seat=seat, number=int(s.unused[seat]).bit_count(), round=int(s.round_number),
                    right=left)  # fmt: skip
    discs = [int(s.disc[s.order[place]]) for place in range(s.players)]
    if not opening and discs != sorted(discs):
        _refuse("bad-order", "turns go by disc, low to high (C6), not {discs}", discs=discs)


def _phase(s: Position) -> None:
    """What is still to come must be possible."""
    seat = int(s.order[s.turn])
    a_turn = cubes_at(s.players)
    if s.phase == Phase.OVER:
        if s.turn and not s.disc.any():
            _refuse("bad-end", "a game that ended with a round has > before the first seat")
        ended = not s.stock[: sides_at(s.players)].all() or count_heads(s) < LEAST_REGIONS
        spent = not s.disc.any() and (s.round_number == s.round_limit or not (s.reserve.any() or s.jokers.any()))
        if not ended and not spent:
            _refuse("not-over", "the game is not over: no side has all its castles in play, there are at least 4 "
                    "regions, cubes in reserve and rounds to come")  # fmt: skip
    if s.phase == Phase.DISC and not (s.reserve.any() or s.jokers.any()):
        _refuse("is-over", "no seat has a cube in reserve: the game is over (C21)")
    if s.phase in (Phase.CROWN, Phase.JOKER, Phase.CHOOSE) and not _can_take(s):
        _refuse("none-to-take", "no cube of any clan can be taken, so none is asked for (C20)")
    if s.phase == Phase.JOKER and not (s.deferred and s.jokers[seat]):
        _refuse("no-joker", "seat {seat} has no joker to name", seat=seat)
    if s.phase == Phase.CHOOSE and not s.choose_one:
        _refuse("no-choice", "a die can be chosen only with dice = choose-one (C24)")
    if s.phase == Phase.CROWN and s.deferred:
        _refuse("no-crown", "with crowns = deferred no crown is named after a throw (C25)")
    least = {Phase.THROW: a_turn - int(s.choose_one)}.get(Phase(s.phase), 1)
    most = {Phase.THROW: a_turn, Phase.FILL: 3, Phase.CROWN: a_turn if s.round_number else 3,
            Phase.CUBE: min(a_turn, int(s.reserve[seat].sum()))}.get(Phase(s.phase), TILES)  # fmt: skip
    if s.phase in (Phase.THROW, Phase.FILL, Phase.CROWN, Phase.CUBE) and not least <= s.due <= most:
        _refuse("bad-due", "{phase}:{due} is not possible here; it is {least} to {most}",
                phase=Phase(s.phase).name.lower(), due=int(s.due), least=least, most=most)  # fmt: skip
    if s.phase == Phase.FILL:
        full = reserve_at(s.players)
        held = int(s.reserve[seat].sum() + s.jokers[seat])
        if held % 3 or s.due != min(3, full - held):
            _refuse("bad-fill", "a seat with {held} cubes does not throw {due} dice now (C3)",
                    held=held, due=int(s.due))  # fmt: skip


def _can_take(s: Position) -> bool:
    """C18, C19. A cube of some clan is in the supply, or in every court."""
    return bool(s.supply.any() or (s.court[: s.players] > 0).all(axis=0).any())


_RULES: tuple[Callable[[Position], None], ...] = (
    _set_up, _deal, _castles, _regions, _markers, _reserves, _discs, _phase,
)  # fmt: skip
