"""Symlink manifests: read back through Hive's own input format, and as other readers would."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import repave
from e2e.lake import TableFolder
from repave import RepaveTable
from repave.cli import main

pa_dataset = pytest.importorskip("pyarrow.dataset")
duckdb = pytest.importorskip("duckdb")

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.oldest

FOLDER = "_symlink_format_manifest"
NAME = "default.by_symlinks"


@pytest.fixture(autouse=True)
def _settings(spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "repave-lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem")
    # The splits of symlinks say that they are empty, and Spark passes over these by default.
    conf = spark.sparkContext._jsc.sc().conf()
    conf.set("spark.hadoopRDD.ignoreEmptySplits", "false")
    yield
    conf.remove("spark.hadoopRDD.ignoreEmptySplits")
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")
    hadoop.unset("fs.s3.impl")


def statements(table: TableFolder, *words: str) -> list[str]:
    url = table.url.replace("s3a://", "s3://")
    line = ["symlinks", url, "--endpoint-url", table.lake.proxy.endpoint, "--name", NAME, *words]
    done = CliRunner().invoke(main, line, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return [one for one in done.output.split(";\n") if one]


def lines(frame: "DataFrame") -> Counter[tuple[str, str]]:
    return Counter((row["value"], row["dt"]) for row in frame.select("value", "dt").collect())


def manifests(table: TableFolder) -> dict[str, list[str]]:
    """Return the lines of each partition's manifests."""
    found: dict[str, list[str]] = {}
    for key in table.listing():
        if key.startswith(f"{FOLDER}/"):
            body = table.lake.client.get_object(
                Bucket=table.lake.bucket, Key=f"{table.name}/{key}"
            )["Body"].read()
            partition = key.removeprefix(f"{FOLDER}/").rpartition("/")[0]
            found.setdefault(partition, []).extend(body.decode().splitlines())
    return found


def test_hive_reads_the_rows_of_each_version(spark: "SparkSession", table: TableFolder) -> None:
    def write(
        rows: list[tuple[str, str]], mode: str = "overwrite", replaced: str = "dynamic"
    ) -> None:
        frame = spark.createDataFrame(rows, "value string, dt string").coalesce(1)
        options = {
            "repave.readers": "snapshot",
            "repave.followers": "symlink",
            "partitionOverwriteMode": replaced,
        }
        frame.write.mode(mode).partitionBy("dt").options(**options).text(table.url)

    first = [("a", "d1"), ("b", "d1"), ("c", "d 2=é"), ("", "d3")]
    write(first)
    restored = repave.snapshot(
        table.url.replace("s3a", "s3"), endpoint_url=table.lake.proxy.endpoint
    ).version
    create, repair = statements(table, "--ddl", "hive")
    # The session's metastore was started without the scheme s3.
    spark.sql(create.replace("LOCATION 's3://", "LOCATION 's3a://"))
    spark.sql(repair)
    assert lines(spark.table(NAME)) == Counter(first)
    write([("x", "d1"), ("y", "d3")])
    second = [("x", "d1"), ("c", "d 2=é"), ("y", "d3")]
    assert lines(spark.table(NAME)) == Counter(second)
    write([("z", "d3")], "append")
    assert lines(spark.table(NAME)) == Counter([*second, ("z", "d3")])
    RepaveTable.for_path(spark, table.url).rollback(restored)
    assert lines(spark.table(NAME)) == Counter(first)
    write([("n", "d1")])
    assert lines(spark.table(NAME)) == Counter([("n", "d1"), *first[2:]])
    # The other partitions have empty manifests now.
    write([("o", "d1")], replaced="static")
    assert lines(spark.table(NAME)) == Counter([("o", "d1")])


def test_the_manifests_name_the_files_of_the_version(
    spark: "SparkSession", table: TableFolder
) -> None:
    url, endpoint = table.url.replace("s3a://", "s3://"), table.lake.proxy.endpoint
    rows = spark.range(40).selectExpr("id", "concat('r=', id % 3) AS r", "id % 2 AS n")
    rows.write.partitionBy("r", "n").parquet(table.url)
    own = RepaveTable.for_path(spark, table.url)
    (followed,) = own.follow("symlink").followers
    assert (followed.follower, followed.behind) == ("symlink", 0)
    table.lake.proxy.reset()
    again = rows.where("r != 'r=1'").repartition(1)
    writer = again.write.mode("overwrite").option("partitionOverwriteMode", "dynamic")
    writer.partitionBy("r", "n").parquet(table.url)
    puts = [
        entry.key for entry in table.journal() if FOLDER in entry.key and entry.op == "PutObject"
    ]
    assert len(puts) == len(set(puts)) == 4
    snap = repave.snapshot(url, endpoint_url=endpoint)
    found = manifests(table)
    assert sorted(uri for some in found.values() for uri in some) == sorted(snap.uris())
    assert set(found) == {file.partition for file in snap.files}
    # What a reader gets that follows the lists, without Repave.
    filesystem = snap.arrow().filesystem
    keys = [uri.removeprefix("s3://") for some in found.values() for uri in some]
    listed = pa_dataset.dataset(keys, filesystem=filesystem, format="parquet")
    assert duckdb.from_arrow(listed).aggregate("count(*), sum(id)").fetchall() == [
        (40, sum(range(40)))
    ]
    create, *_ = statements(table, "--ddl", "athena")
    assert "`id` bigint" in create
    assert "`n` int" in create
    assert own.follow("delta").followers[1].follower == "delta"
    assert own.unfollow("symlink").followers[0].follower == "delta"
    assert [key for key in table.listing() if key.startswith(FOLDER)] == []
