"""A statement that reads a table by its name and by its path looks at its head once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyspark
import pytest

from e2e.frames import notes, sales
from e2e.lake import TableFolder
from e2e.sessions import line
from e2e.test_names_from_records import requests
from e2e.test_plan_from_records import at, write
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.skipif(
    line(pyspark.__version__) < "4.0", reason="Spark 3.5 lists a path and each partition of a name"
)

NAME, COPY = "looked_at", "looked_at_copy"
QUERIES = {
    "join": f"SELECT a.id, b.note, a.day FROM {NAME} a JOIN {{0}} b USING (id, note, day)",
    "subquery": f"SELECT * FROM {{0}} WHERE note = (SELECT max(note) FROM {NAME})",
    "cte": f"WITH n AS (SELECT * FROM {NAME}) SELECT n.* FROM n JOIN {{0}} USING (id, note, day)",
}
CREATE = f"CREATE TABLE {COPY} USING parquet LOCATION '{{1}}' AS {{0}}"
STATEMENTS = {
    "select": "{0}",
    "insert": f"INSERT INTO {COPY} {{0}}",
    "overwrite": f"INSERT OVERWRITE {COPY} {{0}}",
    "create": CREATE,
    "directory": "INSERT OVERWRITE DIRECTORY '{1}' USING parquet {0}",
}


@pytest.fixture
def named(spark: "SparkSession", table: TableFolder) -> Iterator[TableFolder]:
    write(sales(spark, [1, 2], "old"), table, "day")
    RepaveTable.for_path(spark, table.url).register(NAME)
    write(sales(spark, [1, 2], "new"), table, "day")
    yield table
    for name in (NAME, COPY):
        spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("query", QUERIES)
def test_a_name_and_its_path_show_one_version(
    spark: "SparkSession", named: TableFolder, query: str, statement: str
) -> None:
    """With two looks, a commit in between would put two versions into one result."""
    copy = f"{named.lake.bucket}/copy-of-{named.name}"
    if statement in ("insert", "overwrite"):
        spark.sql(
            f"CREATE TABLE {COPY} (id BIGINT, note STRING, day INT) USING parquet"
            f" LOCATION 's3a://{copy}'"
        )
    text = QUERIES[query].format(f"parquet.`{at(named)}`")
    named.lake.proxy.reset()
    frame = spark.sql(STATEMENTS[statement].format(text, f"s3a://{copy}"))
    if statement == "select":
        assert {(row.day, row.note) for row in frame.collect()} == {(1, "new"), (2, "new")}
    assert requests(named).count("GetObject head.json") == 1
    if statement != "select":
        assert notes(spark.read.parquet(f"s3a://{copy}")) == {1: "new", 2: "new"}


def test_a_write_shows_what_it_has_written_to_the_table_that_it_read(
    spark: "SparkSession", named: TableFolder
) -> None:
    """What a command read counts for its own plan, and not for cached queries of the session."""
    spark.sql(f"CACHE TABLE {NAME}")
    assert notes(spark.table(NAME)) == {1: "new", 2: "new"}
    spark.sql(f"INSERT INTO {NAME} SELECT id, 'more' AS note, 3 AS day FROM parquet.`{at(named)}`")
    assert notes(spark.table(NAME)) == {1: "new", 2: "new", 3: "more"}
