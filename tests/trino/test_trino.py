"""Trino reads what Repave writes: plain folders, locations in Glue, symlink manifests."""

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from e2e.lake import TableFolder
from repave import RepaveTable
from repave._glue import columns_of, serde
from repave.cli import main
from trino.engine import QueryFailedError, Trino
from unit.glue_catalog import Catalog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Line = tuple[int, str, str | None]
COLUMNS = "id, note, place"
ODD_PLACES = ["plain", "with space", "a=b", "50%", "é", None]


def frame(spark: "SparkSession", places: list[str | None], note: str, rows: int = 2) -> "DataFrame":
    lines = [(number, note, place) for place in places for number in range(rows)]
    return spark.createDataFrame(lines, "id bigint, note string, place string").coalesce(1)


def write(
    spark: "SparkSession",
    table: TableFolder,
    places: list[str | None],
    note: str,
    *,
    mode: str = "overwrite",
    form: str = "parquet",
    **options: str,
) -> None:
    writer = frame(spark, places, note).write.mode(mode).partitionBy("place").format(form)
    writer.options(partitionOverwriteMode="dynamic", **options).save(table.url)


def lines(places: list[str | None], note: str, rows: int = 2) -> "Counter[Line]":
    return Counter((number, note, place) for place in places for number in range(rows))


def read(engine: Trino, name: str) -> "Counter[Line]":
    return Counter(engine.rows(f"SELECT {COLUMNS} FROM {name}"))


def s3(table: TableFolder) -> str:
    return table.url.replace("s3a://", "s3://")


def command(table: TableFolder, *words: str) -> str:
    line = [words[0], s3(table), *words[1:], "--endpoint-url", table.lake.proxy.endpoint]
    done = CliRunner().invoke(main, line, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def register(glue: Catalog, table: TableFolder) -> None:
    """Name the plain folder in Glue, as a crawler does, without its partitions."""
    storage = {
        "Columns": columns_of({"id": "bigint", "note": "string"}),
        "Location": s3(table),
        "InputFormat": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
        "OutputFormat": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
        "SerdeInfo": serde("org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"),
    }
    glue.glue.create_table(
        DatabaseName=glue.database,
        TableInput={
            "Name": "sales",
            "TableType": "EXTERNAL_TABLE",
            "PartitionKeys": columns_of({"place": "string"}),
            "StorageDescriptor": storage,
        },
    )


def add_partitions(glue: Catalog, table: TableFolder) -> None:
    """Name the new folders in Glue, as a crawler does."""
    known = {values[0] for values in glue.partitions()}
    storage = glue.table()["StorageDescriptor"]
    for folder in table.partitions():
        value = unquote(folder.removeprefix("place="))
        if value not in known:
            glue.glue.create_partition(
                DatabaseName=glue.database,
                TableName="sales",
                PartitionInput={
                    "Values": [value],
                    "StorageDescriptor": {**storage, "Location": f"{s3(table)}/{folder}"},
                },
            )


def test_plain_folders_of_a_listing_table(
    spark: "SparkSession", table: TableFolder, engine: Trino, glue: Catalog
) -> None:
    write(spark, table, ODD_PLACES, "first")
    register(glue, table)
    add_partitions(glue, table)
    assert read(engine, glue.name) == lines(ODD_PLACES, "first")
    write(spark, table, ODD_PLACES[:3], "second")
    write(spark, table, ["new"], "third")
    add_partitions(glue, table)
    expected = lines(ODD_PLACES[:3], "second") + lines(ODD_PLACES[3:], "first")
    assert read(engine, glue.name) == expected + lines(["new"], "third")
    write(spark, table, ["new"], "fourth", mode="append")
    assert read(engine, glue.name) == expected + lines(["new"], "third") + lines(["new"], "fourth")


def test_locations_in_glue_of_a_snapshot_table(
    spark: "SparkSession", table: TableFolder, engine: Trino, glue: Catalog
) -> None:
    write(spark, table, ODD_PLACES, "first", **{"repave.readers": "snapshot"})
    opened = RepaveTable.for_path(spark, table.url)
    opened.follow(glue.name, catalog="glue")
    assert read(engine, glue.name) == lines(ODD_PLACES, "first")
    first = opened.status().version
    # No commit moves Glue, so readers keep their version until the sync, and after a vacuum.
    write(spark, table, ODD_PLACES[:3], "second")
    opened.vacuum(retention="0s")
    assert read(engine, glue.name) == lines(ODD_PLACES, "first")
    write(spark, table, ["new"], "third")
    opened.sync()
    expected = lines(ODD_PLACES[:3], "second") + lines(ODD_PLACES[3:], "first")
    assert read(engine, glue.name) == expected + lines(["new"], "third")
    # The first overwrite of a partition leaves its old files next to the new one's folder.
    write(spark, table, ODD_PLACES, "fourth")
    opened.sync()
    opened.rollback(first + 1)
    opened.sync()
    assert read(engine, glue.name) == expected


@pytest.mark.parametrize("form", ["parquet", "orc", "json", "text"])
def test_symlink_manifests(
    spark: "SparkSession", table: TableFolder, engine: Trino, glue: Catalog, form: str
) -> None:
    def wanted(seen: "Counter[Line]") -> "Counter[Line] | Counter[tuple[str, str | None]]":
        # A text file holds a single column.
        if form != "text":
            return seen
        return Counter((note, place) for _, note, place in seen.elements())

    def put(places: list[str | None], note: str, mode: str = "overwrite") -> None:
        rows = frame(spark, places, note)
        rows = rows.select("note", "place") if form == "text" else rows
        writer = rows.write.mode(mode).partitionBy("place").format(form)
        options = {"repave.readers": "snapshot", "repave.followers": "symlink"}
        writer.options(partitionOverwriteMode="dynamic", **options).save(table.url)

    def found() -> "Counter[tuple[object, ...]]":
        columns = "note, place" if form == "text" else COLUMNS
        return Counter(engine.rows(f"SELECT {columns} FROM {glue.name}"))

    put(ODD_PLACES, "first")
    first = RepaveTable.for_path(spark, table.url).status().version
    columns = ["--columns", "id bigint, note string"]
    given = {"orc": columns, "json": columns, "text": ["--columns", "note string"]}
    command(table, "symlinks", "--glue", glue.name, *given.get(form, []))
    assert found() == wanted(lines(ODD_PLACES, "first"))
    put(ODD_PLACES[:3], "second")
    put(ODD_PLACES[:1], "third", "append")
    expected = lines(ODD_PLACES[:3], "second") + lines(ODD_PLACES[3:], "first")
    assert found() == wanted(expected + lines(ODD_PLACES[:1], "third"))
    RepaveTable.for_path(spark, table.url).rollback(first)
    assert found() == wanted(lines(ODD_PLACES, "first"))


def test_a_static_overwrite_empties_the_other_manifests(
    spark: "SparkSession", table: TableFolder, engine: Trino, glue: Catalog
) -> None:
    follow = {"repave.readers": "snapshot", "repave.followers": "symlink"}
    write(spark, table, ["a", "b"], "first", **follow)
    command(table, "symlinks", "--glue", glue.name)
    writer = frame(spark, ["b"], "second").write.mode("overwrite").partitionBy("place")
    writer.option("partitionOverwriteMode", "static").parquet(table.url)
    assert read(engine, glue.name) == lines(["b"], "second")


def test_trino_refuses_what_is_not_there(engine: Trino, glue: Catalog) -> None:
    with pytest.raises(QueryFailedError, match="does not exist"):
        read(engine, glue.name)
