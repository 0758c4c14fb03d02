"""Plays at a table over the network, in the name of an account: python remote_bot.py TABLE

AACHEN_TOKEN is a token of the account (POST /api/tokens), AACHEN_URL where the service is. Needs httpx and websockets.
With aachen installed it plays Carolus Magnus as a squire; without, and at other games, at random.
"""

import contextlib
import json
import os
import random
import secrets
import sys
import time
from typing import Any

import httpx
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

URL = os.environ.get("AACHEN_URL", "http://127.0.0.1:8000").rstrip("/") + "/api"
HEADERS = {"Authorization": f"Bearer {os.environ['AACHEN_TOKEN']}"}


def choose(state: dict[str, Any]) -> str:
    with contextlib.suppress(ImportError):
        from aachen import bots, carolus

        if state["table"]["game"] == "carolus":
            return str(bots.make("squire").choose(carolus.read(state["position"]).view(state["you"])))
    return str(random.choice(state["legal"]))


def answer(state: dict[str, Any]) -> dict[str, Any] | None:
    """The message that the table waits for, if any. Sent twice with the same id, it is carried out once."""
    you, seats, status = state["you"], state["seats"], state["status"]
    if status in ("over", "abandoned") or (you is None and status != "open"):
        sys.exit("the game went on without this account" if you is None else 0)
    if you is None:
        free = [number for number, seat in enumerate(seats) if seat["kind"] == "open" and not seat["player"]]
        for seat in free[:1]:  # if there is none, somebody may still stand up; the nonce is our part of the dice
            body = {"seat": seat, "nonce": secrets.token_hex(16)}
            httpx.post(f"{URL}/tables/{sys.argv[1]}/sit", json=body, headers=HEADERS).raise_for_status()
        return None
    number = {"question": state["questions"][you], "id": f"question {state['questions'][you]}"}
    if seats[you]["away"]:  # a bot of the service has played on
        return {"type": "come-back"}
    if state["confirming"] == you:
        return {"type": "confirm", **number}
    return {"type": "act", "action": choose(state), **number} if you in state["actors"] and state["legal"] else None


httpx.get(f"{URL}/me", headers=HEADERS).raise_for_status()
while True:  # again after an error, or when the service stops and starts
    try:
        with connect(URL.replace("http", "ws", 1) + "/socket", additional_headers=HEADERS) as socket:
            message: dict[str, Any] | None = {"type": "watch"}
