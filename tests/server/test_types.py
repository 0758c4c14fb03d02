"""The TypeScript types are those of the models."""

import copy
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import generate_types
import pytest
from generate_types import FILE, check, main, service_schemas, type_of, typescript
from pydantic import BaseModel

from aachen.server import messages

NOT_DECLARED = {"Record", "string", "number", "boolean", "null", "unknown", "never"}


@pytest.fixture(scope="module")
def schemas() -> Any:
    return service_schemas()


def code_of(text: str) -> str:
    """Without comments and quoted texts."""
    return re.sub(r'//.*|/\*.*?\*/|"[^"]*"', "", text, flags=re.DOTALL)


def fields_of(text: str, name: str) -> dict[str, str]:
    found = re.search(rf"^export interface {name} {{\n(.*?)^}}", text, re.DOTALL | re.MULTILINE)
    assert found, name
    return dict(re.findall(r"^  (\w+\??): (.*);$", found[1], re.MULTILINE))


def test_the_file_is_what_the_models_give_today() -> None:
    run = subprocess.run(
        [sys.executable, generate_types.__file__, "--check"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


def test_every_message_of_the_socket_is_in_the_file() -> None:
    text = FILE.read_text("utf-8")
    own = [
        kind
        for _, kind in inspect.getmembers(messages, inspect.isclass)
        if issubclass(kind, BaseModel) and kind.__module__ == messages.__name__ and kind is not messages.ToServer
    ]
    assert len(own) > 20
    for kind in own:
        assert {name.rstrip("?") for name in fields_of(text, kind.__name__)} == set(kind.model_fields)
    for union in ("FromClient", "FromServer"):
        assert f"export type {union} =" in text


def test_what_the_service_sends_is_whole_and_what_it_is_sent_may_leave_defaults_out() -> None:
    text = FILE.read_text("utf-8")
    assert fields_of(text, "Bye") == {"type": '"bye"'}
    assert fields_of(text, "Problem") == {"code": "string", "params": "Record<string, unknown>", "text": "string"}
    assert fields_of(text, "Say")["partners?"] == "boolean"
    assert fields_of(text, "StateMessage")["takeback"] == "TakebackFacts | null"


def test_the_file_can_be_read_as_typescript() -> None:
    code = code_of(FILE.read_text("utf-8"))
    for left, right in ("{}", "[]", "()", "<>"):
        assert code.count(left) == code.count(right)
    declared = re.findall(r"^export (?:interface|type) (\w+)", code, re.MULTILINE)
    assert len(declared) == len(set(declared))
    types = re.sub(r"\w+\??:|\[more: string\]|export (?:interface|type)", "", code)
    assert set(re.findall(r"[A-Za-z_]\w*", types)) - NOT_DECLARED == set(declared)


def test_the_output_is_the_same_each_time(schemas: Any) -> None:
    openapi, sockets = schemas
    models = openapi["components"]["schemas"]
    turned = {**openapi, "components": {"schemas": dict(reversed(models.items()))}}
    assert typescript(turned, sockets) == typescript(openapi, sockets)


@pytest.mark.parametrize("side", ["http", "socket"])
def test_a_changed_model_is_noticed(
    schemas: Any, side: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "api.ts"
    file.write_text(typescript(*schemas), "utf-8")
    assert check(file, typescript(*schemas)) == 0
    openapi, sockets = copy.deepcopy(schemas)
    model = openapi["components"]["schemas"]["Token"] if side == "http" else sockets["from_server"]["$defs"]["Bye"]
    model["properties"]["seconds"] = {"type": "number"}
    assert check(file, typescript(openapi, sockets)) == 1
    assert capsys.readouterr().err == (
        "api.ts is not what the models of the service give now: run `make types`\n"
    )  # fmt: skip


def test_a_file_that_was_edited_is_noticed_and_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "new" / "api.ts"
    assert main(["--check", "--file", str(file)]) == 1
    assert main(["--file", str(file)]) == 0
    assert main(["--check", "--file", str(file)]) == 0
    file.write_text(file.read_text("utf-8").replace("number", "string", 1), "utf-8")
    assert main(["--check", "--file", str(file)]) == 1


def test_a_model_that_is_two_things_is_refused(schemas: Any) -> None:
    openapi, sockets = copy.deepcopy(schemas)
    sockets["from_server"]["$defs"]["Problem"]["properties"]["code"] = {"type": "integer"}
    with pytest.raises(ValueError, match="Problem is one thing over HTTP and another over the WebSocket"):
        typescript(openapi, sockets)


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({}, "unknown"),
        (True, "unknown"),
        ({"title": "Anything", "default": None}, "unknown"),
        ({"type": "integer", "minimum": 0}, "number"),
        ({"const": "state", "type": "string"}, '"state"'),
        ({"const": 3}, "3"),
        ({"enum": ["a", "b", None]}, '"a" | "b" | null'),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]}, "number | null"),
        ({"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/components/schemas/B-Input"}]}, "A | BInput"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}, "A & B"),
        ({"type": "array", "items": {"type": "string"}}, "string[]"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, '("a" | "b")[]'),
        ({"type": "array"}, "unknown[]"),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}]}, "[string, null]"),
        ({"type": "object"}, "Record<string, unknown>"),
        ({"type": "object", "additionalProperties": {"$ref": "#/$defs/A"}}, "Record<string, A>"),
        ({"type": "object", "patternProperties": {"^x": {"type": "boolean"}}}, "Record<string, boolean>"),
        ({"type": "object", "additionalProperties": False}, "Record<string, never>"),
        (
            {"type": "object", "properties": {"a": {"type": "string"}, "b-c": {}}, "required": ["a"]},
            '{ a: string; "b-c"?: unknown }',
        ),
    ],
)
def test_schemas_become_types(schema: Any, kind: str) -> None:
    assert type_of(schema) == kind


def test_a_schema_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no TypeScript here for"):
        type_of({"not": {"type": "string"}})
