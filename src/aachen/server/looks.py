"""A table as a viewer may see it, encoded once for all who see the same."""

import time
from collections.abc import Collection
from typing import Any

import orjson

from aachen.core.fairness import commitment
from aachen.core.schema import plain
from aachen.server.entries import Layout, Pace
from aachen.server.play import Play


def table_facts(layout: Layout) -> dict[str, Any]:
    return {
        "id": layout.id, "game": layout.game, "options": layout.options, "title": layout.title, "owner": layout.owner,
        "is_public": layout.is_public, "rated": layout.rated, "help": layout.help, "pace": layout.pace.value,
        "seconds": layout.seconds, "increment": layout.increment, "days": layout.days,
        "forked_from": layout.forked_from, "rematch_of": layout.rematch_of, "opened": layout.opened,
        "hash": commitment(layout.seed),
    }  # fmt: skip


class Look:
    """What is sent of one version of a table. It keeps what was encoded, for the next viewer of the same kind."""

    def __init__(self, play: Play, table: orjson.Fragment, here: Collection[int]) -> None:
        self.play = play
        self._table = table
        self._here = here
        self._made: dict[tuple[int | None, int], bytes] = {}
        self._common: dict[int | None, bytes] = {}

    def steps_seen(self, seat: int | None) -> int:
        """How many steps this viewer knows of."""
        return len(self.play.seen_steps(seat)) if self.play.hides else len(self.play.times)

    def message(self, seat: int | None, since: int) -> bytes:
        """The state message for a viewer at this seat (None: a spectator) who knows the first `since` steps."""
        eyes = seat if self.play.hides else None
        key = (eyes, since)
        if key not in self._made:  # all but the viewer's seat is the same for all who know the same
            if eyes not in self._common:
                self._common[eyes] = orjson.dumps(self._facts(eyes))
            own = orjson.dumps({"type": "state", "since": since, "steps": self._steps(eyes, since)})
            self._made[key] = own[:-1] + b"," + self._common[eyes][1:-1]
        return self._made[key] + (b',"you":null}' if seat is None else b',"you":%d}' % seat)

    def without_time(self, seat: int | None, since: int) -> bytes:
        """The message less what changes by itself: equal for two versions that the viewer cannot tell apart."""
        facts = self._facts(seat if self.play.hides else None) | {"now": 0}
        return orjson.dumps([facts, self._steps(seat, since)])

    def _steps(self, eyes: int | None, since: int) -> list[dict[str, Any]]:
        play = self.play
        if play.hides:
            seen = play.seen_steps(eyes)[since:]
        else:
            seen = play.steps_from(since)
        return [
            {"seat": step.seat, "action": str(step.action), "at": play.times[number],
             "events": () if play.hides else play.history.events(number)}
            for number, step in seen
        ]  # fmt: skip

    def _facts(self, eyes: int | None) -> dict[str, Any]:
        play, state = self.play, self.play.state
        if play.hides:
            view = state.view(eyes)
            position, text, actors = view.position, view.text, [int(seat) for seat in view.actors]
            legal = view.legal_actions() if eyes in play.asked else []
            questions = [number if seat == eyes else 0 for seat, number in enumerate(play.questions)]
            undo = [eyes] if eyes is not None and play.is_live and play.history.can_undo(eyes) else []
        else:
            position, text, actors = state._position, state.text, sorted(play.asked)
            legal = state.legal_actions(actors[0]) if len(actors) == 1 and play.confirming is None else []
            questions = play.questions
            undo = [seat for seat in self._last_actor() if play.is_live and play.history.can_undo(seat)]
        return {
            "table": self._table, "status": play.status, "seats": self._seats(),
            "board": vars(plain(position)), "position": text, "actors": actors if play.is_live else [],
            "questions": questions, "legal": [str(action) for action in legal] if play.is_live else [],
            "confirming": play.confirming, "undo": undo, "takeback": self._takeback(), "clocks": self._clocks(eyes),
            "now": time.time(), "outcome": self._outcome(), "restored": play.restored,
            "seed": play.layout.seed.hex() if play.has_ended else "",
        }  # fmt: skip

    def _last_actor(self) -> list[int]:
        steps = self.play.history.steps
        return [int(steps[-1].seat)] if steps and steps[-1].seat is not None else []

    def _seats(self) -> list[dict[str, Any]]:
        play = self.play
        return [
            {"kind": place.kind.value, "name": place.name, "player": place.player, "level": place.bot,
             "away": place.away, "left": place.left, "here": seat in self._here, "side": int(play.state.side(seat))}
            for seat, place in enumerate(play.places)
        ]  # fmt: skip

    def _takeback(self) -> dict[str, Any] | None:
        if self.play.takeback is None:
            return None
        seat, step, granted = self.play.takeback
        return {"seat": seat, "step": step, "granted": sorted(granted)}

    def _clocks(self, eyes: int | None) -> list[dict[str, Any]]:
        """Of games with secrets only the viewer's own clock runs visibly: others' would tell when they chose."""
        play = self.play
        if play.layout.pace == Pace.UNTIMED:
            return []
        shown = [not play.hides or seat == eyes for seat in range(len(play.places))]
        return [
            {"left": play.left[seat] if shown[seat] else play.layout.seconds,
             "deadline": play.deadline(seat) if shown[seat] else None}
            for seat in range(len(play.places))
        ]  # fmt: skip

    def _outcome(self) -> dict[str, Any] | None:
        outcome = self.play.state.outcome if self.play.status == "over" else None
        if outcome is None:
            return None
        return {"winners": outcome.winners, "reason": outcome.reason, "scores": outcome.scores}
