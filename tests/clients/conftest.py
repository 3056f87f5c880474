"""The servers of the end-to-end tests, and a site whose Spark has what `repave conf` prints."""

from pathlib import Path

import pytest

from clients.site import Site
from e2e.conftest import lake, ministack, table
from e2e.lake import Lake

__all__ = ["lake", "ministack", "table"]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("slow")
            item.add_marker("e2e")
            item.add_marker(pytest.mark.timeout(3000))


@pytest.fixture
def site(lake: Lake, tmp_path: Path) -> Site:
    lake.proxy.reset()
    return Site.at(tmp_path, lake.proxy.endpoint)
