"""`aachen analyse`: what a bot thinks of a position, also where chance is to act and where the game is over."""

import re
from pathlib import Path
from typing import Any

import pytest

from helpers import play
from test_cli_play import LAST_MOVE, aachen, game_text, save_game
from test_rules_examples import figure_6

GAME = str(Path(__file__).parent / "games" / "3-players-rounds.game")


def run(tmp_path: Path, *words: str, typed: str = "") -> Any:
    return aachen(tmp_path, "analyse", *words, typed=typed)


def chances(text: str) -> list[float]:
    """The sides' chances to win in percent."""
    return [float(one) for one in re.findall(r"^(?:White|Black|Grey) .*?([\d.]+) %$", text, re.MULTILINE)]


def test_E4_the_counterattack_is_the_best_turn(tmp_path: Path) -> None:
    done = run(tmp_path, figure_6().text, "--positions", "40000", "--lines", "1")
    assert (done.returncode, done.stderr) == (0, "")
    line = re.search(r"1\. (\S+) .*to win.*\n +(.*)\n", done.stdout)
    assert line
    assert line[2].startswith(line[1])
    assert sorted(line[2].split()) == sorted(["y@", "y@", "yD", "m2"])
    assert "White takes over 3 castles from Black" in " ".join(done.stdout.split())
    assert "White is to act (emperor" in done.stdout
    assert "2. " not in done.stdout


def test_a_win_now_is_found_and_is_certain(tmp_path: Path) -> None:
    done = run(tmp_path, LAST_MOVE, "--positions", "500", "--level", "paladin")
    assert re.search(r"1\. m1 +100\.0 % to win", done.stdout)
    assert "paladin" in done.stdout


@pytest.mark.parametrize("step", ["20", "60", "90"])
def test_the_chances_add_up_in_a_game(tmp_path: Path, step: str) -> None:
    done = run(tmp_path, GAME, "--step", step, "--positions", "2000")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(chances(done.stdout)) == 3
    assert sum(chances(done.stdout)) == pytest.approx(100, abs=0.3)


@pytest.mark.parametrize("step", ["0", "14", "15", "16", "17"])
def test_where_the_deal_is_not_done_it_tells_the_mean(tmp_path: Path, step: str) -> None:
    done = run(tmp_path, GAME, "--step", step, "--positions", "2000")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Chance is to act" in done.stdout
    assert sum(chances(done.stdout)) == pytest.approx(100, abs=0.3)


def test_before_the_dice_it_tells_the_mean_and_the_best_and_worst_throws(tmp_path: Path) -> None:
    state = play(figure_6(), "y@ y@ yD m2")
    done = run(tmp_path, "-", "--positions", "5000", typed=state.text)
    assert "the mean over its 56 outcomes" in done.stdout
    assert re.search(r"White: best dice:\S+ \+.*; worst dice:\S+ -", done.stdout)
    assert sum(chances(done.stdout)) == pytest.approx(100, abs=0.2)


def test_a_finished_game_is_told_as_such(tmp_path: Path) -> None:
    done = run(tmp_path, GAME)
    assert done.returncode == 0
    assert "Grey (Seat 2) wins" in done.stdout


def test_seconds_are_a_budget(tmp_path: Path) -> None:
    done = run(tmp_path, figure_6().text, "--seconds", "0.2", "--level", "search")
    assert re.search(r"search, [\d,]+ positions in 0\.[23] s", done.stdout)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "a position has 8 parts"),
        (["missing.game"], "no such file"),
        ([LAST_MOVE, "--step", "1"], "--step is for game records"),
        ([GAME, "--step", "5000"], "there is no step 5000"),
        ([LAST_MOVE, "--level", "squire"], "does not look ahead"),
        ([LAST_MOVE, "--level", "duke"], "no bot called"),
        ([LAST_MOVE, "--seconds", "0"], "no time"),
        ([LAST_MOVE, "--lines", "0"], "no whole number"),
    ],
)
def test_bad_input_gives_one_line(tmp_path: Path, words: list[str], said: str) -> None:
    done = run(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


# Hints and levels in a game


def test_a_hint_tells_the_best_action_its_chance_and_what_follows(tmp_path: Path) -> None:
    save_game(tmp_path, game_text(LAST_MOVE))
    done = aachen(tmp_path, "play", typed="y\nhint\nm1\nhint\nundo\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    assert "The emperor would play m1: 100.0% to win for White; next best is m2 with " in words
    assert "Expected: m1. The Emperor moves 1 to K: White builds a castle" in words
    assert "Enter, or undo." in words


def test_a_hint_where_one_action_is_possible_names_it(tmp_path: Path) -> None:
    save_game(tmp_path, game_text(LAST_MOVE.replace(":145:2/", ":245:1/")))
    done = aachen(tmp_path, "play", typed="y\nhint\nquit\n")
    assert "Only one action is possible: m1." in done.stdout


def test_the_questions_offer_the_levels_and_know_the_other_bots(tmp_path: Path) -> None:
    done = aachen(tmp_path, "play", typed="3\nh\nAnna\ns\nrandom\nusual\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "emperor  has learned, and thinks for a second" in done.stdout
    assert "human, page, squire, knight, paladin or emperor [squire]?" in " ".join(done.stdout.split())
    record = (tmp_path / "state" / "carolus.game").read_text()
    assert '[Players "human,squire,random"]' in record
