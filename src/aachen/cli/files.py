"""Game records in files: the autosave of the game under way, and those that the player names."""

import contextlib
import itertools
import os
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import IO, Any

from aachen.cli.terminal import clean
from aachen.core import BadRecord, History, Record

try:
    import fcntl
except ImportError:  # Windows: two games at once are the player's own risk
    fcntl = None  # type: ignore[assignment]

#: Much more than the longest game.
MOST_CHARACTERS = 4_000_000


def state_folder() -> Path:
    """Where the game under way is kept."""
    if own := os.environ.get("AACHEN_STATE_DIR"):
        return Path(own)
    if base := os.environ.get("XDG_STATE_HOME"):
        return Path(base) / "aachen"
    try:
        return Path.home() / ".local" / "state" / "aachen"
    except RuntimeError:  # no HOME and no entry for this user: a folder that nobody else can have prepared
        return Path(tempfile.mkdtemp(prefix="aachen-"))


def read_text(path: str | Path) -> str:
    """The text of a file, or of standard input (`-`). Raises OSError, and BadRecord if it is no text."""
    try:
        if str(path) == "-":
            text = sys.stdin.read(MOST_CHARACTERS + 1)
        else:
            with open(os.path.expanduser(path), encoding="utf-8-sig") as file:
                text = file.read(MOST_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise BadRecord("no-text", "{path} is no text file", path=str(path)) from None
    if len(text) > MOST_CHARACTERS:
        raise BadRecord(
            "too-long",
            "{path} is longer than any game: more than {most} characters",
            path=str(path),
            most=MOST_CHARACTERS,
        )
    return text


def read_game(path: str | Path) -> tuple[Record, History[Any]]:
    """A record and the game that it tells. Raises OSError or BadRecord."""
    return game_of(read_text(path))


def game_of(text: str) -> tuple[Record, History[Any]]:
    """A record and the game that its text tells. Raises BadRecord."""
    import aachen.carolus  # noqa: F401  (makes the game known to records)

    record = Record.read(text)
    return record, History.replay(record)


def is_record(text: str) -> bool:
    """Whether the text looks like a game record."""
    return text.lstrip().startswith("[Game ")


@contextlib.contextmanager
def written(path: Path) -> Iterator[IO[str]]:
    """A file to write to, which takes its name when all of it is there: a crash leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with contextlib.suppress(FileNotFoundError):
        part.unlink()
    try:
        with part.open("x", encoding="utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def write(path: Path, text: str) -> None:
    """Writes the whole file or nothing."""
    with written(path) as file:
        file.write(text)


def free_path(folder: Path, stem: str) -> Path:
    """A new, empty file in the folder, with today's date and a number in its name: it overwrites nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        path = folder / f"{stem}-{date.today().isoformat()}-{number}.game"
        with contextlib.suppress(FileExistsError):
            path.open("x").close()
            return path
    raise AssertionError("numbers do not end")


def keep_aside(path: Path, stem: str) -> Path:
    """Gives a file another name, under which nothing overwrites it."""
    aside = free_path(path.parent, stem)
    os.replace(path, aside)
    return aside


class Autosave:
    """The file of the game under way. If it cannot be written, that is said once, and the game goes on.

    Games that are played at the same time have files of their own: each holds a lock on its own. A game that nobody
    plays any more is taken before a free name.
    """

    def __init__(self) -> None:
        names = ["carolus.game", *(f"carolus-{number}.game" for number in range(2, 10))]
        self._paths = [state_folder() / name for name in names]
        self.path = self._paths[0]
        self._lock: IO[str] | None = None
        self.works = True
        if self.path.parent.exists():
            self._choose()

    def _choose(self) -> None:
        locks = ((path, _lock(path)) for path in sorted(self._paths, key=lambda path: not path.exists()))
        self.path, self._lock = next((pair for pair in locks if pair[1]), (self._paths[0], None))

    def save(self, text: str) -> None:
        """Writes the game, or says once why it cannot."""
        if self._lock is None:
            self._choose()
        if self._lock is None and self.path.exists():
            if self.works:
                print("The game cannot be saved: too many others are being played. You can play on all the same.")
            self.works = False
            return
        try:
            write(self.path, text)
            self.works = True
        except OSError as error:
            if self.works:
                print(f"The game cannot be saved ({os_reason(error)}). You can play on all the same.")
            self.works = False

    def keep_finished(self, text: str) -> Path | None:
        """Writes the record of a finished game under a name of its own; None (and a word why) if it cannot."""
        try:
            path = free_path(self.path.parent, "carolus")
            write(path, text)
            return path
        except OSError as error:
            print(f"The record cannot be saved: {os_reason(error)}.")
            return None

    def forget(self) -> None:
        """The game is over: there is nothing to go on with."""
        with contextlib.suppress(OSError):
            self.path.unlink()


def _lock(path: Path) -> IO[str] | None:
    """A lock that lasts as long as this process; None if another one has it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_name(f".{path.stem}.lock").open("w")
        if fcntl:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return lock
    except OSError:
        return None


def os_reason(error: OSError) -> str:
    """What the system says, with the file's name."""
    return clean(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))


def named(name: str) -> Path:
    """The file that the player names for a record. Raises OSError, and BadRecord where none can be written.

    A file that is no game record is never overwritten.
    """
    path = Path(os.path.expanduser(name))
    if path.is_dir():
        raise BadRecord("is-folder", "{path} is a folder; name a file", path=str(path))
    if not path.parent.is_dir():
        raise BadRecord("no-folder", "there is no folder {path}; name a file in one that exists", path=str(path.parent))
    if path.exists() and not (path.is_file() and is_record(read_text(path))):
        raise BadRecord("not-ours", "{path} exists and is no game record; choose another name", path=str(path))
    return path
