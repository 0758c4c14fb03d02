"""What the README and the pages in docs/ show is what happens."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", TOP / "CHANGELOG.md", *sorted((TOP / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def run_python(code: str, folder: Path) -> None:
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("page", ["README.md", "docs/notation.md", "docs/bots.md"])
def test_the_python_examples_of_a_page_do_what_they_say(page: str, tmp_path: Path) -> None:
    assert blocks(TOP / page, "python")
    run_python(f"import doctest, sys; sys.exit(doctest.testfile({str(TOP / page)!r}, False).failed)", tmp_path)


def test_the_game_of_the_page_on_adding_a_game_can_be_added(tmp_path: Path) -> None:
    page = TOP / "docs" / "adding-a-game.md"
    code = [block for block in blocks(page, "python") if ">>>" not in block]
    (tmp_path / "pebbles.py").write_text("\n\n".join(code), "utf-8")
    assert len(doctest.DocTestParser().get_examples(page.read_text("utf-8"))) > 15
    run_python(f"import doctest, sys; sys.exit(doctest.testfile({str(page)!r}, False).failed)", tmp_path)


def commands() -> list[str]:
    return [
        line[2:] for block in blocks(TOP / "README.md", "console") for line in block.splitlines() if line[:1] == "$"
    ]


@pytest.mark.parametrize("command", commands())
def test_the_commands_of_the_readme_work(command: str, tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(TOP / "tests")
    program, *arguments = shlex.split(command)
    assert program == "aachen"
    run = subprocess.run(
        [sys.executable, "-m", "aachen.cli", *arguments],
        cwd=tmp_path,
        env=os.environ | {"AACHEN_STATE_DIR": str(tmp_path)},
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()


@pytest.mark.parametrize(
    "target", ["play", "test", "check", "soak", "bench", "bench-bots", "lock", "pictures", "types"]
)
def test_make_knows_what_the_pages_name(target: str) -> None:
    run = subprocess.run(["make", "--dry-run", target], cwd=TOP, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_no_link_between_the_pages_leads_nowhere() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8"))]
    assert len(links) > 10
    for page, link in links:
        assert link.startswith("https://") or (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_pictures_are_drawn_from_the_present_program(tmp_path: Path) -> None:
    draw = (
        f"import sys; sys.path.insert(0, {str(TOP / 'docs')!r}); import pictures; pictures.main(pictures.Path('new'))"
    )
    run_python(draw, tmp_path)
    drawn = sorted((tmp_path / "new").iterdir())
    assert [picture.name for picture in drawn] == sorted(p.name for p in (TOP / "docs" / "pictures").iterdir())
    for picture in drawn:
        kept = TOP / "docs" / "pictures" / picture.name
        assert picture.read_bytes() == kept.read_bytes(), f"{picture.name} has changed: run `make pictures`"
