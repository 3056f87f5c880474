"""Three engines that read the same folder and know nothing of Repave."""

from typing import TYPE_CHECKING

from repave_lab.demo.lake import BUCKET, Lake

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

Counts = dict[int, int]


def with_spark(spark: "SparkSession", table: str) -> Counts:
    """Return the rows by revision, as Spark lists and reads them."""
    frame = spark.read.parquet(f"s3a://{BUCKET}/{table}")
    return {row["revision"]: row["count"] for row in frame.groupBy("revision").count().collect()}


def with_pyarrow(lake: Lake, table: str) -> Counts:
    """Return the same, as pyarrow does."""
    column = _dataset(lake, table).to_table(columns=["revision"])["revision"]
    return {one["values"]: one["counts"] for one in column.value_counts().to_pylist()}


def with_duckdb(lake: Lake, table: str) -> Counts:
    """Return the same, as DuckDB does over pyarrow's listing."""
    import duckdb  # noqa: PLC0415 - only the demo needs it

    connection = duckdb.connect()
    connection.register("sales", _dataset(lake, table))
    query = "SELECT revision, count(*) FROM sales GROUP BY revision"
    return dict(connection.execute(query).fetchall())


def everybody(spark: "SparkSession", lake: Lake, table: str) -> dict[str, Counts]:
    """Return what each engine sees now."""
    readers: dict[str, Callable[[], Counts]] = {
        "Spark": lambda: with_spark(spark, table),
        "pyarrow": lambda: with_pyarrow(lake, table),
        "DuckDB": lambda: with_duckdb(lake, table),
    }
    return {name: dict(sorted(read().items())) for name, read in readers.items()}


def _dataset(lake: Lake, table: str) -> "pyarrow.dataset.Dataset":  # type: ignore[name-defined] # noqa: F821
    from pyarrow import dataset, fs  # noqa: PLC0415 - only the demo needs it

    server = lake.server
    store = fs.S3FileSystem(
        access_key=server.access_key,
        secret_key=server.secret_key,
        endpoint_override=server.endpoint,
        region=server.region,
    )
    return dataset.dataset(
        f"{BUCKET}/{table}", filesystem=store, format="parquet", partitioning="hive"
    )
