"""`aachen arena` as it is typed: tables, files, plots, going on after an interruption, early stops, and Ray."""

import csv
import fcntl
import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pexpect
import pytest

from aachen.arena.match import Settings, run
from test_cli_play import COMMAND, aachen, environment

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")

Done = subprocess.CompletedProcess[str]
#: Long enough to be interrupted, short enough to be waited for.
LONG = ["knight", "squire", "--games", "120", "--seed", "3"]


def arena(tmp_path: Path, *words: str, **more: str) -> Done:
    """Runs the command, which must succeed."""
    done = aachen(tmp_path, "arena", *words, **more)
    assert done.returncode == 0, done.stderr
    return done


def refused(tmp_path: Path, *words: str, **more: str) -> str:
    """Runs the command, which must say in one line why it does not, and gives this line."""
    done = aachen(tmp_path, "arena", *words, **more)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"aachen: [^\n]+\n", done.stderr)
    return done.stderr


def games_of(settings: Settings, number: int) -> list[dict[str, Any]]:
    """The games as the library plays them, as they look in a JSON file."""
    return [json.loads(json.dumps(result.facts)) for result in run(settings, range(number))]


def interrupted(tmp_path: Path, words: list[str], by: signal.Signals = signal.SIGINT) -> tuple[str, str]:
    """Begins the match, and presses Ctrl-C when a part of it is told; what it says then."""
    child = subprocess.Popen(
        [*COMMAND, "arena", *words], env=environment(tmp_path), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stderr is not None
    begun = child.stderr.readline()
    child.send_signal(by)
    told, complaints = child.communicate(timeout=120)
    assert re.match(r"\d+ of \d+ games", begun)
    assert child.returncode == (130 if by == signal.SIGINT else -by)
    return told, complaints


def on_a_terminal(tmp_path: Path, *words: str) -> Any:
    child = pexpect.spawn(
        COMMAND[0], [*COMMAND[1:], "arena", *words], env=environment(tmp_path, TERM="xterm"),
        encoding="utf-8", dimensions=(40, 80), timeout=120,
    )  # fmt: skip
    child.delaybeforesend = None
    return child


def press_ctrl_c(child: Any) -> str:
    """What is printed from then on."""
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    return str(child.before)


# What is told


def test_the_table_tells_who_is_stronger_and_how_sure_that_is(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    done = arena(tmp_path, "page", "squire", "--games", "9", "--seed", "2", "--output", str(path))
    facts = json.loads(path.read_text())["summary"]
    lines = done.stdout.splitlines()
    assert lines[0] == "10 games, 2 players, seed 2", "sets are played to their end"
    assert lines[1].split() == ["bot", "Elo", "points", "games", "won"]
    for line, row in zip(lines[2:4], facts["standings"], strict=True):
        elo, won = (
            f"{row['elo']:+.0f} ± {row['elo_error']:.0f}",
            f"{100 * row['rate']:.1f} % ± {100 * row['rate_error']:.1f}",
        )
        assert re.split(r" {2,}", line) == [row["bot"], elo, f"{row['points']:g}", "10", won]
    (pairing,) = facts["pairings"]
    assert f"page against squire: {pairing['elo']:+.0f} ± {pairing['elo_error']:.0f} Elo" in lines
    assert "± is 95 %, from sets of 2 games on the same dice with seats swapped" in lines
    assert lines[-1] == f"written to {path}"
    assert re.fullmatch(r"([1-9] of 10 games(: (page|squire) [^,\n]+, (page|squire) [^,\n]+)?\n){9}", done.stderr)


@pytest.mark.parametrize("players", [3, 4])
def test_three_and_four_players(tmp_path: Path, players: int) -> None:
    path = tmp_path / "out.json"
    words = ["page", "squire", "--players", str(players), "--games", "6", "--round-limit", "8", "--output", str(path)]
    told = arena(tmp_path, *words).stdout
    stored = json.loads(path.read_text())
    assert stored["games"] == games_of(Settings.of(["page", "squire"], players, round_limit=8), 6)
    assert {len(game["seats"]) for game in stored["games"]} == {players}
    assert f"6 games, {players} players, seed 0\n" in told
    assert f"from sets of {6 if players == 3 else 2} games" in told
    assert ("alone against two" in told) == (players == 3)
    assert ("first_alone" in stored["summary"]["pairings"][0]) == (players == 3)


def test_three_bots_meet_each_other_and_each_pairing_is_told(tmp_path: Path) -> None:
    told = arena(tmp_path, "knight", "page", "random", "--games", "6").stdout
    assert told.startswith("18 games, 2 players, seed 0\n")
    rows = [line.split()[0] for line in told.splitlines()[2:5]]
    assert rows == ["knight", "page", "random"]
    for pairing in ("knight - page", "knight - random", "page - random"):
        assert re.search(rf"^{pairing} +\d+\.\d % ± \d+\.\d +[+-]\d+ ± \d+$", told, re.MULTILINE)


def test_a_terminal_shows_the_table_while_the_games_are_played(tmp_path: Path) -> None:
    child = on_a_terminal(tmp_path, "page", "squire", "--games", "100000")
    child.expect(r"squire +[+-]\d+ ± \d+")
    child.expect(r"[1-9]\d*/100000")
    assert re.search(r"[1-9]\d* games, 2 players, seed 0\r\n", press_ctrl_c(child))


def test_a_match_that_is_interrupted_in_its_first_game_leaves_nothing_behind(tmp_path: Path) -> None:
    files = ["--output", str(tmp_path / "a.json"), "--plot", str(tmp_path / "a.svg")]
    child = on_a_terminal(tmp_path, "emperor@1s", "page", "--games", "2", *files)
    child.expect(r"0/2[\s\S]*0/2")
    told = press_ctrl_c(child)
    assert "0 games, 2 players, seed 0\r\ntoo few games to tell anything\r\nInterrupted.\r\n" in told
    assert not list(tmp_path.iterdir())


# Files


def test_json_and_csv_have_every_game_with_its_settings_whatever_the_jobs(tmp_path: Path) -> None:
    words = ["knight", "paladin@100", "page", "--games", "4", "--seed", "7", "--dice", "choose-one"]
    for jobs, name in (("1", "1.json"), ("2", "2.json"), ("2", "2.csv")):
        arena(tmp_path, *words, "--jobs", jobs, "--output", str(tmp_path / name))
    assert (tmp_path / "1.json").read_text() == (tmp_path / "2.json").read_text()
    stored = json.loads((tmp_path / "1.json").read_text())
    settings = Settings.of(words[:3], seed=7, dice="choose-one")
    assert stored["settings"] == settings.facts
    assert stored["games"] == games_of(settings, 12)
    assert stored["summary"]["games"] == sum(row["points"] for row in stored["summary"]["standings"]) == 12
    with (tmp_path / "2.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, game in zip(rows, stored["games"], strict=True):
        lists = {name: " ".join(map(str, game[name])) for name in ("seats", "winners", "scores")}
        assert row == {name: str(value) for name, value in (game | lists | settings.facts).items()}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.json", "2.csv", "2.json"], "no journal is left"


def test_a_plot_shows_each_bot_and_is_the_same_each_time(tmp_path: Path) -> None:
    words = ["random", "page", "squire", "--games", "2", "--plot"]
    for name in ("a.svg", "b.svg", "a.png"):
        assert f"drawn to {tmp_path / name}\n" in arena(tmp_path, *words, str(tmp_path / name)).stdout
    drawn = (tmp_path / "a.svg").read_text()
    assert drawn.startswith("<?xml")
    for word in ("random", "page", "squire", "Elo, 0 on average (bars: 95 %, 6 games)"):
        assert f">{word}</text>" in drawn
    assert drawn == (tmp_path / "b.svg").read_text()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n")


# Going on


def test_an_interrupted_match_goes_on_and_ends_as_if_nothing_had_been(tmp_path: Path) -> None:
    whole, part, journal = tmp_path / "whole.json", tmp_path / "part.json", tmp_path / "part.json.journal"
    told, complaints = interrupted(tmp_path, [*LONG, "--output", str(part)])
    assert f"Interrupted. The games are kept in {journal}; the same command goes on.\n" in complaints
    assert "Traceback" not in complaints
    assert not part.exists()
    before = len(journal.read_text().splitlines()) - 1
    assert 0 < before < 120
    assert told.startswith(f"{before} games, 2 players, seed 3\n")
    again = arena(tmp_path, *LONG, "--output", str(part)).stdout
    without = arena(tmp_path, *LONG, "--output", str(whole)).stdout
    assert again.startswith(f"120 games, 2 players, seed 3, {before} of them from before\n")
    assert again.splitlines()[1:-1] == without.splitlines()[1:-1]
    assert part.read_text() == whole.read_text()
    assert not journal.exists()


def test_a_match_that_was_killed_goes_on(tmp_path: Path) -> None:
    words = [*LONG, "--output", str(tmp_path / "a.json")]
    interrupted(tmp_path, words, signal.SIGKILL)
    found = re.match(r"120 games, 2 players, seed 3, (\d+) of them from before\n", arena(tmp_path, *words).stdout)
    assert found
    assert int(found[1]) >= 12, "what has been told is not lost"
    assert json.loads((tmp_path / "a.json").read_text())["games"] == games_of(Settings.of(LONG[:2], seed=3), 120)


def test_an_interrupted_match_without_a_file_tells_how_it_stands(tmp_path: Path) -> None:
    told, complaints = interrupted(tmp_path, LONG)
    assert "knight against squire: " in told
    assert complaints.endswith("Interrupted.\n")


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_more_games_are_added_to_those_that_are_there(tmp_path: Path, ending: str) -> None:
    path, at_once = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    arena(tmp_path, "page", "squire", "random", "--games", "2", "--output", str(path))
    more = arena(tmp_path, "page", "squire", "random", "--games", "6", "--output", str(path)).stdout
    assert more.startswith("18 games, 2 players, seed 0, 6 of them from before\n")
    arena(tmp_path, "page", "squire", "random", "--games", "6", "--output", str(at_once))
    assert path.read_text() == at_once.read_text()
    fewer = arena(tmp_path, "page", "squire", "random", "--games", "2", "--output", str(path))
    assert fewer.stdout.startswith("18 games, 2 players, seed 0, 18 of them from before\n"), "none is thrown away"
    assert fewer.stderr == ""
    assert path.read_text() == at_once.read_text()


def test_a_journal_whose_last_line_was_cut_off_goes_on_from_the_line_before(tmp_path: Path) -> None:
    settings = Settings.of(["page", "squire"])
    path, journal = tmp_path / "a.json", tmp_path / "a.json.journal"
    lines = [json.dumps(row) for row in (settings.facts, *games_of(settings, 4))]
    journal.write_text("\n".join(lines)[:-20])
    told = arena(tmp_path, "page", "squire", "--games", "6", "--output", str(path)).stdout
    assert told.startswith("6 games, 2 players, seed 0, 3 of them from before\n")
    assert json.loads(path.read_text())["games"] == games_of(settings, 6)


def test_games_with_other_settings_are_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    arena(tmp_path, "page", "squire", "--games", "2", "--output", str(path))
    before = path.read_text()
    for words, told in {
        "page squire --seed 1": "seed 0, not 1",
        "page squire --players 4": "players 2, not 4",
        "page squire --crowns deferred": "crowns at-once, not deferred",
        "squire page": "bots page squire, not squire page",
    }.items():
        line = refused(tmp_path, *words.split(), "--output", str(path))
        assert f"{path} has games with other settings: {told}; name another file" in line
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "my diary"),
        ("a.json", "{}"),
        ("a.json", '{"settings": 5, "games": []}'),
        ("a.csv", "day,weather\n1,rain\n"),
        ("a.csv", ""),
        ("a.json.journal", "my diary\n"),
        ("a.json.journal", "5\n6\n"),
        ("a.json.journal", "\udcff\n"),
    ],
)
def test_a_file_that_is_something_else_is_left_alone(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, errors="surrogateescape")
    line = refused(tmp_path, "page", "squire", "--output", str(path).removesuffix(".journal"))
    assert f"{path} exists and has no results of an arena; choose another name" in line
    assert path.read_text(errors="surrogateescape") == text
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    "damage", [{"number": 5}, {"pair": 9}, {"seats": ["page", "page"]}, {"winners": []}, {"winners": [2]}]
)
def test_damaged_results_are_not_gone_on_with(tmp_path: Path, damage: dict[str, Any]) -> None:
    path = tmp_path / "a.json"
    settings = Settings.of(["page", "squire"])
    games = games_of(settings, 4)
    games[2] |= damage
    path.write_text(json.dumps({"settings": settings.facts, "games": games}))
    assert "is damaged: game 2 is not there as it should be" in refused(
        tmp_path, "page", "squire", "--output", str(path)
    )


def test_two_arenas_do_not_write_to_one_file(tmp_path: Path) -> None:
    with (tmp_path / "a.json.journal").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        line = refused(tmp_path, "page", "squire", "--output", str(tmp_path / "a.json"))
    assert f"another arena is writing to {tmp_path / 'a.json.journal'}" in line


# SPRT


def test_the_sprt_stops_a_match_whose_answer_is_clear(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    words = ["random", "squire", "--games", "100000", "--sprt", "-50", "50", "--output", str(path)]
    told = arena(tmp_path, *words).stdout
    stored = json.loads(path.read_text())
    sprt, number = stored["summary"]["sprt"], len(stored["games"])
    assert (sprt["low"], sprt["high"], sprt["answer"]) == (-50, 50, -50)
    assert 2 * sprt["sets"] == number < 100
    assert stored["games"] == games_of(Settings.of(words[:2]), number), "the same games as without"
    assert f"SPRT: clear after {number} games: random is -50 Elo against squire rather than +50 (LLR -" in told
    text = path.read_text()
    again = arena(tmp_path, *words).stdout
    assert again.startswith(f"{number} games, 2 players, seed 0, {number} of them from before\n")
    assert path.read_text() == text, "what is clear needs no more games"


def test_the_sprt_says_so_if_the_games_do_not_make_it_clear(tmp_path: Path) -> None:
    told = arena(tmp_path, "greedy", "squire", "--games", "4", "--sprt").stdout
    assert re.search(
        r"^SPRT: not clear after 4 games \(LLR -?0\.\d\d; 2\.94 to either side decides\)$", told, re.MULTILINE
    )


# Wrong words

WRONG = {
    "page": "an arena needs two bots or more, not 1",
    "page page": "page is named twice",
    "page robot": "there is no bot called 'robot'; there are: random, greedy",
    "page knight@50": "knight does not think ahead",
    "page paladin@0": "'paladin@0' has no budget that can be",
    "page squire --games 0": "no whole number from 1 to",
    "page squire --players 5": "invalid choice: 5",
    "page squire --jobs many": "'many' is no whole number",
    "page squire --seed -1": "no whole number",
    "page squire --sprt 50 0": "the smaller first, not 50 0",
    "page squire --sprt 50": "--sprt takes two numbers of Elo, or none (0 50), not 1",
    "page squire knight --sprt": "--sprt compares two bots, not 3",
    "page squire --output a.txt": "a.txt must end in .json or .csv",
    "page squire --output /nowhere/a.json": "/nowhere/a.json cannot be written",
    "page squire --output ~nobody-of-this-name/a.json": "cannot be written",
    "page squire --plot a.gif": "a.gif must end in .svg or .png",
    "page squire --ray nonsense": "there is no Ray cluster to be had at nonsense",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_words_give_one_line_and_leave_nothing_behind(tmp_path: Path, words: str) -> None:
    output = [] if "--output" in words else ["--output", str(tmp_path / "a.json")]
    assert WRONG[words] in refused(tmp_path, *words.split(), *output)
    assert not list(tmp_path.iterdir())


# Ray


def test_without_ray_it_is_told_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError")
    line = refused(tmp_path, "page", "squire", "--ray", PYTHONPATH=str(tmp_path))
    assert line == 'aachen: Ray is not installed; install it with: pip install "aachen[ray]"\n'


def test_ray_plays_the_same_games(tmp_path: Path) -> None:
    words = ["knight", "paladin@100", "page", "--games", "2", "--jobs", "2", "--output"]
    told = arena(tmp_path, *words, str(tmp_path / "ray.json"), "--ray").stdout
    assert told.startswith("6 games, 2 players, seed 0\n")
    arena(tmp_path, *words, str(tmp_path / "here.json"))
    assert (tmp_path / "ray.json").read_text() == (tmp_path / "here.json").read_text()


def test_what_was_begun_on_ray_goes_on_without_it(tmp_path: Path) -> None:
    words = [*LONG, "--jobs", "2", "--output", str(tmp_path / "a.csv")]
    _, complaints = interrupted(tmp_path, [*words, "--ray"])
    assert "the same command goes on.\n" in complaints
    assert "Traceback" not in complaints
    assert re.match(r"120 games, 2 players, seed 3, [1-9]\d* of them from before\n", arena(tmp_path, *words).stdout)
    arena(tmp_path, *LONG, "--output", str(tmp_path / "b.csv"))
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
