"""Rules of style that no linter checks, read from the sources."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILES = sorted(
    path
    for folder in ("python", "lab", "tests", "scripts", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
)
FILE_LINES, FUNCTION_LINES = 400, 70
BAD_NAME = re.compile(r"(manager|helper|util|utils|impl|base)$", re.IGNORECASE)


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_files_are_short() -> None:
    lengths = {str(path): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert {path: n for path, n in lengths.items() if n > FILE_LINES} == {}


def test_functions_are_short() -> None:
    lengths = {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in FILES
        for node in functions(path)
    }
    assert lengths
    assert {place: n for place, n in lengths.items() if n > FUNCTION_LINES} == {}


def test_names_say_something() -> None:
    classes = [
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    names = [*classes, *(path.stem for path in FILES)]
    assert [name for name in names if BAD_NAME.search(name)] == []
