"""The files that a page of docs/ shows: blocks that begin with a comment with the file's name."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```\w+\n(?:#|--) (\S+\.\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```shell\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files_of(page: str) -> dict[str, str]:
    """Return the files by their names."""
    return dict(BLOCK.findall((DOCS / page).read_text("utf-8")))


def write_files(page: str, folder: Path) -> None:
    for name, text in files_of(page).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def commands_of(page: str) -> list[str]:
    """Return the shell blocks, in the page's order."""
    return SHELL.findall((DOCS / page).read_text("utf-8"))
