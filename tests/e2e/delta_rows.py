"""Rows with all that a Delta log has to say: nulls, escapes, dates, decimals, nested types."""

# ruff: noqa: DTZ001 - times in the session's zone

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Characters that Spark escapes in a folder's name.
SIGNS = "%20/c=%d':\\*+#?&"
# Characters that Spark escapes in a folder's name, and others that only a URL escapes.
ODD = "a b/c=%d'é:\\*+#?&"
SCHEMA = (
    "id long, note string, price decimal(12,2), day date, at timestamp, tags array<string>, "
    "place struct<city:string,at:struct<x:double,y:double>>, sizes map<string,int>, "
    "dt date, region string, n int"
)
AT = datetime(2026, 11, 20, 3, 0)
PLACE = {"city": "Köln", "at": {"x": 1.5, "y": None}}
ROWS = [
    (1, "x", Decimal("1.10"), date(2026, 1, 1), AT, ["a", "b"], PLACE, {"s": 1}, "eu", 1),
    (2, None, None, None, None, [], None, {}, ODD, 2),
    (3, "", Decimal("-9.99"), date(1969, 12, 31), AT, None, PLACE, None, "", None),
    (4, ODD, None, None, AT, ["é"], None, {"é": None}, None, 3),
    (5, "y", None, None, None, ["z"], None, None, SIGNS, 4),
]
BY = ("dt", "region", "n")


def frame(spark: "SparkSession") -> "DataFrame":
    rows = [(*row[:8], date(2026, 11, 20 + row[0] % 2), *row[8:]) for row in ROWS]
    return spark.createDataFrame(rows, SCHEMA)


def write(frame: "DataFrame", table: TableFolder, mode: str = "overwrite", **options: str) -> None:
    """Write with dynamic overwrite, if `partitionOverwriteMode` does not say otherwise."""
    chosen = {"partitionOverwriteMode": "dynamic", **options}
    frame.write.mode(mode).partitionBy(*BY).options(**chosen).parquet(table.url)


@contextmanager
def reading(spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give Delta's readers the keys of the store, and all of them one time zone."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "repave-lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.set("spark.sql.session.timeZone", str(before))
