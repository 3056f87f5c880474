"""What happens to the table: each action changes the table and the model, and says what it did."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import repave
from e2e.lake import TableFolder
from life.model import Model, Row
from life.readers import SCHEMA
from repave import RepaveError, RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

PARTITIONS = ("a", "b", "a b", "x=y", "50%", "é", "q'", "p+q", None)
CALLS = ("CompleteMultipartUpload", "PutObject", "GetObject", "DeleteObjects", "ListObjectsV2", "*")
DOES = ("error", "error_after", "lost", "reset")


@dataclass(frozen=True)
class Write:
    """One write, which has a token of its own."""

    kind: str
    rows: list[Row]
    scope: set[str | None]
    token: str


class Actions:
    """The actions on one table."""

    def __init__(
        self, spark: "SparkSession", table: TableFolder, model: Model, random: Random
    ) -> None:
        self.spark = spark
        self.folder = table
        self.table = RepaveTable.for_path(spark, table.url)
        self.model = model
        self.random = random
        self.follows = False
        self._ids = 0
        self._tokens = 0

    def any(self) -> str:
        """Do something."""
        actions: list[Callable[[], str]] = [self.write] * 6 + [self.repeat, self.race, self.faulty]
        actions += [self.faulty, self.drop, self.vacuum, self.follow]
        if self.model.readers == "snapshot":
            actions += [self.rollback, self.rollback]
        return self.random.choice(actions)()

    def write(self) -> str:
        one = self._new_write()
        self._run(one)
        return self._published(one)

    def repeat(self) -> str:
        """Write twice with one token: the frame is the same, so the second changes nothing."""
        one = self._new_write("append")
        self._run(one)
        told = self._published(one)
        try:
            self._run(one)
        except RepaveError as refused:
            return f"{told}, and again: {refused.code}"
        message = "a program repeated its own write"
        raise AssertionError(message)

    def race(self) -> str:
        """Two threads write; what was published is applied in the order of its versions."""
        both = [self._new_write(), self._new_write()]
        with ThreadPoolExecutor(2) as pool:
            ended = [pool.submit(self._ends, one) for one in both]
        return "race: " + self._settle(both, [one.result() for one in ended])

    def faulty(self) -> str:
        one = self._new_write()
        op, do = self.random.choice(CALLS), self.random.choice(DOES)
        fault = Fault(do, op=op, nth=None, probability=self.random.choice((0.1, 0.5, 1.0)))
        self.folder.lake.proxy.set_faults([fault])
        try:
            ended = self._ends(one)
        finally:
            self.folder.lake.proxy.set_faults([])
        return f"fault {do} of {op}: " + self._settle([one], [ended])

    def drop(self) -> str:
        some = sorted(str(one) for one in self.model.partitions if one is not None)
        if not some:
            return "drop nothing"
        name = self.random.choice(some)
        dropped = self.table.drop_partitions(f"part={name.replace('%', '%25')}")
        assert dropped.commit, f"no files in part={name}"
        rows = self.model.after("dynamic", [], {name})
        self.model.publish(dropped.version, rows)
        return f"drop part={name}: version {dropped.version}"

    def rollback(self) -> str:
        if not self.model.readable:
            return "rollback of nothing"
        target = self.random.choice(self.model.readable)
        done = self.table.rollback(target)
        self.model.publish(done.version, Counter(self.model.versions[target]))
        return f"rollback to {target}: version {done.version}"

    def vacuum(self) -> str:
        if not self.model.newest:
            return "vacuum nothing"
        self.table.vacuum(retention="0s")
        self.model.oldest = self.table.status().oldest_version
        return f"vacuum: oldest version {self.model.oldest}"

    def follow(self) -> str:
        if not self.follows and not self.model.rows:
            return "follow nothing"
        found = self.table.unfollow("delta") if self.follows else self.table.follow("delta")
        self.follows = not self.follows
        if found.version > self.model.newest:
            self.model.publish(found.version, Counter(self.model.rows))
        return f"follow {self.follows}"

    def _new_write(self, kind: str | None = None) -> Write:
        kind = kind or self.random.choice(("append", "dynamic", "dynamic", "table"))
        if kind == "table" and self.random.random() < 0.5:
            kind = "dynamic"
        parts = self.random.sample(PARTITIONS, self.random.randint(1, 3))
        rows = [self._row(part) for part in parts for _ in range(self.random.randint(1, 3))]
        self._tokens += 1
        return Write(kind, rows, set(parts), f"write-{self._tokens}")

    def _row(self, part: str | None) -> Row:
        self._ids += 1
        return (self._ids, f"note {self._ids}", part)

    def _run(self, one: Write) -> None:
        frame = self.spark.createDataFrame(one.rows, SCHEMA).coalesce(2)
        writer = frame.write.mode("append" if one.kind == "append" else "overwrite")
        mode = "dynamic" if one.kind == "dynamic" else "static"
        options = {"repave.readers": self.model.readers, "partitionOverwriteMode": mode}
        with repave.typed_errors(), repave.write_options(self.spark, token=one.token):
            writer.partitionBy("part").options(**options).parquet(self.folder.url)

    def _ends(self, one: Write) -> str:
        try:
            self._run(one)
        except RepaveError as error:
            return error.code
        except Exception as error:  # noqa: BLE001 - Spark's own, of a task whose request failed
            return type(error).__name__
        return "committed"

    def _published(self, one: Write) -> str:
        return self._settle([one], ["committed"])

    def _settle(self, writes: list[Write], ended: list[str]) -> str:
        """Finish what is unfinished, and apply what was published."""
        self.table.recover()
        versions = {one.token: one.version for one in self.table.history() if one.version}
        published = sorted(
            (versions[one.token], number)
            for number, one in enumerate(writes)
            if one.token in versions
        )
        for number, end in enumerate(ended):
            there = number in {which for _, which in published}
            assert there or end != "committed", f"told committed, not published: {writes[number]}"
            lost = end in ("CommitFailed", "CommitConflict", "Usage")
            assert not (there and lost), f"told {end}, but published: {writes[number]}"
        self._adopted(published[0][0] if published else None)
        for version, number in published:
            one = writes[number]
            self.model.publish(version, self.model.after(one.kind, one.rows, one.scope))
        told = [f"{one.kind} {sorted(map(str, one.scope))}" for one in writes]
        return f"{', '.join(told)}: {', '.join(ended)}, versions {[v for v, _ in published]}"

    def _adopted(self, first: int | None) -> None:
        """A snapshot table begins with a version without rows."""
        status = self.table.status()
        if self.model.newest == 0 and self.model.readers == "snapshot" and status.version:
            assert first in (None, 2), f"the first write is version {first}"
            self.model.publish(1, Counter())
