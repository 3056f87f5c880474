"""Rows of every kind, how they are written, and what a plan of delta-spark read."""

from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

# ruff: noqa: DTZ001 - the session's zone is UTC

ODD = "a b/c=%d'é:\\*+"
SCHEMA = (
    "id long, note string, price decimal(12,2), large decimal(38,3), day date, at timestamp, "
    "share double, tags array<string>, place struct<city:string,at:struct<x:double,y:double>>, "
    "sizes map<string,int>, yes boolean, raw binary, dt date, region string, n int"
)
AT = datetime(2026, 11, 20, 3, 0, 0, 123456)
OLD = date(1969, 12, 31)
DAY = date(2026, 11, 20)
PLACE = {"city": "Köln", "at": {"x": 1.5, "y": None}}
LARGE = Decimal("12345678901234567890.125")
BYTES = bytearray(b"\0\xff")
ROWS = [
    (1, "x", Decimal("1.10"), LARGE, OLD, AT, 0.5, ["a"], PLACE, {"s": 1}, True, BYTES, "eu", 1),
    (2, None, None, None, None, None, None, [], None, {}, None, None, ODD, 2),
    (3, "", Decimal("-9.99"), None, DAY, AT, float("nan"), None, PLACE, None, False, None, "", 5),
    (4, ODD, None, -LARGE, None, AT, 0.0, ["é"], None, {"é": None}, True, None, None, None),
    (5, "y" * 80, None, None, DAY, None, -1e300, ["z"], None, None, None, BYTES, "%20", 4),
]
BY = ("dt", "region", "n")
STATS = "id,note,price,large,day,at,share,yes"


def frame(spark: "SparkSession") -> "DataFrame":
    rows = [(*row[:12], date(2026, 11, 20 + row[0] % 2), *row[12:]) for row in ROWS]
    return spark.createDataFrame(rows, SCHEMA)


def shifted(rows: "DataFrame", by: int) -> "DataFrame":
    names = [name for name in rows.columns if name != "id"]
    return rows.selectExpr(f"id + {by} AS id", *names)


def write(frame: "DataFrame", table: TableFolder, mode: str = "overwrite", **options: str) -> None:
    """Write through Repave, replacing the partitions that the rows are in."""
    writer = frame.write.mode(mode).option("partitionOverwriteMode", "dynamic").options(**options)
    by = [name for name in BY if name in frame.columns]
    writer.option("repave.stats.columns", STATS).partitionBy(*by).parquet(table.url)


def as_delta(spark: "SparkSession", table: TableFolder, **options: str) -> "DataFrame":
    return spark.read.format("delta").options(**options).load(table.url)


def as_repave(spark: "SparkSession", table: TableFolder, version: str = "") -> "DataFrame":
    return spark.read.option("mergeSchema", "true").parquet(
        table.url.replace("s3a://", "repave://") + version
    )


def plain(frame: "DataFrame") -> list[str]:
    """Return the rows as sorted text, whatever the order of the columns is."""
    names = sorted(frame.columns)
    return sorted(repr([_plain(row[name]) for name in names]) for row in frame.collect())


def _plain(value: Any) -> Any:  # noqa: ANN401
    return sorted(value.items()) if isinstance(value, dict) else value


def files_read(frame: "DataFrame") -> tuple[list["Row"], int]:
    """Return the rows, and how many files the scans of their plan read."""
    rows = frame.collect()
    plan = frame._jdf.queryExecution().executedPlan()
    return rows, sum(_files(leaf) for leaf in _leaves(plan))


def _leaves(plan: Any) -> list[Any]:  # noqa: ANN401
    if "AdaptiveSparkPlan" in plan.nodeName():
        return _leaves(plan.executedPlan())
    if "QueryStage" in plan.nodeName():
        return _leaves(plan.plan())
    children = [plan.children().apply(i) for i in range(plan.children().size())]
    return [leaf for child in children for leaf in _leaves(child)] if children else [plan]


def _files(leaf: Any) -> int:  # noqa: ANN401
    found = leaf.metrics().get("numFiles")
    return int(found.get().value()) if found.isDefined() else 0
