"""Numba's cache never serves an old rule, whichever file the rule is in (see aachen/cache.py).

Each test works on a copy of the package, in processes of their own.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import aachen

RULE = "    return 4 if s.players == 3 else 3\n"
OTHER_RULE = "    return 4 if s.players == 3 else 2\n"

#: Plays a disc each; the text then tells how many cubes the turn asks for (C8). What calls cubes_a_turn is cached.
TURN = """
from aachen import carolus
state = carolus.new(players=2, seed=1, crowns="deferred")
while "d" in {str(action)[0] for action in state.legal_actions()}:
    state = state.apply(state.legal_actions()[0])
while "=" in {str(action)[0] for action in state.legal_actions()}:
    state = state.apply(state.legal_actions()[0])
print(state.text.split()[6])
"""


class Copy:
    """A copy of the package that can be edited and run."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "src"
        self.cache = folder / "cache"
        shutil.copytree(
            Path(aachen.__file__).parent, self.sources / "aachen", ignore=shutil.ignore_patterns("__pycache__")
        )

    def edit(self, old: str, new: str) -> None:
        """Changes a rule that others call, in a file of its own."""
        path = self.sources / "aachen" / "carolus" / "rules" / "table.py"
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    def run(self, program: str, cache: Path | None = None) -> str:
        environment = os.environ | {"PYTHONPATH": str(self.sources), "AACHEN_CACHE_DIR": str(cache or self.cache)}
        for name in ("NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR"):
            environment.pop(name, None)
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    def folders(self) -> set[str]:
        return {path.name for path in self.cache.iterdir()}

    def compiled_files(self) -> dict[Path, int]:
        """The compiled functions in the cache, each with the time when it was written."""
        return {path: path.stat().st_mtime_ns for path in self.cache.rglob("*.nbc")}


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_an_edited_rule_is_played_at_once_and_going_back_finds_the_old_cache(copy: Copy) -> None:
    assert copy.run(TURN) == "cube:3"
    first, compiled = copy.folders(), copy.compiled_files()
    assert len(first) == 1
    assert compiled

    copy.edit(RULE, OTHER_RULE)
    assert copy.run(TURN) == "cube:2"
    assert len(copy.folders()) == 2

    copy.edit(OTHER_RULE, RULE)
    assert copy.run(TURN) == "cube:3"
    assert len(copy.folders()) == 2
    assert compiled.items() <= copy.compiled_files().items()
    written = set(copy.compiled_files()) - set(compiled)
    assert not any(path.relative_to(copy.cache).parts[0] in first for path in written), "compiled again"


def test_a_cache_folder_that_cannot_be_written_does_not_hinder(copy: Copy, tmp_path: Path) -> None:
    """It lies below a file, so nobody can make it; then a folder of this run alone serves."""
    (tmp_path / "file").write_text("")
    told = copy.run("from aachen import cache\n" + TURN + "print(cache.folder())", tmp_path / "file" / "cache")
    turn, folder = told.split()
    assert turn == "cube:3"
    assert not Path(folder).is_relative_to(tmp_path / "file")
    shutil.rmtree(folder, ignore_errors=True)
    assert (tmp_path / "file").read_text() == ""


def test_the_cache_folder_of_other_packages_is_left_alone(copy: Copy, tmp_path: Path) -> None:
    program = f"""
import numba
numba.config.CACHE_DIR = {str(tmp_path / "theirs")!r}
from aachen import carolus
carolus.new(players=2, seed=1)
print(numba.config.CACHE_DIR)
"""
    assert copy.run(program) == str(tmp_path / "theirs")
    assert not (tmp_path / "theirs").exists()
    assert copy.compiled_files()


def test_importing_the_game_keeps_numbas_own_setting(copy: Copy) -> None:
    told = copy.run(
        "import numba; before = numba.config.CACHE_DIR; import aachen.carolus; print(before == numba.config.CACHE_DIR)"
    )
    assert told == "True"


GAME = """
from aachen import carolus  # its rules are compiled for the cache before the game below is known
import pebbles
import numpy as np
from aachen.core.playout import play_out_all
carolus.new(players=2, seed=1)
games = np.repeat(pebbles.GAME.start({}), 100)
print(play_out_all(games, pebbles.GAME.data, np.arange(100, dtype=np.uint64)))
"""


def test_an_edit_of_a_game_outside_the_package_is_played_at_once(copy: Copy, tmp_path: Path) -> None:
    page = Path(__file__).parents[1] / "docs" / "adding-a-game.md"
    code = "\n".join(re.findall(r"^```python\n((?!>>>).*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE))
    game = copy.sources / "pebbles.py"
    game.write_text(code)
    first = int(copy.run(GAME))
    assert copy.run(GAME) == str(first)
    assert code.count("n = min(MOST, s.heap)") == 1
    game.write_text(code.replace("n = min(MOST, s.heap)", "n = 1"))
    assert int(copy.run(GAME)) > 1000 > first
    game.write_text(code)
    assert copy.run(GAME) == str(first)


def test_a_rule_that_stands_in_no_file_is_refused(copy: Copy) -> None:
    program = "from aachen.core.kernel import compiled\n@compiled\ndef rule(s): return 1\n"
    with pytest.raises(AssertionError, match="rule cannot be compiled: it must stand in a file"):
        copy.run(program)
