"""The tests that docs/testing/store.md names are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/testing/store.md").read_text("utf-8")
SOURCES = ROOT / "committer-java/src/test/java"
NAMED = sorted(set(re.findall(r"`([A-Z]\w+(?:Test|Contract))(?:\.(\w+))?`", PAGE)))


def test_the_page_names_tests() -> None:
    assert len(NAMED) > 40


@pytest.mark.parametrize(("name", "method"), NAMED)
def test_a_test_that_is_named_is_there(name: str, method: str) -> None:
    content = "".join(file.read_text("utf-8") for file in SOURCES.rglob(f"{name}.java"))
    assert re.search(rf"(class|interface) {name}\b", content), name
    assert not method or f"void {method}(" in content, f"{name}.{method}"
