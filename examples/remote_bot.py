"""Plays at a table over the network, in the name of an account: python remote_bot.py TABLE

AACHEN_TOKEN is a token of the account (POST /api/tokens), AACHEN_URL where the service is. Needs httpx and websockets.
"""

import json
import os
import secrets
import sys
import time
from importlib.util import find_spec
from typing import Any

from httpx import Client, HTTPError, Response
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

URL = os.environ.get("AACHEN_URL", "http://127.0.0.1:8000").rstrip("/")
TOKEN = {"Authorization": f"Bearer {os.environ['AACHEN_TOKEN']}"}
http = Client(base_url=URL, headers=TOKEN, timeout=30, event_hooks={"response": [Response.raise_for_status]})


def choose(state: dict[str, Any]) -> str:
    if state["table"]["game"] != "carolus" or not find_spec("aachen"):
        return str(secrets.choice(state["legal"]))
    from aachen import bots, carolus

    return str(bots.make("squire").choose(carolus.read(state["position"]).view(state["you"])))


def answer(state: dict[str, Any]) -> dict[str, Any]:
    you, seats = state["you"], state["seats"]
    if state["status"] in ("over", "abandoned") or (you is None and state["status"] != "open"):
        sys.exit("there is no seat here for this account" if you is None else 0)
    if you is None:
        free = [seat for seat, who in enumerate(seats) if who["kind"] == "open" and not who["player"]]
        if free:  # if not, somebody may still stand up; the nonce is our part of the dice
            http.post(f"/api/tables/{sys.argv[1]}/sit", json={"seat": free[0], "nonce": secrets.token_hex(16)})
    elif seats[you]["away"]:  # a bot of the service has played on
        return {"type": "come-back"}
    elif state["confirming"] == you or (you in state["actors"] and state["legal"]):
        what = {"type": "confirm"} if state["confirming"] == you else {"type": "act", "action": choose(state)}
        return {**what, "question": state["questions"][you], "id": f"question {state['questions'][you]}"}
    return {}


http.get("/api/me")  # fails if the token is not good
while True:  # again after an error, or when the service stops and starts
    try:
        with connect(URL.replace("http", "ws", 1) + "/api/socket", additional_headers=TOKEN) as socket:
            socket.send(json.dumps({"type": "watch", "table": sys.argv[1]}))
            for message in map(json.loads, socket):
                if message["type"] == "error":
                    raise OSError(message["error"]["text"])
                if message["type"] == "state" and (found := answer(message)):
                    socket.send(json.dumps({**found, "table": sys.argv[1]}))
    except (OSError, WebSocketException, HTTPError) as error:
        print(error, file=sys.stderr)
    time.sleep(2)
