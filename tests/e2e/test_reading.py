"""What Spark reads through `repave://`: one version, whichever way it lists."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pyspark
import pytest

from e2e.frames import notes, sales
from e2e.lake import TableFolder, foreign_file
from e2e.sessions import line
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.newest

# More folders than Spark lists in the driver: it sends them to its executors.
DAYS = range(34)


@pytest.fixture
def versions(spark: "SparkSession", table: TableFolder) -> TableFolder:
    """A snapshot table in two versions: day 1 is `new` in the second."""
    overwrite(spark, table, DAYS, "old")
    overwrite(spark, table, [1], "new")
    return table


def overwrite(
    spark: "SparkSession", table: TableFolder, days: "range | list[int]", note: str
) -> None:
    options = {"partitionOverwriteMode": "dynamic", "repave.readers": "snapshot"}
    writer = sales(spark, days, note).write.mode("overwrite").partitionBy("day")
    writer.options(**options).parquet(table.url)


def repave(table: TableFolder, inside: str = "") -> str:
    return table.url.replace("s3a://", "repave://") + inside


def expected(day_one: str) -> dict[int, str]:
    return {**dict.fromkeys(DAYS, "old"), 1: day_one}


def test_the_published_version_is_read(spark: "SparkSession", versions: TableFolder) -> None:
    frame = spark.read.parquet(repave(versions))
    assert frame.columns == ["id", "note", "day"]
    assert notes(frame) == expected("new")
    assert notes(frame.where("day = 1")) == {1: "new"}
    assert notes(spark.sql(f"SELECT * FROM parquet.`{repave(versions)}`")) == expected("new")


def test_an_earlier_version_is_read_by_its_number(
    spark: "SparkSession", versions: TableFolder
) -> None:
    newest = versions.head()["version"]
    assert notes(spark.read.parquet(repave(versions, f"/@v{newest}"))) == expected("new")
    assert notes(spark.read.parquet(repave(versions, f"/@v{newest - 1}"))) == expected("old")
    with pytest.raises(Exception, match=f"not version {newest + 1}"):
        spark.read.parquet(repave(versions, f"/@v{newest + 1}"))


def test_a_frame_keeps_the_version_that_it_was_made_from(
    spark: "SparkSession", versions: TableFolder
) -> None:
    before = spark.read.parquet(repave(versions))
    overwrite(spark, versions, [1, 2], "newest")
    assert notes(before) == expected("new")
    assert notes(spark.read.parquet(repave(versions))) == {**expected("newest"), 2: "newest"}


@pytest.mark.skipif(line(pyspark.__version__) < "4.0", reason="3.5 may list several versions")
def test_a_listing_table_that_is_overwritten_changes_all_partitions_at_once(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    """Its folders show old and new files together for a while; no partition is ever missing."""

    def write(note: int) -> None:
        writer = sales(spark, DAYS, str(note), 1).write.mode("overwrite")
        writer.partitionBy("day").parquet(table.url)

    write(0)
    # Before the publication some new files are there, after it still all old ones.
    last = Fault("delay", op="CompleteMultipartUpload", key="day=7/", ms=1500)
    table.lake.proxy.set_faults([last, Fault("delay", op="DeleteObjects", ms=1500)])
    reader = spark.read.schema("id long, note string, day int")
    seen, mixed = set[str](), 0
    with ThreadPoolExecutor(1) as other:
        writing = other.submit(lambda: list(map(write, (1, 2))))
        while not writing.done():
            files = reader.parquet(repave(table)).inputFiles()
            commits = {file.rpartition("/")[2][len("part-00000-") :][:36] for file in files}
            assert (len(files), len(commits)) == (len(DAYS), 1), files
            seen |= commits
            listed = table.partitions()
            assert set(listed) == {f"day={day}" for day in DAYS}
            mixed += max(listed.values()) > 1
        writing.result()
    assert len(seen) > 1
    assert mixed > 1
    table.assert_settled()


def test_patterns_and_folders_are_read_from_one_version(
    spark: "SparkSession", versions: TableFolder
) -> None:
    based = spark.read.option("basePath", repave(versions))
    assert notes(based.parquet(repave(versions, "/day=1"))) == {1: "new"}
    globbed = spark.read.parquet(repave(versions, "/day=[12]"))
    assert {row.note for row in globbed.collect()} == {"new", "old"}


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_a_pattern_matches_no_records(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    """Spark reads every folder that a pattern matches, also one that it would hide otherwise."""
    followed = table.lake.table(f"{table.name}-followed")
    for each, source in ((table, "json"), (followed, "parquet")):
        writer = sales(spark, [1, 2], "some").write.partitionBy("day")
        writer.option("repave.readers", readers).format(source).save(each.url)
        if each is followed:
            RepaveTable.for_path(spark, each.url).follow("delta")
        for pattern in ("/*", "/*/*", "/{day=*,_*}"):
            frame = spark.read.format(source).load(repave(each, pattern))
            assert {row.note for row in frame.collect()} == {"some"}
            assert frame.count() == 4


def test_a_file_of_a_pattern_that_a_commit_deletes_meanwhile_is_an_error(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Spark lists each file that a pattern matches, and treats a missing one as empty."""
    days = range(1, 4)
    sales(spark, days, "old").write.partitionBy("day").parquet(table.url)
    pattern = spark.read.schema("id bigint, note string")
    late = Fault("delay", op="HeadObject", key="day=1/part-", ms=20_000, times=1)
    table.lake.proxy.set_faults([late])
    with ThreadPoolExecutor(1) as other:
        reading = other.submit(lambda: pattern.parquet(repave(table, "/day=*/*.parquet")).count())
        while not [one for one in table.journal() if one.op == "ListObjectsV2"]:
            time.sleep(0.1)
        time.sleep(2)
        writer = sales(spark, [1], "new").write.mode("overwrite").partitionBy("day")
        writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)
        table.lake.proxy.release()
        with pytest.raises(Exception, match="since this query listed it"):
            reading.result()


def test_files_of_other_writers_are_read_beside_our_own(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [1], "copied").drop("day").write.parquet(f"{table.url}-source")
    foreign_file(table, "day=1/copied.snappy.parquet")
    overwrite(spark, table, [2], "new")
    assert notes(spark.read.parquet(repave(table))) == {1: "copied", 2: "new"}
    overwrite(spark, table, [3], "newest")
    assert notes(spark.read.parquet(repave(table))) == {1: "copied", 2: "new", 3: "newest"}


def test_a_file_of_a_snapshot_table_costs_one_request(
    spark: "SparkSession", table: TableFolder
) -> None:
    overwrite(spark, table, range(20), "old")
    table.lake.proxy.reset()
    overwrite(spark, table, range(20), "new")
    files = [entry for entry in table.journal() if entry.key.endswith(".parquet")]
    assert [entry.op for entry in files] == ["PutObject"] * 20
    counts = table.counts()
    assert counts["CreateMultipartUpload"] == counts["CompleteMultipartUpload"] == 0
    assert sum(counts.values()) <= 20 + 15, dict(counts)
    table.assert_settled()


def test_a_folder_of_further_partitions_has_one_more_column_on_spark_3_5(
    spark: "SparkSession", table: TableFolder
) -> None:
    nested = sales(spark, [1, 2], "new").selectExpr("id", "note", "day", "day + 10 AS hour")
    writer = nested.write.option("repave.readers", "snapshot")
    writer.partitionBy("day", "hour").parquet(table.url)
    frame = spark.read.parquet(repave(table, "/day=1"))
    more = ["day"] if line(pyspark.__version__) == "3.5" else []
    assert frame.columns == ["id", "note", *more, "hour"]
    assert {(row.note, row.hour) for row in frame.collect()} == {("new", 11)}
