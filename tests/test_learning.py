"""The network learns, its training can be interrupted, and the weights that it gave are in the package."""

from pathlib import Path

import numpy as np
import pytest

from aachen import carolus
from aachen.arena.training import BATCH, Run, Settings
from aachen.bots.features import FEATURES, features_of
from aachen.bots.judgement import weights_for
from aachen.bots.network import HIDDEN, add_gradient, forward, fresh_weights, size_of
from aachen.core.errors import BadOptions
from helpers import random_game
from test_cli_play import aachen


def small_run(games: int = 4 * BATCH, players: int = 2, seed: int = 3) -> Run:
    return Run(Settings(players, games, seed))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_run_is_the_same_whatever_the_number_of_jobs(players: int) -> None:
    one, two = small_run(players=players), small_run(players=players)
    assert list(one.advance(jobs=1)) == list(two.advance(jobs=2)) == [BATCH, 2 * BATCH, 3 * BATCH, 4 * BATCH]
    assert one.weights.tobytes() == two.weights.tobytes()
    assert not np.array_equal(one.weights, small_run(players=players).weights)


def test_an_interrupted_run_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    whole, part = small_run(), small_run()
    for _ in whole.advance(jobs=1):
        pass
    next(part.advance(jobs=1))
    part.save(tmp_path / "run")
    again = Run.load(tmp_path / "run")
    assert again.games == BATCH
    for _ in again.advance(jobs=1):
        pass
    assert again.weights.tobytes() == whole.weights.tobytes()


def test_the_command_trains_on_a_local_ray_to_the_same_weights_as_in_threads(tmp_path: Path) -> None:
    for folder, more in (("threads", []), ("ray", ["--ray"])):
        words = ["train", "--folder", str(tmp_path / folder), "--games", str(2 * BATCH), "--jobs", "1", *more]
        done = aachen(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        assert f"{2 * BATCH} games in" in done.stdout
        assert "<svg" in (tmp_path / folder / "curve.svg").read_text()
    weights = [np.load(tmp_path / folder / "weights.npy") for folder in ("threads", "ray")]
    assert weights[0].tobytes() == weights[1].tobytes()


def test_a_run_of_another_network_is_refused(tmp_path: Path) -> None:
    run = Run(Settings(2, BATCH, features=FEATURES + 1))
    run.save(tmp_path)
    with pytest.raises(BadOptions, match="another network"):
        Run.load(tmp_path)
    with pytest.raises(BadOptions, match="players = 5"):
        Run(Settings(5, BATCH))


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    weights = fresh_weights(6, rng)
    weights[6 * HIDDEN : 7 * HIDDEN] = rng.normal(0, 0.3, HIDDEN)
    x, hidden = rng.normal(0, 1, 6).astype(np.float32), np.zeros(HIDDEN, np.float32)
    gradient = np.zeros_like(weights)
    add_gradient(weights, x, 0.3, hidden, gradient)
    assert len(weights) == size_of(6)
    for i in rng.choice(len(weights), 60, replace=False):
        losses = []
        for step in (-1e-2, 1e-2):
            moved = weights.copy()
            moved[i] += step
            value = forward(moved, x, hidden)
            losses.append(-(0.3 * np.log(value) + 0.7 * np.log(1 - value)))
        assert (losses[1] - losses[0]) / 2e-2 == pytest.approx(gradient[i], abs=2e-3)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_shipped_network_knows_who_is_winning(players: int) -> None:
    """On random games, near their end, the side that will win is the one that it names more often than not."""
    weights, hidden = weights_for(players), np.zeros(HIDDEN, np.float32)
    right = 0
    for seed in range(60):
        history = random_game(seed, players=players)
        outcome = history.state.outcome
        assert outcome is not None
        late = history.states[-8].position
        chances = [forward(weights, features_of(late, side), hidden) for side in range(len(outcome.scores))]
        right += int(np.argmax(chances)) in outcome.winners
    assert right > 45


def test_the_features_are_the_same_in_other_colours_and_places() -> None:
    """The circle turned by one tile, and red and blue exchanged, look the same."""
    text = (
        "carolus 2 Aygb/BrB/Cg/DrbB/Er/Fr2gbpW2/HbpB2!/JyW/Kg2pB2/MyW/Nrygb/OpB "
        "r4yg3b2p3:rygbp3:123:4/r6yg2b3p4:rg3b2p:135:2 10011 1>0 cube:3 7"
    )
    turned = (
        "carolus 2 ApB/Bygb/CrB/Dg/ErbB/Fr/Gr2gbpW2/IbpB2!/KyW/Lg2pB2/NyW/Orygb "
        "r4yg3b2p3:rygbp3:123:4/r6yg2b3p4:rg3b2p:135:2 10011 1>0 cube:3 7"
    )
    for side in (0, 1):
        row = features_of(carolus.read(text).position, side)
        assert np.array_equal(row, features_of(carolus.read(turned).position, side))
        assert np.abs(row).max() < 4
