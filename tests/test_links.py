"""Links between the project's own pages lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("docs", "benchmarks")
PAGES = sorted(
    [*ROOT.glob("*.md"), *(page for it in FOLDERS for page in (ROOT / it).rglob("*.md"))]
)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs/decisions"
    index = (folder / "README.md").read_text("utf-8")
    pages = {path.name for path in folder.glob("[0-9]*.md")}
    assert pages
    assert {page for page in pages if f"({page})" not in index} == set()
