"""Spark 4 reads names at `repave://` from the records: one version of the table in each query."""

from collections.abc import Iterator
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

import repave
from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder, foreign_file
from e2e.sessions import line
from e2e.test_partitions import ODD
from e2e.test_plan_from_records import at, listed, write
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.skipif(
    line(pyspark.__version__) < "4.0", reason="Spark 3.5 lists each partition of a name"
)

NAME = "named_sales"
DAYS = range(7)


def register(spark: "SparkSession", table: TableFolder, source: str = "parquet") -> None:
    RepaveTable.for_path(spark, table.url).register(NAME, format=source)


def requests(table: TableFolder) -> list[str]:
    """Return what was asked of the table, data files left out."""
    found = [f"{one.op} {one.key.rpartition('/')[2]}" for one in table.journal()]
    return [one for one in found if "part-" not in one]


@pytest.fixture(autouse=True)
def no_table(spark: "SparkSession") -> Iterator[None]:
    yield
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")


@pytest.fixture
def named(spark: "SparkSession", table: TableFolder) -> TableFolder:
    write(sales(spark, DAYS, "old"), table, "day")
    register(spark, table)
    assert notes(spark.table(NAME)) == dict.fromkeys(DAYS, "old")
    return table


QUERIES = {
    "all": f"SELECT * FROM {NAME}",
    "filter": f"SELECT * FROM {NAME} WHERE day IN (3, 4, 5)",
    "join": f"SELECT * FROM {NAME} JOIN {NAME} USING (id, note, day)",
    "subquery": f"SELECT * FROM {NAME} WHERE note = (SELECT max(note) FROM {NAME})",
    "view": f"SELECT * FROM {NAME} JOIN named_twice USING (id, note, day)",
}


@pytest.mark.parametrize("kind", QUERIES)
def test_a_query_looks_at_the_head_once_and_sees_each_commit_before_it(
    spark: "SparkSession", named: TableFolder, kind: str
) -> None:
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW named_twice AS SELECT * FROM {NAME}")
    days = (3, 4, 5) if kind == "filter" else DAYS
    try:
        for note in ("new", "newer"):
            write(sales(spark, DAYS, note), named, "day")
            named.lake.proxy.reset()
            assert notes(spark.sql(QUERIES[kind])) == dict.fromkeys(days, note)
            asked = requests(named)
            assert asked.count("GetObject head.json") == 1
            assert set(asked) == {"GetObject head.json", "GetObject manifest.json.gz"}, "no listing"
    finally:
        spark.catalog.dropTempView("named_twice")


def test_queries_beside_overwrites_see_one_version_each(
    spark: "SparkSession", named: TableFolder
) -> None:
    """Without the rule Spark keeps the listing of the partition that it has listed before."""
    ended = Event()

    def read() -> None:
        while not ended.is_set():
            spark.catalog.refreshTable(NAME)
            spark.table(NAME).where("day = 1").count()
            query = f"SELECT note, count(DISTINCT day) AS days FROM {NAME} GROUP BY note"
            seen.append([(row.note, row.days) for row in spark.sql(query).collect()])

    seen: list[list[tuple[str, int]]] = []
    reader = Thread(target=read)
    reader.start()
    try:
        for number in range(8):
            write(sales(spark, DAYS, str(number)), named, "day")
    finally:
        ended.set()
        reader.join()
    assert len(seen) > 1
    assert [one for one in seen if len(one) != 1 or one[0][1] != len(DAYS)] == []


def test_a_frame_shows_what_is_published_when_it_runs(
    spark: "SparkSession", named: TableFolder
) -> None:
    """As Spark's own frames of a name do. A write to the name is not a reason to look again."""
    frame = spark.table(NAME)
    write(sales(spark, [1], "new"), named, "day")
    assert frame.where("note = 'new'").count() == 2
    both = frame.join(spark.table(NAME), ["id", "note", "day"])
    write(sales(spark, [2], "new"), named, "day")
    named.lake.proxy.reset()
    assert both.where("note = 'new'").count() == 4
    assert requests(named).count("GetObject head.json") == 1


def test_a_frame_that_is_planned_keeps_partitions_that_leave_the_catalog(
    spark: "SparkSession", named: TableFolder
) -> None:
    """A static overwrite by name removes the partitions that it does not write."""
    whole, some = spark.table(NAME), spark.table(NAME).where("day > 0")
    for frame in (whole, some):
        frame.inputFiles()
    spark.sql(f"INSERT OVERWRITE {NAME} SELECT 1L, 'new', 2")
    assert notes(spark.table(NAME)) == {2: "new"}
    assert len(rows(whole)) == 2 * len(DAYS)
    assert len(rows(some)) == 2 * (len(DAYS) - 1)


def test_an_insert_reads_and_writes_the_name(spark: "SparkSession", named: TableFolder) -> None:
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        source = f"SELECT id, 'next' AS note, day FROM {NAME} WHERE day < 2"
        spark.sql(f"INSERT OVERWRITE {NAME} PARTITION (day) {source}")
        spark.sql(f"INSERT INTO {NAME} PARTITION (day = 99) VALUES (7, 'more')")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    expected = dict.fromkeys(DAYS, "old") | {0: "next", 1: "next", 99: "more"}
    assert notes(spark.table(NAME)) == expected
    assert notes(spark.read.parquet(at(named))) == expected


def assert_same(spark: "SparkSession", condition: str = "true") -> None:
    """Both ways to plan find the same rows and files."""
    columns = ["*", "_metadata.file_name", "_metadata.file_size"]

    def read() -> "DataFrame":
        spark.catalog.refreshTable(NAME)
        return spark.table(NAME).where(condition).select(*columns)

    planned = rows(read())
    with listed(spark):
        assert rows(read()) == planned
    assert planned


@pytest.mark.parametrize("source", ["parquet", "orc", "csv", "json"])
def test_values_and_formats_are_read_as_from_listed_partitions(
    spark: "SparkSession", table: TableFolder, source: str
) -> None:
    content = [(number, value, number % 2) for number, value in enumerate([*ODD, None])]
    frame = spark.createDataFrame(content, "id int, p string, q int").coalesce(1)
    write(frame, table, "p", "q", source=source)
    register(spark, table, source)
    assert_same(spark)
    assert_same(spark, "q = 1 AND p IS NOT NULL")
    assert_same(spark, "p IS NULL OR q = 0")


def test_a_table_without_partitions_shows_each_commit(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Spark keeps the listing of such a name until REFRESH TABLE."""
    write(sales(spark, [1], "old").drop("day"), table)
    register(spark, table)
    for note in ("new", "newer"):
        write(sales(spark, [1, 2], note).drop("day"), table)
        assert {row.note for row in spark.table(NAME).collect()} == {note}
    table.lake.proxy.reset()
    assert {row.note for row in spark.table(NAME).collect()} == {"newer"}
    assert requests(table) == ["GetObject head.json"]
    assert_same(spark)


def test_the_options_of_a_name_select_files_as_in_a_listing(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(sales(spark, [1, 2], "some").drop("day").repartition(2), table)
    names = [row.name for row in files(spark, at(table))]
    columns, options = "id BIGINT, note STRING", f"OPTIONS (pathGlobFilter '{names[0]}')"
    spark.sql(f"CREATE TABLE {NAME} ({columns}) USING parquet {options} LOCATION '{at(table)}'")
    assert [row.name for row in files(spark, NAME)] == names[:1]
    assert_same(spark)


def test_two_names_of_a_table_in_a_query_have_their_own_options_and_filters(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(sales(spark, [1, 2], "some").drop("day").repartition(2), table)
    one, other = (row.name for row in files(spark, at(table)))
    columns = "id BIGINT, note STRING"
    spark.sql(f"CREATE TABLE {NAME} ({columns}) USING parquet LOCATION '{at(table)}'")
    options = f"OPTIONS (pathGlobFilter '{one}')"
    spark.sql(f"CREATE TABLE {NAME}_1 ({columns}) USING parquet {options} LOCATION '{at(table)}'")
    try:
        selected = spark.table(f"{NAME}_1").count()
        assert selected < 4
        query = "SELECT (SELECT count(*) FROM {} {}) AS n, (SELECT count(*) FROM {}) AS whole"
        mixed = query.format(f"{NAME}_1", "", NAME)
        assert rows(spark.sql(mixed)) == [(selected, 4)]
        filtered = query.format(NAME, f"WHERE _metadata.file_name = '{other}'", NAME)
        assert rows(spark.sql(filtered)) == [(4 - selected, 4)]
    finally:
        spark.sql(f"DROP TABLE {NAME}_1")


def files(spark: "SparkSession", place: str) -> list["pyspark.sql.Row"]:
    frame = spark.read.parquet(place) if "://" in place else spark.table(place)
    return frame.select("_metadata.file_name").toDF("name").distinct().orderBy("name").collect()


def test_partitions_that_are_empty_new_or_elsewhere(
    spark: "SparkSession", named: TableFolder
) -> None:
    """The catalog decides which partitions a name has. Spark lists those of other places."""
    elsewhere = named.lake.table(f"{named.name}-elsewhere")
    sales(spark, [70], "elsewhere").drop("day").write.parquet(elsewhere.url)
    spark.sql(f"ALTER TABLE {NAME} ADD PARTITION (day = 70) LOCATION '{elsewhere.url}'")
    spark.sql(f"ALTER TABLE {NAME} ADD PARTITION (day = 80) LOCATION '{at(named)}/day=80'")
    other = f"{at(named)}/day=1"
    spark.sql(f"ALTER TABLE {NAME} ADD PARTITION (day = 90) LOCATION '{other}'")
    write(sales(spark, [60], "not in the catalog"), named, "day")
    assert notes(spark.table(NAME)) == dict.fromkeys(DAYS, "old") | {70: "elsewhere", 90: "old"}
    assert_same(spark)
    assert spark.table(NAME).where("day = 80").count() == 0
    write(sales(spark, [80], "came"), named, "day")
    assert notes(spark.table(NAME).where("day = 80")) == {80: "came"}


def test_a_name_of_one_version_stays_at_it(spark: "SparkSession", named: TableFolder) -> None:
    place = f"{at(named)}/@v{named.head()['version']}"
    spark.sql(f"DROP TABLE {NAME}")
    columns = "id BIGINT, note STRING, day INT"
    spark.sql(
        f"CREATE TABLE {NAME} ({columns}) USING parquet PARTITIONED BY (day) LOCATION '{place}'"
    )
    spark.sql(f"ALTER TABLE {NAME} ADD PARTITION (day = 1) PARTITION (day = 2)")
    write(sales(spark, DAYS, "new"), named, "day")
    assert notes(spark.table(NAME)) == {1: "old", 2: "old"}
    assert_same(spark)


def test_names_of_listing_tables_are_listed_by_spark(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [1, 2], "some").write.partitionBy("day").parquet(table.url)
    columns = "id BIGINT, note STRING, day INT"
    spark.sql(
        f"CREATE TABLE {NAME} ({columns}) USING parquet PARTITIONED BY (day) LOCATION '{at(table)}'"
    )
    spark.sql(f"ALTER TABLE {NAME} ADD PARTITION (day = 1) PARTITION (day = 2)")
    assert notes(spark.table(NAME)) == {1: "some", 2: "some"}
    assert_same(spark)


def adoptable(spark: "SparkSession", table: TableFolder, *keys: str) -> None:
    """Put one file of another program to each key, with a row of day 1."""
    source = table.lake.table(f"{table.name}-source")
    sales(spark, [1], "adopted").drop("day").write.parquet(source.url)
    for key in keys:
        foreign_file(table, key)


def test_adopted_files_are_read_in_the_version_of_the_query(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Their names may come again, so only their version tells them apart."""
    adoptable(spark, table, "day=1/part-0.parquet")
    write(sales(spark, [2], "own"), table, "day")
    register(spark, table)
    assert notes(spark.table(NAME)) == {1: "adopted", 2: "own"}
    assert_same(spark)


def test_files_that_spark_hides_are_not_shown(spark: "SparkSession", table: TableFolder) -> None:
    """Spark lists their partition by itself, in the version of the query."""
    adoptable(spark, table, "day=1/part-0.parquet", "day=1/.part=1.parquet")
    write(sales(spark, [2], "own"), table, "day")
    register(spark, table)
    jvm: Any = spark._jvm
    folder = jvm.org.apache.hadoop.fs.Path(f"{at(table)}/day=1")
    store = folder.getFileSystem(spark._jsc.hadoopConfiguration())
    assert len(store.listStatus(folder)) == 2
    assert notes(spark.table(NAME)) == {1: "adopted", 2: "own"}
    assert spark.table(NAME).where("day = 1").count() == 2
    assert_same(spark, "day < 3")


def test_a_copy_that_was_not_completed_is_no_file_of_the_table(
    spark: "SparkSession", table: TableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`hadoop fs -put` writes to such a name, and renames at its end."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "repave-lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    adoptable(spark, table, "day=1/part-0.parquet", "day=1/part-1.parquet._COPYING_")
    write(sales(spark, [2], "own"), table, "day")
    register(spark, table)
    assert notes(spark.table(NAME)) == {1: "adopted", 2: "own"}
    assert_same(spark)
    snap = repave.snapshot(table.url, endpoint_url=table.lake.proxy.endpoint)
    assert snap.arrow().count_rows() == spark.table(NAME).count()


def test_a_bucketed_name_is_joined_without_a_shuffle(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.sql(
        f"CREATE TABLE {NAME} (id BIGINT, day INT) USING parquet"
        f" OPTIONS (repave.readers 'snapshot') LOCATION '{at(table)}'"
        " PARTITIONED BY (day) CLUSTERED BY (id) INTO 4 BUCKETS"
    )
    for first in (0, 50):
        some = spark.range(first, first + 50).selectExpr("id", "int(id % 3) AS day")
        some.write.mode("append").insertInto(NAME)
    assert_same(spark)
    assert_same(spark, "id IN (5, 57) OR day = 1")
    joined = spark.sql(f"SELECT /*+ MERGE(a) */ a.id FROM {NAME} a JOIN {NAME} b USING (id)")
    assert joined.count() == 100
    plan = joined._jdf.queryExecution().executedPlan().toString()
    assert "Exchange" not in plan


def test_a_head_that_cannot_be_read_is_asked_for_once_by_the_rule(
    spark: "SparkSession", named: TableFolder
) -> None:
    """Then Spark lists the partitions, and its error says why it cannot."""
    denied = Fault("error", op="GetObject", key="head.json", status=403, code="AccessDenied")
    named.lake.proxy.reset()
    named.lake.proxy.set_faults([denied])
    with pytest.raises(Exception, match="AccessDenied"):
        spark.table(NAME).join(spark.table(NAME), "id").count()
    assert requests(named).count("GetObject head.json") <= 2


def test_a_table_of_hive_in_parquet_is_read_as_one_of_spark(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Spark reads its files by itself (`spark.sql.hive.convertMetastoreParquet`)."""
    write(sales(spark, DAYS, "old"), table, "day")
    spark.sql(
        f"CREATE EXTERNAL TABLE {NAME} (id BIGINT, note STRING) PARTITIONED BY (day INT)"
        f" STORED AS PARQUET LOCATION '{at(table)}'"
    )
    spark.sql(f"ALTER TABLE {NAME} ADD PARTITION (day = 1) PARTITION (day = 2)")
    assert notes(spark.table(NAME)) == {1: "old", 2: "old"}
    write(sales(spark, [1], "new"), table, "day")
    table.lake.proxy.reset()
    assert notes(spark.table(NAME)) == {1: "new", 2: "old"}
    assert {one.op for one in table.journal()} <= {"GetObject", "HeadObject"}, "no listing"
    assert_same(spark)


def test_a_name_whose_head_cannot_be_read_shows_no_earlier_version(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Spark keeps what it has listed of a name without partitions."""
    write(sales(spark, [1], "old").drop("day"), table)
    register(spark, table)
    assert {row.note for row in spark.table(NAME).collect()} == {"old"}
    write(sales(spark, [1], "new").drop("day"), table)
    denied = Fault("error", op="GetObject", key="head.json", status=403, code="AccessDenied")
    table.lake.proxy.reset()
    table.lake.proxy.set_faults([denied])
    with pytest.raises(Exception, match="AccessDenied"):
        spark.table(NAME).collect()
    table.lake.proxy.set_faults([])
    assert {row.note for row in spark.table(NAME).collect()} == {"new"}
