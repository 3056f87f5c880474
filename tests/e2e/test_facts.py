"""What the records know of the columns of files that Spark writes."""

import json
from typing import TYPE_CHECKING

import pytest

from e2e.lake import TableFolder
from repave import RepaveTable
from repave._records import ColumnBounds, DataFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest


def _bounds(file: DataFile, column: str) -> ColumnBounds:
    (found,) = [one for one in file.columns if one.name == column]
    return found


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_a_manifest_has_schema_and_bounds_of_parquet_and_none_of_csv(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    frame = spark.range(100, numPartitions=2).selectExpr(
        "id",
        "if(id % 10 = 0, null, concat('text ', id)) AS note",
        "date_from_unix_date(int(id)) AS at",
        "timestamp_micros(id) AS moment",
        "cast(id AS double) / 4 AS share",
        "array(id) AS several",
        "int(id % 2) AS day",
    )
    writer = frame.write.mode("append").partitionBy("day").option("repave.readers", readers)
    writer.option("repave.stats.columns", "id,note,at,share,several").parquet(table.url)
    text = frame.select("id", "day").write.mode("append").partitionBy("day")
    text.option("repave.stats.columns", "id").option("repave.readers", readers).csv(table.url)
    repaved = RepaveTable.for_path(spark, table.url)
    newest = repaved.status().version
    found = [file for one in repaved.manifest(newest - 1).partitions for file in one.added]
    assert len(found) == 4
    for file in found:
        assert file.schema is not None
        types = {field["name"]: field["type"] for field in json.loads(file.schema)["fields"]}
        assert types.pop("several")["type"] == "array"
        assert list(types.items()) == [
            ("id", "long"),
            ("note", "string"),
            ("at", "date"),
            ("moment", "timestamp"),
            ("share", "double"),
        ]
        bounds = {column.name: column for column in file.columns}
        assert set(bounds) == {"id", "note", "at", "share"}
        assert [bounds[name].type for name in ("id", "note", "at", "share")] == [
            "long",
            "string",
            "date",
            "double",
        ]
        assert bounds["id"].nulls == 0
    for side, best in (("low", min), ("high", max)):
        expected = best(range(100))
        assert best(int(getattr(_bounds(file, "id"), side)) for file in found) == expected
        assert best(float(getattr(_bounds(file, "share"), side)) for file in found) == expected / 4
    assert sum(_bounds(file, "note").nulls or 0 for file in found) == 10
    assert min(str(_bounds(file, "at").low) for file in found) == "1970-01-01"
    csv = [file for one in repaved.manifest(newest).partitions for file in one.added]
    assert csv
    assert all((file.schema, file.columns, file.rows) == (None, (), None) for file in csv)
    live = repaved.files()
    assert {file.schema for file in live} == {found[0].schema, None}
