"""Where compiled rules are kept between runs.

Numba notices an edit only in the file of the function it loads, not in the files of the functions that this one
calls: an old rule could live on in a cached caller. So the cache folder is named after a digest of every source
file that can reach compiled code; any edit means a new, empty folder.
"""

import atexit
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_PACKAGE_ROOMS = [_PACKAGE / room for room in ("core", "carolus", "bots", "arena")]
_games: list[Path] = []
_settings: tuple[object, ...] = ()
_folder: Path | None = None
MONTH = 30 * 24 * 3600.0


def watch(source: Path) -> bool:
    """Counts the sources beside this one too, if it lies outside this package; whether the folder has changed by it."""
    global _folder
    beside = source.resolve().parent
    if beside in _games or any(beside.is_relative_to(room) for room in _PACKAGE_ROOMS):
        return False
    _games.append(beside)
    _folder = None
    return True


def folder(*settings: object) -> Path:
    """The cache folder for the present sources, library versions and compiler settings; it can be written.

    The settings are given once.
    """
    global _folder, _settings
    _settings = settings or _settings
    if _folder is None:
        _folder = _own(_digest()) or _temporary()
    return _folder


def is_empty() -> bool:
    """Whether nothing is compiled yet, so that the first calls of the rules will take their time."""
    return _folder is None or next(_folder.rglob("*.nbc"), None) is None


def _digest() -> str:
    digest = hashlib.sha256(repr((sys.version, _settings)).encode())
    sources = [source for room in _PACKAGE_ROOMS for source in sorted(room.rglob("*.py"))]
    sources += [source for beside in _games for source in sorted(beside.glob("*.py"))]
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _home() -> Path:
    """The folder of all caches: AACHEN_CACHE_DIR, or the user's own cache folder."""
    chosen = os.environ.get("AACHEN_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "aachen"


def _temporary() -> Path:
    """A folder for this run alone."""
    path = Path(tempfile.mkdtemp(prefix="aachen-cache-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def _own(name: str) -> Path | None:
    """The user's folder of this name; None if there is none that is the user's alone to write.

    What is loaded from it is run, so it must not be another user's.
    """
    try:
        path = _home() / name
        if not path.exists():
            path.mkdir(mode=0o700, parents=True)
            _forget_old(path)
        if hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
            return None
        with tempfile.TemporaryFile(dir=path):
            return path
    except (OSError, RuntimeError):  # RuntimeError: no HOME, and no entry for this user
        return None


def _forget_old(new: Path) -> None:
    """Removes the folders of other versions that nobody has used for a month."""
    for path in new.parent.iterdir():
        if path != new and re.fullmatch("[0-9a-f]{16}", path.name) and path.stat().st_mtime < time.time() - MONTH:
            shutil.rmtree(path, ignore_errors=True)
