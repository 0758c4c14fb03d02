"""The table in words tells what the record holds."""

import random

import pytest

from aachen import carolus
from aachen.carolus import Clan, Phase

STATE = carolus.read(
    "carolus 2+deferred Aygb/BrB/Cg/DrbB/Er/Fr2gbpW2/HbpB2!/JyW/Kg2pB2/MyW/Nrygb/OpB "
    "r4yg3b2p3:rygbp2:123:4/r6yg2b3p4:rg3b2*:135:2 10011 1>0 cube:3 7"
)


def test_regions_have_their_cubes_castles_and_the_emperor() -> None:
    region = {region.tile: region for region in STATE.regions}
    assert list(region) == [0, 1, 2, 3, 4, 5, 7, 9, 10, 12, 13, 14]
    assert region[5].tiles == 2
    assert region[5].cubes == {Clan.RED: 2, Clan.YELLOW: 0, Clan.GREEN: 1, Clan.BLUE: 1, Clan.PINK: 1}
    assert (region[5].castles, region[5].holder, region[5].has_emperor) == (2, 0, False)
    assert (region[7].castles, region[7].holder, region[7].has_emperor) == (2, 1, True)
    assert (region[0].castles, region[0].holder) == (0, None)


def test_players_have_courts_reserves_discs_and_markers() -> None:
    white, black = STATE.player(0), STATE.player(1)
    assert (white.seat, white.side, white.disc, white.unused, white.jokers) == (0, 0, 4, (1, 2, 3), 0)
    assert white.court[Clan.RED] == 4
    assert white.reserve[Clan.PINK] == 2
    assert white.controls == {Clan.YELLOW, Clan.GREEN}
    assert black.controls == {Clan.RED, Clan.BLUE, Clan.PINK}
    assert (black.jokers, black.castles_left, white.castles_left) == (1, 3, 6)


def test_the_rest_of_the_table() -> None:
    assert (STATE.phase, STATE.round, STATE.order) == (Phase.CUBE, 7, (1, 0))
    start = carolus.table(3)
    assert (start.phase, start.round, start.supply) == (Phase.DEAL, 0, dict.fromkeys(Clan, 40))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_cube_and_castle_is_somewhere(players: int) -> None:
    state, rng = carolus.new(players, seed=5), random.Random(5)
    castles = 8 if players == 3 else 10
    while not state.is_over:
        everyone = [state.player(seat) for seat in range(players)]
        for clan in Clan:
            held = sum(player.court[clan] + player.reserve[clan] for player in everyone)
            assert held + state.supply[clan] + sum(region.cubes[clan] for region in state.regions) == 40
        for player in everyone:
            assert player.castles_left == castles - sum(r.castles for r in state.regions if r.holder == player.side)
        assert sum(region.tiles for region in state.regions) == 15
        state = state.draw(rng) if state.is_chance else state.apply(rng.choice(state.legal_actions()))
