"""Fair dice: they are what docs/fairness.md says, they are fair, and whatever is changed in a record is found."""

import doctest
import hashlib
import hmac
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

import tiny
from aachen import carolus
from aachen.core import BadOptions, BadRecord, History, IllegalAction, Record, State
from aachen.core.fairness import FairDice, Verified, commitment, tags, tags_so_far, verify
from test_cli_play import aachen

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "fairness.md"
FILE = Path(__file__).parent / "fair" / "3-players.game"
SEED = bytes(range(32))
DICE = FairDice(SEED, "table-1", ((0, "abc"), (2, "def")))
DEALT = "Ar/By/Cg/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Op!"
THREE_DICE = carolus.read(f"carolus 2 {DEALT} -:-:12345:-/-:-:12345:- ----- >01 fill:3 0")
#: Red is dealt out, and one of the yellow cubes is.
UNEVEN = carolus.read("carolus 2 Ar/Br/Cr/Dy/E/F/G/H/I/J/K/L/M/N/O -:-:12345:-/-:-:12345:- ----- - deal:11 0")


class Table:
    """A game with fair dice, as whoever runs a table would play it."""

    def __init__(self, start: State[Any], dice: FairDice = DICE) -> None:
        self.history: History[State[Any]] = History(start)
        self.dice = dice
        self.draws: list[int] = []
        self.next = 0

    def draw(self) -> State[Any]:
        """Lets chance act until a seat is asked or the game is over."""
        while self.history.state.is_chance:
            self.history.play(self.dice.draw(self.next, self.history.state))
            self.draws.append(self.next)
            self.next += 1
        return self.history.state

    def play(self, rng: random.Random, steps: int = 10_000) -> "Table":
        """Random decisions: so many, or up to the end."""
        for _ in range(steps):
            if self.draw().is_over:
                break
            seat = rng.choice(self.history.state.actors)
            self.history.play(rng.choice(self.history.state.legal_actions(seat)), seat)
        return self

    def take_back(self, kept: int) -> None:
        """Goes back to the position after so many steps. The numbers of the draws do not."""
        steps = self.history.steps[:kept]
        self.history = History(self.history.start)
        for step in steps:
            self.history.play(step.action, step.seat)
        self.draws = self.draws[: sum(step.seat is None for step in steps)]

    def record(self, names: Sequence[str] = ()) -> Record:
        return self.history.record(names, tags(self.dice, self.draws), secrets=True)


def fair_game() -> Record:
    """The game in tests/fair: after some turns it is taken back to before the last throw."""
    rng = random.Random(0)
    table = Table(carolus.table(3, round_limit=5), FairDice(SEED, "table-1", ((0, "Anna-7f3a"), (2, "Cid_0451"))))
    table.play(rng, 30)
    table.draw()
    thrown = max(place for place, step in enumerate(table.history.steps) if step.seat is None)
    table.take_back(thrown)
    return table.play(rng).record(("Anna", "random", "Cid"))


@pytest.fixture(scope="module")
def game() -> Record:
    return fair_game()


# The page


def vectors() -> dict[str, Any]:
    [block] = re.findall(r"^```json\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    told: dict[str, Any] = json.loads(block)
    return told


def dice_of(told: Mapping[str, Any], nonces: str) -> FairDice:
    pairs = (part.split(":") for part in nonces.split(",") if part)
    return FairDice(bytes.fromhex(told["seed"]), told["table"], tuple((int(seat), nonce) for seat, nonce in pairs))


def accepted(told: Mapping[str, Any], nonces: str, k: int, total: int) -> tuple[int, int]:
    """The attempt that is accepted and its number of 64 bits: the page's rule, told a second time."""
    for attempt in count():
        message = f"aachen dice 1\n{told['table']}\n{nonces}\n{k}\n{attempt}".encode()
        x = int(hmac.new(bytes.fromhex(told["seed"]), message, hashlib.sha256).hexdigest()[:16], 16)
        if x < 2**64 - 2**64 % total:
            return attempt, x
    raise AssertionError("attempts never end")


def test_the_hash_on_the_page_is_that_of_the_seed() -> None:
    told = vectors()
    assert commitment(bytes.fromhex(told["seed"])) == told["hash"]


def test_the_numbers_on_the_page_are_what_the_dice_give() -> None:
    told = vectors()
    assert len(told["numbers"]) > 5
    assert any(row["attempt"] > 1 for row in told["numbers"])
    for row in told["numbers"]:
        attempt, x = accepted(told, row["nonces"], row["k"], int(row["W"]))
        assert (attempt, f"{x:016x}", x % int(row["W"])) == (row["attempt"], row["x"], int(row["r"]))
        assert dice_of(told, row["nonces"]).number(row["k"], int(row["W"])) == int(row["r"])


def test_the_draws_on_the_page_are_what_the_dice_give() -> None:
    told = vectors()
    assert len(told["draws"]) > 5
    for row in told["draws"]:
        state = carolus.read(row["position"])
        assert {str(action): weight for action, weight in state.chance_weights().items()} == row["outcomes"]
        assert str(dice_of(told, row["nonces"]).draw(row["k"], state)) == row["action"]


def test_the_python_examples_of_the_page_do_what_they_say() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert (failed, tried > 5) == (0, True)


def test_the_command_on_the_page_prints_what_it_says(tmp_path: Path) -> None:
    [shown] = re.findall(r"^```console\n\$ aachen verify tests/fair/3-players.game\n(.*?)^```", PAGE.read_text("utf-8"),
                         re.DOTALL | re.MULTILINE)  # fmt: skip
    assert aachen(tmp_path, "verify", str(FILE)).stdout == shown


def test_the_game_in_the_folder_fair_is_the_one_that_is_played_here(game: Record) -> None:
    assert FILE.read_bytes() == str(game).encode()


# Fair


def surprise(seen: Iterable[object], weights: Mapping[Any, int]) -> float:
    """How far the counts are from the weights: chi-square, in standard deviations from what is usual."""
    counts = Counter(seen)
    assert counts.keys() <= weights.keys()
    total, number = sum(weights.values()), counts.total()
    square = sum((counts[thing] - number * weight / total) ** 2 / (number * weight / total)
                 for thing, weight in weights.items())  # fmt: skip
    usual = len(weights) - 1
    return float((square - usual) / (2 * usual) ** 0.5)


@pytest.mark.parametrize("state", [THREE_DICE, UNEVEN, tiny.table()], ids=["three dice", "uneven deal", "tiny deal"])
@pytest.mark.parametrize("seed", [b"\0" * 32, SEED, b"\xff" * 32], ids=["zeros", "steps", "ones"])
def test_each_outcome_comes_as_often_as_its_weight_says(state: State[Any], seed: bytes) -> None:
    dice = FairDice(seed, "uniform", ((1, "x"),))
    weights = state.chance_weights()
    drawn = [dice.draw(k, state) for k in range(50 * len(weights))]
    assert abs(surprise(drawn, weights)) < 3.5


def test_a_throw_says_nothing_of_the_next_one() -> None:
    numbers = [DICE.number(k, 6) for k in range(5000)]
    pairs = {(first, second): 1 for first in range(6) for second in range(6)}
    assert abs(surprise(pairwise(numbers), pairs)) < 3.5


def test_no_remainder_is_likelier_than_another() -> None:
    # Without a second attempt half of these numbers would be below 2**62, not a third.
    numbers = [DICE.number(k, 3 * 2**62) for k in range(3000)]
    assert abs(surprise((number >> 62 for number in numbers), {0: 1, 1: 1, 2: 1})) < 3.5


def test_a_wrong_distribution_would_be_noticed() -> None:
    weights = dict.fromkeys(UNEVEN.chance_weights(), 1)
    assert surprise((DICE.draw(k, UNEVEN) for k in range(3000)), weights) > 3.5


@pytest.mark.parametrize(
    "other",
    [
        replace(DICE, seed=b"\1" + SEED[1:]), replace(DICE, table="table-2"), replace(DICE, nonces=((0, "abc"),)),
        replace(DICE, nonces=((1, "abc"), (2, "def"))), replace(DICE, nonces=((0, "abd"), (2, "def"))),
    ],
)  # fmt: skip
def test_another_seed_table_seat_or_nonce_makes_other_dice(other: FairDice) -> None:
    assert [other.number(k, 10) for k in range(20)] != [DICE.number(k, 10) for k in range(20)]


def test_the_same_dice_give_the_same_again() -> None:
    again = FairDice(SEED, "table-1", ((0, "abc"), (2, "def")))
    assert (again, hash(again)) == (DICE, hash(DICE))
    assert [again.draw(k, THREE_DICE) for k in range(20)] == [DICE.draw(k, THREE_DICE) for k in range(20)]


# Refused


def made(**given: Any) -> FairDice:
    return FairDice(**({"seed": SEED, "table": "t", "nonces": ()} | given))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: made(seed=b"short"), "a seed is 32 bytes, not 5 bytes"),
        (lambda: made(seed="0" * 32), "a seed is 32 bytes, not str"),
        (lambda: commitment(b""), "a seed is 32 bytes, not 0 bytes"),
        (lambda: made(table=""), "the table's name is ''; it must be 1 to 64 letters"),
        (lambda: made(table="a\nb"), r"the table's name is 'a\\nb'; it must be"),
        (lambda: made(table=7), "the table's name is 7; it must be"),
        (lambda: made(nonces=((0, "x" * 65),)), "the nonce of seat 0 is 'xxxx"),
        (lambda: made(nonces=((0, "a,b"),)), "the nonce of seat 0 is 'a,b'; it must be 1 to 64 letters"),
        (lambda: made(nonces=((0, "é"),)), "the nonce of seat 0 is 'é'; it must be"),
        (lambda: made(nonces=((0, ""),)), "the nonce of seat 0 is ''"),
        (lambda: made(nonces=((0, None),)), "the nonce of seat 0 is None"),
        (lambda: made(nonces=((10, "a"),)), "the seat of a nonce is 10; it must be a whole number from 0 to 9"),
        (lambda: made(nonces=(("0", "a"),)), "the seat of a nonce is '0'"),
        (lambda: made(nonces=((True, "a"),)), "the seat of a nonce is True"),
        (lambda: made(nonces=((2, "a"), (0, "b"))), r"in the order of their seats, each seat once, not \[2, 0\]"),
        (lambda: made(nonces=((1, "a"), (1, "b"))), r"each seat once, not \[1, 1\]"),
        (lambda: made(nonces={0: "a"}), r"nonces are {0: 'a'}; they must be a tuple such as \(\(0, \"abc\"\)"),
        (lambda: made(nonces=("ab",)), r"nonces are \('ab',\)"),
        (lambda: DICE.draw(-1, THREE_DICE), "the number of a chance action is -1; it must be a whole number from 0"),
        (lambda: DICE.draw(10**9, THREE_DICE), "the number of a chance action is 1000000000"),
        (lambda: DICE.number(1.0, 6), "the number of a chance action is 1.0"),  # type: ignore[arg-type]
        (lambda: DICE.number(0, 0), "the sum of the weights is 0; it must be a whole number from 1"),
        (lambda: tags(DICE, [0, 1, 1]), "must rise: 1 cannot come after 1"),
        (lambda: tags(DICE, [5, 2]), "must rise: 2 cannot come after 5"),
        (lambda: tags_so_far(DICE, [-1]), "the number of a chance action is -1"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_what_would_be_right(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(BadOptions, match=sentence):
        make()


def test_dice_are_drawn_only_where_chance_acts() -> None:
    over = Table(tiny.table(2, 1)).play(random.Random(1)).history.state
    for state in (carolus.new(2, seed=1), over):
        with pytest.raises(IllegalAction, match="chance does not act now"):
            DICE.draw(0, state)


def test_the_seed_is_not_told_by_accident() -> None:
    assert repr(DICE) == "FairDice(table='table-1', nonces=((0, 'abc'), (2, 'def')))"
    with pytest.raises(BadOptions) as error:
        made(seed=b"secret")
    assert "secret" not in str(error.value)


# Tags


def test_the_tags_of_a_finished_game_tell_everything() -> None:
    assert tags(DICE, [*range(15), *range(17, 41)]) == {
        "FairTable": "table-1",
        "FairHash": hashlib.sha256(SEED).hexdigest(),
        "FairNonces": "0:abc,2:def",
        "FairDraws": "0-14,17-40",
        "FairSeed": SEED.hex(),
    }


def test_the_tags_of_a_game_that_goes_on_tell_all_but_the_seed() -> None:
    told = tags(DICE, range(9))
    del told["FairSeed"]
    assert tags_so_far(DICE, range(9)) == told
    assert SEED.hex() not in str(told)


@pytest.mark.parametrize(
    ("draws", "text"), [([], ""), ([0], "0"), ([3, 4], "3-4"), ([0, 2, 4, 5], "0,2,4-5"), ([999_999_999], "999999999")]
)
def test_the_numbers_of_draws_are_written_as_ranges(draws: list[int], text: str) -> None:
    assert tags(DICE, draws)["FairDraws"] == text


# Right records


@pytest.mark.parametrize(
    ("start", "nonces"),
    [
        (carolus.table(2), ()),
        (carolus.table(3, dice="choose-one"), ((1, "-"),)),
        (carolus.table(4, crowns="deferred", round_limit=4), ((0, "a"), (1, "b"), (2, "c"), (3, "d" * 64))),
        (tiny.table(2, 3), ((0, "a"), (1, "b"))),
        (tiny.table(3, 2), ()),
        (THREE_DICE, ((0, "late"),)),
        (carolus.table(2).apply("deal:r"), ()),
    ],
    ids=["no nonces", "one nonce", "four nonces", "tiny game", "tiny game, three seats", "later start", "second deal"],
)
def test_a_game_with_fair_dice_is_found_right(start: State[Any], nonces: tuple[tuple[int, str], ...]) -> None:
    table = Table(start, FairDice(SEED, "here", nonces)).play(random.Random(5))
    record = Record.read(str(table.record()))
    assert bool(record.start) == (start.text != type(start)(start.game.start(start.options)).text)
    found = verify(record)
    chances = sum(step.seat is None for step in table.history.steps)
    assert found == Verified(chances, commitment(SEED), "here", nonces, skipped=0)
    assert chances > 5
    assert found.seats == tuple(seat for seat, _ in nonces)


def test_a_game_that_was_left_can_be_checked_when_its_seed_is_published() -> None:
    record = Table(carolus.table(2)).play(random.Random(1), 20).record()
    assert record.result == "*"
    with pytest.raises(BadRecord, match="FairNonces has seat 2, but the seats are 0 to 1"):
        verify(record)
    assert verify(Table(carolus.table(3)).play(random.Random(1), 20).record()).checked > 17


def test_a_record_without_chance_has_nothing_to_check() -> None:
    assert verify(Table(carolus.table(3)).record()) == Verified(0, commitment(SEED), "table-1", DICE.nonces, 0)


@pytest.mark.parametrize("start", [carolus.table(3), tiny.table(3, 3)], ids=["carolus", "tiny"])
def test_numbers_are_skipped_when_throws_are_taken_back_and_never_used_again(start: State[Any]) -> None:
    table = Table(start).play(random.Random(2), 8)
    table.draw()
    used = table.next
    table.take_back(2)
    assert table.draws == [0, 1]
    table.play(random.Random(3))
    assert table.record().tags["FairDraws"] == f"0-1,{used}-{table.next - 1}"
    found = verify(Record.read(str(table.record())))
    assert (found.checked, found.skipped) == (len(table.draws), used - 2)


def test_numbers_that_are_skipped_at_the_very_beginning_count_too() -> None:
    table = Table(tiny.table())
    table.draw()
    table.take_back(0)
    table.play(random.Random(1))
    assert table.record().tags["FairDraws"] == f"3-{table.next - 1}"
    assert verify(table.record()).skipped == 3


# Wrong records


def other_outcome(record: Record, place: int) -> tuple[str, Record]:
    """The record with another possible outcome at this step, marks left as they are, and that outcome."""
    states, steps = record.replay()
    others = [action for action in states[place].chance_weights() if action != steps[place][1]]
    spots = [spot for spot, move in enumerate(record.moves) if not move.startswith("#")]
    moves = list(record.moves)
    moves[spots[place]] = str(others[0])
    return str(others[0]), replace(record, moves=tuple(moves))


def test_whichever_throw_is_changed_it_is_named_with_what_was_right(game: Record) -> None:
    states, steps = game.replay()
    places = [
        place for place, (seat, _) in enumerate(steps) if seat is None and len(states[place].chance_weights()) > 1
    ]
    assert len(places) > 30
    for place in places[::4]:
        said, changed = other_outcome(game, place)
        with pytest.raises(BadRecord) as error:
            verify(changed)
        sentence = f"step {place + 1} is said to be {said}, but seed, table and nonces give {steps[place][1]} (draw "
        assert str(error.value).startswith(sentence)


def test_a_game_that_was_played_with_one_other_throw_is_found_though_its_record_is_whole() -> None:
    table = Table(carolus.table(3)).play(random.Random(4), 20)
    table.draw()
    place = max(place for place, step in enumerate(table.history.steps) if step.seat is None)
    right = table.history.steps[place].action
    table.take_back(place)
    wrong = next(action for action in table.history.state.chance_weights() if action != right)
    table.history.play(wrong)
    table.draws.append(table.next - 1)
    record = table.play(random.Random(4)).record()
    record.replay()
    with pytest.raises(BadRecord, match=re.escape(f"step {place + 1} is said to be {wrong}, but")) as error:
        verify(record)
    assert error.value.params["right"] == str(right)


def test_a_throw_that_was_not_possible_at_all_is_named() -> None:
    record = Table(tiny.table(2, 1), FairDice(SEED, "t")).play(random.Random(1)).record()
    first = record.moves[0]
    with pytest.raises(BadRecord, match=f"step 2, {first}: {first} is not possible now"):
        verify(replace(record, moves=(first, first, *record.moves[2:])))


OTHER = bytes([1] * 32)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"FairSeed": OTHER.hex()}, f"the hash does not fit the seed: FairHash is '{commitment(SEED)}', but"),
        ({"FairHash": commitment(OTHER)}, f"but the seed's hash is '{commitment(SEED)}'"),
        ({"FairSeed": OTHER.hex(), "FairHash": commitment(OTHER)}, r"step \d+ is said to be \S+, but .* give \S+ \("),
        ({"FairSeed": "00"}, "FairSeed is '00'; it must be 64 digits"),
        ({"FairSeed": SEED.hex().upper()}, "it must be 64 digits of 0-9 and a-f"),
        ({"FairTable": "table-2"}, r"step \d+ is said to be \S+, but .* give \S+ \(draw \d+\)"),
        ({"FairTable": "no table"}, "the fairness tags are wrong: the table's name is 'no table'"),
        ({"FairNonces": "0:Anna-7f3b,2:Cid_0451"}, r"step \d+ is said to be \S+, but"),
        ({"FairNonces": "0:Anna-7f3a"}, r"step \d+ is said to be \S+, but"),
        ({"FairNonces": "0:Anna-7f3a,1:Cid_0451"}, r"step \d+ is said to be \S+, but"),
        ({"FairNonces": ""}, r"step \d+ is said to be \S+, but"),
        ({"FairNonces": "2:Cid_0451,0:Anna-7f3a"}, "the fairness tags are wrong: nonces must stand in the order"),
        ({"FairNonces": "0:Anna 7f3a"}, "the nonce of seat 0 is 'Anna 7f3a'"),
        ({"FairNonces": "0:a,3:b"}, "FairNonces has seat 3, but the seats are 0 to 2"),
        ({"FairNonces": "Anna"}, "FairNonces has 'Anna'; a nonce looks like 0:abc"),
        ({"FairNonces": "0:a,"}, "FairNonces has ''; a nonce looks like 0:abc"),
        ({"FairDraws": ""}, r"FairDraws has 0 numbers, but the record has \d+ chance actions"),
        ({"FairDraws": "0-9"}, r"FairDraws has 10 numbers, but the record has \d+ chance actions"),
        ({"FairDraws": "0-9,8-20"}, "FairDraws must rise, but '8-20' does not"),
        ({"FairDraws": "9-9"}, "FairDraws must rise, but '9-9' does not"),
        ({"FairDraws": "9-4"}, "FairDraws must rise, but '9-4' does not"),
        ({"FairDraws": "0-999999999"}, "more numbers than the record has actions, at '0-999999999'"),
        ({"FairDraws": "0-9999999999"}, "FairDraws has '0-9999999999'; it looks like 0-14,17,20-40"),
        ({"FairDraws": "0 1 2"}, "FairDraws has '0 1 2'"),
        ({"FairDraws": "00-4"}, "FairDraws has '00-4'"),
        ({"FairDraws": "٣"}, "FairDraws has '٣'"),
    ],
)
def test_a_tag_that_was_changed_is_found(game: Record, changed: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadRecord, match=sentence):
        verify(replace(game, tags=game.tags | changed))


def test_numbers_that_were_moved_are_found_at_the_first_throw_that_they_change(game: Record) -> None:
    checked, first = verify(game).checked, game.tags["FairDraws"].split(",")[0]
    for draws, least in ((f"1-{checked}", 0), (f"0-{checked - 1}", int(first[2:]))):
        with pytest.raises(BadRecord, match=r"step \d+ is said to be \S+, but") as error:
            verify(replace(game, tags=game.tags | {"FairDraws": draws}))
        assert int(str(error.value.params["step"])) > least


@pytest.mark.parametrize(
    ("missing", "result", "sentence"),
    [
        (("FairTable", "FairHash", "FairNonces", "FairDraws", "FairSeed"), "*", "this record has no fairness tags"),
        (("FairSeed",), "*", "the seed is not published yet: the game is not over"),
        (("FairSeed",), "0 castles 10:4:3", "the seed is not published, but the game is over"),
        (("FairHash",), "*", "of the fairness tags FairHash is missing"),
        (("FairTable", "FairSeed"), "*", "of the fairness tags FairTable and FairSeed is missing"),
    ],
)
def test_what_is_missing_is_named(game: Record, missing: tuple[str, ...], result: str, sentence: str) -> None:
    left = {name: value for name, value in game.tags.items() if name not in missing}
    with pytest.raises(BadRecord, match=sentence):
        verify(replace(game, tags=left, result=result))


def test_a_record_that_does_not_replay_is_refused_as_a_replay_refuses_it(game: Record) -> None:
    moved = next(place for place, move in enumerate(game.moves) if re.fullmatch(r"m\d", move))
    for broken in (
        replace(game, game="chess"),
        replace(game, names=(*game.names, "Dora")),
        replace(game, result="0 castles 10:4:3"),
        replace(game, moves=(*game.moves[:-1], "#000000")),
        replace(game, moves=(*game.moves[:moved], "m9", *game.moves[moved + 1 :])),
        replace(game, moves=(*game.moves, "#000000")),
    ):
        with pytest.raises(BadRecord) as replayed:
            broken.replay()
        with pytest.raises(BadRecord, match=re.escape(str(replayed.value))):
            verify(broken)


# The command


def test_verify_tells_hash_nonces_number_and_verdict_of_a_file_or_a_pipe(tmp_path: Path, game: Record) -> None:
    found = verify(game)
    for words, typed in (([str(FILE)], ""), (["-"], str(game))):
        done = aachen(tmp_path, "verify", *words, typed=typed)
        assert (done.returncode, done.stderr) == (0, "")
        for told in (
            f"Hash        {commitment(SEED)}\n", "Nonces      Anna: Anna-7f3a, Cid: Cid_0451\n",
            f"Recomputed  {found.checked} deals and throws\n", "\nRight: every deal and throw is",
            f"Draws that were skipped: {found.skipped}.",
        ):  # fmt: skip
            assert told in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 78


def test_verify_says_what_it_did_not_check(tmp_path: Path) -> None:
    record = Table(THREE_DICE, FairDice(SEED, "t")).play(random.Random(1), 3).record()
    done = aachen(tmp_path, "verify", "-", typed=str(record))
    assert done.returncode == 0
    for told in ("Nonces      none\n", "began from a given position", "ends before the game is over"):
        assert told in done.stdout
    assert "skipped" not in done.stdout


def test_verify_of_a_record_that_is_wrong_gives_one_line_and_exit_code_1(tmp_path: Path, game: Record) -> None:
    said, changed = other_outcome(game, 20)
    golden = TOP / "tests" / "games" / "2-players-castles.game"
    for text, told in (
        (str(changed), f"step 21 is said to be {said}, but seed, table and nonces give"),
        (str(replace(game, tags=game.tags | {"FairHash": "0"})), "the hash does not fit the seed"),
        (golden.read_text(), "this record has no fairness tags"),
    ):
        done = aachen(tmp_path, "verify", "-", typed=text)
        assert (done.returncode, done.stdout) == (1, "")
        assert re.fullmatch(r"aachen: not verified: [^\n]+\n", done.stderr)
        assert told in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "required: RECORD"),
        (["/nowhere.game"], "No such file or directory"),
        (["-"], "this is no game record"),
    ],
)
def test_verify_of_what_cannot_be_read_is_an_error_as_everywhere(tmp_path: Path, words: list[str], told: str) -> None:
    done = aachen(tmp_path, "verify", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"aachen: [^\n]+\n", done.stderr)
    assert told in done.stderr
