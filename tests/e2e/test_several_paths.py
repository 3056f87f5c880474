"""Spark 4 reads several paths of a snapshot table in one version."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import pyspark
import pytest

from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder
from e2e.sessions import line
from e2e.test_names_from_records import requests
from e2e.test_plan_from_records import at, listed, write
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.skipif(
    line(pyspark.__version__) < "4.0", reason="Spark 3.5 lists a path before any rule sees it"
)

DAYS = range(6)


@pytest.fixture
def days(spark: "SparkSession", table: TableFolder) -> TableFolder:
    write(sales(spark, DAYS, "old"), table, "day")
    spark.range(1).count()
    table.lake.proxy.reset()
    return table


def read(spark: "SparkSession", table: TableFolder, *names: str) -> "DataFrame":
    paths = [f"{at(table)}/{name}" for name in names]
    return spark.read.option("basePath", at(table)).parquet(*paths)


def test_the_head_is_read_once_for_all_paths(spark: "SparkSession", days: TableFolder) -> None:
    frame = read(spark, days, *(f"day={day}" for day in DAYS))
    assert notes(frame) == dict.fromkeys(DAYS, "old")
    asked = requests(days)
    assert asked.count("GetObject head.json") == 1
    assert set(asked) <= {"GetObject head.json", "GetObject manifest.json.gz"}


def test_a_commit_between_two_looks_is_not_seen(spark: "SparkSession", days: TableFolder) -> None:
    """Spark asks whether each of the six paths exists, then it lists one after the other."""
    late = Fault("delay", op="GetObject", key="head.json", nth=len(DAYS) + 3, ms=6000)
    days.lake.proxy.set_faults([late])
    with ThreadPoolExecutor(1) as other:
        reading = other.submit(lambda: notes(read(spark, days, *(f"day={day}" for day in DAYS))))
        wait([reading], timeout=2)
        write(sales(spark, DAYS, "new"), days, "day")
        assert set(reading.result().values()) == {"old"}


def test_the_paths_show_what_they_show_when_spark_lists_them(
    spark: "SparkSession", days: TableFolder
) -> None:
    url = at(days)
    reads: dict[str, Callable[[], DataFrame]] = {
        "partitions": lambda: spark.read.parquet(f"{url}/day=1", f"{url}/day=2/"),
        "base path": lambda: read(spark, days, "day=1", "day=4"),
        "patterns": lambda: read(spark, days, "day=[12]", "day=4*"),
        "any partition": lambda: spark.read.parquet(f"{url}/*", f"{url}/day=1"),
        "twice": lambda: spark.read.parquet(url, url),
        "schema": lambda: spark.read.schema("id BIGINT").parquet(f"{url}/day=1", f"{url}/day=2"),
        "load": lambda: spark.read.load([f"{url}/day=1", f"{url}/day=2"], format="parquet"),
        "a version": lambda: spark.read.parquet(f"{url}/@v2/day=1", f"{url}/day=2"),
    }
    for what, frame in reads.items():
        found = rows(frame())
        with listed(spark):
            assert rows(frame()) == found, what
        assert found, what


def test_files_of_another_format_and_place_are_read_too(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(sales(spark, [1, 2], "old"), table, "day", source="csv")
    other = table.lake.table(f"{table.name}-other")
    sales(spark, [3], "other").drop("day").write.csv(other.url)
    frame = spark.read.csv([f"{at(table)}/day=1", f"{at(table)}/day=2", at(other)])
    assert sorted(row._c1 for row in frame.collect()) == ["old"] * 4 + ["other"] * 2


def test_a_frame_of_several_paths_stays_at_its_version(
    spark: "SparkSession", days: TableFolder
) -> None:
    frame = read(spark, days, "day=1", "day=2")
    write(sales(spark, DAYS, "new"), days, "day")
    assert notes(frame) == {1: "old", 2: "old"}
    assert notes(read(spark, days, "day=1", "day=2")) == {1: "new", 2: "new"}


def test_files_by_their_paths_cost_no_look_at_the_table(
    spark: "SparkSession", days: TableFolder
) -> None:
    files = spark.read.parquet(at(days)).inputFiles()

    def looks() -> int:
        days.lake.proxy.reset()
        assert spark.read.option("basePath", at(days)).parquet(*files).count() == 12
        return requests(days).count("GetObject head.json")

    planned = looks()
    with listed(spark):
        assert looks() == planned


def test_a_partition_that_is_not_in_the_version_is_not_found(
    spark: "SparkSession", days: TableFolder
) -> None:
    with pytest.raises(Exception, match=r"Path does not exist: .*day=99"):
        read(spark, days, "day=1", "day=99")


def test_a_folder_and_files_of_another_have_one_base_path(
    spark: "SparkSession", days: TableFolder
) -> None:
    """Files keep their paths, so the base path and the folder keep theirs."""
    files = [file for file in spark.read.parquet(at(days)).inputFiles() if "/day=3/" in file]
    reader = spark.read.option("basePath", at(days))
    assert notes(reader.parquet(f"{at(days)}/day=1", *files)) == {1: "old", 3: "old"}


def test_paths_of_other_sources_may_be_of_any_form(spark: "SparkSession") -> None:
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition  # noqa: PLC0415

    class Reader(DataSourceReader):
        def read(self, _: InputPartition) -> Iterator[tuple[str]]:
            yield ("read",)

    class Source(DataSource):
        @classmethod
        def name(cls) -> str:
            return "any_form"

        def schema(self) -> str:
            return "id string"

        def reader(self, schema: object) -> DataSourceReader:  # noqa: ARG002 - named by Spark
            return Reader()

    spark.dataSource.register(Source)
    assert rows(spark.read.format("any_form").load(["topic:1", "topic:2"])) == [("read",)]
