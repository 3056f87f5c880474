"""Pages and messages name only commands of `repave` that exist, and options that these have."""

import re
from pathlib import Path

import click
import pytest

from java_sources import ROOT, main_text
from repave.cli import main

# In backticks, at the beginning of a line of a block, after a colon ("run: repave …"), in $(…).
NAMED = re.compile(r"(?:`|^|: |then |\$\()repave ([a-z]+(?:-[a-z]+)*)([^`\n\")|;]*)", re.MULTILINE)
OPTION = re.compile(r"(?<=\s)--[a-z][a-z-]*")
# Two literals that stand one after the other are one message.
PYTHON_JOINT = re.compile(r'"\s*\n\s*f?"')
# A command that was rejected.
NOT_BUILT = {("0074-older-heads.md", "restore")}
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


def unknown(text: str) -> list[str]:
    """Return what a text names and `repave` does not have."""
    context = click.Context(main)
    found = []
    for name, rest in NAMED.findall(text):
        command = main.get_command(context, name)
        if command is None:
            found.append(name)
        elif name != "submit":  # which takes those of spark-submit too
            own = {"--help", *(each for it in command.get_params(context) for each in it.opts)}
            found += [f"{name} {option}" for option in OPTION.findall(rest) if option not in own]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_commands_that_there_are(page: Path) -> None:
    found = unknown(page.read_text("utf-8"))
    assert [name for name in found if (page.name, name) not in NOT_BUILT] == []


def test_the_jars_messages_name_commands_that_there_are() -> None:
    assert NAMED.search(main_text())
    assert unknown(main_text()) == []


def test_the_packages_messages_name_commands_that_there_are() -> None:
    sources = sorted((ROOT / "python").rglob("*.py"))
    text = "\n".join(PYTHON_JOINT.sub("", path.read_text("utf-8")) for path in sources)
    assert unknown(text) == []


@pytest.mark.parametrize("text", ["`repave mend s3://lake/sales`", "run: repave status --deep x"])
def test_a_command_or_an_option_that_there_is_not_is_found(text: str) -> None:
    assert unknown(text)
