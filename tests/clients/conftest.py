"""The servers of the end-to-end tests, and a site whose Spark has what `repave conf` prints."""

from pathlib import Path

import pytest

from clients.site import Site
from e2e.conftest import lake, ministack, table
from e2e.lake import Lake

__all__ = ["lake", "ministack", "table"]


@pytest.fixture
def site(lake: Lake, tmp_path: Path) -> Site:
    lake.proxy.reset()
    return Site.at(tmp_path, lake.proxy.endpoint)
