"""The example of a program that plays over the network, against a real server."""

import os
import random
import secrets
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from server.kit import Person, Server, checked, play_turns

BOT = Path(__file__).parents[2] / "examples" / "remote_bot.py"


def new_token(server: Server) -> str:
    """A token of a new account."""
    with server.client() as client:
        name = f"Robot {secrets.token_hex(4)}"
        checked(client.post("/api/account", json={"name": name, "password": secrets.token_hex(8)}))
        return str(checked(client.post("/api/tokens", json={"label": "remote_bot.py"}))["token"])


def start_bot(server: Server, table: str, token: str) -> "subprocess.Popen[str]":
    environment = os.environ | {"AACHEN_URL": server.url, "AACHEN_TOKEN": token}
    return subprocess.Popen([sys.executable, str(BOT), table], env=environment, stderr=subprocess.PIPE, text=True)


def end_of(bot: "subprocess.Popen[str]") -> tuple[int, str]:
    """How the program ended, and what it said about errors."""
    _, said = bot.communicate(timeout=60)
    return bot.returncode, said


def wait_for_start(owner: Person, table: str, bot: "subprocess.Popen[str]") -> None:
    for _ in range(1200):
        if owner.state(table)["status"] == "playing":
            return
        assert bot.poll() is None, end_of(bot)
        time.sleep(0.05)
    raise AssertionError("the bot has not sat down")


@pytest.mark.parametrize("game", [{}, {"game": "relics", "options": {"seats": 2}}], ids=["carolus", "relics"])
def test_a_program_with_a_token_takes_an_open_seat_and_plays_until_the_game_is_over(
    server: Server, game: dict[str, Any]
) -> None:
    owner = server.guest("Otto")
    table = owner.open("owner", "open", **game)
    bot = start_bot(server, table, new_token(server))
    try:
        owner.sit(table, 0, nonce="otto")
        wait_for_start(owner, table, bot)
        state = play_turns({0: owner}, table, random.Random(1))
        assert state["status"] == "over"
        status, said = end_of(bot)
        assert status == 0, said
    finally:
        bot.kill()
    acted = {step["seat"] for step in state["steps"]}
    assert {0, 1} <= acted
    assert state["seats"][1]["name"].startswith("Robot")


def test_the_program_comes_back_after_the_service_was_restarted(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path / 'aachen.db'}") as server:
        owner = server.guest("Otto")
        table = owner.open("owner", "open")
        bot = start_bot(server, table, new_token(server))
        try:
            owner.sit(table, 0)
            wait_for_start(owner, table, bot)
            play_turns({0: owner}, table, random.Random(2), most=10)
            server.stop()
            server.start()
            assert play_turns({0: owner}, table, random.Random(3))["status"] == "over"
            status, said = end_of(bot)
        finally:
            bot.kill()
    assert status == 0, said
    assert said  # it noticed


def test_a_program_without_a_good_token_ends_with_an_error(server: Server) -> None:
    table = server.guest("Otto").open("owner", "open")
    status, said = end_of(start_bot(server, table, "aachen_wrong"))
    assert status != 0
    assert "401" in said
