"""Links between the project's own pages lead somewhere."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("docs", "benchmarks")
PAGES = sorted(
    [*ROOT.glob("*.md"), *(page for it in FOLDERS for page in (ROOT / it).rglob("*.md"))]
)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
TO_ANCHOR = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)?$", re.MULTILINE)
EXPLICIT = re.compile(r"<a id=\"([^\"]+)\">")
LINKED = re.compile(r"\[([^]]*)\]\([^)]*\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_anchor_of_a_link_is_there(page: Path) -> None:
    broken = [
        f"{path}#{anchor}"
        for path, anchor in TO_ANCHOR.findall(prose(page))
        if (target := page.parent / path if path else page).suffix == ".md"
        and anchor not in anchors(target.resolve())
    ]
    assert broken == []


def test_anchors_are_made_as_github_makes_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# The `head.json`\n## Did it? **No** 1.5 – yes\n## A [link](x.md), snake_case\n"
        '```\n# a comment\n```\n<a id="named"></a>\n## Twice\n## Twice\n',
        "utf-8",
    )
    expected = {"the-headjson", "did-it-no-15--yes", "a-link-snake_case", "twice", "twice-1"}
    assert anchors(page) == {*expected, "named"}


def prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return FENCED.sub("", page.read_text("utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page: those of its headings, as GitHub makes them, and its own."""
    if not page.is_file():
        return frozenset()
    text = prose(page)
    seen: Counter[str] = Counter()
    found = set(EXPLICIT.findall(text))
    for heading in HEADING.findall(text):
        words = LINKED.sub(r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return frozenset(found)


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs/decisions"
    index = (folder / "README.md").read_text("utf-8")
    pages = {path.name for path in folder.glob("[0-9]*.md")}
    assert pages
    assert {page for page in pages if f"({page})" not in index} == set()
