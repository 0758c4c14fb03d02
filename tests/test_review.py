"""A game judged: the parts add up, losses are none or more, and it can be printed, drawn and written."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from aachen import carolus
from aachen.arena.review import Judge, Review, expectation, result, review
from aachen.bots.thinking import Budget
from aachen.cli.files import read_game
from aachen.core import BadRecord, History
from helpers import play, position, random_game
from test_cli_play import LAST_MOVE, aachen

GAMES = Path(__file__).parent / "games"
SOME = [
    "2-players-castles", "2-players-cubes-draw", "3-players-rounds", "3-players-castles", "4-players-regions",
    "4-players-rounds-draw",
]  # fmt: skip
SMALL = Budget(positions=60)


@cache
def judged(name: str) -> tuple[Review, History[carolus.State]]:
    _, history = read_game(GAMES / f"{name}.game")
    return review(history, SMALL), history


@pytest.mark.parametrize("name", SOME)
def test_luck_and_skill_add_up_to_the_result_for_each_side(name: str) -> None:
    found, history = judged(name)
    assert found.end == result(history.state)
    assert found.start == pytest.approx([1 / len(found.start)] * len(found.start))
    for side, account in enumerate(found.accounts):
        assert account.start + account.luck + account.skill == pytest.approx(account.end, abs=1e-6)
        assert account.end == found.end[side]
        assert account.own <= 1e-12


@pytest.mark.parametrize("name", SOME)
def test_no_decision_gains_on_the_best_one_and_chances_are_chances(name: str) -> None:
    found, _ = judged(name)
    for step in found.steps:
        assert step.loss >= 0
        for chances in (step.before, step.after):
            assert sum(chances) == pytest.approx(1)
            assert min(chances) >= 0
        if not step.is_chance:
            assert step.side is not None
            assert step.change[step.side] == pytest.approx(-step.loss)
            assert (step.best == step.action) == (step.loss == 0)


@pytest.mark.parametrize("name", SOME)
def test_every_step_behind_the_set_up_belongs_to_one_turn(name: str) -> None:
    found, history = judged(name)
    numbers = [step.number for turn in found.turns for step in turn.steps]
    first = numbers[1]
    assert numbers == [0, *range(first, len(history.steps))]
    assert history.states[first].position["phase"][0] == carolus.Phase.DISC
    assert sum(turn.loss for turn in found.turns) == pytest.approx(sum(step.loss for step in found.steps))
    for turn in found.turns[1:]:
        acted = {history.steps[step.number].seat for step in turn.steps} - {None}
        assert acted <= {turn.seat}


def test_luck_is_measured_from_the_mean_of_all_outcomes() -> None:
    state = play(position(phase="move", reserves=("r4", "g4")), "m1")
    weights = state.chance_weights()
    table = Judge(2).outcomes(state, SMALL)
    assert set(table) == set(weights)
    mean = expectation(table, weights)
    lucks = [weights[action] * (table[action][0] - mean[0]) for action in weights]
    assert sum(lucks) / sum(weights.values()) == pytest.approx(0, abs=1e-12)
    assert sum(mean) == pytest.approx(1)


def test_the_worst_mistakes_come_first_with_a_line_that_can_be_played() -> None:
    found, history = judged("2-players-castles")
    losses = [mistake.step.loss for mistake in found.mistakes]
    assert len(losses) == 5
    assert losses == sorted(losses, reverse=True)
    assert losses[0] == max(step.loss for step in found.steps)
    for mistake in found.mistakes:
        assert mistake.line[0] == mistake.step.best
        play(history.states[mistake.step.number], " ".join(map(str, mistake.line)))


def test_a_win_that_was_missed_is_a_mistake_and_the_win_is_what_was_better() -> None:
    history = History(carolus.read(LAST_MOVE))
    history.play("m2")
    found = review(history, SMALL)
    (mistake,) = found.mistakes
    assert list(map(str, mistake.line)) == ["m1"]
    assert mistake.step.before == (1.0, 0.0)
    assert not found.is_over


def test_a_game_that_begins_elsewhere_begins_with_the_chances_there() -> None:
    history = History(carolus.read(LAST_MOVE))
    history.play("m1")
    found = review(history, SMALL)
    assert (found.start, found.end, found.mistakes) == ((1.0, 0.0), (1.0, 0.0), ())


def test_the_same_game_is_judged_the_same_again() -> None:
    history = random_game(3, steps=60, players=2)
    assert review(history, SMALL) == review(history, SMALL)


@pytest.mark.parametrize("steps", [0, 7])
def test_a_game_without_decisions_cannot_be_judged(steps: int) -> None:
    with pytest.raises(BadRecord, match="nothing has been decided"):
        review(random_game(1, steps=steps, players=2), SMALL)


# The command


def run(tmp_path: Path, *words: str, typed: str = "") -> Any:
    return aachen(tmp_path, "review", *words, typed=typed)


def test_the_command_prints_the_game_and_writes_the_plot_and_the_facts(tmp_path: Path) -> None:
    plot, output = tmp_path / "curve.svg", tmp_path / "facts.json"
    words = ("--positions", "60", "--plot", str(plot), "--output", str(output))
    done = run(tmp_path, str(GAMES / "3-players-rounds.game"), *words)
    assert (done.returncode, done.stderr) == (0, "")
    for said in ("set-up", "The worst mistakes:", "loss a turn", "The parts add up", "Grey (Seat 2)"):
        assert said in done.stdout
    assert "<svg" in plot.read_text()
    facts = json.loads(output.read_text())
    assert facts["end"] == [0, 0, 1]
    assert len(facts["seats"]) == len(facts["sides"]) == 3
    assert facts["turns"][0]["played"] == "set-up"
    assert {"step", "loss", "better"} == set(facts["mistakes"][0])
    for side in facts["sides"]:
        parts = side["start"] + side["luck"] + side["own"] + side["others"] + side["second_thoughts"]
        assert parts == pytest.approx(side["end"], abs=1e-6)
    check_steps(facts["turns"])


def check_steps(turns: Sequence[dict[str, Any]]) -> None:
    """The steps of the facts tell the turns' losses and luck."""
    for turn in turns:
        assert turn["loss"] == pytest.approx(sum(step["loss"] for step in turn["steps"]))
        luck = sum(step["after"][0] - step["before"][0] for step in turn["steps"] if step["is_chance"])
        assert turn["luck"][0] == pytest.approx(luck)


def test_a_plot_can_be_a_png_and_a_record_can_come_from_a_pipe(tmp_path: Path) -> None:
    plot = tmp_path / "curve.png"
    text = str(random_game(2, steps=80, players=4).record())
    done = run(tmp_path, "-", "--positions", "40", "--plot", str(plot), typed=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert plot.read_bytes()[:4] == b"\x89PNG"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".curve")] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.game"], "No such file"),
        ([str(GAMES.parent.parent / "LICENSE")], "no game record"),
        (["GAME", "--plot", "curve.txt"], "must end in .svg or .png"),
        (["GAME", "--output", "facts.csv"], "must end in .json"),
        (["GAME", "--output", "/nowhere/facts.json"], "cannot be written"),
        (["GAME", "--positions", "0"], "no whole number"),
        (["GAME", "--seconds", "soon"], "no time"),
        (["GAME", "--seconds", "1", "--positions", "1"], "not allowed"),
    ],
)
def test_bad_input_gives_one_line(tmp_path: Path, words: list[str], said: str) -> None:
    game = str(GAMES / "2-players-castles.game")
    done = run(tmp_path, *(game if word == "GAME" else word for word in words))
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
