"""A table as its log tells it: commands, clocks, takebacks, bots that stand in, secrets. No server is needed here."""

from dataclasses import replace
from typing import Any

import pytest

import tiny
from aachen import carolus
from aachen.core.errors import AachenError
from aachen.server.entries import DAY, Kind, Layout, Pace, Place, SeatKind
from aachen.server.play import FRESH_START, Play, Refused
from test_cli_play import LAST_MOVE

ANNA, BOB = "anna", "bob"


def layout(*kinds: SeatKind, **more: Any) -> Layout:
    places = tuple(Place(kind, "squire" if kind == SeatKind.BOT else "") for kind in kinds)
    usual = {"game": "carolus", "options": {"players": len(kinds)}, "owner": ANNA, "seed": bytes(range(32))}
    return Layout(id="t1", places=places, **(usual | more))


def two(**more: Any) -> Play:
    """Anna and Bob have sat down; it is time 100."""
    play = Play(layout(SeatKind.OWNER, SeatKind.OPEN, **more))
    play.sit(100, ANNA, "Anna", 0, "a1")
    play.sit(100, BOB, "Bob", 1, "b2")
    return play


def on_move(play: Play) -> tuple[str, int]:
    """Who is asked, and the number of the question."""
    (seat,) = play.asked
    return play.places[seat].player, play.questions[seat]


def act(play: Play, now: float = 100) -> str:
    """The player on move does the first thing that is legal, or confirms."""
    player, question = on_move(play)
    if play.confirming is not None:
        play.confirm(now, player, question)
        return "confirm"
    text = str(play.state.legal_actions()[0])
    play.act(now, player, question, text)
    return text


def until_confirm(play: Play, now: float = 100) -> None:
    """Plays on to the end of a turn, before the dice."""
    while play.confirming is None:
        act(play, now)


# Sitting down


def test_the_game_starts_with_the_last_seat_and_chance_deals() -> None:
    play = Play(layout(SeatKind.OWNER, SeatKind.OPEN))
    play.sit(1, ANNA, "Anna", 0, "a1")
    assert play.status == "open"
    play.sit(2, BOB, "Bob", 1, "b2")
    assert play.status == "playing"
    assert play.state.actors
    assert play.draws == list(range(play.next_draw))
    assert play.next_draw >= 18


@pytest.mark.parametrize(
    ("player", "name", "seat", "code"),
    [
        (BOB, "Bob", 0, "seat-kept"),
        (BOB, "Bob", 2, "seat-kept"),
        (BOB, "Bob", 3, "seat-taken"),
        (BOB, "Bob", 4, "no-seat"),
        (ANNA, "Anna", 0, "sits-already"),
        (BOB, "ANNA", 0, "seat-kept"),
    ],
)
def test_a_seat_is_for_whom_it_is_for(player: str, name: str, seat: int, code: str) -> None:
    play = Play(layout(SeatKind.OWNER, SeatKind.OPEN, SeatKind.INVITED, SeatKind.BOT))
    play.sit(1, ANNA, "Anna", 1, "")
    before = play.version
    with pytest.raises(Refused) as refused:
        play.draft().sit(2, player, name, seat, "")
    assert refused.value.code == code
    assert play.version == before


def test_two_people_of_one_name_do_not_sit_at_one_table() -> None:
    play = Play(layout(SeatKind.OPEN, SeatKind.OPEN))
    play.sit(1, ANNA, "Anna", 0, "")
    with pytest.raises(Refused, match="is called anna already"):
        play.sit(1, BOB, "anna", 1, "")


def test_who_has_the_invitation_may_sit_there() -> None:
    play = Play(layout(SeatKind.OWNER, SeatKind.INVITED))
    play.sit(1, BOB, "Bob", 1, "", by_invitation=True)
    assert play.seat_of(BOB) == 1


def test_before_the_game_a_seat_can_be_given_back_and_without_the_owner_the_table_ends() -> None:
    play = Play(layout(SeatKind.OWNER, SeatKind.OPEN))
    play.sit(1, BOB, "Bob", 1, "")
    play.leave(2, BOB)
    assert not play.places[1].is_taken
    play.sit(3, ANNA, "Anna", 0, "")
    play.leave(4, ANNA)
    assert play.status == "abandoned"


# Playing


def test_the_dice_wait_for_the_last_word_of_a_turn() -> None:
    play = two()
    until_confirm(play)
    seat = play.confirming
    assert play.state.is_chance
    draws = play.next_draw
    assert play.asked.keys() == {seat}
    act(play)
    assert play.next_draw == draws + 1


def test_a_player_can_do_without_the_question() -> None:
    play = two()
    draws = play.next_draw
    while play.next_draw == draws:
        player, question = on_move(play)
        play.act(100, player, question, str(play.state.legal_actions()[0]), at_once=True)
        assert play.confirming is None


def test_the_end_of_the_game_waits_for_the_last_word_too() -> None:
    play = two(start=LAST_MOVE)
    player, question = on_move(play)
    play.act(100, player, question, "m1")
    assert play.state.is_over
    assert play.status == "playing"
    play.undo(100, player)
    assert not play.state.is_over
    play.act(100, player, play.questions[0], "m1")
    play.confirm(100, player, play.questions[0])
    assert play.status == "over"
    assert play.result.startswith("0 castles")


def test_undo_is_free_until_the_dice() -> None:
    play = two()
    while play.state.phase != carolus.Phase.CUBE:  # type: ignore[attr-defined]
        act(play)
    player, _ = on_move(play)
    before = play.state
    act(play)
    act(play)
    play.undo(100, player)
    play.undo(100, player)
    assert play.state == before
    until_confirm(play)
    play.undo(100, player)
    assert play.confirming is None
    until_confirm(play)
    act(play)
    with pytest.raises(Refused, match="ask the others for a takeback"):
        play.undo(100, player)


def test_an_answer_to_a_question_that_is_gone_is_refused() -> None:
    play = two()
    player, question = on_move(play)
    text = str(play.state.legal_actions()[0])
    play.act(100, player, question, text)
    with pytest.raises(Refused) as refused:
        play.act(100, player, question, text)
    assert refused.value.code == "stale"


def test_a_refused_command_changes_nothing() -> None:
    play = two()
    player, question = on_move(play)
    draft = play.draft()
    with pytest.raises(AachenError):
        draft.act(100, player, question, "m5")
    assert not draft.new
    assert draft.version == play.version
    other = BOB if player == ANNA else ANNA
    with pytest.raises(Refused):
        draft.act(100, other, question, str(play.state.legal_actions()[0]))
    assert not draft.new


def test_a_draft_leaves_the_play_alone() -> None:
    play = two()
    before = (play.version, play.state, list(play.places), dict(play.asked), list(play.questions), play.next_draw)
    draft = play.draft()
    for _ in range(30):
        act(draft)
    assert before == (play.version, play.state, play.places, play.asked, play.questions, play.next_draw)


def test_the_log_tells_the_whole_table() -> None:
    play = two(pace=Pace.LIVE, seconds=60.0, increment=5.0)
    now = 100.0
    for _ in range(60):
        now += 1.5
        act(play, now)
    play.ask_takeback(now, ANNA, len(play.history.steps) - 8)
    play.answer_takeback(now, BOB, True)
    play.expire(now + 1000)
    again = Play.of(play.layout, play.new)
    for name in ("version", "status", "state", "places", "asked", "questions", "left", "next_draw", "draws", "times"):
        assert getattr(again, name) == getattr(play, name), name


def test_a_table_goes_on_from_its_checkpoint_if_the_rules_play_otherwise() -> None:
    """Entries that no longer can be played are passed over up to the next checkpoint."""
    play = two()
    for _ in range(40):
        act(play)
    entries = list(play.new)
    place = next(i for i, entry in enumerate(entries) if entry.kind == Kind.ACT and entry.text.startswith("d"))
    broken = replace(entries[place], text="m9")
    again = Play.of(play.layout, [*entries[:place], broken, *entries[place + 1 :]])
    assert again.restored
    assert again.version == play.version
    assert again.state == play.state
    assert again.questions[next(iter(again.asked))] > 0


# Takebacks


def test_a_takeback_needs_everybody_and_never_throws_the_same_dice_again() -> None:
    play = two()
    until_confirm(play)
    steps = len(play.history.steps)
    act(play)
    thrown = play.next_draw
    play.ask_takeback(100, ANNA, steps - 1)
    assert play.takeback is not None
    with pytest.raises(Refused):
        play.answer_takeback(100, ANNA, True)
    play.answer_takeback(100, BOB, True)
    assert len(play.history.steps) == steps - 1
    assert play.takeback is None
    until_confirm(play)
    act(play)
    assert play.draws[-1] == thrown


def test_a_refused_takeback_is_over() -> None:
    play = two()
    until_confirm(play)
    act(play)
    play.ask_takeback(100, ANNA, 0)
    play.answer_takeback(100, BOB, False)
    assert play.takeback is None
    assert play.history.steps


def test_against_bots_alone_a_takeback_is_granted_at_once() -> None:
    play = Play(layout(SeatKind.OWNER, SeatKind.BOT))
    play.sit(100, ANNA, "Anna", 0, "a1")
    play.ask_takeback(100, ANNA, 16)
    assert play.takeback is None
    assert play.rewinds == 1


# Time


def test_the_clock_runs_for_who_is_asked_and_gains_the_increment_a_turn() -> None:
    play = two(pace=Pace.LIVE, seconds=60.0, increment=5.0)
    (seat,) = play.asked
    assert play.deadline(seat) == 160
    while list(play.asked) == [seat]:
        act(play, 107)
    assert play.left[seat] == pytest.approx(60 - 7 + 5)


@pytest.mark.parametrize(("pace", "limit"), [(Pace.LIVE, 60.0), (Pace.DAYS, 2 * DAY)])
def test_when_time_runs_out_a_bot_plays_on_and_the_player_can_come_back(pace: Pace, limit: float) -> None:
    play = two(pace=pace, seconds=60.0, days=2.0)
    (seat,) = play.asked
    player, _ = on_move(play)
    assert play.due() == 100 + limit
    play.expire(100 + limit - 1)
    assert play.places[seat].is_person
    play.expire(100 + limit)
    assert play.bots_to_act() == [seat]
    assert play.due() == 0
    with pytest.raises(Refused, match="take your seat back"):
        play.act(100 + limit, player, play.questions[seat], "d1")
    play.come_back(200 + limit, player)
    assert play.waiting_for() == [seat]
    assert play.deadline(seat) is not None
    if pace == Pace.LIVE:
        assert play.left[seat] == FRESH_START


def test_the_last_word_of_somebody_who_is_away_is_not_waited_for() -> None:
    play = two(pace=Pace.LIVE, seconds=60.0)
    until_confirm(play)
    seat = play.confirming
    assert seat is not None
    play.expire(1000)
    assert play.confirming is None
    assert play.places[seat].away


def test_without_time_nothing_is_due() -> None:
    play = two()
    assert play.due() is None
    assert play.deadline(next(iter(play.asked))) is None


def test_who_leaves_is_played_for_and_with_nobody_left_the_table_is_abandoned() -> None:
    play = two()
    play.leave(100, BOB)
    assert play.places[1].bot == "stand-in"
    with pytest.raises(Refused):
        play.come_back(100, BOB)
    play.leave(100, ANNA)
    assert play.status == "abandoned"
    assert play.due() is None


# Secrets


def secret_game() -> Play:
    play = Play(layout(SeatKind.OWNER, SeatKind.OPEN, game="relics", options={"seats": 2, "rounds": 1}))
    play.sit(1, ANNA, "Anna", 0, "")
    play.sit(1, BOB, "Bob", 1, "")
    return play


def test_a_sealed_action_of_another_changes_nothing_that_a_seat_can_see_or_count() -> None:
    play = secret_game()
    assert play.hides
    assert set(play.asked) == {0, 1}
    before = (play.questions[0], [str(step.action) for _, step in play.seen_steps(0)], play.state.view(0).text)
    play.act(2, BOB, play.questions[1], "coin")
    play.act(3, BOB, play.questions[1], "done")
    assert before == (play.questions[0], [str(step.action) for _, step in play.seen_steps(0)], play.state.view(0).text)
    play.act(4, ANNA, before[0], "done")
    assert [str(step.action) for _, step in play.seen_steps(0)] != before[1]


def test_the_record_of_a_game_with_secrets_can_be_had_when_it_is_over() -> None:
    play = secret_game()
    with pytest.raises(AachenError, match="when it is over"):
        play.record()
    for now in range(2, 200):
        if play.status != "playing":
            break
        seat = next(iter(play.asked))
        player, question = play.places[seat].player, play.questions[seat]
        if play.confirming is not None:
            play.confirm(now, player, question)
        else:
            play.act(now, player, question, str(play.state.legal_actions(seat)[-1]))
    assert play.status == "over"
    assert "[FairSeed" in str(play.record())
    assert tiny.GAME.name in str(play.record())
