"""Ratings of people and bots by the results of their tables; the leaderboard, and what anybody may know of a player.

The model is Plackett and Luce's as openskill has it: a skill is a mean `mu` with an uncertainty `sigma`, a side is as
strong as its players together, and one result tells something of all sides, whatever their number.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from openskill.models import PlackettLuce
from pydantic import BaseModel, Field
from sqlalchemy import Select, Table, desc, func, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from aachen.core.errors import AachenError
from aachen.core.state import known
from aachen.core.words import Outcome, Seat, Side
from aachen.server import schema
from aachen.server.entries import Place, SeatKind
from aachen.server.play import Play
from aachen.server.store import Store
from aachen.server.web import Anybody, HttpProblem, Problem, service_of

MODEL = PlackettLuce()
#: How many games somebody must have played to be listed.
LEAST_GAMES = 3
#: How many tables a profile lists, and how many of the latest it makes its statistics of.
LISTED, COUNTED = 20, 1000
BOT = "bot:"

_RESULT = re.compile(r"(\d+(?:=\d+)*) (\S+) (-?\d+(?::-?\d+)*)")
router = APIRouter(prefix="/api", tags=["ratings"], responses={422: {"model": Problem}, 429: {"model": Problem}})


def friendly(mu: float, sigma: float) -> int:
    """The rating as people see it: 1000 for a newcomer; an average player has about 1600 after many games.

    It is cautious: three sigmas below the mean, so it rises as more is known. A distance of 30 for each point of mu is
    about what it would be in Elo, between two players who are both well known.
    """
    return round(1000 + 30 * (mu - 3 * sigma))


def outcome_of(result: str) -> Outcome | None:
    """What a table's result says, as `core.record.result_of` wrote it; None if there is none."""
    found = _RESULT.fullmatch(result)
    if found is None:
        return None
    winners, reason, scores = found.groups()
    return Outcome(tuple(Side(int(side)) for side in winners.split("=")), reason, tuple(map(int, scores.split(":"))))


def share_of(outcome: Outcome, side: int) -> float:
    """A side's part of the win: 1, or less in a draw, or 0."""
    return 1 / len(outcome.winners) if side in outcome.winners else 0.0


# Counting a result


async def count(store: Store, play: Play) -> None:
    """Counts the result of a table, once however often and by however many processes this is called.

    Tables that are not over, not rated, forks or without a person do not count. Who left or was away at the end has
    the result as well. A bot's level that plays on one side twice is counted once; one that plays on several sides
    stays as it is, as nothing is learned of it, but the others are measured by it.
    """
    layout, outcome = play.layout, outcome_of(play.result)
    is_fork = bool(layout.forked_from or layout.start)
    people = any(place.player for place in play.places)
    if play.status != "over" or outcome is None or not layout.rated or is_fork or not people:
        return
    teams: dict[Side, list[str]] = {}
    for seat, place in enumerate(play.places):
        teams.setdefault(play.state.side(seat), []).append(_key(place))
    on_sides = Counter(key for team in teams.values() for key in set(team))
    names = {_key(place): place.name or place.level for place in play.places}
    shares = {key: share_of(outcome, side) for side, team in teams.items() for key in team if on_sides[key] == 1}
    async with store.engine.begin() as connection:
        if not await _add(connection, store, schema.rated, {"table": layout.id}):
            return
        before = await _skills(connection, store, layout.game, names, shares)
        after = _rate(teams, outcome, before)
        r = schema.ratings.c
        for key, share in shares.items():
            mu, sigma = after[key]
            new = {"name": names[key], "mu": mu, "sigma": sigma, "games": r.games + 1, "wins": r.wins + share}
            mine = update(schema.ratings).where(r.game == layout.game, r.player == key)
            await connection.execute(mine.values(**new))


def _key(place: Place) -> str:
    """Under which name the seat is rated: the person's who took it, or the bot's."""
    return BOT + place.level if place.kind == SeatKind.BOT else place.player


async def _skills(
    connection: AsyncConnection, store: Store, game: str, names: Mapping[str, str], changing: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Everybody's mu and sigma. The rows of those that change are there then and locked until the end of the
    transaction: in SQLite since its first write, in PostgreSQL each row, in an order that is the same for all."""
    for key in sorted(changing):
        skill = {"mu": MODEL.mu, "sigma": MODEL.sigma, "games": 0, "wins": 0.0}
        await _add(connection, store, schema.ratings, {"game": game, "player": key, "name": names[key], **skill})
    r = schema.ratings.c
    query = select(r.player, r.mu, r.sigma).where(r.game == game, r.player.in_(names)).order_by(r.player)
    found = {row.player: (row.mu, row.sigma) for row in await connection.execute(query.with_for_update())}
    return {key: found.get(key, (MODEL.mu, MODEL.sigma)) for key in names}


async def _add(connection: AsyncConnection, store: Store, where: Table, row: Mapping[str, Any]) -> bool:
    """Whether the row was new; if so, it is there now. Waits for another transaction that has just added it."""
    dialect = postgresql if store.is_postgres else sqlite
    added = await connection.execute(dialect.insert(where).values(**row).on_conflict_do_nothing())
    return bool(added.rowcount)


def _rate(
    teams: Mapping[Side, Sequence[str]], outcome: Outcome, before: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Everybody's mu and sigma after the game. The winners are first, the others follow by their scores."""
    losers = [outcome.scores[side] for side in teams if side not in outcome.winners]
    ranks = [
        0.0 if side in outcome.winners else 1.0 + sum(score > outcome.scores[side] for score in losers)
        for side in teams
    ]
    given = [[MODEL.rating(*before[key], name=key) for key in team] for team in teams.values()]
    return {str(one.name): (one.mu, one.sigma) for team in MODEL.rate(given, ranks) for one in team}


# What can be asked for


class Standing(BaseModel):
    """A line of the leaderboard."""

    player: str = Field(description="a person's id, or `bot:` and a level")
    name: str
    is_bot: bool
    rating: int = Field(description="1000 + 30 (mu - 3 sigma)")
    mu: float
    sigma: float
    games: int
    wins: float = Field(description="a draw counts as a part of one")


class Tally(BaseModel):
    games: int = 0
    wins: float = 0.0

    def add(self, share: float) -> None:
        self.games += 1
        self.wins += share


class TableLine(BaseModel):
    """A table of a player."""

    id: str
    game: str
    status: str
    date: float = Field(description="of the last change, in seconds since 1970; of a finished table, of its end")
    result: str
    players: int
    opponents: list[str] = Field(description="who sits on other sides, by name; of a bot its level")
    won: bool | None = Field(description="whether the player's side is a winner; null without a result")
    is_draw: bool


class TablePage(BaseModel):
    tables: list[TableLine]
    next: str | None = Field(description="`before` of the next page; null on the last one")


class GameProfile(BaseModel):
    """A player at one game. Rating, games and wins are of rated tables, the rest of all finished ones of late."""

    game: str
    rating: int | None
    games: int
    wins: float
    by_players: dict[str, Tally]
    by_reason: dict[str, Tally]


class Profile(BaseModel):
    """What anybody may know of a player."""

    id: str
    name: str
    is_guest: bool
    since: float
    games: list[GameProfile]
    tables: list[TableLine] = Field(description="the last finished ones")


PlayerId = Annotated[str, Path(pattern=r"^[0-9A-Za-z_-]{1,32}$")]
NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"model": Problem}}


@router.get("/leaderboard", responses=NOT_FOUND)
async def leaderboard(
    request: Request,
    game: Annotated[str, Query(pattern=r"^[0-9a-z_-]{1,40}$")] = "carolus",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    everybody: Annotated[bool, Query(alias="all", description="also those with few games")] = False,
) -> list[Standing]:
    """The best players of a game, bots among them; those with three rated games or more."""
    try:
        known(game)
    except AachenError:
        raise HttpProblem(404, "no-game", "there is no game called {game}", game=game) from None
    r, p = schema.ratings.c, schema.players.c
    name = func.coalesce(p.name, r.name).label("name")  # people may have another name by now
    query = select(r.player, name, r.mu, r.sigma, r.games, r.wins).outerjoin(schema.players, p.id == r.player)
    query = query.where(r.game == game, r.games >= (1 if everybody else LEAST_GAMES))
    rows = await service_of(request).store.fetch(query.order_by(desc(r.mu - 3 * r.sigma), r.player).limit(limit))
    return [
        Standing(**row, is_bot=row["player"].startswith(BOT), rating=friendly(row["mu"], row["sigma"])) for row in rows
    ]


@router.get("/players/{id}", responses=NOT_FOUND)
async def profile(id: PlayerId, request: Request) -> Profile:
    """A player's public page: ratings, statistics and the last finished tables."""
    store = service_of(request).store
    player = await _player(store, id)
    r = schema.ratings.c
    ratings = {row["game"]: row for row in await store.fetch(select(schema.ratings).where(r.player == id))}
    rows = await store.fetch(_tables_of(id, finished=True).limit(COUNTED))
    games = sorted({*ratings, *(row["game"] for row in rows)})
    return Profile(
        id=id, name=player["name"], is_guest=player["is_guest"], since=player["created"],
        games=[_at_game(game, ratings.get(game), [row for row in rows if row["game"] == game]) for game in games],
        tables=await _lines(store, rows[:LISTED]),
    )  # fmt: skip


@router.get("/players/{id}/tables", responses=NOT_FOUND)
async def tables_of_player(
    id: PlayerId, request: Request, who: Anybody,
    before: Annotated[
        str | None, Query(pattern=r"^[0-9]{1,12}\.[0-9]{1,20},[0-9A-Za-z_-]{1,32}$", description="`next` of a page")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> TablePage:  # fmt: skip
    """A player's finished tables, the latest first; to the player alone, all of them."""
    store = service_of(request).store
    await _player(store, id)
    query = _tables_of(id, finished=who is None or who.id != id)
    if before is not None:
        changed, _, table = before.partition(",")
        query = query.where(tuple_(schema.tables.c.changed, schema.tables.c.id) < tuple_(float(changed), table))
    rows = await store.fetch(query.limit(limit + 1))
    last = rows[limit - 1] if len(rows) > limit else None
    mark = f"{last['changed']!r},{last['id']}" if last else None
    return TablePage(tables=await _lines(store, rows[:limit]), next=mark)


async def _player(store: Store, id: str) -> dict[str, Any]:
    """What is public of a player's row. Raises HttpProblem."""
    p = schema.players.c
    found = await store.one(select(p.name, p.created, p.key.is_(None).label("is_guest")).where(p.id == id))
    if found is None:
        raise HttpProblem(404, "no-player", "there is no player {id}", id=id)
    return found


def _tables_of(player: str, *, finished: bool) -> Select[Any]:
    """The player's tables, the latest first, each with the player's seat there."""
    t, s = schema.tables.c, schema.seats.c
    columns = (t.id, t.game, t.status, t.changed, t.result, t.layout["options"].label("options"), s.seat)
    query = select(*columns).join(schema.seats, s.table == t.id).where(s.player == player)
    if finished:
        query = query.where(t.status == "over")
    return query.order_by(desc(t.changed), desc(t.id))


def _sides(row: Mapping[str, Any]) -> tuple[int, ...]:
    """The side of each seat at a table; empty if the game can no longer be played so."""
    return _sides_of(row["game"], json.dumps(row["options"], sort_keys=True))


@lru_cache(maxsize=256)
def _sides_of(name: str, options: str) -> tuple[int, ...]:
    try:
        game = known(name).game
        start = game.start(json.loads(options))
    except AachenError:
        return ()
    return tuple(int(game.side(start, Seat(seat))) for seat in range(game.seats(start)))


def _at_game(game: str, rating: Mapping[str, Any] | None, rows: Sequence[Mapping[str, Any]]) -> GameProfile:
    """A player's numbers at one game, from the row of ratings and those of the finished tables."""
    by_players: dict[str, Tally] = {}
    by_reason: dict[str, Tally] = {}
    for row in rows:
        sides, outcome = _sides(row), outcome_of(row["result"])
        if sides and outcome:
            share = share_of(outcome, sides[row["seat"]])
            by_players.setdefault(str(len(sides)), Tally()).add(share)
            by_reason.setdefault(outcome.reason, Tally()).add(share)
    return GameProfile(
        game=game, rating=friendly(rating["mu"], rating["sigma"]) if rating else None,
        games=rating["games"] if rating else 0, wins=rating["wins"] if rating else 0.0,
        by_players=by_players, by_reason=by_reason,
    )  # fmt: skip


async def _lines(store: Store, rows: Sequence[Mapping[str, Any]]) -> list[TableLine]:
    s = schema.seats.c
    query = select(s.table, s.seat, s.name, s.bot).where(s.table.in_([row["id"] for row in rows])).order_by(s.seat)
    seats: dict[str, list[dict[str, Any]]] = {}
    for seat in await store.fetch(query) if rows else ():
        seats.setdefault(seat["table"], []).append(seat)
    return [_line(row, seats[row["id"]]) for row in rows]


def _line(row: Mapping[str, Any], seats: Sequence[Mapping[str, Any]]) -> TableLine:
    sides, own = _sides(row) or tuple(range(len(seats))), row["seat"]
    outcome = outcome_of(row["result"]) if _sides(row) else None
    others = [seat["name"] or seat["bot"] for seat in seats if sides[seat["seat"]] != sides[own]]
    return TableLine(
        id=row["id"], game=row["game"], status=row["status"], date=row["changed"], result=row["result"],
        players=len(seats), opponents=[name for name in others if name],
        won=sides[own] in outcome.winners if outcome else None, is_draw=bool(outcome and outcome.is_draw),
    )  # fmt: skip
