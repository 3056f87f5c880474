"""`INSERT OVERWRITE DIRECTORY` onto the folder of a table: committed by Repave, or refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.newest

HIVE = "INSERT OVERWRITE DIRECTORY '{}' STORED AS TEXTFILE SELECT 'new' AS value"
READERS = ["listing", "snapshot"]


def fill(spark: "SparkSession", table: TableFolder, readers: str) -> None:
    writer = sales(spark, [1, 2], "old").write.partitionBy("day")
    writer.option("repave.readers", readers).parquet(table.url)


@pytest.mark.parametrize("form", ["USING parquet", "STORED AS PARQUET"])
@pytest.mark.parametrize("readers", READERS)
def test_a_directory_in_a_format_of_spark_is_one_overwrite(
    spark: "SparkSession", table: TableFolder, readers: str, form: str
) -> None:
    fill(spark, table, readers)
    before = table.head()["version"]
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{table.url}' {form} SELECT 7L AS id, 'new' AS note")
    assert table.head()["version"] == before + 1
    path = table.url.replace("s3a://", "repave://")
    assert rows(spark.read.parquet(path).select("id", "note")) == [(7, "new")]
    table.assert_settled()


@pytest.mark.parametrize(
    ("readers", "folder"),
    [
        pytest.param("listing", "", id="listing"),
        pytest.param("listing", "/day=1", id="a-partition"),
        pytest.param("snapshot", "/", id="snapshot"),
    ],
)
def test_a_directory_that_hive_would_empty_by_itself_is_refused(
    spark: "SparkSession", table: TableFolder, readers: str, folder: str
) -> None:
    fill(spark, table, readers)
    before = set(table.data()), table.head()
    with pytest.raises(Exception, match=r"Nothing was written.*USING parquet"):
        spark.sql(HIVE.format(table.url + folder))
    assert (set(table.data()), table.head()) == before
    path = table.url.replace("s3a://", "repave://")
    assert notes(spark.read.parquet(path)) == {1: "old", 2: "old"}
    table.assert_settled()


@pytest.fixture
def default_on_s3(spark: "SparkSession", table: TableFolder) -> Iterator[str]:
    """Return the folder below the bucket in which S3A looks for a relative path."""
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    before = conf.get("fs.defaultFS")
    conf.set("fs.defaultFS", f"s3a://{table.lake.bucket}")
    try:
        root = spark._jvm.org.apache.hadoop.fs.Path(f"s3a://{table.lake.bucket}/")  # type: ignore[union-attr]
        yield root.getFileSystem(conf).getWorkingDirectory().toUri().getPath().strip("/")
    finally:
        conf.unset("fs.defaultFS") if before is None else conf.set("fs.defaultFS", before)


def test_a_relative_directory_is_looked_for_where_hive_would_empty_it(
    spark: "SparkSession", table: TableFolder, default_on_s3: str
) -> None:
    reports = table.lake.table(f"{default_on_s3}/reports-{table.name}")
    fill(spark, reports, "snapshot")
    before = reports.listing()
    with pytest.raises(Exception, match=r"Nothing was written.*USING parquet"):
        spark.sql(HIVE.format(f"reports-{table.name}"))
    assert reports.listing() == before


def test_a_local_directory_is_not_looked_for_in_the_store(
    spark: "SparkSession", table: TableFolder, default_on_s3: str, tmp_path: Path
) -> None:
    local = tmp_path / "local"
    fill(spark, table.lake.table(str(local).strip("/")), "snapshot")
    spark.sql(HIVE.format(local).replace("DIRECTORY", "LOCAL DIRECTORY"))
    assert rows(spark.read.text(f"file://{local}")) == [("new",)]


@pytest.mark.parametrize("readers", READERS)
def test_a_directory_around_a_table_is_refused_by_hive_too(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    inner = table.lake.table(f"{table.name}/nested/sales")
    fill(spark, inner, readers)
    before = inner.listing()
    with pytest.raises(Exception, match=rf"{inner.url[5:]}, which Repave manages. Nothing was"):
        spark.sql(HIVE.format(table.url))
    assert inner.listing() == before


@pytest.mark.parametrize("folder", ["_repave", "_repave/commits"])
def test_the_records_of_a_table_are_not_emptied_by_hive(
    spark: "SparkSession", table: TableFolder, folder: str
) -> None:
    fill(spark, table, "snapshot")
    before = table.listing()
    with pytest.raises(Exception, match="Nothing was written"):
        spark.sql(HIVE.format(f"{table.url}/{folder}"))
    assert table.listing() == before


def test_each_directory_of_one_statement_is_looked_at(
    spark: "SparkSession", table: TableFolder
) -> None:
    fill(spark, table, "snapshot")
    other = table.lake.table(f"hive-first-{table.name}")
    before = table.listing()
    inserts = [
        f"INSERT OVERWRITE DIRECTORY '{url}' STORED AS TEXTFILE SELECT value"
        for url in (other.url, table.url)
    ]
    with pytest.raises(Exception, match=rf"'{table.url}' in a format of Hive"):
        spark.sql(f"FROM (SELECT 'new' AS value) {' '.join(inserts)}")
    assert table.listing() == before


def test_a_directory_without_a_table_is_left_to_hive(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    other = table.lake.table(f"hive-{table.name}")
    for _ in range(2):
        spark.sql(HIVE.format(other.url))
    assert rows(spark.read.text(other.url)) == [("new",)]
    assert not other.has_head()
    local = tmp_path / "local"
    spark.sql(HIVE.format(local).replace("DIRECTORY", "LOCAL DIRECTORY"))
    assert rows(spark.read.text(str(local))) == [("new",)]
