"""The Makefile: what it lists exists, and what it promises of a clean checkout holds."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PROMISED = {
    "help",
    "jar",
    "check",
    "fmt",
    "test",
    "test-quick",
    "generate",
    "replay",
    "test-java",
    "test-python",
    "sim",
    "model",
    "matrix",
    "demo",
    "bench",
    "fuzz",
    "clean",
}


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *arguments],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def listed() -> list[str]:
    return re.findall(r"^  make ([a-z-]+) +\S", make().stdout, re.MULTILINE)


def test_make_alone_lists_every_promised_target() -> None:
    assert set(listed()) >= PROMISED


@pytest.mark.parametrize("target", listed())
def test_a_listed_target_can_be_planned(target: str) -> None:
    planned = make("--dry-run", target)
    assert planned.returncode == 0, planned.stderr


def test_every_target_that_is_no_file_is_phony_and_listed() -> None:
    phony = set(re.findall(r"^\.PHONY: (\S+)", MAKEFILE, re.MULTILINE))
    assert phony == set(listed())
