"""Each promise of the README names the tests that hold it, and those tests are there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/promises.md").read_text("utf-8")
SLOW = "pytest.mark.slow"
README = (ROOT / "README.md").read_text("utf-8")


def rows(text: str) -> list[list[str]]:
    """Return the cells of the table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines[2:]]


def promised() -> list[str]:
    (section,) = re.findall(r"^## Guarantees\n(.*?)^## ", README, re.MULTILINE | re.DOTALL)
    return [row[0] for row in rows(section)]


def test_every_promise_is_in_the_page() -> None:
    assert len(promised()) > 10
    assert [row[0] for row in rows(PAGE)] == promised()


def named_tests(cell: str) -> Iterator[tuple[Path, list[str]]]:
    """Return each file that a cell names, with the tests that follow it."""
    for part in cell.split(";"):
        for path in re.findall(r"`([\w/.-]+\.(?:py|java))`", part):
            yield ROOT / path, re.findall(r"`([a-z]\w+)`", part)


def quick_tests(file: Path) -> set[str]:
    """Return the tests of a file that are not marked slow."""
    if file.suffix == ".java":
        return set(
            re.findall(r"^  (?:public )?void (\w+)\(", file.read_text("utf-8"), re.MULTILINE)
        )
    module = ast.parse(file.read_text("utf-8"))
    marks = [ast.unparse(it) for it in module.body if isinstance(it, ast.Assign)]
    if any(mark.startswith("pytestmark") and SLOW in mark for mark in marks):
        return set()
    tests = [it for it in module.body if isinstance(it, ast.FunctionDef)]
    return {it.name for it in tests if SLOW not in map(ast.unparse, it.decorator_list)}


def test_every_test_that_is_named_is_there() -> None:
    for promise, cell in rows(PAGE):
        named = list(named_tests(cell))
        assert named, promise
        for file, tests in named:
            content = file.read_text("utf-8")
            for test in tests:
                assert re.search(rf"\b(?:def|void) {test}\(", content), test


def test_every_promise_names_a_test_that_is_not_slow() -> None:
    for promise, cell in rows(PAGE):
        named = [(file, tests) for file, tests in named_tests(cell) if tests]
        quick = [test for file, tests in named for test in tests if test in quick_tests(file)]
        assert quick or not named, promise
