"""One Trino, one Spark session that writes, one S3 server, and moto's Glue that both know."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from e2e.conftest import dynamic, lake, ministack, moto_lake, spark, table
from e2e.lake import Lake
from e2e.test_cli import CREDENTIALS
from trino.engine import JAVA_AT_LEAST, Trino, java, trino
from unit.glue_catalog import Catalog, serving

if TYPE_CHECKING:
    from repave_lab.servers import S3Server

__all__ = ["dynamic", "lake", "ministack", "moto_lake", "spark", "table"]
REGION = "us-east-1"


@pytest.fixture(scope="package")
def glue_url() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.fixture(scope="package")
def engine(
    lake: Lake, ministack: "S3Server", glue_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Trino]:
    """Yield Trino, whose catalog is Glue's and whose files are the lake's."""
    program = java()
    if program is None:
        pytest.skip(f"Trino needs Java {JAVA_AT_LEAST} or later: set TRINO_JAVA to its home")
    key, secret = CREDENTIALS["AWS_ACCESS_KEY_ID"], CREDENTIALS["AWS_SECRET_ACCESS_KEY"]
    properties = {
        "hive.metastore": "glue",
        "hive.metastore.glue.endpoint-url": glue_url,
        "hive.metastore.glue.region": REGION,
        "hive.metastore.glue.aws-access-key": key,
        "hive.metastore.glue.aws-secret-key": secret,
        # moto keeps no statistics of columns.
        "hive.table-statistics-enabled": "false",
        "fs.native-s3.enabled": "true",
        "s3.endpoint": ministack.endpoint,
        "s3.region": REGION,
        "s3.path-style-access": "true",
        "s3.aws-access-key": key,
        "s3.aws-secret-key": secret,
    }
    with trino(tmp_path_factory.mktemp("trino"), program, properties) as running:
        yield running


@pytest.fixture
def glue(glue_url: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """A database of its own, in the catalog that boto3 finds in the environment."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_ENDPOINT_URL_GLUE", glue_url)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    return Catalog(glue_url, re.sub(r"\W", "_", request.node.name).lower())
