"""Turns the JSON Schemas of contract/records into python/repave/_shapes.py."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# The records that Python reads.
RECORDS = (
    "head",
    "manifest",
    "manifest-shard",
    "checkpoint",
    "checkpoint-shard",
    "uploads",
    "uploads-shard",
    "report",
)
# The envelope, which is checked before the shape.
ENVELOPE = ("format", "record", "checksum")
ONE_LINE = 72  # characters of a pattern
PLAIN = {"integer": "int", "string": "str", "boolean": "bool"}
HEADER = '''"""What the records that Python reads hold.

Written by scripts/generate.py from contract/records.
"""

import re
from typing import Any, Final

# A type, a list of one shape, an object's members, one of some texts, or a text of a form. A member
# whose name ends in `?` may be absent; `*` stands for members of any name.
Shape = type | list[Any] | dict[str, Any] | tuple[str, ...] | re.Pattern[str]

'''


def shapes_module(folder: Path) -> str:
    """Return the source of python/repave/_shapes.py."""
    schemas = {name: _read(folder, name) for name in RECORDS}
    common = _read(folder, "common")["$defs"]
    used = [name for name in common if not _plain(common[name]) and _is_used(name, schemas, common)]
    shapes = {**{name: common[name] for name in used}, **schemas}
    lines = [f"{_constant(name)}: Final = {_form(one, common, 0)}" for name, one in shapes.items()]
    table = "".join(f'    "{name}": {_constant(name)},\n' for name in RECORDS)
    lines.append(f"SHAPES: Final[dict[str, Shape]] = {{\n{table}}}")
    needs = {name: needed for one in shapes.values() for name, needed in _needs(one)}
    lines.append("# A member, and those that must not be absent then.")
    lines.append(f"NEEDS: Final = {json.dumps(needs)}")
    return HEADER + "\n".join(lines) + "\n"


def _needs(schema: dict[str, Any]) -> Iterable[tuple[str, list[str]]]:
    needs: dict[str, list[str]] = schema.get("dependentRequired", {})
    return needs.items()


def _read(folder: Path, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / f"{name}.json").read_text("utf-8"))
    return document


def _is_used(name: str, schemas: dict[str, Any], common: dict[str, Any]) -> bool:
    if name in ENVELOPE:
        return False
    own = f'"common.json#/$defs/{name}"'
    if own in json.dumps(schemas):
        return True
    users = [other for other in common if own in json.dumps(common[other])]
    return any(_is_used(other, schemas, common) for other in users)


def _plain(schema: dict[str, Any]) -> str | None:
    return (
        None if "pattern" in schema or "properties" in schema else PLAIN.get(schema.get("type", ""))
    )


def _constant(name: str) -> str:
    return name.upper().replace("-", "_")


def _form(schema: dict[str, Any], common: dict[str, Any], depth: int) -> str:
    """Return the expression of a schema's shape."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return _plain(common[name]) or _constant(name)
    if "enum" in schema:
        # One value alone needs its comma to be a tuple.
        values = [json.dumps(one) for one in schema["enum"]]
        return "(" + ", ".join(values) + (",)" if len(values) == 1 else ")")
    if "pattern" in schema:
        form = f'r"{schema["pattern"]}"'
        indent = "    " * depth
        split = f"re.compile(\n{indent}    {form}\n{indent})"
        return split if len(form) + len(indent) > ONE_LINE else f"re.compile({form})"
    if schema["type"] == "array":
        return _list_form(schema["items"], common, depth)
    return (
        _object_form(schema, common, depth) if schema["type"] == "object" else PLAIN[schema["type"]]
    )


def _list_form(items: dict[str, Any], common: dict[str, Any], depth: int) -> str:
    if items.get("type") != "object":
        return f"[{_form(items, common, depth)}]"
    indent = "    " * (depth + 1)
    return f"[\n{indent}{_form(items, common, depth + 1)}\n{'    ' * depth}]"


def _object_form(schema: dict[str, Any], common: dict[str, Any], depth: int) -> str:
    if "properties" not in schema:
        return f'{{"*": {_form(schema["additionalProperties"], common, depth + 1)}}}'
    indent = "    " * (depth + 1)
    members = [
        f"{indent}{json.dumps(name if name in schema['required'] else name + '?')}: "
        f"{_form(inner, common, depth + 1)},\n"
        for name, inner in schema["properties"].items()
        if name not in ENVELOPE
    ]
    return "{\n" + "".join(members) + "    " * depth + "}"
