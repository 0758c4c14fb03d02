"""The actions of Carolus Magnus: a frozen dataclass for each kind, each with its short notation."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import ClassVar

from aachen.carolus import codes
from aachen.carolus.words import CLAN_LETTERS, CROWN, DISCS, TILE_LETTERS, TILES, Clan
from aachen.core.errors import BadNotation
from aachen.core.words import Action as CoreAction

FACE_LETTERS = CLAN_LETTERS + "*"


@dataclass(frozen=True, slots=True, repr=False)
class Action(CoreAction):
    """Something that a seat or chance does."""

    #: What values there are, for people.
    RIGHT: ClassVar[str] = ""
    code: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        raise TypeError("an action is one of its kinds, such as Disc(3)")

    def __repr__(self) -> str:
        given = ", ".join(repr(getattr(self, part.name)) for part in fields(self) if part.init)
        return f"{type(self).__name__}({given})"

    def _set_code(self, base: int, offset: int, count: int) -> None:
        if type(offset) is not int or not 0 <= offset < count:
            raise BadNotation("no-such-action", "{action} does not exist; {right}", action=repr(self), right=self.RIGHT)
        object.__setattr__(self, "code", base + offset)

    def _checked_clan(self) -> int:
        """The clan of an action that has one; a bare number becomes a Clan."""
        try:
            clan = Clan(getattr(self, "clan"))  # noqa: B009  (only some kinds have one)
        except ValueError:
            raise BadNotation(
                "no-such-action", "{action} does not exist; {right}", action=repr(self), right=self.RIGHT
            ) from None
        object.__setattr__(self, "clan", clan)
        return int(clan)


def before(number: int) -> int:
    """One less, if it is a number."""
    return number - 1 if type(number) is int else -1


@dataclass(frozen=True, slots=True, repr=False)
class Disc(Action):
    """Plays a disc (C5): `d3`."""

    RIGHT: ClassVar[str] = "discs are Disc(1) to Disc(5)"
    number: int

    def __post_init__(self) -> None:
        self._set_code(codes.DISC, before(self.number), DISCS)

    def __str__(self) -> str:
        return f"d{self.number}"


@dataclass(frozen=True, slots=True, repr=False)
class Cube(Action):
    """Plays a cube to a region, named by its first tile, or with no tile to the own court (C8): `rE`, `r@`."""

    RIGHT: ClassVar[str] = "cubes are Cube(Clan.RED, 0) to Cube(Clan.PINK, 14), or Cube(Clan.RED) to the court"
    clan: Clan
    tile: int | None = None

    def __post_init__(self) -> None:
        base = codes.CUBE + 16 * self._checked_clan()
        if self.tile is None:
            self._set_code(base, codes.COURT, 16)
        else:
            self._set_code(base, self.tile, TILES)

    def __str__(self) -> str:
        return CLAN_LETTERS[self.clan] + ("@" if self.tile is None else TILE_LETTERS[self.tile])


@dataclass(frozen=True, slots=True, repr=False)
class Move(Action):
    """Moves the Emperor (C10): `m2`."""

    RIGHT: ClassVar[str] = "moves are Move(1) to Move(5)"
    steps: int

    def __post_init__(self) -> None:
        self._set_code(codes.MOVE, before(self.steps), DISCS)

    def __str__(self) -> str:
        return f"m{self.steps}"


@dataclass(frozen=True, slots=True, repr=False)
class Name(Action):
    """Names a clan: for a crown (C16), a joker (C25), or the chosen die (C24): `=r`."""

    RIGHT: ClassVar[str] = "clans are Clan.RED to Clan.PINK"
    clan: Clan

    def __post_init__(self) -> None:
        self._set_code(codes.NAME, self._checked_clan(), len(Clan))

    def __str__(self) -> str:
        return f"={CLAN_LETTERS[self.clan]}"


@dataclass(frozen=True, slots=True, repr=False)
class ThrowAll(Action):
    """Chooses no die, and throws them all (C24): `all`."""

    def __post_init__(self) -> None:
        self._set_code(codes.THROW_ALL, 0, 1)

    def __str__(self) -> str:
        return "all"


@dataclass(frozen=True, slots=True, repr=False)
class Deal(Action):
    """Chance deals a cube to the next tile (C1): `deal:r`."""

    RIGHT: ClassVar[str] = "clans are Clan.RED to Clan.PINK"
    clan: Clan

    def __post_init__(self) -> None:
        self._set_code(codes.DEAL, self._checked_clan(), len(Clan))

    def __str__(self) -> str:
        return f"deal:{CLAN_LETTERS[self.clan]}"


@dataclass(frozen=True, slots=True, repr=False)
class Emperor(Action):
    """Chance puts the Emperor on a tile (C1): `emperor:E`."""

    RIGHT: ClassVar[str] = "tiles are 0 to 14"
    tile: int

    def __post_init__(self) -> None:
        self._set_code(codes.EMPEROR, self.tile, TILES)

    def __str__(self) -> str:
        return f"emperor:{TILE_LETTERS[self.tile]}"


@dataclass(frozen=True, slots=True, repr=False)
class First(Action):
    """Chance draws the first seat by lot (C2): `first:0`."""

    RIGHT: ClassVar[str] = "seats are 0 to 3"
    seat: int

    def __post_init__(self) -> None:
        self._set_code(codes.FIRST, self.seat, 4)

    def __str__(self) -> str:
        return f"first:{self.seat}"


@dataclass(frozen=True, slots=True, repr=False)
class Throw(Action):
    """Chance throws dice (C4); the faces in rising order, CROWN last: `dice:rg*`."""

    RIGHT: ClassVar[str] = "a throw has 1 to 4 faces, each 0 to 5"
    faces: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "faces", tuple(sorted(self.faces, key=str)))
        throw = _THROW_NUMBERS.get(self.faces, -1)
        self._set_code(codes.THROW, throw, len(codes.THROWS))

    @property
    def clans(self) -> tuple[Clan, ...]:
        return tuple(Clan(face) for face in self.faces if face != CROWN)

    @property
    def crowns(self) -> int:
        return self.faces.count(CROWN)

    def __str__(self) -> str:
        return "dice:" + "".join(FACE_LETTERS[face] for face in self.faces)


_THROW_NUMBERS = {faces: number for number, faces in enumerate(codes.THROWS)}


def _all_actions() -> Sequence[Action]:
    decisions: list[Action] = [
        *(Disc(n + 1) for n in range(DISCS)),
        *(Move(n + 1) for n in range(DISCS)),
        *(Name(clan) for clan in Clan),
        ThrowAll(),
        *(Cube(clan, tile) for clan in Clan for tile in [*range(TILES), None]),
    ]
    chance: list[Action] = [
        *(Deal(clan) for clan in Clan),
        *(Emperor(tile) for tile in range(TILES)),
        *(First(seat) for seat in range(4)),
        *(Throw(faces) for faces in codes.THROWS),
    ]
    return tuple(decisions + chance)


#: Every action, at the index of its code.
ACTIONS: Sequence[Action] = _all_actions()
_BY_TEXT = {str(action).lower(): action for action in ACTIONS}


def parse(text: str) -> Action:
    """The action that this notation means; capitals and small letters are the same. Raises BadNotation."""
    wanted = text.strip().lower()
    if wanted.startswith("dice:"):
        wanted = "dice:" + "".join(sorted(wanted[5:], key=FACE_LETTERS.find))
    if wanted not in _BY_TEXT:
        raise BadNotation(
            "no-action",
            "{text!r} is no action; actions look like d3 (disc), rE (red cube to region E), r@ (red cube to court), "
            "m2 (move the Emperor), =r (name a clan), all (throw all dice)",
            text=text.strip()[:40],
        )
    return _BY_TEXT[wanted]
