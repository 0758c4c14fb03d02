"""A game record: text with headers and every action, chance included (see docs/notation.md)."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aachen.core.errors import AachenError, BadRecord
from aachen.core.game import Game
from aachen.core.state import State, known
from aachen.core.words import Action, Seat

_HEADER = re.compile(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]')
_WIDTH = 88
_OWN = ("Game", "Rules", "Data", "Start", "Result")


@dataclass(frozen=True)
class Record:
    """A game as it is written down. `moves` are tokens: actions (with `seat.` before them where several seats are
    asked) and marks `#...`, which tell a digest of the position that was reached."""

    game: str
    rules: str
    options: dict[str, str]
    names: tuple[str, ...]
    moves: tuple[str, ...]
    result: str = "*"
    start: str = ""
    data: str = ""  # a digest of the game's fixed data, if it has any
    tags: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        states: Sequence[State[Any]],
        steps: Sequence[tuple[Seat | None, Action]],
        names: Sequence[str],
        tags: Mapping[str, str],
    ) -> "Record":
        first, last = states[0], states[-1]
        game = first.game
        _check_given(first.seats, names, tags)
        moves, width = [], 0
        for index, (seat, action) in enumerate(steps):
            asked = states[index].actors
            moves.append(f"{seat}.{action}" if len(asked) > 1 else str(action))
            width += len(moves[-1]) + 1
            if width > _WIDTH - 10 or index == len(steps) - 1:
                moves.append(mark_of(states[index + 1]))
                width = 0
        usual = type(first)(game.start(first.options))
        return cls(
            game=game.name,
            rules=game.rules_version,
            options={name: str(value) for name, value in first.options.items()},
            names=tuple(names) or tuple(f"Seat {seat}" for seat in range(first.seats)),
            moves=tuple(moves),
            result=result_of(last),
            start="" if first == usual else first.text,
            data=data_mark(game),
            tags=dict(tags),
        )

    def replay(self) -> tuple[list[Any], list[tuple[Seat | None, Any]]]:
        """Every state and step. Raises BadRecord, naming the first step that does not go as written."""
        kind = known(self.game)
        game = kind.game
        if self.data != data_mark(game):
            raise BadRecord(
                "other-data", "this game was played with other data ({said}) than there is now ({right})",
                said=self.data or "none", right=data_mark(game) or "none",
            )  # fmt: skip
        try:
            position = game.read(self.start) if self.start else game.start(typed_options(self.options, game))
        except AachenError as error:
            raise BadRecord("bad-start", "the game cannot begin: {why}", why=str(error)) from error
        states = [kind(position)]
        if self.start and (wrong := _contradiction(self.options, states[0].options)):
            raise BadRecord("bad-start", "the start is another game than the options tell: {wrong}", wrong=wrong)
        if len(self.names) != states[0].seats:
            raise BadRecord(
                "bad-names", "{number} seats are named, but the game has {right}",
                number=len(self.names), right=states[0].seats,
            )  # fmt: skip
        steps: list[tuple[Seat | None, Any]] = []
        for before, token in zip(("#", *self.moves), self.moves, strict=False):
            if token.startswith("#"):
                if before.startswith("#"):
                    raise BadRecord("two-marks", "step {step}: a mark stands behind each line of actions, not alone",
                                    step=len(steps))  # fmt: skip
                self._check(states[-1], token, len(steps))
            else:
                self._play(states, steps, token)
        if self.result != "*" and result_of(states[-1]) != self.result:
            raise BadRecord(
                "bad-result", "the result is said to be {said!r}, but the moves give {right!r}",
                said=self.result, right=result_of(states[-1]),
            )  # fmt: skip
        return states, steps

    def _play(self, states: list[Any], steps: list[tuple[Seat | None, Any]], token: str) -> None:
        state = states[-1]
        seat, text = (int(token[0]), token[2:]) if re.match(r"\d\.", token) else (None, token)
        try:
            action = state.game.parse(text)
            after = state.apply(action, seat)
        except AachenError as error:
            raise BadRecord(
                "bad-step", "step {step}, {token}: {why}{old}",
                step=len(steps) + 1, token=token, why=str(error), old=self._version_note(),
            ) from error  # fmt: skip
        actors = state.actors
        steps.append((Seat(seat) if seat is not None else actors[0] if actors else None, action))
        states.append(after)

    def _check(self, state: State[Any], token: str, step: int) -> None:
        if mark_of(state) != token:
            raise BadRecord(
                "bad-mark", "after step {step} the position is not the recorded one (mark {said}, now {right}){old}",
                step=step, said=token, right=mark_of(state), old=self._version_note(),
            )  # fmt: skip

    def _version_note(self) -> str:
        now = known(self.game).game.rules_version
        return "" if now == self.rules else f" (recorded with rules {self.rules}, replayed with rules {now})"

    def __str__(self) -> str:
        headers = {"Game": self.game, "Rules": self.rules}
        headers |= {"Data": self.data} if self.data else {}
        headers |= {f"Option_{name}": value for name, value in self.options.items()}
        headers |= {f"Seat{seat}": name for seat, name in enumerate(self.names)}
        headers |= self.tags
        headers |= {"Start": self.start} if self.start else {}
        headers["Result"] = self.result
        lines = [f'[{name} "{_escape(value)}"]' for name, value in headers.items()]
        lines += ["", *_wrap(self.moves)]
        return "\n".join(lines) + "\n"

    @classmethod
    def read(cls, text: str) -> "Record":
        """The record that this text tells. Raises BadRecord if it is none; whether it can be played, `replay` says."""
        headers: dict[str, str] = {}
        moves: list[str] = []
        for number, line in enumerate(text.splitlines(), 1):
            if not moves and (match := _HEADER.fullmatch(line.strip())) and line.strip().isprintable():
                if match[1] in headers:
                    raise BadRecord("twice", "line {line}: the header {name} stands twice", line=number, name=match[1])
                headers[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
            elif line.lstrip().startswith("["):
                raise BadRecord(
                    "bad-header", 'line {line}: {text!r} is no header; one looks like [Name "value"]',
                    line=number, text=line.strip()[:60],
                )  # fmt: skip
            else:
                moves += line.split()
        for name in ("Game", "Rules"):
            if name not in headers:
                raise BadRecord("no-header", "this is no game record: the header {name} is missing", name=name)
        options = {name[7:]: value for name, value in headers.items() if name.startswith("Option_")}
        seats = [name for name in headers if re.fullmatch(r"Seat\d", name)]
        if seats != [f"Seat{seat}" for seat in range(len(seats))]:
            raise BadRecord("bad-seats", "the headers must name Seat0, Seat1, ... in order, not {seats}", seats=seats)
        taken = {*_OWN, *seats, *(f"Option_{name}" for name in options)}
        return cls(
            game=headers["Game"],
            rules=headers["Rules"],
            options=options,
            names=tuple(headers[name] for name in seats),
            moves=tuple(moves),
            result=headers.get("Result", "*"),
            start=headers.get("Start", ""),
            data=headers.get("Data", ""),
            tags={name: value for name, value in headers.items() if name not in taken},
        )


def _check_given(seats: int, names: Sequence[str], tags: Mapping[str, str]) -> None:
    """Raises BadRecord for what would not read back."""
    for text in (*names, *tags.values()):
        if not isinstance(text, str) or not text.isprintable():
            raise BadRecord("bad-text", "{text!r} cannot stand in a record: only printable text can", text=text)
    if names and len(names) != seats:
        raise BadRecord("bad-names", "{number} names are given for {right} seats", number=len(names), right=seats)
    for tag in tags:
        if not re.fullmatch(r"[A-Za-z]\w*", tag, re.ASCII) or tag in _OWN or re.match(r"Seat\d|Option_", tag):
            raise BadRecord(
                "bad-tag", "{tag!r} cannot be a tag: tags are words of letters, other than the record's own headers",
                tag=tag,
            )  # fmt: skip


def _contradiction(said: Mapping[str, str], real: Mapping[str, object]) -> str:
    """The first option that is not what the record says; empty if there is none."""
    wrong = (f"{name} {value}" for name, value in said.items() if str(real.get(name)) != value)
    return next(wrong, "")


def typed_options(options: Mapping[str, str], game: Game[Any]) -> dict[str, object]:
    """Options as they stand in a record, each of the type that the game gives it; what is not, stays text."""
    usual = game.options(game.start({}))
    return {name: _typed(value, usual.get(name)) for name, value in options.items()}


def _typed(value: str, usual: object) -> object:
    if isinstance(usual, bool):
        return {"True": True, "False": False}.get(value, value)
    return int(value) if isinstance(usual, int) and re.fullmatch(r"\d{1,9}", value, re.ASCII) else value


def data_mark(game: Game[Any]) -> str:
    """A digest of the game's fixed data; empty for a game that has none."""
    return hashlib.sha256(game.data.tobytes()).hexdigest()[:16] if game.rules.with_data else ""


def mark_of(state: State[Any]) -> str:
    """A short digest of a position's text, by which a replay notices that it went another way."""
    return "#" + hashlib.sha256(state.text.encode()).hexdigest()[:6]


def result_of(state: State[Any]) -> str:
    """The result as a record tells it: winning sides, reason, scores; `*` while the game goes on."""
    outcome = state.outcome
    if outcome is None:
        return "*"
    return f"{'='.join(map(str, outcome.winners))} {outcome.reason} {':'.join(map(str, outcome.scores))}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _wrap(moves: Sequence[str]) -> list[str]:
    """A line ends after each mark."""
    lines: list[list[str]] = [[]]
    for token in moves:
        lines[-1].append(token)
        if token.startswith("#"):
            lines.append([])
    return [" ".join(line) for line in lines if line]
