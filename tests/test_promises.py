"""Each promise of the README names the tests that hold it, and those tests are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/promises.md").read_text("utf-8")
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


def test_every_test_that_is_named_is_there() -> None:
    for _, named in rows(PAGE):
        files = [ROOT / path for path in re.findall(r"`([\w/.-]+\.(?:py|java))`", named)]
        assert files
        content = "".join(file.read_text("utf-8") for file in files)
        for test in re.findall(r"`(test_\w+)`", named):
            assert f"def {test}(" in content, test
