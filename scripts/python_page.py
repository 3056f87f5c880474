"""Turns the docstrings of the package's public names into docs/python.md."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any, Final

import repave

# Every public name is in one group, or is an error or a result.
GROUPS: Final = {
    "Start Spark": ("configure_session", "spark_conf", "verify_session", "jar_path"),
    "Write": (
        "write_options",
        "typed_errors",
        "error_of",
        "last_commit",
        "save_as_table",
        "ordered",
    ),
    "Work on a table in a session": ("RepaveTable",),
    "Read without Spark": ("snapshot", "Snapshot"),
    "Examine without Spark": ("costs", "storage", "verify_order"),
}
CONSTANTS: Final = ("PROTOCOL", "__version__")
# Public for the package's own modules.
INTERNAL: Final = {"Snapshot": ("access", "folder", "key", "newest", "partitions", "typing")}
ONE_LINE: Final = 88  # characters of a signature
SECTIONS: Final = {"Args:": "", "Raises:": "Raises "}
TITLE: Final = """<!-- Written by scripts/generate.py; change the docstrings that it comes from. -->

# Python

`import repave` has these names. What takes a session, its builder or a DataFrame needs PySpark; \
`spark_conf` and `jar_path` do not. \
The calls of "Read without Spark" and "Examine without Spark" read with boto3. \
[Options](configuration.md#all-settings) are keyword arguments of \
`configure_session`, `spark_conf` and `write_options`, such as `part_size="16m"`. \
[readers.md](readers.md#recipes) and [write-options.md](write-options.md) have longer examples. \
`repave.PROTOCOL` is the name of the commit protocol's class, `repave.__version__` the package's \
version.
"""


def python_page() -> str:
    """Return docs/python.md."""
    grouped = [name for names in GROUPS.values() for name in names]
    left = [name for name in repave.__all__ if name not in (*grouped, *CONSTANTS)]
    errors = [name for name in left if issubclass(getattr(repave, name), repave.RepaveError)]
    results = [name for name in left if name not in errors]
    parts = [
        TITLE,
        *(_group(title, names) for title, names in GROUPS.items()),
        _errors(sorted(errors, key=lambda name: len(getattr(repave, name).__mro__))),
        _results(results),
    ]
    return "\n".join(parts)


def _group(title: str, names: tuple[str, ...]) -> str:
    return f"## {title}\n" + "\n".join(_entry(name, getattr(repave, name)) for name in names)


def _entry(name: str, value: Any) -> str:  # noqa: ANN401 - a function or a class
    if not inspect.isclass(value):
        return f"### {name}\n{_described(name, value)}"
    members = [
        (member, found)
        for member, found in vars(value).items()
        if not member.startswith("_") and member not in INTERNAL.get(name, ())
    ]
    described = [
        f"#### {name}.{member}\n{_described(member, found)}"
        for member, found in members
        if callable(_function(found))
    ]
    return "\n".join([f"### {name}\n{_text(value)}{_fields(name, value)}", *described])


def _described(name: str, value: Any) -> str:  # noqa: ANN401
    function = _function(value)
    if isinstance(value, property | cached_property):
        return _text(function)
    return f"```python\n{_signature(name, function)}\n```\n{_text(function)}"


def _function(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, classmethod):
        return value.__func__
    if isinstance(value, cached_property):
        return value.func
    return value.fget if isinstance(value, property) else inspect.unwrap(value)


def _signature(name: str, function: Callable[..., Any]) -> str:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    if not isinstance(node, ast.FunctionDef):
        message = f"{name} is no function."
        raise SystemExit(message)
    given = [one for one in _parameters(node.args) if one not in ("self", "cls")]
    answer = f" -> {_annotation(node.returns)}" if node.returns else ""
    line = f"{name}({', '.join(given)}){answer}"
    if len(line) <= ONE_LINE:
        return line
    return f"{name}(\n" + "".join(f"    {one},\n" for one in given) + f"){answer}"


def _parameters(found: ast.arguments) -> Iterator[str]:
    plain = [*found.posonlyargs, *found.args]
    defaults = [None] * (len(plain) - len(found.defaults)) + [*found.defaults]
    for one, default in zip(plain, defaults, strict=True):
        yield _parameter(one, default)
    if found.vararg:
        yield f"*{_parameter(found.vararg, None)}"
    elif found.kwonlyargs:
        yield "*"
    for one, preset in zip(found.kwonlyargs, found.kw_defaults, strict=True):
        yield _parameter(one, preset)
    if found.kwarg:
        yield f"**{found.kwarg.arg}"


def _parameter(one: ast.arg, default: ast.expr | None) -> str:
    typed = f": {_annotation(one.annotation)}" if one.annotation else ""
    equals = " = " if typed else "="
    return one.arg + typed + (f"{equals}{_unparsed(default)}" if default else "")


def _annotation(node: ast.expr) -> str:
    """Return a type without the quotes that keep an import away at run time."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return _unparsed(node)


def _unparsed(node: ast.expr) -> str:
    return ast.unparse(node).replace("'", '"')


def _fields(name: str, value: type) -> str:
    shown = ", ".join(f"`{one}`" for one in _field_names(name, value))
    return f"\nIts fields are {shown}.\n" if shown else ""


def _field_names(name: str, value: type) -> list[str]:
    if not is_dataclass(value):
        return []
    return [one.name for one in fields(value) if one.name not in INTERNAL.get(name, ())]


def _errors(names: list[str]) -> str:
    rows = "".join(
        f"| `{name}` | {_kinds(value)} | {_sentence(value)} |\n"
        for name in names
        for value in [getattr(repave, name)]
    )
    return (
        "## Errors\nWrites raise them in `typed_errors`, all other calls always. "
        "[Errors](errors.md) says what to do.\n\n"
        f"| error | is a | meaning |\n|---|---|---|\n{rows}"
    )


def _kinds(error: type) -> str:
    return ", ".join(f"`{one.__name__}`" for one in error.__bases__)


def _results(names: list[str]) -> str:
    rows = "".join(
        f"| `{name}` | {_sentence(value)} | {_members(name, value)} |\n"
        for name in names
        for value in [getattr(repave, name)]
    )
    return (
        "## Results\nWhat the calls above return. [json.md](json.md) explains most members. Its "
        "names have hyphens, and some differ: `added` is `in` there, `removed` is `out`, and a "
        "time such as `published` is `published-millis`.\n\n"
        f"| class | meaning | members |\n|---|---|---|\n{rows}"
    )


def _members(name: str, value: type) -> str:
    own = [
        member
        for member, found in vars(value).items()
        if isinstance(found, property | cached_property) and not member.startswith("_")
    ]
    return ", ".join(f"`{one}`" for one in [*_field_names(name, value), *own])


def _sentence(value: type) -> str:
    return _linked(" ".join(_doc(value).split()))


def _doc(value: object) -> str:
    return inspect.getdoc(value) or ""


def _text(value: object) -> str:
    """Return a docstring as Markdown."""
    lines: list[str] = []
    items: list[str] = []
    for block in _doc(value).split("\n\n"):
        head, _, rest = block.partition("\n")
        if head in SECTIONS:
            items.append(_bullets(textwrap.dedent(rest), SECTIONS[head]))
        elif block.startswith(("    ", ">>>")):
            lines.append(f"```python\n{textwrap.dedent(block)}\n```")
        else:
            lines.append(_linked(" ".join(block.split())))
    lines += ["\n".join(items)] if items else []
    return "\n" + "\n\n".join(lines) + "\n"


def _bullets(items: str, prefix: str) -> str:
    found = re.findall(r"^(\w+): (.*(?:\n    .*)*)", items, re.MULTILINE)
    return "\n".join(
        f"- {prefix}`{name}`: {_linked(' '.join(text.split()))}" for name, text in found
    )


def _linked(text: str) -> str:
    """Return a text whose names of pages are links."""
    return re.sub(r"docs/([a-z-]+\.md)", r"[\1](\1)", text)
