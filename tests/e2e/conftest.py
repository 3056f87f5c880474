"""One Spark session, two S3 servers behind proxies, a table folder of its own for each test."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from e2e.java_classes import compiled
from e2e.lake import Lake, TableFolder
from e2e.sessions import session_builder
from repave._conf import PLUGIN
from repave_lab.proxy import Proxy
from repave_lab.servers import S3Server, embedded_s3

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="package")
def ministack() -> Iterator[S3Server]:
    with embedded_s3("ministack") as running:
        yield running


@pytest.fixture(scope="package")
def lake(ministack: S3Server) -> Iterator[Lake]:
    with Proxy(ministack.endpoint) as proxy:
        client = ministack.client()
        client.create_bucket(Bucket="lake")
        client.create_bucket(Bucket="annex")
        yield Lake("lake", client, proxy)


@pytest.fixture(scope="package")
def moto_lake() -> Iterator[Lake]:
    with embedded_s3("moto") as server, Proxy(server.endpoint) as proxy:
        client = server.client()
        client.create_bucket(Bucket="moto-lake")
        yield Lake("moto-lake", client, proxy)


@pytest.fixture(scope="package")
def spark(
    lake: Lake, moto_lake: Lake, tmp_path_factory: pytest.TempPathFactory
) -> Iterator["SparkSession"]:
    folder = tmp_path_factory.mktemp("spark")
    endpoints = {"": lake.proxy.endpoint, f"bucket.{moto_lake.bucket}.": moto_lake.proxy.endpoint}
    builder = session_builder(folder, endpoints)
    # Carries the ledgers of RDD saves, for the tests that switch these on.
    builder = builder.config("spark.plugins", PLUGIN)
    builder = builder.config("spark.driver.extraClassPath", compiled(folder / "classes"))
    session = builder.enableHiveSupport().getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    # A bucket's first table tries the store out, once in a JVM: no test should count that.
    session.range(1).write.parquet(f"s3a://{lake.bucket}/first-table")
    yield session
    session.stop()


@pytest.fixture
def table(lake: Lake, request: pytest.FixtureRequest) -> Iterator[TableFolder]:
    """A folder that nobody has written to; the journal begins with the test."""
    lake.proxy.reset()
    folder = lake.table(re.sub(r"\W+", "-", request.node.name).strip("-"))
    yield folder
    lake.proxy.set_faults([])
    assert folder.counts()["CopyObject"] == 0
    assert folder.counts()["UploadPartCopy"] == 0


@pytest.fixture
def dynamic(spark: "SparkSession") -> Iterator[None]:
    """Dynamic overwrite by the session's conf."""
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    yield
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
