"""One Spark session with Repave and Delta, on a local S3 server."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from delta.session import delta_session
from e2e.conftest import lake, ministack, table
from e2e.lake import Lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["lake", "ministack", "table"]


@pytest.fixture(scope="package")
def spark(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    session = delta_session(tmp_path_factory.mktemp("spark"), lake.proxy.endpoint)
    session.range(1).write.parquet(f"s3a://{lake.bucket}/first-table")
    yield session
    session.stop()
