"""Each cell of the table of readers names its test, or says that there is none."""

import re
from pathlib import Path

from test_promises import rows

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "readers.md").read_text("utf-8")
EMPTY = ("–", "not run")


def cells() -> dict[tuple[str, int], str]:
    (section,) = re.findall(
        r"^## Who reads what\n(.*?)^What each way shows", PAGE, re.MULTILINE | re.DOTALL
    )
    return {
        (row[0], column): cell
        for row in rows(section)
        for column, cell in enumerate(row[1:], 1)
        if cell not in EMPTY and not cell.endswith("\\")
    }


def test_each_cell_links_to_a_test_or_to_the_page_of_one() -> None:
    found = cells()
    assert len(found) > 10
    for name, cell in found.items():
        links = re.findall(r"\((\.\./tests/[\w/]+/test_\w+\.py|testing/\w+\.md)\)", cell)
        assert links, (name, cell)
        assert all((DOCS / link).is_file() for link in links), (name, cell)
