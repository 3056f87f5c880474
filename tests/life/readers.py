"""What every reader sees of the table, compared with the model."""

from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import repave
from e2e.lake import TableFolder
from life.model import Model, Rows, folder_of
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAME = "life"
SCHEMA = "id long, note string, part string"
COLUMNS = ["id", "note", "part"]


def rows_of(frame: "DataFrame") -> Rows:
    return Counter((one.id, one.note, one.part) for one in frame.select(*COLUMNS).collect())


def rows_of_dicts(found: Iterable[dict[str, Any]]) -> Rows:
    return Counter((one["id"], one["note"], one["part"]) for one in found)


class Readers:
    """Reads one table in every way."""

    def __init__(
        self, spark: "SparkSession", table: TableFolder, model: Model, random: Random
    ) -> None:
        self.spark = spark
        self.folder = table
        self.table = RepaveTable.for_path(spark, table.url)
        self.url = table.url.replace("s3a://", "repave://")
        self.endpoint = table.lake.proxy.endpoint
        self.model = model
        self.random = random
        self.comparisons = 0

    def look(self, *, follows: bool) -> None:
        """Compare some readers with the model; a reader without rows to see is left out."""
        if not self.model.newest:
            return
        ways: list[Callable[[], None]] = [self.to_df, self.old_version, self.removed_version]
        if self.model.rows:
            ways += [self.path, self.several_paths, self.arrow, self.duckdb, self.polars]
            ways += [self.name] if self.model.readers == "snapshot" else [self.folders]
            ways += [self.delta] if follows else []
        for way in self.random.sample(ways, min(5, len(ways))):
            way()

    def same(self, what: str, seen: Rows, expected: Rows) -> None:
        self.comparisons += 1
        more, less = seen - expected, expected - seen
        assert seen == expected, (
            f"{what}: {sorted(more)} should not be there, {sorted(less)} should"
        )

    def to_df(self) -> None:
        if self.model.rows:
            self.same("to_df", rows_of(self.table.to_df(format="parquet")), self.model.rows)

    def path(self) -> None:
        frame = self.spark.read.schema(SCHEMA).parquet(self.url)
        self.same("repave://", rows_of(frame), self.model.rows)

    def folders(self) -> None:
        frame = self.spark.read.schema(SCHEMA).parquet(self.folder.url)
        self.same("folders", rows_of(frame), self.model.rows)

    def several_paths(self) -> None:
        parts = sorted(self.model.partitions, key=str)
        some = set(self.random.sample(parts, min(2, len(parts))))
        reader = self.spark.read.option("basePath", self.url).schema(SCHEMA)
        seen = rows_of(reader.parquet(*(f"{self.url}/{folder_of(one)}" for one in some)))
        expected = Counter({row: n for row, n in self.model.rows.items() if row[2] in some})
        self.same(f"paths {some}", seen, expected)

    def name(self) -> None:
        self.table.register(NAME)
        self.same("name", rows_of(self.spark.table(NAME)), self.model.rows)

    def old_version(self) -> None:
        version = self.random.choice(self.model.readable or [0])
        if version and self.model.versions[version]:
            frame = self.table.to_df(version=version, format="parquet")
            self.same(f"version {version}", rows_of(frame), self.model.versions[version])

    def removed_version(self) -> None:
        gone = [one for one in self.model.versions if one not in self.model.readable]
        if gone:
            with pytest.raises(repave.UsageError):
                self.table.to_df(version=self.random.choice(gone))
            self.comparisons += 1

    def _snapshot(self) -> repave.Snapshot:
        return repave.snapshot(
            self.folder.url, endpoint_url=self.endpoint, partition_types={"part": "string"}
        )

    def arrow(self) -> None:
        found = self._snapshot().arrow().to_table(columns=COLUMNS).to_pylist()
        self.same("pyarrow", rows_of_dicts(found), self.model.rows)

    def polars(self) -> None:
        found = self._snapshot().polars().collect().to_dicts()
        self.same("polars", rows_of_dicts(found), self.model.rows)

    def duckdb(self) -> None:
        import duckdb  # noqa: PLC0415 - it takes a second

        with duckdb.connect() as connection:
            relation = self._snapshot().duckdb(connection)
            found = relation.select(", ".join(COLUMNS)).fetchall()
        self.same("duckdb", Counter((one[0], one[1], one[2]) for one in found), self.model.rows)

    def delta(self) -> None:
        from deltalake import DeltaTable  # noqa: PLC0415 - it takes a second

        options = {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
        }
        log = DeltaTable(self.folder.url.replace("s3a://", "s3://"), storage_options=options)
        found = log.to_pyarrow_table(columns=COLUMNS).to_pylist()
        self.same("delta-rs", rows_of_dicts(found), self.model.rows)
