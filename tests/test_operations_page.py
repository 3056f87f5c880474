"""docs/errors.md covers every exception and quotes only real messages; operations.md, commands."""

import re

import pytest

import repave
from java_sources import MAIN, ROOT, main_text, thrown
from repave._errors import BY_JAVA_NAME, RepaveError

PYTHON = "".join(path.read_text("utf-8") for path in (ROOT / "python/repave").rglob("*.py"))
OPERATIONS = (ROOT / "docs/operations.md").read_text("utf-8")
ERRORS = (ROOT / "docs/errors.md").read_text("utf-8")
COMMIT_ERRORS = "CommitFailed(?:Exception)?|CommitConflict(?:Exception)?|CommitStateUnknown\\w*"
COMMANDS = (
    "recover",
    "cancel",
    "adopt",
    "repair",
    "vacuum",
    "rollback",
    "drop-partitions",
    "follow",
    "sync",
)


def section(page: str, title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, title
    return found.group(1)


def first_cells(text: str) -> list[str]:
    """Return the first cell of each row of a section's tables, without the heads of the tables."""
    rows = re.findall(r"^\|.*\n\|[-:|]+\n((?:\|.*(?:\n|\Z))*)", text, re.MULTILINE)
    return [row.strip("|").split("|")[0].strip() for part in rows for row in part.splitlines()]


MESSAGES = first_cells(section(ERRORS, "Messages of commits"))
QUOTED = [
    *MESSAGES,
    *first_cells(section(ERRORS, "Lines in Spark's log")),
    *(
        part
        for cell in first_cells(section(ERRORS, "Damaged or missing records"))
        for part in cell.split(", ")
    ),
]


@pytest.mark.parametrize("text", QUOTED)
def test_a_message_that_is_quoted_is_one_of_ours(text: str) -> None:
    assert text in main_text() + PYTHON


@pytest.mark.parametrize("message", sorted(set(thrown(COMMIT_ERRORS))))
def test_every_message_of_a_commit_is_explained(message: str) -> None:
    assert [text for text in MESSAGES if text in message]


def test_every_exception_of_the_jar_is_explained() -> None:
    classes = {path.stem for path in MAIN.rglob("error/*Exception.java")}
    rows = first_cells(section(ERRORS, "Exceptions"))
    assert classes == {name for name in BY_JAVA_NAME if name.endswith("Exception")}
    named = {word.removesuffix("Exception") for row in rows for word in re.findall(r"`(\w+)`", row)}
    assert {one.removesuffix("Exception") for one in classes} - named == set()


def test_every_exception_of_the_package_is_explained() -> None:
    kinds: list[type[RepaveError]] = [RepaveError, *_below(RepaveError)]
    rows = " ".join(first_cells(section(ERRORS, "Exceptions")))
    assert [one.__name__ for one in kinds if f"`{one.__name__}`" not in rows] == []
    assert [one.code for one in kinds if f"`{one.code}`" not in rows] == []


def test_every_command_that_changes_a_table_is_explained() -> None:
    rows = " ".join(first_cells(section(OPERATIONS, "Commands")))
    assert [name for name in COMMANDS if f"`{name}" not in rows] == []
    assert all(hasattr(repave.RepaveTable, name.replace("-", "_")) for name in COMMANDS)


def _below(kind: type[RepaveError]) -> list[type[RepaveError]]:
    return [inner for one in kind.__subclasses__() for inner in (one, *_below(one))]
