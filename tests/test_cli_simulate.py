"""`aachen simulate`: many games, their results in files, and the bar on a terminal."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pexpect
import pytest

from aachen import carolus
from test_cli_play import COMMAND, aachen, environment

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")


def on_a_terminal(tmp_path: Path, *words: str) -> Any:
    child = pexpect.spawn(
        COMMAND[0], [*COMMAND[1:], "simulate", *words], env=environment(tmp_path, TERM="xterm"),
        encoding="utf-8", codec_errors="replace", dimensions=(40, 80), timeout=120,
    )  # fmt: skip
    child.delaybeforesend = None
    return child


def test_json_has_the_summary_and_every_game(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    done = aachen(tmp_path, "simulate", "--games", "120", "--players", "4", "--seed", "5", "--output", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    results = json.loads(path.read_text())
    games, facts = results["games"], results["summary"]
    assert [game["number"] for game in games] == list(range(120))
    assert facts["games"] == 120
    assert facts["seats"] == ["random"] * 4
    assert sum(facts["points"]) == pytest.approx(120)
    assert sum(facts["wins"]) + facts["draws"] == 120
    assert facts["seed"] == 5
    assert sum(facts["reasons"].values()) == 120
    for game in games:
        state = carolus.read(game["position"])
        assert state.outcome is not None
        assert list(state.outcome.winners) == game["winners"]
        assert state.outcome.reason == game["reason"]
        assert list(state.outcome.scores) == game["castles"]
    assert "120 games of random, random, random, random with seed 5 in" in done.stdout
    wins, points = facts["wins"][0], facts["points"][0]
    assert f"White (random and random): {wins} won, {points:g} points" in done.stdout
    assert f"draws: {facts['draws']}, shared out as points" in done.stdout
    assert f"written to {path}" in done.stdout


def test_csv_has_a_row_for_every_game_whatever_the_jobs(tmp_path: Path) -> None:
    words = ["simulate", "--games", "70", "--players", "3", "--dice", "choose-one", "--round-limit", "9", "--seed", "2"]
    for jobs in ("1", "2"):
        done = aachen(tmp_path, *words, "--jobs", jobs, "--output", str(tmp_path / f"{jobs}.csv"))
        assert done.returncode == 0
    assert (tmp_path / "1.csv").read_text() == (tmp_path / "2.csv").read_text()
    with (tmp_path / "1.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 70
    for row in rows:
        outcome = carolus.read(row["position"]).outcome
        assert outcome is not None
        assert row["winners"] == "=".join(map(str, outcome.winners))
        assert row["reason"] == outcome.reason
        assert [int(row[f"castles_{side}"]) for side in range(3)] == list(outcome.scores)
        assert int(row["rounds"]) <= 9


def test_greedy_beats_random(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    done = aachen(tmp_path, "simulate", "--games", "20", "--seats", "random, greedy", "--output", str(path))
    assert done.returncode == 0
    wins = json.loads(path.read_text())["summary"]["wins"]
    assert wins[1] > wins[0]


def test_a_terminal_shows_the_progress(tmp_path: Path) -> None:
    child = on_a_terminal(tmp_path, "--games", "3000")
    child.expect(r"3000/3000")
    child.expect("3000 games of random, random with seed 0 in")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_ctrl_c_keeps_the_games_that_are_done(tmp_path: Path) -> None:
    path = tmp_path / "part.json"
    child = on_a_terminal(tmp_path, "--games", "5000000", "--output", str(path))
    child.expect(r"[1-9]\d*/5000000")
    child.sendintr()
    child.expect("Interrupted: keeping the games that are done.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    results = json.loads(path.read_text())
    assert 0 < results["summary"]["games"] == len(results["games"]) < 5_000_000


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--games 0", "no whole number from 1 to"),
        ("--games many", "'many' is no whole number"),
        ("--jobs 0", "no whole number"),
        ("--seed -1", "no whole number"),
        ("--seats greedy", "players is 2 or 3 or 4"),
        ("--seats greedy,human", "there is no bot called 'human'; there are: random, greedy"),
        ("--players 3 --seats random,random", "2 bots are named for 3 players"),
        ("--players 7", "invalid choice: 7"),
        ("--output results.txt", "results.txt must end in .json or .csv"),
        ("--output /nowhere/results.json", "/nowhere/results.json cannot be written"),
    ],
)
def test_wrong_arguments_give_one_line(tmp_path: Path, words: str, told: str) -> None:
    done = aachen(tmp_path, "simulate", *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"aachen: [^\n]+\n", done.stderr)
    assert told in done.stderr
