"""What the pages about the engine may name: its classes, its tests, its messages."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAIN = ROOT / "committer-java/src/main/java"
TESTS = ROOT / "committer-java/src/test/java"
# Two literals that the source joins are one message.
JOINT = re.compile(r'"\s*\+\s*"')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


@cache
def main_classes() -> frozenset[str]:
    """Return the simple names of the product's classes; moves of packages do not matter."""
    return frozenset(path.stem for path in MAIN.rglob("*.java"))


@cache
def source_of_test(name: str) -> str:
    """Return the source of the test class of this simple name, "" if there is none."""
    return "".join(path.read_text("utf-8") for path in TESTS.rglob(f"{name}.java"))


@cache
def main_text() -> str:
    """Return the product's Java sources, their long literals joined."""
    return "\n".join(_joined(path) for path in sorted(MAIN.rglob("*.java")))


def thrown(exceptions: str) -> Iterator[str]:
    """Yield the literals of each exception that is made; `exceptions` is a pattern of names."""
    for found in re.finditer(rf"new (?:{exceptions})\(", main_text()):
        literals = LITERAL.findall(_arguments(main_text(), found.end()))
        if literals:
            yield " … ".join(literals)


def _joined(path: Path) -> str:
    return JOINT.sub("", path.read_text("utf-8"))


def _arguments(text: str, start: int) -> str:
    """Return what stands up to the parenthesis that closes a call."""
    depth, at = 1, start
    while depth:
        literal = LITERAL.match(text, at)
        if literal:
            at = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[start : at - 1]
