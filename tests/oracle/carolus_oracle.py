"""Carolus Magnus written as the rulebook tells it: slow, plain, and independent.

The whole game is one script (a generator). It runs from rule to rule, stops wherever a seat
must decide or chance must act, and goes on with the answer. Every function names the rules
that it follows (C1 to C25). An `Oracle` cannot be copied; play the same tokens again instead.
"""

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from typing import NoReturn

CLANS = "rygbp"
CROWN = "*"
FACES = CLANS + CROWN
TILES = "ABCDEFGHIJKLMNO"
COURT = "@"
CUBES_OF_A_CLAN = 40
DEALT_OF_A_CLAN = 3
DISCS = (1, 2, 3, 4, 5)
FEWEST_REGIONS = 4


@dataclass(frozen=True)
class Numbers:
    """One line of the table of player numbers."""

    sides: int
    castles: int
    set_up_throws: tuple[int, ...]
    cubes_a_turn: int
    dice_a_turn: int


NUMBERS = {
    2: Numbers(sides=2, castles=10, set_up_throws=(3, 3, 1), cubes_a_turn=3, dice_a_turn=3),
    3: Numbers(sides=3, castles=8, set_up_throws=(3, 3, 3), cubes_a_turn=4, dice_a_turn=4),
    4: Numbers(sides=2, castles=10, set_up_throws=(3, 3, 1), cubes_a_turn=3, dice_a_turn=3),
}


@dataclass(eq=False)
class Region:
    """A run of neighbouring tiles, clockwise, with all that stands on them."""

    tiles: list[int]
    cubes: Counter[str] = field(default_factory=Counter)
    castles: int = 0
    side: int | None = None

    @property
    def name(self) -> str:
        """The letter of the clockwise-first tile."""
        return TILES[self.tiles[0]]


@dataclass(frozen=True)
class Decision:
    """The script waits for a seat."""

    seat: int
    options: Callable[[], set[str]]


@dataclass(frozen=True)
class Chance:
    """The script waits for chance."""

    outcomes: Callable[[], dict[str, int]]


Question = Decision | Chance
Script = Generator[Question, str, None]


class GameOverError(Exception):
    """Ends the script at once, wherever it is."""


@cache
def throws(dice: int) -> dict[str, int]:
    """C4: every throw of so many dice, with the number of ordered throws that give it."""
    counts: Counter[str] = Counter()
    for faces in product(FACES, repeat=dice):
        counts["dice:" + "".join(sorted(faces, key=FACES.index))] += 1
    return dict(counts)


def positive(counter: Counter[str]) -> dict[str, int]:
    """Only what is there at all."""
    return {key: count for key, count in counter.items() if count > 0}


class Oracle:
    """One game, from the deal to its end."""

    def __init__(self, players: int, dice: str = "all", crowns: str = "at-once", round_limit: int = 100) -> None:
        if players not in NUMBERS or round_limit < 1:
            raise ValueError("2 to 4 players, and at least 1 round")
        if dice not in ("all", "choose-one") or crowns not in ("at-once", "deferred"):
            raise ValueError("no such variant")
        self.numbers = NUMBERS[players]
        self.dice = dice
        self.crowns = crowns
        self.round_limit = round_limit
        self.seats = range(players)
        self.regions = [Region([tile]) for tile in range(len(TILES))]
        self.emperor: Region | None = None
        self.to_deal = Counter(dict.fromkeys(CLANS, DEALT_OF_A_CLAN))
        self.supply = Counter(dict.fromkeys(CLANS, CUBES_OF_A_CLAN))
        self.courts: list[Counter[str]] = [Counter() for _ in self.seats]
        self.reserves: list[Counter[str]] = [Counter() for _ in self.seats]
        self.markers: dict[str, int | None] = dict.fromkeys(CLANS)
        self.discs = [set(DISCS) for _ in self.seats]
        self.played: dict[int, int] = {}
        self.order: list[int] = []
        self.round = 0
        self.castles_left = [self.numbers.castles] * self.numbers.sides
        self.winners: list[int] = []
        self.reason: str | None = None
        self._script = self._game()
        self._question: Question | None = next(self._script)

    # The interface

    def actor(self) -> int | None:
        """The seat that is asked now."""
        return self._question.seat if isinstance(self._question, Decision) else None

    def legal(self) -> set[str]:
        """Everything the actor may do."""
        return self._question.options() if isinstance(self._question, Decision) else set()

    def chance(self) -> dict[str, int]:
        """Everything chance may do, with its weight."""
        return dict(self._question.outcomes()) if isinstance(self._question, Chance) else {}

    def apply(self, token: str) -> None:
        """Go on with an action of the actor or an outcome of chance."""
        if token not in self.legal() and token not in self.chance():
            raise ValueError(f"not possible now: {token!r}")
        try:
            self._question = self._script.send(token)
        except StopIteration:
            self._question = None

    def dump(self) -> dict[str, object]:
        """Everything on the table."""
        clockwise = sorted(self.regions, key=lambda region: region.name)
        return {
            "regions": [
                (each.name, len(each.tiles), positive(each.cubes), each.castles, each.side) for each in clockwise
            ],
            "emperor": self.emperor.name if self.emperor else None,
            "courts": [positive(court) for court in self.courts],
            "reserves": [positive(reserve) for reserve in self.reserves],
            "markers": dict(self.markers),
            "supply": {clan: self.supply[clan] for clan in CLANS},
            "discs": [sorted(discs) for discs in self.discs],
            "played": [self.played.get(seat) for seat in self.seats],
            "order": list(self.order),
            "round": self.round,
            "castles_left": list(self.castles_left),
            "actor": self.actor(),
            "over": self._question is None,
            "winners": sorted(self.winners),
            "reason": self.reason,
        }

    # The script: set-up, rounds, turns

    def _game(self) -> Script:
        """From the deal until a rule ends the game."""
        try:
            yield from self._set_up()
            self.round = 1
            while True:
                yield from self._opening()
                for seat in self.order:
                    yield from self._turn(seat)
                self._end_the_round()
        except GameOverError:
            return

    def _set_up(self) -> Script:
        """C1 to C3: the deal, the Emperor's first tile, the lot, the reserves."""
        for region in self.regions:
            token = yield Chance(self._cubes_to_deal)
            self._deal(region, token.removeprefix("deal:"))
        token = yield Chance(lambda: {f"emperor:{letter}": 1 for letter in TILES})
        self.emperor = self._region_named(token.removeprefix("emperor:"))
        token = yield Chance(lambda: {f"first:{seat}": 1 for seat in self.seats})
        first = int(token.removeprefix("first:"))
        self.order = [(first + place) % len(self.seats) for place in self.seats]
        for seat in self.order:
            for dice in self.numbers.set_up_throws:
                yield from self._throw(seat, dice)

    def _opening(self) -> Script:
        """C5, C6: each seat plays a disc; low discs act first, of equal ones the earlier."""
        for seat in self.order:
            token = yield Decision(seat, partial(self._discs_to_play, seat))
            disc = int(token.removeprefix("d"))
            self.discs[seat].remove(disc)
            self.played[seat] = disc
        # Sorting is stable: equal discs stay in the order in which they were played.
        self.order = sorted(self.order, key=lambda seat: self.played[seat])

    def _turn(self, seat: int) -> Script:
        """C8 to C16: play cubes, move the Emperor, resolve his region, throw."""
        yield from self._name_jokers(seat)
        for _ in range(min(self.numbers.cubes_a_turn, self.reserves[seat].total())):  # C20
            token = yield Decision(seat, partial(self._cubes_to_play, seat))
            self._play_cube(seat, clan=token[0], place=token[1])
        token = yield Decision(seat, partial(self._steps_to_move, seat))
        self._resolve(self._move_emperor(int(token.removeprefix("m"))))
        dice = self.numbers.dice_a_turn
        if self.dice == "choose-one" and self._clans_that_can_be_taken():  # C24
            token = yield Decision(seat, lambda: self._clans_to_name() | {"all"})
            if token != "all":
                self._take_cube(seat, token.removeprefix("="))
                dice -= 1
        yield from self._throw(seat, dice)

    def _throw(self, seat: int, dice: int) -> Script:
        """C16: dice that show a clan are served first, then the crowns."""
        token = yield Chance(partial(throws, dice))
        faces = list(token.removeprefix("dice:"))
        crowns = faces.count(CROWN)
        for clan in faces:
            if clan == CROWN:
                continue
            if self._can_be_taken(clan):
                self._take_cube(seat, clan)
            else:
                crowns += 1  # C19
        if self.crowns == "deferred":
            self.reserves[seat][CROWN] += crowns  # C25
        else:
            yield from self._name_crowns(seat, crowns)

    def _name_crowns(self, seat: int, crowns: int) -> Script:
        """C16, C20: one crown at a time; the seat goes without where nothing can be taken."""
        for _ in range(crowns):
            if self._clans_that_can_be_taken():
                token = yield Decision(seat, self._clans_to_name)
                self._take_cube(seat, token.removeprefix("="))

    def _name_jokers(self, seat: int) -> Script:
        """C25: one joker at a time; a joker is lost where nothing can be taken."""
        while self.reserves[seat][CROWN] > 0:
            if self._clans_that_can_be_taken():
                token = yield Decision(seat, self._clans_to_name)
                self._take_cube(seat, token.removeprefix("="))
            self.reserves[seat][CROWN] -= 1

    def _end_the_round(self) -> None:
        """C7, C21: discs come back after every fifth round; the game may end here."""
        if self.round % len(DISCS) == 0:
            self.discs = [set(DISCS) for _ in self.seats]
        self.played = {}
        no_cubes = all(reserve.total() == 0 for reserve in self.reserves)
        if self.round == self.round_limit:
            self._end_by_castles_in_play("cubes" if no_cubes else "rounds")
        self.round += 1
        if no_cubes:
            self._end_by_castles_in_play("cubes")

    # What may be done

    def _cubes_to_deal(self) -> dict[str, int]:
        """C1: the cubes that still wait to be dealt."""
        return {f"deal:{clan}": count for clan, count in positive(self.to_deal).items()}

    def _discs_to_play(self, seat: int) -> set[str]:
        """C5: a disc that nobody has played this round, or else any."""
        different = self.discs[seat] - set(self.played.values())
        return {f"d{disc}" for disc in different or self.discs[seat]}

    def _cubes_to_play(self, seat: int) -> set[str]:
        """C8: any cube of the reserve, to the own court or to any region."""
        places = [COURT] + [region.name for region in self.regions]
        return {clan + place for clan in positive(self.reserves[seat]) for place in places}

    def _steps_to_move(self, seat: int) -> set[str]:
        """C10: from 1 region to as many as the disc says."""
        return {f"m{steps}" for steps in range(1, self.played[seat] + 1)}

    def _clans_to_name(self) -> set[str]:
        """C19: a crown may only name a clan that can be taken."""
        return {f"={clan}" for clan in self._clans_that_can_be_taken()}

    # Cubes

    def _deal(self, region: Region, clan: str) -> None:
        """C1: a cube of the supply goes to a tile."""
        self.to_deal[clan] -= 1
        self.supply[clan] -= 1
        region.cubes[clan] += 1

    def _play_cube(self, seat: int, clan: str, place: str) -> None:
        """C8: a cube of the reserve goes to the own court or to a region."""
        self.reserves[seat][clan] -= 1
        if place == COURT:
            self.courts[seat][clan] += 1
            self._check_control(clan)
        else:
            self._region_named(place).cubes[clan] += 1

    def _check_control(self, clan: str) -> None:
        """C9: a seat with more cubes at court than every other seat takes the marker.

        The first cube of a clan at any court is more than nothing, so it takes a free marker.
        """
        for seat in self.seats:
            others = [self.courts[other][clan] for other in self.seats if other != seat]
            if self.courts[seat][clan] > max(others):
                self.markers[clan] = seat

    def _number_all_can_return(self, clan: str) -> int:
        """C18: the largest number that every court can return."""
        return min(court[clan] for court in self.courts)

    def _can_be_taken(self, clan: str) -> bool:
        """C18, C19: the supply has a cube, or every court has one to return."""
        return self.supply[clan] > 0 or self._number_all_can_return(clan) > 0

    def _clans_that_can_be_taken(self) -> list[str]:
        return [clan for clan in CLANS if self._can_be_taken(clan)]

    def _take_cube(self, seat: int, clan: str) -> None:
        """C16, C18: a cube of the supply, filled from the courts if it is empty."""
        if self.supply[clan] == 0:
            self._return_cubes(clan)
        self.supply[clan] -= 1
        self.reserves[seat][clan] += 1

    def _return_cubes(self, clan: str) -> None:
        """C18: every seat returns the same number from its court."""
        number = self._number_all_can_return(clan)
        for court in self.courts:
            court[clan] -= number
            self.supply[clan] += number

    # Regions, castles, and the Emperor

    def _region_named(self, letter: str) -> Region:
        return next(region for region in self.regions if region.name == letter)

    def _side_of(self, seat: int) -> int:
        """With four players, partners sit opposite."""
        return seat % self.numbers.sides

    def _move_emperor(self, steps: int) -> Region:
        """C10: clockwise from region to region; a merged region is one step."""
        assert self.emperor is not None
        place = self.regions.index(self.emperor)
        self.emperor = self.regions[(place + steps) % len(self.regions)]
        return self.emperor

    def _strength(self, side: int, region: Region) -> int:
        """C11: cubes of the clans that the side's seats control, and its castles."""
        strength = region.castles if region.side == side else 0
        for clan in CLANS:
            holder = self.markers[clan]
            if holder is not None and self._side_of(holder) == side:
                strength += region.cubes[clan]
        return strength

    def _majority(self, region: Region) -> int | None:
        """C11: the side with strictly more than every other side."""
        strengths = [self._strength(side, region) for side in range(self.numbers.sides)]
        most = max(strengths)
        return strengths.index(most) if strengths.count(most) == 1 else None

    def _resolve(self, region: Region) -> None:
        """C11 to C14, C22, C23: what happens where the Emperor stops."""
        side = self._majority(region)
        if side is None or side == region.side:
            return
        if region.side is None:
            self._put_up_castles(region, side, 1)  # C12
        else:
            number = region.castles
            self._take_castles_back(region)
            self._put_up_castles(region, side, number)  # C13
        if self.castles_left[side] == 0:
            self._end("castles", [side])  # C22
        self._merge_with_neighbours(region)
        if len(self.regions) < FEWEST_REGIONS:
            self._end_by_castles_in_play("regions")  # C23

    def _take_castles_back(self, region: Region) -> None:
        """C13: all castles of the region go back to their owner."""
        assert region.side is not None
        self.castles_left[region.side] += region.castles
        region.castles = 0
        region.side = None

    def _put_up_castles(self, region: Region, side: int, wanted: int) -> None:
        """C12, C13, C15: so many castles, or those that the side has left."""
        number = min(wanted, self.castles_left[side])
        self.castles_left[side] -= number
        region.castles = number
        region.side = side

    def _merge_with_neighbours(self, region: Region) -> None:
        """C14: one or both neighbours with castles of the same side join the region."""
        place = self.regions.index(region)
        before = self.regions[place - 1]
        after = self.regions[(place + 1) % len(self.regions)]
        if before is not region and before.side == region.side:
            region.tiles = before.tiles + region.tiles
            self._join(region, before)
        # Of only two regions, each is the other's neighbour on both sides; it joins once.
        if after is not region and after is not before and after.side == region.side:
            region.tiles = region.tiles + after.tiles
            self._join(region, after)

    def _join(self, region: Region, neighbour: Region) -> None:
        """C14: the neighbour's cubes and castles come to the region."""
        region.cubes += neighbour.cubes
        region.castles += neighbour.castles
        self.regions.remove(neighbour)

    # The end

    def _end_by_castles_in_play(self, reason: str) -> NoReturn:
        """C21, C23: most castles in play wins; equal numbers are a draw between those sides."""
        in_play = [self.numbers.castles - left for left in self.castles_left]
        most = max(in_play)
        self._end(reason, [side for side, number in enumerate(in_play) if number == most])

    def _end(self, reason: str, winners: list[int]) -> NoReturn:
        """C22, C23: the game is over at once."""
        self.reason = reason
        self.winners = winners
        raise GameOverError
