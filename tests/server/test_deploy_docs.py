"""docs/deploy.md, the Dockerfile and compose.yaml say what is so."""

import re
import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from aachen.server.service import Metrics
from aachen.server.settings import Settings, from_environment
from server.kit import Server

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs" / "deploy.md").read_text("utf-8")
#: Settings of all commands, which are not the service's own.
FOLDERS = {"AACHEN_STATE_DIR", "AACHEN_CACHE_DIR"}


def rows(heading: str) -> list[list[str]]:
    """The lines of the tables below a heading, without their heads."""
    _, _, after = PAGE.partition(f"\n## {heading}\n")
    section = after.partition("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if not set("".join(line)) <= set("-")][1:]


def setting(name: str) -> str:
    return f"AACHEN_{name.upper()}"


def test_every_setting_stands_in_the_table() -> None:
    listed = [row[0].strip("`") for row in rows("Settings")]
    assert listed == [setting(part.name) for part in fields(Settings) if part.name != "process"]
    assert "(`process`)" in PAGE


@pytest.mark.parametrize("name", [part.name for part in fields(Settings) if part.name != "process"])
def test_the_table_has_the_defaults_and_they_can_be_set(name: str) -> None:
    told = {row[0].strip("`"): row[1] for row in rows("Settings")}[setting(name)]
    default = next(part.default for part in fields(Settings) if part.name == name)
    if default == "":
        assert told == "none" or name == "mail_from"
    elif isinstance(default, bool):
        assert told == ("`yes`" if default else "`no`")
        assert getattr(from_environment({setting(name): told.strip("`")}), name) is default
    elif isinstance(default, (int, str)):
        assert told == f"`{default}`"
        assert getattr(from_environment({setting(name): told.strip("`")}), name) == default
    else:
        assert name in ("database_url", "bot_threads")  # made when the service starts


def test_every_metric_stands_in_the_table() -> None:
    listed = {row[0].strip("`") for row in rows("Watching it")}
    kinds = {"counter": "_total"}
    assert listed == {metric.name + kinds.get(metric.type, "") for metric in Metrics().registry.collect()}


@pytest.mark.parametrize("file", ["docs/deploy.md", "Dockerfile", "compose.yaml"])
def test_no_setting_is_named_that_does_not_exist(file: str) -> None:
    named = set(re.findall(r"\bAACHEN_[A-Z_]+\b", (TOP / file).read_text("utf-8")))
    assert named
    assert named <= FOLDERS | {setting(part.name) for part in fields(Settings)}


def test_compose_migrates_before_the_service_starts_and_holds_no_secret() -> None:
    text = (TOP / "compose.yaml").read_text("utf-8")
    services = yaml.safe_load(text)["services"]
    assert services["migrate"]["command"] == ["migrate"]
    assert services["aachen"]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert "ports" not in services["aachen"]
    assert "ports" not in services["postgres"]
    secrets = re.findall(r"PASSWORD: *(.*)|://[^:/\s]*:([^@\s]*(?: [^@]*)?)@", text)
    assert len(secrets) == 2
    for one, other in secrets:
        assert (one or other).strip('"').startswith("${POSTGRES_PASSWORD:?")


def test_the_image_gets_all_files_that_it_is_made_of() -> None:
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (TOP / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    files = " ".join(copied).split()
    assert "src" in files
    let_in = (TOP / ".dockerignore").read_text("utf-8").splitlines()
    for file in files:
        assert (TOP / file).exists()
        assert f"!{file}" in let_in


def test_a_sqlite_copy_made_with_vacuum_into_while_the_service_runs_can_be_served(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path / 'aachen.db'}") as first:
        anna = first.guest("Anna")
        table = anna.open("owner", "open")
        anna.sit(table, 0)
        copy = sqlite3.connect(tmp_path / "aachen.db")
        copy.execute("VACUUM INTO ?", [str(tmp_path / "copy.db")])
        copy.close()
    with Server(f"sqlite:///{tmp_path / 'copy.db'}") as second:
        again = anna.at(second)
        assert again.state(table)["seats"][0]["name"] == "Anna"
        assert again.state(table)["you"] == 0
