"""The marks of whole folders: which tests need Spark, and which are in the slow lane."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
SLOW = {"clients", "delta", "trino"}
WITH_SPARK = {*SLOW, "differential", "e2e"}
CLIENTS_SECONDS = 3000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folder = item.path.relative_to(HERE).parts[0] if HERE in item.path.parents else ""
        if folder in SLOW:
            item.add_marker("slow")
        if folder in WITH_SPARK:
            item.add_marker("e2e")
            # PySpark leaves sockets to the garbage collector.
            for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))
        if folder == "clients":
            item.add_marker(pytest.mark.timeout(CLIENTS_SECONDS))
