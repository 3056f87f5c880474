"""The classes and tests that docs/protocol.md and its neighbours name are there."""

import re

import pytest

from java_sources import ROOT, main_classes, source_of_test

PROTOCOL = (ROOT / "docs/protocol.md").read_text("utf-8")
PAGES = (
    "protocol",
    "failure-modes",
    "security",
    "operations",
    "errors",
    "environment",
    "permissions",
)
TEST = re.compile(r"`([A-Z]\w+(?:Test|Contract))(?:\.(\w+))?`")
CLASS = re.compile(r"`([A-Z][a-z]\w+)`")
NAMED = sorted(
    {
        named
        for page in PAGES
        for named in TEST.findall((ROOT / f"docs/{page}.md").read_text("utf-8"))
    }
)
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
CLASSES = sorted(
    {name for name in CLASS.findall(PROTOCOL + ARCHITECTURE) if not name.endswith("Test")}
)
RULES = 16


def section(number: int) -> str:
    (found,) = re.findall(rf"^## {number}\. (.*?)(?=^## |\Z)", PROTOCOL, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.mark.parametrize(("name", "method"), NAMED)
def test_a_test_that_is_named_is_there(name: str, method: str) -> None:
    source = source_of_test(name)
    assert re.search(rf"(class|interface) {name}\b", source), name
    assert not method or f"void {method}(" in source, f"{name}.{method}"


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_that_is_named_is_there(name: str) -> None:
    assert name in main_classes()


def test_every_rule_names_its_code_and_its_tests() -> None:
    steps = section(4)
    assert re.findall(r"^(\d+)\. \*\*", steps, re.MULTILINE) == [
        str(number) for number in range(1, RULES + 1)
    ]
    rows = dict(re.findall(r"^\| (\d+) \| ([^|]+\|[^|]+)\|$", steps, re.MULTILINE))
    for number in range(1, RULES + 1):
        code, tests = rows[str(number)].split("|")
        assert CLASS.search(code), number
        assert TEST.search(tests), number


@pytest.mark.parametrize("number", [3, 4, 5])
def test_every_section_points_to_code_and_tests(number: int) -> None:
    assert CLASS.search(section(number))
    assert TEST.search(section(number))
