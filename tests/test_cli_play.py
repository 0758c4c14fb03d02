"""`aachen play` as people meet it: the real program on a terminal, or with its input from a pipe."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from aachen import cache, carolus
from aachen.core import History, Record

# Python 3.12 and later warn where a process with NumPy's threads opens a terminal.
pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")

COMMAND = [sys.executable, "-m", "aachen.cli"]
#: Anna is to play three cubes, with disc 3.
CUBES = (
    "carolus 2 Ag/By/Cr/DpB/Er/FbW/Gp/HrgB!/Ig/Jb/Ky/Lg/Mp/Ny/Ob g2b:r2y3gb:145:3/yg3p:rygb3p:123:4 -1101 >01 cube:3 2"
)
#: Anna has nine castles in play, and wins with one step of the Emperor.
LAST_MOVE = "carolus 2 AgW9/Jr!/Kr/Ly/Mg/Nb/Op r:r2y2:145:2/g:rygb3p:235:4 0-1-- >01 move 2"
#: Anna is the second to lay a disc, and has four left.
DISCS = f"carolus 2 {CUBES.split()[2]} g2b:r2y3gb:1235:-/yg3p:rygb3p:124:3 -1101 1>0 disc 2"
#: Anna is to name the clan of a crown at the end of her turn; Greedy follows.
CROWN = f"carolus 2 {CUBES.split()[2]} g2b:r2y3g:145:3/yg3p:rygb3p:123:4 -1101 >01 crown:1 2"
ACTION, LAST_WORD = "Anna> $", "last action back: $"


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """A home of its own, but the cache of compiled rules that all tests share."""
    own = {
        "HOME": str(tmp_path),
        "AACHEN_STATE_DIR": str(tmp_path / "state"),
        "AACHEN_CACHE_DIR": str(cache.folder().parent),
        "TERM": "dumb",
        "COLUMNS": "80",
        "LINES": "40",
        "LANG": "C.UTF-8",
    }
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return kept | own | more


def aachen(tmp_path: Path, *words: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end, with this text as its input."""
    env = environment(tmp_path, **more)
    return subprocess.run([*COMMAND, *words], input=typed, env=env, capture_output=True, text=True, timeout=120)


def game_text(position: str, players: str = "human,greedy", names: tuple[str, ...] = ("Anna", "Greedy")) -> str:
    """A saved game that stands at this position."""
    return str(History(carolus.read(position)).record(names, {"Players": players}))


def save_game(tmp_path: Path, text: str, name: str = "state/carolus.game") -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def saved(tmp_path: Path) -> Any:
    """The state in which the autosave stands."""
    return History.replay(Record.read((tmp_path / "state" / "carolus.game").read_text())).state


Start = Callable[..., Any]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `aachen` on a terminal; whatever still runs at the end is closed."""
    children = []

    def spawn(*words: str, **more: str) -> Any:
        child = pexpect.spawn(
            COMMAND[0], [*COMMAND[1:], *words], env=environment(tmp_path, **more),
            encoding="utf-8", codec_errors="replace", dimensions=(40, 80), timeout=120,
        )  # fmt: skip
        child.delaybeforesend = None
        children.append(child)
        return child

    yield spawn
    for child in children:
        child.close(force=True)


@pytest.fixture
def resume(tmp_path: Path, start: Start) -> Callable[[str], Any]:
    """Goes on with a game that stands at a position, up to the first question."""

    def go_on(position: str) -> Any:
        save_game(tmp_path, game_text(position))
        child = start("play")
        child.expect("A game is under way")
        child.sendline("")
        child.expect(ACTION)
        return child

    return go_on


def answer(child: Any, line: str, then: str = ACTION) -> str:
    """Types a line, and gives what is printed up to the next question."""
    child.sendline(line)
    child.expect(then)
    return str(child.before)


def leave(child: Any, code: int = 0) -> str:
    """What is printed up to the program's end, which must come with this exit code."""
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == code
    return str(child.before)


# Before the game


def test_enter_at_every_question_gives_a_game_against_a_squire(tmp_path: Path, start: Start) -> None:
    child = start("play")
    for question in ("How many players", "Who plays White", "Name", "Who plays Black", "Rules"):
        child.expect(question)
        child.sendline("")
    child.expect("Player 1> $|Player 1.*last action back: $")
    child.sendline("quit")
    leave(child)
    record = Record.read((tmp_path / "state" / "carolus.game").read_text())
    assert record.names == ("Player 1", "Squire")
    assert record.tags["Players"] == "human,squire"
    assert record.options["dice"] == "all"


def test_the_questions_lead_to_four_seats_and_variants(tmp_path: Path) -> None:
    answers = ["5", "4", "h", "Anna", "robot", "random", "human", "Anna", "Bea", "g",
               "v", "choose-one", "d", "none", "0", "50", "quit"]  # fmt: skip
    done = aachen(tmp_path, "play", typed="\n".join(answers) + "\n")
    assert done.returncode == 0
    assert "Please: 2, 3 or 4; Enter takes 2, quit leaves." in done.stdout
    assert "Please: human, page, squire, knight, paladin or emperor; Enter takes squire, quit leaves." in " ".join(
        done.stdout.split()
    )
    assert "Somebody is called Anna already" in done.stdout
    assert "Please: a number from 1 to 9999" in done.stdout
    record = Record.read((tmp_path / "state" / "carolus.game").read_text())
    assert record.names == ("Anna", "Random", "Bea", "Greedy")
    assert record.options == {
        "players": "4", "dice": "choose-one", "crowns": "deferred", "talk": "none", "round_limit": "50",
    }  # fmt: skip


def test_options_skip_the_questions(tmp_path: Path) -> None:
    words = ["--seats", "human:Anna,random,greedy", "--dice", "choose-one", "--round-limit", "7", "--seed", "4"]
    first, again = (aachen(tmp_path / folder, "play", *words) for folder in ("a", "b"))
    assert first.returncode == 0
    assert "How many" not in first.stdout
    record = Record.read((tmp_path / "a" / "state" / "carolus.game").read_text())
    assert (record.options["dice"], record.options["round_limit"]) == ("choose-one", "7")
    boards = [done.stdout.replace(f"/{folder}/", "/") for done, folder in ((first, "a"), (again, "b"))]
    assert boards[0].split("The game is kept")[0] == boards[1].split("The game is kept")[0], "the seed decides all"


def test_the_end_of_input_during_the_questions_begins_no_game(tmp_path: Path) -> None:
    done = aachen(tmp_path, "play", typed="3\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No game was begun." in done.stdout
    assert not (tmp_path / "state").exists()


WRONG = {
    "play --players 5": "invalid choice: 5",
    "play --seats human": "players is 2 or 3 or 4",
    "play --seats human,robot": "'robot' cannot sit at the table; a seat is human, human:NAME, random or greedy",
    "play --seats human:A,human:A": "names must differ",
    "play --seats greedy:Bob,human": "takes no name",
    "play --players 3 --seats human,greedy": "--seats names 2, but --players says 3",
    "play --seed -1": "no whole number",
    "play --round-limit 0": "no whole number from 1 to 9999",
    "dance": "invalid choice: 'dance'",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_options_give_one_line_and_touch_nothing(tmp_path: Path, words: str) -> None:
    game = save_game(tmp_path, game_text(CUBES))
    before = game.read_text()
    done = aachen(tmp_path, *words.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"aachen: [^\n]+\n", done.stderr)
    assert WRONG[words] in done.stderr
    assert game.read_text() == before


def test_help_comes_without_the_compiler(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "aachen.cli", "play", "--help"],
        env=environment(tmp_path), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0
    assert "--seats" in done.stdout
    assert "numpy" not in done.stderr
    assert "numba" not in done.stderr


# The game


def test_a_whole_game_from_the_list_ends_with_a_winner_and_a_record(tmp_path: Path, start: Start) -> None:
    child = start("play", "--seats", "human:Anna,greedy", "--seed", "3")
    asked = 0
    while (seen := child.expect([ACTION, LAST_WORD, r"aachen replay (\S+)\r\n"])) < 2:
        asked += 1
        if asked == 10:
            answer(child, "list", ACTION if seen == 0 else LAST_WORD)
        child.sendline("#1" if seen == 0 else "")
    path = Path(child.match[1])
    assert re.search(r"(Black|White) \((Greedy|Anna)\) wins: ", child.before)
    leave(child)
    assert not (tmp_path / "state" / "carolus.game").exists()
    record = Record.read(path.read_text())
    assert History.replay(record).state.is_over
    assert record.result != "*"
    assert "wins: " in aachen(tmp_path, "replay", str(path)).stdout


def test_bots_alone_play_to_the_end_and_leave_the_saved_game_alone(tmp_path: Path) -> None:
    game = save_game(tmp_path, game_text(CUBES))
    for _ in range(2):
        done = aachen(tmp_path, "play", "--seats", "greedy,random,greedy")
        assert done.returncode == 0
        assert "Greedy 1 lays disc" in done.stdout
        assert re.search(r"wins: |A draw between", done.stdout)
    assert len(list((tmp_path / "state").glob("carolus-*-[12].game"))) == 2, "no record overwrites another"
    assert game.read_text() == game_text(CUBES)


def test_people_at_one_keyboard_are_told_whose_turn_it_is(tmp_path: Path) -> None:
    text = game_text(CUBES, "human,human", ("Anna", "Bob"))
    save_game(tmp_path, text)
    done = aachen(tmp_path, "play", typed="\nr@ r@ y@ m1\n\n" + "r\n\n" * 6)
    assert done.returncode == 0
    assert "Anna (White), it is your turn." in done.stdout
    assert "Bob (Black), it is your turn." in done.stdout


def test_several_actions_on_a_line_stop_at_the_first_wrong_one(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    child = resume(CUBES)
    shown = answer(child, "r@ pE b@")
    assert "Anna plays a red cube to court and takes the red marker." in shown
    assert "Not played: pE b@. pE: Anna has no pink cube in reserve, but red" in " ".join(shown.split())
    assert int(saved(tmp_path).position["due"][0]) == 2


def test_numbers_on_one_line_mean_the_list_that_was_shown(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    child = resume(CUBES)
    listed = answer(child, "list")
    green, blue = (re.search(rf"(#\d+) {cube}\b", listed) for cube in ("gA", "bC"))
    assert green is not None
    assert blue is not None
    answer(child, f"{green[1]} {blue[1]}")
    cubes = saved(tmp_path).position["cubes"][0]
    assert (int(cubes[0][2]), int(cubes[2][3])) == (2, 1)


def test_undo_goes_back_until_the_dice_are_thrown(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    child = resume(CUBES)
    assert "Taken back: r@." in answer(child, "r@") + answer(child, "undo")
    assert saved(tmp_path) == carolus.read(CUBES)
    answer(child, "r@ r@ y@ m1", LAST_WORD)
    assert "Taken back: m1." in answer(child, "undo")
    answer(child, "m2", LAST_WORD)
    assert "Please: Enter throws the dice" in answer(child, "m2", LAST_WORD)
    child.sendline("")
    child.expect(ACTION)
    assert "nothing can be taken back" in answer(child, "undo")


def test_a_move_that_ends_the_game_can_still_be_taken_back(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    child = resume(LAST_MOVE)
    assert "White builds a castle; White wins the game" in answer(child, "list")
    assert "Enter ends the game (White wins)" in answer(child, "m1", LAST_WORD)
    answer(child, "undo")
    answer(child, "m1", LAST_WORD)
    child.sendline("")
    assert "White (Anna) wins: all of its castles are on the board." in leave(child)


def test_commands_show_the_board_the_forecast_and_help(resume: Callable[[str], Any]) -> None:
    child = resume(LAST_MOVE)
    assert "┌─ A-I ─────┐" in answer(child, "board")
    table = answer(child, "forecast")
    assert re.search(r"\* K +1 +1 +0 +White builds a castle; White wins the game", table)
    assert re.search(r"\n  M +3 +0 +1 +Black builds a castle", table)
    text = answer(child, "help")
    for word in ("rE", "r@", "m2", "=r", "all", "forecast", "undo", "save FILE", "load FILE", "quit"):
        assert word in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_wrong_input_is_told_and_changes_nothing(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    (tmp_path / "notes.txt").write_text("not a game")
    child = resume(CUBES)
    for line, told in {
        "xyzzy": "'xyzzy' is no action (d3, rE, r@, m2, =r, all, #1) and no command; try list, hint or help",
        "3": "a number alone is not clear; write #3 for the list",
        "#999": "#999 is not in the list; it goes from #1 to #",
        "#": "# is not in the list",
        "d3": "Anna is to play a cube: rE to region E, r@ to court",
        "p@": "Anna has no pink cube in reserve",
        "dice:rrr": "is not what is asked",
        "undo": "nothing can be taken back",
        "undo now": "Please write undo alone.",
        "list undo": "Please write list alone.",
        "load": "load needs a file's name",
        "load /nowhere/x.game": "No such file or directory",
        "load ~/notes.txt": "this is no game record",
        "save ~": "is a folder",
        "save ~/notes.txt": "exists and is no game record",
        "é🂡 ": "is no action",
    }.items():
        shown = " ".join(answer(child, line).split())
        assert told in shown, line
        assert "Traceback" not in shown
    assert saved(tmp_path) == carolus.read(CUBES)
    assert (tmp_path / "notes.txt").read_text() == "not a game"


def test_a_line_with_a_word_that_means_nothing_plays_nothing(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    child = resume(CUBES)
    assert "Nothing was played. 'zz' is no action" in " ".join(answer(child, "y@ zz").split())
    assert saved(tmp_path) == carolus.read(CUBES)
    answer(child, "y@, r@")
    assert int(saved(tmp_path).position["due"][0]) == 1


@pytest.mark.parametrize(
    ("position", "line", "told"),
    [
        (LAST_MOVE, "list", "Move the Emperor clockwise: m1 or m2 ("),
        (LAST_MOVE, "m9", "m9 does not exist; Anna is to move the Emperor: m1 or m2"),
        (LAST_MOVE, "d1", "Anna is to move the Emperor: m1 or m2"),
        (LAST_MOVE, "m3", "the Emperor moves 1 to 2 steps, as Anna played disc 2"),
        (CUBES, "r@ r@ y@ m7", "with disc 3 the Emperor moves m1 to m3"),
        (CUBES, "d6", "d6 does not exist; discs are d1 to d5"),
        (DISCS, "list", "Lay a disc, d1, d2 or d5: "),
        (DISCS, "d7", "Anna is to play a disc: d1, d2 or d5"),
        (DISCS, "m1", "Anna is to play a disc: d1, d2 or d5"),
    ],
)
def test_exactly_what_is_legal_is_named(resume: Callable[[str], Any], position: str, line: str, told: str) -> None:
    child = resume(position)
    shown = " ".join((child.before + answer(child, line)).split())
    assert told in shown
    assert "(C" not in shown


def test_naming_the_last_crown_can_be_taken_back(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    child = resume(CROWN)
    assert "Name a clan for the crown: =r, =y, =g, =b or =p." in child.before
    assert "Enter ends your turn, undo" in answer(child, "r", LAST_WORD) + child.before + str(child.match.string)
    assert "Taken back: =r." in answer(child, "undo")
    answer(child, "=g", LAST_WORD)
    child.sendline("")
    child.expect("Greedy plays")


def test_a_narrow_terminal_gets_a_list_and_narrow_text(tmp_path: Path) -> None:
    save_game(tmp_path, game_text(CUBES))
    typed = "\nlist\nforecast\nhelp\nhelp rules\nboard\nzz\n"
    done = aachen(tmp_path, "play", typed=typed, COLUMNS="50")
    assert done.returncode == 0
    assert "┌" not in done.stdout
    assert "  H   B1  r g  EMPEROR\n" in done.stdout
    long = [line for line in done.stdout.splitlines() if len(line) > 50 and "?" not in line and "/" not in line]
    assert not long


def test_the_rules_are_told_for_this_game(tmp_path: Path) -> None:
    usual = aachen(tmp_path, "play", "--seats", "human,human", "--seed", "1", typed="help rules\n" * 5).stdout
    for word in ("Takeover:", "nobody", "with 3 cubes", "five rounds", "fewer than 4 regions", "10 castles"):
        assert word in " ".join(usual.split())
    assert "joker" not in usual
    words = ["--seats", "human,human,human,human", "--dice", "choose-one", "--crowns", "deferred", "--new"]
    special = aachen(tmp_path, "play", *words, typed="help rules\n").stdout
    for word in ("Partners:", "joker (*)", "Choosing:"):
        assert word in special
    three = aachen(tmp_path, "play", "--players", "3", "--new", "--crowns", "deferred", typed="help rules\n").stdout
    assert "with 4 cubes" in " ".join(three.split())


def test_the_command_is_told_by_which_the_program_was_started(tmp_path: Path) -> None:
    save_game(tmp_path, game_text(CUBES))
    told = aachen(tmp_path, "play", typed="\nquit\n", AACHEN_COMMAND=".venv/bin/aachen").stdout
    assert "`.venv/bin/aachen play` goes on" in " ".join(told.split())
    bots = aachen(tmp_path, "play", "--seats", "greedy,greedy", AACHEN_COMMAND=".venv/bin/aachen").stdout
    assert "To look through it: .venv/bin/aachen replay /" in bots


@pytest.mark.parametrize("answers", ["quit\n", "2\nquit\n", "2\nhuman\nquit\n", "2\n\n\n\nquit\n"])
def test_quit_leaves_the_questions(tmp_path: Path, answers: str) -> None:
    done = aachen(tmp_path, "play", typed=answers)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("No game was begun.\n")


def test_a_name_may_come_along_with_the_seat(tmp_path: Path) -> None:
    done = aachen(tmp_path, "play", typed="4\nhuman:Anna\nh:Anna\nBea\nrandom:Bob\nrandom\n\n\nquit\n")
    assert "Somebody is called Anna already" in done.stdout
    assert "Who plays White's partner" in done.stdout
    assert "Please: human, page, " in done.stdout
    record = Record.read((tmp_path / "state" / "carolus.game").read_text())
    assert record.names == ("Anna", "Bea", "Random", "Squire")


def test_the_compiler_is_announced_where_it_works(tmp_path: Path, start: Start) -> None:
    child = start("play", AACHEN_CACHE_DIR=str(tmp_path / "cache"), NUMBA_DISABLE_JIT="1")
    child.expect("Compiling the rules. That is done once, and takes half a minute")
    child.expect("How many players")


# Saving and going on


def test_saving_makes_no_folder_and_overwrites_nothing_unasked(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    child = resume(CUBES)
    assert "there is no folder" in answer(child, f"save {tmp_path}/none/a.game")
    assert not (tmp_path / "none").exists()
    answer(child, "save ~/a.game")
    before = (tmp_path / "a.game").read_text()
    answer(child, "r@")
    answer(child, "save ~/a.game", r"It exists. Overwrite\? \[y/N\] ")
    assert "Not saved." in answer(child, "")
    assert (tmp_path / "a.game").read_text() == before
    answer(child, "save ~/a.game", "Overwrite")
    assert "Saved as" in answer(child, "y")
    assert (tmp_path / "a.game").read_text() != before


def test_save_load_and_quit(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    child = resume(CUBES)
    assert "carolus.game" in answer(child, "save")
    answer(child, "r@")
    assert "Saved as" in answer(child, "save ~/my game")
    answer(child, "y@")
    shown = " ".join(answer(child, "load ~/my game").split())
    assert "Loaded ~/my game." in shown
    assert "unfinished-" in shown
    assert int(saved(tmp_path).position["due"][0]) == 2
    child.sendline("quit")
    assert "`aachen play` goes on with it" in " ".join(leave(child).split())


def test_a_finished_game_is_not_loaded_but_can_be_replayed(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    history = History(carolus.read(LAST_MOVE))
    history.play("m1")
    save_game(tmp_path, str(history.record(("Anna", "Bob"))), "over.game")
    child = resume(CUBES)
    assert "this game is over; look at it with: aachen replay" in answer(child, f"load {tmp_path}/over.game")
    assert saved(tmp_path) == carolus.read(CUBES)


def test_a_game_without_a_word_about_players_is_played_by_people(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    save_game(tmp_path, str(History(carolus.read(LAST_MOVE)).record(("Anna", "Bob"))), "other.game")
    save_game(tmp_path, game_text(LAST_MOVE, "human,wizard"), "odd.game")
    child = resume(CUBES)
    assert "human,wizard" in answer(child, f"load {tmp_path}/odd.game")
    answer(child, f"load {tmp_path}/other.game")
    assert Record.read((tmp_path / "state" / "carolus.game").read_text()).tags["Players"] == "human,human"


def test_a_killed_game_goes_on_where_it_was(tmp_path: Path, start: Start, resume: Callable[[str], Any]) -> None:
    child = resume(CUBES)
    answer(child, "r@ r@ y@ m1", LAST_WORD)
    child.sendline("")
    child.expect(ACTION)
    before = (tmp_path / "state" / "carolus.game").read_text()
    child.kill(signal.SIGKILL)
    child.expect(pexpect.EOF)
    again = start("play")
    again.expect(r"A game is under way \(Anna, Greedy; round \d\)")
    again.sendline("")
    again.expect(ACTION)
    assert (tmp_path / "state" / "carolus.game").read_text() == before
    assert "Greedy" in again.before


def test_two_games_at_once_are_kept_apart_and_both_go_on(
    tmp_path: Path, start: Start, resume: Callable[[str], Any]
) -> None:
    first = resume(CUBES)
    second = start("play", "--seats", "human:Bob,greedy", "--crowns", "deferred")
    second.expect("Bob> $|last action back: $")
    answer(first, "r@")
    second.kill(signal.SIGKILL)
    second.expect(pexpect.EOF)
    assert saved(tmp_path).position["due"][0] == 2

    third = start("play")
    third.expect(r"A game is under way \(Bob, Greedy")
    third.sendline("")
    third.expect("Bob> $|last action back: $")
    assert sorted(path.name for path in (tmp_path / "state").glob("*.game")) == ["carolus-2.game", "carolus.game"]


def test_ctrl_d_and_ctrl_c_leave_politely_and_the_game_is_kept(tmp_path: Path, resume: Callable[[str], Any]) -> None:
    child = resume(CUBES)
    answer(child, "r@")
    child.sendeof()
    assert "The game is kept in" in leave(child, 0)
    assert int(saved(tmp_path).position["due"][0]) == 2
    child = resume(CUBES)
    child.sendintr()
    assert "The game is kept in" in leave(child, 130)


def test_input_from_a_pipe_reads_like_the_game(tmp_path: Path) -> None:
    save_game(tmp_path, game_text(CUBES))
    done = aachen(tmp_path, "play", typed="yes\nr@\nundo\nr@ r@ y@ m1\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Anna> r@ r@ y@ m1\n" in done.stdout
    assert "\x1b" not in done.stdout
    assert saved(tmp_path).is_chance


def test_bytes_that_are_no_text_are_wrong_input(tmp_path: Path) -> None:
    save_game(tmp_path, game_text(CUBES))
    done = subprocess.run(
        [*COMMAND, "play"], input=b"\n\xff\xfe\nr\x00@\n", env=environment(tmp_path), capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"is no action") == 2


@pytest.mark.parametrize(
    "text", ["", "garbage", '[Game "carolus"]\n[Rules "1"]\n\nd3\n', '[Game "chess"]\n[Rules "1"]\n']
)
def test_a_broken_autosave_is_put_aside_and_blocks_nobody(tmp_path: Path, text: str) -> None:
    save_game(tmp_path, text)
    done = aachen(tmp_path, "play", typed="\n\nAnna\n\n\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "The saved game is broken" in done.stdout
    [aside] = (tmp_path / "state").glob("broken-*-1.game")
    assert aside.read_text() == text
    assert saved(tmp_path).players == 2


@pytest.mark.parametrize("words", [("--new",), ()])
def test_a_game_that_is_not_gone_on_with_is_kept_aside(tmp_path: Path, words: tuple[str, ...]) -> None:
    save_game(tmp_path, game_text(CUBES))
    done = aachen(tmp_path, "play", *words, typed="" if words else "no\n\n\n\n\n\n")
    assert done.returncode == 0
    [aside] = (tmp_path / "state").glob("unfinished-*-1.game")
    assert "The game that was under way is kept as" in done.stdout
    assert aside.read_text() == game_text(CUBES)
    assert saved(tmp_path) != carolus.read(CUBES)


def test_a_folder_that_cannot_be_written_is_told_once_and_the_game_goes_on(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    done = aachen(tmp_path, "play", "--seats", "human:Anna,human:Bob", "--seed", "1", typed="#1\n#1\n#1\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("cannot be saved") == 1
    assert done.stdout.count("> #1") + done.stdout.count("back: #1") == 3
    assert "The game is not saved." in done.stdout


@pytest.mark.parametrize(
    ("words", "more", "coloured"),
    [
        ((), {}, True),
        ((), {"NO_COLOR": "1"}, False),
        ((), {"TERM": "dumb"}, False),
        (("--colour", "never"), {}, False),
        (("--colour", "always"), {"NO_COLOR": "1"}, True),
    ],
)
def test_colour_is_as_the_terminal_and_the_player_want_it(
    tmp_path: Path, start: Start, words: tuple[str, ...], more: dict[str, str], coloured: bool
) -> None:
    save_game(tmp_path, game_text(CUBES))
    child = start("play", *words, **{"TERM": "xterm"} | more)
    child.expect("A game is under way")
    child.sendline("")
    child.expect("Play a cube")
    assert ("\x1b[91mr\x1b[0m" in child.before) == coloured
