"""Ratings: how results are counted, and what anybody may know of a player."""

import asyncio
import dataclasses
import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import httpx
from sqlalchemy import insert, select

from aachen.core.record import result_of
from aachen.server import ratings, schema
from aachen.server.app import create_app
from aachen.server.entries import Entry, Kind, Layout, Place, SeatKind
from aachen.server.play import Play
from aachen.server.settings import Settings
from aachen.server.store import Store, seat_rows
from helpers import random_game

T = TypeVar("T")
Row = dict[str, Any]
MU, SIGMA = ratings.MODEL.mu, ratings.MODEL.sigma


def won_by(*winners: int, players: int = 2) -> int:
    """The seed of a short random game that these sides win."""
    for seed in range(1000):
        outcome = random_game(seed, players=players, round_limit=12).state.outcome
        if outcome and outcome.winners == winners:
            return seed
    raise AssertionError(f"no game is won by {winners}")


def finished(
    table: str, seats: Sequence[str], *winners: int, more: Sequence[tuple[Kind, int]] = (), end: Kind = Kind.OVER,
    **facts: Any,
) -> Play:  # fmt: skip
    """A table as its log tells it. A seat is a person's id, or `bot:` and a level; the game is won by these sides."""
    bots = [seat.removeprefix("bot:") if seat.startswith("bot:") else "" for seat in seats]
    places = tuple(Place(SeatKind.BOT, bot) if bot else Place(SeatKind.OPEN) for bot in bots)
    options = {"players": len(seats), "round_limit": 12}
    layout = Layout(table, "carolus", options, "anna", places, bytes(32), **facts)
    game = random_game(won_by(*winners, players=len(seats)), **options)
    told: list[dict[str, Any]] = [
        {"kind": Kind.SIT, "seat": seat, "player": who, "facts": {"name": who.title(), "nonce": f"n{seat}"}}
        for seat, who in enumerate(seats)
        if not bots[seat]
    ]
    told.append({"kind": Kind.START})
    draws = 0
    for step in game.steps:
        if step.seat is None:
            told.append({"kind": Kind.CHANCE, "text": str(step.action), "draw": draws})
            draws += 1
        else:
            told.append({"kind": Kind.ACT, "seat": step.seat, "text": str(step.action)})
    told += [{"kind": kind, "seat": seat} for kind, seat in more]
    told.append({"kind": end, "text": result_of(game.state) if end == Kind.OVER else ""})
    return Play.of(layout, [Entry(number, at=float(number), **one) for number, one in enumerate(told, 1)])


def with_store(folder: Path, work: Callable[[Store], Awaitable[T]]) -> T:
    """Does the work with a new database in this folder."""

    async def whole() -> T:
        store = Store(_settings(folder).engine_url, "test")
        async with store.engine.begin() as connection:
            await connection.run_sync(schema.metadata.create_all)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(whole())


def _settings(folder: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{folder / 'test.db'}", bot_threads=1)


def counted(folder: Path, *plays: Play) -> dict[str, Row]:
    """The rows of ratings after these tables, by player."""

    async def work(store: Store) -> dict[str, Row]:
        for play in plays:
            await ratings.count(store, play)
        return {row["player"]: row for row in await store.fetch(select(schema.ratings))}

    return with_store(folder, work)


# Counting


def test_the_winner_rises_and_the_loser_falls(tmp_path: Path) -> None:
    rows = counted(tmp_path, finished("t", ["anna", "bert"], 1))
    assert rows["bert"]["mu"] > MU > rows["anna"]["mu"]
    assert rows["bert"]["sigma"] < SIGMA > rows["anna"]["sigma"]
    assert (rows["bert"]["games"], rows["bert"]["wins"]) == (1, 1.0)
    assert (rows["anna"]["games"], rows["anna"]["wins"]) == (1, 0.0)
    assert (rows["anna"]["game"], rows["anna"]["name"]) == ("carolus", "Anna")


def test_games_add_up_from_where_the_last_one_left_off(tmp_path: Path) -> None:
    once = counted(tmp_path, finished("one", ["anna", "bert"], 0))
    (tmp_path / "again").mkdir()
    rows = counted(tmp_path / "again", *(finished(name, ["anna", "bert"], 0) for name in ("one", "two", "three")))
    assert rows["anna"]["mu"] > once["anna"]["mu"] > MU
    assert (rows["anna"]["games"], rows["anna"]["wins"], rows["bert"]["games"]) == (3, 3.0, 3)


def test_a_draw_between_equals_leaves_their_means_and_shares_the_win(tmp_path: Path) -> None:
    rows = counted(tmp_path, finished("t", ["anna", "bert"], 0, 1))
    for row in rows.values():
        assert abs(row["mu"] - MU) < 1e-9
        assert row["sigma"] < SIGMA
        assert row["wins"] == 0.5


def test_in_a_draw_the_weaker_one_gains(tmp_path: Path) -> None:
    before = counted(tmp_path, finished("one", ["anna", "bert"], 0))
    (tmp_path / "again").mkdir()
    after = counted(
        tmp_path / "again", *(finished(n, ["anna", "bert"], *w) for n, w in (("one", [0]), ("two", [0, 1])))
    )
    assert after["bert"]["mu"] > before["bert"]["mu"]
    assert after["anna"]["mu"] < before["anna"]["mu"]


def test_partners_win_and_lose_together(tmp_path: Path) -> None:
    """With four, seats 0 and 2 are side 0."""
    rows = counted(tmp_path, finished("t", ["anna", "bert", "carl", "dora"], 0))
    assert rows["anna"]["mu"] == rows["carl"]["mu"] > MU > rows["bert"]["mu"] == rows["dora"]["mu"]
    assert [rows[who]["wins"] for who in ("anna", "bert", "carl", "dora")] == [1, 0, 1, 0]


def test_with_three_the_losers_follow_by_their_scores(tmp_path: Path) -> None:
    play = finished("t", ["anna", "bert", "carl"], 2)
    outcome = ratings.outcome_of(play.result)
    assert outcome == play.state.outcome
    assert outcome is not None
    assert outcome.scores[0] != outcome.scores[1]
    better, worse = ("anna", "bert") if outcome.scores[0] > outcome.scores[1] else ("bert", "anna")
    rows = counted(tmp_path, play)
    assert rows["carl"]["mu"] > rows[better]["mu"] > rows[worse]["mu"]


def test_losers_with_equal_scores_are_equal(tmp_path: Path) -> None:
    play = finished("t", ["anna", "bert", "carl"], 2)
    play.result = "2 castles 3:3:8"
    rows = counted(tmp_path, play)
    assert rows["anna"]["mu"] == rows["bert"]["mu"] < MU < rows["carl"]["mu"]


def test_a_table_is_counted_once_however_often_it_is_told(tmp_path: Path) -> None:
    play = finished("t", ["anna", "bert"], 0)
    rows = counted(tmp_path, play, play, play)
    assert rows["anna"]["games"] == rows["bert"]["games"] == 1


def test_many_processes_count_many_tables_and_lose_none(tmp_path: Path) -> None:
    plays = [finished(f"t{number}", ["anna", "bert"], number % 2) for number in range(6)]

    async def work(store: Store) -> list[Row]:
        other = Store(_settings(tmp_path).engine_url, "other")
        await asyncio.gather(*(ratings.count(one, play) for play in plays for one in (store, other)))
        await other.close()
        return await store.fetch(select(schema.ratings))

    assert [(row["games"], row["wins"]) for row in with_store(tmp_path, work)] == [(6, 3.0), (6, 3.0)]


def test_a_bot_is_rated_by_its_level(tmp_path: Path) -> None:
    rows = counted(tmp_path, finished("t", ["anna", "bot:knight"], 1))
    assert rows["bot:knight"]["mu"] > MU > rows["anna"]["mu"]
    assert rows["bot:knight"]["name"] == "knight"


def test_a_level_on_several_sides_stays_as_it_is_but_measures_the_others(tmp_path: Path) -> None:
    rows = counted(tmp_path, finished("t", ["anna", "bot:knight", "bot:knight"], 0))
    assert set(rows) == {"anna"}
    assert rows["anna"]["mu"] > MU


def test_a_known_level_on_several_sides_is_not_changed(tmp_path: Path) -> None:
    before = counted(tmp_path, finished("one", ["anna", "bot:knight"], 0))
    (tmp_path / "again").mkdir()
    tables = finished("one", ["anna", "bot:knight"], 0), finished("two", ["anna", "bot:knight", "bot:knight"], 0)
    after = counted(tmp_path / "again", *tables)
    assert after["bot:knight"] == before["bot:knight"]
    assert after["anna"]["games"] == 2


def test_a_level_twice_on_one_side_has_played_one_game(tmp_path: Path) -> None:
    rows = counted(tmp_path, finished("t", ["anna", "bot:knight", "bert", "bot:knight"], 1))
    assert (rows["bot:knight"]["games"], rows["bot:knight"]["wins"]) == (1, 1.0)
    assert rows["bot:knight"]["mu"] > MU > rows["anna"]["mu"] == rows["bert"]["mu"]


def test_who_left_or_was_away_has_the_result_not_the_stand_in(tmp_path: Path) -> None:
    gone = [(Kind.LEAVE, 0), (Kind.STAND_IN, 1)]
    play = finished("t", ["anna", "bert"], 1, more=gone)
    assert play.places[0].left
    assert play.places[1].away
    rows = counted(tmp_path, play)
    assert set(rows) == {"anna", "bert"}
    assert rows["bert"]["mu"] > MU > rows["anna"]["mu"]


def test_tables_that_do_not_count(tmp_path: Path) -> None:
    people = ["anna", "bert"]
    start = finished("other", people, 0).history.states[100].text
    going_on = finished("live", people, 0)
    going_on.status = "playing"
    fork = Play(dataclasses.replace(going_on.layout, id="fork", start=start, forked_from="other/100"))
    fork.status, fork.result = "over", "0 castles 10:2"
    rows = counted(
        tmp_path,
        finished("friendly", people, 0, rated=False),
        finished("abandoned", people, 0, end=Kind.ABANDON),
        finished("nobody", ["bot:knight", "bot:squire"], 0),
        finished("forked", people, 0, forked_from="other/100"),
        fork,
        going_on,
    )
    assert rows == {}


def test_a_newcomer_has_1000_and_better_players_have_more() -> None:
    assert ratings.friendly(MU, SIGMA) == 1000
    assert ratings.friendly(MU, 1.5) > 1500
    assert ratings.friendly(30.0, 2.0) - ratings.friendly(29.0, 2.0) == 30


def test_what_is_no_result_is_none() -> None:
    for text in ("", "*", "0 castles", "a castles 1:2", "0 castles 1:2 more"):
        assert ratings.outcome_of(text) is None


# What can be asked for


async def write(store: Store, *plays: Play) -> None:
    """Puts finished tables into the database, in this order, and counts them."""
    people = {place.player: place.name for play in plays for place in play.places if place.player}
    async with store.engine.begin() as connection:
        for id, name in people.items():
            secret = {"email": f"{id}@example.org", "password": "hash", "settings": {"webhook": "https://secret"}}
            key = None if id == "gast" else id
            row = {"id": id, "name": name, "key": key, "created": 5.0, **secret}
            await connection.execute(insert(schema.players).values(**row))
            hashed = hashlib.sha256(f"cookie of {id}".encode()).hexdigest()
            row = {"hash": hashed, "player": id, "kind": "cookie", "label": "", "created": 5.0}
            await connection.execute(insert(schema.sessions).values(**row, expires=time.time() + 1000))
        for number, play in enumerate(plays):
            layout = dataclasses.asdict(play.layout)
            row = {"id": play.layout.id, "game": play.layout.game, "seed": layout.pop("seed"), "layout": layout}
            row |= {"owner": "anna", "is_public": False, "status": play.status, "result": play.result}
            row |= {"opened": 0.0, "changed": 100.0 + number // 2, "lease": 0.0, "lease_by": ""}
            await connection.execute(insert(schema.tables).values(**row))
            await connection.execute(insert(schema.seats), seat_rows(play))
    for play in plays:
        await ratings.count(store, play)


def asked(folder: Path, plays: Sequence[Play], *paths: str, cookie: str = "") -> list[Any]:
    """What the service answers to these requests, in order; of an error, its status and code."""

    async def work(store: Store) -> list[Any]:
        await write(store, *plays)
        app = create_app(_settings(folder))
        transport = httpx.ASGITransport(app)
        headers = {"Cookie": f"aachen={cookie}"} if cookie else {}
        async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
            answers = [await client.get(path) for path in paths]
        await app.state.service.store.close()
        return [one.json() if one.is_success else (one.status_code, one.json()["code"]) for one in answers]

    return with_store(folder, work)


def three_games() -> list[Play]:
    return [
        finished("one", ["anna", "bert"], 0),
        finished("two", ["anna", "bot:knight", "bert"], 0),
        finished("three", ["bert", "anna", "gast", "bot:squire"], 1),
    ]


def test_the_leaderboard_begins_with_the_best_and_leaves_out_who_has_played_little(tmp_path: Path) -> None:
    path = "/api/leaderboard?game=carolus"
    board, everybody, best = asked(tmp_path, three_games(), path, f"{path}&all=true", f"{path}&all=true&limit=1")
    assert [row["player"] for row in board] == ["anna", "bert"]
    assert (board[0]["name"], board[0]["is_bot"], board[0]["games"], board[0]["wins"]) == ("Anna", False, 3, 3.0)
    assert board[0]["rating"] == ratings.friendly(board[0]["mu"], board[0]["sigma"]) > board[1]["rating"]
    assert {row["player"] for row in everybody if row["is_bot"]} == {"bot:knight", "bot:squire"}
    assert [row["rating"] for row in everybody] == sorted((row["rating"] for row in everybody), reverse=True)
    assert best == everybody[:1]


def test_the_leaderboard_shows_the_name_that_somebody_has_now(tmp_path: Path) -> None:
    async def work(store: Store) -> Any:
        await write(store, *three_games())
        await store.execute(schema.players.update().where(schema.players.c.id == "anna").values(name="Annabel"))

    with_store(tmp_path, work)
    (board,) = asked(tmp_path, [], "/api/leaderboard")
    assert board[0]["name"] == "Annabel"


def test_a_profile_tells_ratings_statistics_and_the_last_tables(tmp_path: Path) -> None:
    (anna,) = asked(tmp_path, three_games(), "/api/players/anna")
    assert (anna["id"], anna["name"], anna["is_guest"], anna["since"]) == ("anna", "Anna", False, 5.0)
    (game,) = anna["games"]
    assert (game["game"], game["games"], game["wins"]) == ("carolus", 3, 3.0)
    assert game["by_players"] == {number: {"games": 1, "wins": 1.0} for number in "234"}
    assert sum(tally["games"] for tally in game["by_reason"].values()) == 3
    three, two, one = anna["tables"]
    assert [line["id"] for line in (one, two, three)] == ["one", "two", "three"]
    assert (one["opponents"], two["opponents"]) == (["Bert"], ["knight", "Bert"])
    assert three["opponents"] == ["Bert", "Gast"]  # the squire is a partner
    assert (three["won"], three["is_draw"], three["players"], three["date"]) == (True, False, 4, 101.0)


def test_of_a_draw_both_have_a_part(tmp_path: Path) -> None:
    (bert,) = asked(tmp_path, [finished("t", ["anna", "bert"], 0, 1)], "/api/players/bert")
    assert bert["games"][0]["by_players"] == {"2": {"games": 1, "wins": 0.5}}
    assert (bert["tables"][0]["won"], bert["tables"][0]["is_draw"]) == (True, True)


def test_a_profile_says_nothing_private(tmp_path: Path) -> None:
    live = finished("secret-table", ["gast", "bert"], 0)
    live.status, live.result = "playing", ""
    profile, tables = asked(tmp_path, [live], "/api/players/gast", "/api/players/gast/tables", cookie="cookie of bert")
    assert profile == {"id": "gast", "name": "Gast", "is_guest": True, "since": 5.0, "games": [], "tables": []}
    assert tables == {"tables": [], "next": None}


def test_players_see_all_of_their_own_tables(tmp_path: Path) -> None:
    live = finished("live", ["gast", "bert"], 0)
    live.status, live.result = "playing", ""
    over = finished("over", ["bert", "gast"], 1)
    (tables,) = asked(tmp_path, [live, over], "/api/players/gast/tables", cookie="cookie of gast")
    assert [(line["id"], line["status"], line["won"]) for line in tables["tables"]] == [
        ("over", "over", True),
        ("live", "playing", None),
    ]


def test_paging_shows_every_table_once_also_when_several_ended_at_the_same_time(tmp_path: Path) -> None:
    plays = [finished(f"t{number}", ["anna", "bert"], 0) for number in range(5)]

    async def work(store: Store) -> None:
        await write(store, *plays)

    with_store(tmp_path, work)
    seen, mark = [], ""
    while True:
        (page,) = asked(tmp_path, [], f"/api/players/anna/tables?limit=1{mark}")
        seen += [line["id"] for line in page["tables"]]
        if page["next"] is None:
            break
        mark = f"&before={page['next']}"
    assert seen == ["t4", "t3", "t2", "t1", "t0"]


def test_what_is_not_there_is_a_problem(tmp_path: Path) -> None:
    paths = "/api/players/nobody", "/api/players/nobody/tables", "/api/leaderboard?game=chess"
    assert asked(tmp_path, [], *paths) == [(404, "no-player"), (404, "no-player"), (404, "no-game")]


def test_what_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    wrong = [
        "/api/players/a%20b",
        "/api/players/anna%00",
        f"/api/players/{'a' * 33}",
        "/api/leaderboard?limit=0",
        "/api/players/anna/tables?limit=101",
        "/api/players/anna/tables?before=yesterday",
    ]
    assert asked(tmp_path, [], *wrong) == [(422, "invalid")] * len(wrong)
