"""What every reader sees of the table, compared with the model."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from e2e.lake import TableFolder
from life.libraries import COLUMNS, Libraries
from life.model import Model, Rows, folder_of
from life.name import NAME, SCHEMA, Name
from life.symlinks import symlink_rows
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOOKS = 5


def rows_of(frame: "DataFrame") -> Rows:
    return Counter((one.id, one.note, one.part) for one in frame.select(*COLUMNS).collect())


class Readers:
    """Reads one table in every way."""

    def __init__(
        self, spark: "SparkSession", table: TableFolder, model: Model, random: Random
    ) -> None:
        self.spark = spark
        self.table = RepaveTable.for_path(spark, table.url)
        self.url = table.url.replace("s3a://", "repave://")
        self.at = table
        self.folder = table.url
        self.libraries = Libraries(table)
        self.named = Name(spark, table.url, model)
        self.model = model
        self.random = random
        self.seen: Counter[str] = Counter()
        self.caches = random.random() < 0.3
        self.cached: DataFrame | None = None

    def look(self) -> None:
        """Compare some readers with the model."""
        if not self.model.newest:
            return
        ways: list[Callable[[], None]] = [self.old_version, self.removed_version]
        ways += [self.library, self.several_paths, self.path, self.name]
        ways += [self.to_df] if self.model.is_inferred(self.model.newest) else []
        if not self.model.rows:
            ways = [self.old_version, self.removed_version, self.no_files]
        elif self.model.readers == "listing":
            ways += [self.folders]
        followers = {one.follower for one in self.table.status().followers}
        ways += [self.delta] if "delta" in followers and self.model.rows else []
        ways += [self.symlinks] if "symlink" in followers else []
        if self.caches and self.model.rows:
            ways += [self.cache]
        for way in self.random.sample(ways, min(LOOKS, len(ways))):
            way()

    def hold(self) -> Callable[[], None]:
        """Plan a query of the version of now; the answer looks at it after the next action."""
        if not self.model.rows or self.caches or self.random.random() < 0.5:
            return lambda: None
        version, frame = self.model.newest, self._frame(self.url)

        def look() -> None:
            may_fail = version not in self.model.readable
            self._removed("held frame", lambda: rows_of(frame), version, may_fail=may_fail)

        return look

    def same(self, what: str, seen: Rows, expected: Rows) -> None:
        self.seen[what.partition(" @")[0]] += 1
        more, less = seen - expected, expected - seen
        assert seen == expected, f"{what}: wrong rows {sorted(more, key=str)}, missing {less}"

    def _frame(self, *paths: str) -> "DataFrame":
        return (
            self.spark.read.schema(SCHEMA)
            .option("basePath", paths[0])
            .format(self.model.format)
            .load(list(paths))
        )

    def to_df(self) -> None:
        self.same("to_df", rows_of(self.table.to_df(format=self.model.format)), self.model.rows)

    def path(self) -> None:
        self.same("repave:// path", rows_of(self._frame(self.url)), self.model.rows)

    def folders(self) -> None:
        self.same("folders", rows_of(self._frame(self.folder)), self.model.rows)

    def cache(self) -> None:
        if self.cached is None:
            self.cached = self._frame(self.url).cache()
        self.same("cached frame", rows_of(self.cached), self.model.rows)

    def several_paths(self) -> None:
        parts = sorted(self.model.partitions, key=str)
        some = self.random.sample(parts, min(2, len(parts)))
        reader = self.spark.read.schema(SCHEMA).option("basePath", self.url)
        paths = [f"{self.url}/{folder_of(one)}" for one in some]
        seen = rows_of(reader.format(self.model.format).load(paths))
        self.same("several paths", seen, self.model.inside(set(some)))

    def name(self) -> None:
        self.named.prepare()
        self.same("name", rows_of(self.spark.table(NAME)), self.model.rows)

    def library(self) -> None:
        what, read = self.random.choice(sorted(self.libraries.ways.items()))
        self.same(what, read(None), self.model.rows)

    def no_files(self) -> None:
        self.same("no files", Counter(), self.model.rows)
        assert not self.libraries.snapshot().files
        assert not self.table.files()

    def symlinks(self) -> None:
        self._sync()
        self.same("symlinks", symlink_rows(self.at, self.model.format), self.model.rows)

    def _sync(self) -> None:
        if any(one.behind for one in self.table.status().followers):
            self.table.sync()

    def delta(self) -> None:
        self._sync()
        self.same("delta-rs", self.libraries.delta(), self.model.rows)

    def old_version(self) -> None:
        some = [one for one in self.model.readable if self.model.versions[one]]
        if some:
            version = self.random.choice(some)
            what, read = self.random.choice(sorted(self._ways(version).items()))
            self.same(f"old version by {what} @{version}", read(), self.model.versions[version])

    def removed_version(self) -> None:
        if self.model.removed:
            version = self.random.choice(self.model.removed)
            what, read = self.random.choice(sorted(self._ways(version).items()))
            self._removed(f"removed version by {what}", read, version, may_fail=True)

    def _ways(self, version: int) -> dict[str, Callable[[], Rows]]:
        frame = self.table.to_df
        found: dict[str, Callable[[], Rows]] = {}
        if self.model.is_inferred(version):
            found["to_df"] = lambda: rows_of(frame(version=version, format=self.model.format))
        if self.model.readers == "snapshot" or version != self.model.newest:
            # A listing table refuses every path of a version, that of the newest too.
            found["path"] = lambda: rows_of(self._frame(f"{self.url}/@v{version}"))
        for what, read in self.libraries.ways.items():
            found[what] = lambda read=read: read(version)  # type: ignore[misc]
        return found

    def _removed(
        self, what: str, read: Callable[[], Rows], version: int, *, may_fail: bool
    ) -> None:
        """A version whose files may be gone fails, or shows the rows that it had."""
        try:
            seen = read()
        except Exception:
            if not may_fail:
                raise
            self.seen[f"{what}, refused"] += 1
        else:
            self.same(f"{what} @{version}", seen, self.model.versions[version])
