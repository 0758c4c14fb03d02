"""Makes `src/lib/api.ts`: the models of the service as TypeScript types, for the page and for other clients.

They come from the schemas that the service itself gives out, `/api/openapi.json` and `/api/socket/schema`. `make types`
writes the file; `make check` says so if the models have changed since.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "src" / "lib" / "api.ts"
HEAD = """\
// What the service is asked and what it answers, over HTTP and over the WebSocket.
// Made by web/generate_types.py from the models in src/aachen/server. Do not edit it: run `make types`.
"""
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
METHODS = ("get", "post", "put", "patch", "delete")

Schema = Mapping[str, Any]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Make the TypeScript types of the service's API.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is out of date")
    parser.add_argument("--file", type=Path, default=FILE, help="the file (src/lib/api.ts beside this program)")
    args = parser.parse_args(words)
    text = typescript(*service_schemas())
    if args.check:
        return check(args.file, text)
    args.file.parent.mkdir(parents=True, exist_ok=True)
    args.file.write_text(text, "utf-8")
    return 0


def service_schemas() -> tuple[Schema, Schema]:
    """The schemas of HTTP and of the WebSocket, as the service gives them out."""
    from aachen.server.app import create_app, socket_schemas
    from aachen.server.settings import Settings

    return create_app(Settings()).openapi(), socket_schemas()


def check(file: Path, text: str) -> int:
    """0 if the file says this; else 1, and a sentence."""
    if file.exists() and file.read_text("utf-8") == text:
        return 0
    print(f"{file.name} is not what the models of the service give now: run `make types`", file=sys.stderr)
    return 1


def typescript(openapi: Schema, sockets: Schema) -> str:
    """The whole file. Raises ValueError for a schema that cannot be told in TypeScript."""
    models: dict[str, Schema] = dict(openapi["components"]["schemas"])
    answers, asked = (set(_reached(names, models)) for names in _used_over_http(openapi))
    declared = {name: declaration(name, model, name in answers - asked) for name, model in models.items()}
    for union, side in (("FromClient", "from_client"), ("FromServer", "from_server")):
        schema = sockets[side]
        found = {name: declaration(name, model, side == "from_server") for name, model in schema["$defs"].items()}
        found[union] = _alias(union, f"What goes over the WebSocket {side.replace('_', ' the ')}.", schema)
        for name, text in found.items():
            if declared.setdefault(name, text) != text:
                raise ValueError(f"{name} is one thing over HTTP and another over the WebSocket; it needs two names")
    return "\n".join([HEAD, *(declared[name] for name in sorted(declared))])


# Which models are sent and which are received


def _used_over_http(openapi: Schema) -> tuple[list[str], list[str]]:
    """The models that answers name, and those that requests name."""
    answers: list[str] = []
    asked: list[str] = []
    for path in openapi["paths"].values():
        for operation in (path[method] for method in METHODS if method in path):
            answers += _references(operation.get("responses"))
            asked += [*_references(operation.get("requestBody")), *_references(operation.get("parameters"))]
    return answers, asked


def _reached(names: Sequence[str], models: Mapping[str, Schema]) -> Iterator[str]:
    """These models, and all that they are made of."""
    seen: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            yield name
            left += _references(models[name])


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, Mapping):
        if isinstance(part.get("$ref"), str):
            yield _last(part["$ref"])
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


# From a schema to TypeScript


def declaration(name: str, schema: Schema, is_sent: bool) -> str:
    """The declaration of a model. What the service sends has all its fields; what it is sent may leave some out."""
    if "properties" not in schema and not _is_empty_object(schema):
        return _alias(name, schema.get("description", ""), schema)
    fields = schema.get("properties", {})
    required = set(fields) if is_sent else set(schema.get("required", ()))
    lines = [f"export interface {_name(name)} {{"]
    for field, kind in fields.items():
        lines += _comment(kind.get("description", ""), "  ")
        lines.append(f"  {_field(field, field in required)}: {type_of(kind)};")
    if schema.get("additionalProperties"):
        lines.append("  [more: string]: unknown;")
    return "\n".join([*_comment(schema.get("description", "")), *lines, "}", ""])


def _alias(name: str, description: str, schema: Schema) -> str:
    kinds = _kinds(schema)
    one_line = f"export type {_name(name)} = {' | '.join(kinds)};"
    several = f"export type {_name(name)} =\n  | " + "\n  | ".join(kinds) + ";"
    return "\n".join([*_comment(description), one_line if len(one_line) <= 100 else several, ""])


def type_of(schema: Any) -> str:
    """The schema as a type. Raises ValueError for what is not known here."""
    return " | ".join(_kinds(schema))


def _kinds(schema: Any) -> list[str]:
    """The types that a value may have, each once."""
    return list(dict.fromkeys(_all_kinds(schema)))


def _all_kinds(schema: Any) -> list[str]:
    if schema in (True, {}) or not set(schema) - {"title", "description", "default", "examples"}:
        return ["unknown"]
    if "$ref" in schema:
        return [_name(_last(schema["$ref"]))]
    if "const" in schema:
        return [json.dumps(schema["const"])]
    if "enum" in schema:
        return [json.dumps(value) for value in schema["enum"]]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return [kind for part in schema[several] for kind in _kinds(part)]
    if "allOf" in schema:
        return [" & ".join(_in_brackets(part) for part in schema["allOf"])]
    kind = schema.get("type")
    if isinstance(kind, list):
        return [one for name in kind for one in _kinds({**schema, "type": name})]
    if kind in PLAIN:
        return [PLAIN[kind]]
    if kind == "array":
        return [_array(schema)]
    if kind == "object":
        return [_object(schema)]
    raise ValueError(f"there is no TypeScript here for {json.dumps(schema)}")


def _array(schema: Schema) -> str:
    if "prefixItems" in schema:
        return "[" + ", ".join(type_of(part) for part in schema["prefixItems"]) + "]"
    return _in_brackets(schema.get("items", True)) + "[]"


def _in_brackets(schema: Any) -> str:
    kind = type_of(schema)
    return f"({kind})" if len(_kinds(schema)) > 1 or " & " in kind else kind


def _object(schema: Schema) -> str:
    if "properties" in schema:
        required = schema.get("required", ())
        fields = schema["properties"].items()
        return "{ " + "; ".join(f"{_field(name, name in required)}: {type_of(kind)}" for name, kind in fields) + " }"
    if _is_empty_object(schema):
        return "Record<string, never>"
    named = list(schema.get("patternProperties", {}).values())
    return f"Record<string, {type_of({'anyOf': named} if named else schema.get('additionalProperties', True))}>"


def _is_empty_object(schema: Schema) -> bool:
    return schema.get("additionalProperties") is False and not {"properties", "patternProperties"} & set(schema)


def _name(name: str) -> str:
    """A model's name in TypeScript: FastAPI's `Seat-Input` is `SeatInput`."""
    return re.sub(r"\W", "", name)


def _field(name: str, is_required: bool) -> str:
    written = name if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) else json.dumps(name)
    return written if is_required else f"{written}?"


def _comment(text: str, indent: str = "") -> list[str]:
    lines = [line.strip() for line in text.replace("*/", "* /").strip().splitlines()]
    if len(lines) < 2:
        return [f"{indent}/** {line} */" for line in lines]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


if __name__ == "__main__":
    sys.exit(main())
