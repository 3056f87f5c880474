"""The same session and servers as the end-to-end tests."""

from pathlib import Path

import pytest

from e2e.conftest import lake, ministack, moto_lake, spark

__all__ = ["lake", "ministack", "moto_lake", "spark"]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("e2e")
            # PySpark leaves sockets to the garbage collector.
            for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))
