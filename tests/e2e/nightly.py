"""A scheduled task of five statements with one run id: `python -m e2e.nightly <JSON>`.

A test kills it in a statement and starts it again with the same run id. The writes are numbered by
the run, or the task gives each a token in a block of options and writes to tables by their names.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import repave
from e2e.sessions import session_builder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

    from e2e.frames import Row

STATEMENTS = 5
OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"
COLUMNS = "id long, note string, day int"


class Nightly:
    """The five statements: four write to `sales`, one to `totals`."""

    def __init__(self, spark: "SparkSession", sales: str, totals: str, per_day: int) -> None:
        self._spark = spark
        self._sales = sales
        self._totals = totals
        self._per_day = per_day

    def run(self) -> None:
        statements = (self.append, self.replace_days, self.rewrite, self.append_again, self.total)
        for number, statement in enumerate(statements, 1):
            print(f"begin {number}", flush=True)
            with self.options(number):
                statement()
            print(f"done {number}", flush=True)

    def options(self, number: int) -> AbstractContextManager[None]:  # noqa: ARG002 - the run's
        """Return the block around a statement."""
        return nullcontext()

    def clause(self) -> str:
        """Return the options of a statement in SQL."""
        return ""

    def writer(self, frame: "DataFrame") -> "DataFrameWriter":
        """Return the writer of a statement to a path."""
        return frame.write.partitionBy("day")

    def append(self) -> None:
        self.writer(self._rows([1, 2], "one")).mode("append").parquet(self._sales)

    def replace_days(self) -> None:
        writer = self.writer(self._rows([2, 3], "two")).mode("overwrite")
        writer.option("partitionOverwriteMode", "dynamic").parquet(self._sales)

    def rewrite(self) -> None:
        """Replace the whole table by its rows and new ones: a wrong state before it stays."""
        before = [tuple(row) for row in self._spark.read.parquet(self._sales).collect()]
        kept = self._spark.createDataFrame(before, COLUMNS)
        writer = self.writer(kept.unionByName(self._rows([4], "three"))).mode("overwrite")
        writer.option("partitionOverwriteMode", "static").parquet(self._sales)

    def append_again(self) -> None:
        self.writer(self._rows([1, 4], "four")).mode("append").parquet(self._sales)

    def total(self) -> None:
        columns = f"({COLUMNS}) USING parquet"
        self._spark.sql(f"CREATE TABLE IF NOT EXISTS totals {columns} LOCATION '{self._totals}'")
        self._rows([5], "five").createOrReplaceTempView("fifth")
        self._spark.sql(f"INSERT INTO totals{self.clause()} SELECT * FROM fifth")

    def _rows(self, days: list[int], note: str) -> "DataFrame":
        # Not called `id`: Spark 3.5 takes the new column of that name for the day.
        numbers = self._spark.range(0, len(days) * self._per_day, 1, 2).toDF("number")
        day = f"array({', '.join(map(str, days))})[cast(number DIV {self._per_day} AS int)]"
        identity = f"number % {self._per_day} AS id"
        return numbers.selectExpr(identity, f"'{note}' AS note", f"{day} AS day")


class ShuffledNightly(Nightly):
    """The same rows after a shuffle, whose files an external service may keep."""

    def _rows(self, days: list[int], note: str) -> "DataFrame":
        return super()._rows(days, note).repartition(2, "day")


class NamedNightly(Nightly):
    """The same rows by `insertInto`, `saveAsTable` and SQL, each with a token in a block."""

    def __init__(self, spark: "SparkSession", work: Mapping[str, Any]) -> None:
        super().__init__(spark, work["sales"], work["totals"], work["per_day"])
        self._run = work["run"]
        spark.sql(
            f"CREATE TABLE IF NOT EXISTS sales ({COLUMNS}) USING parquet PARTITIONED BY (day)"
            f" LOCATION '{self._sales}'"
        )

    def options(self, number: int) -> AbstractContextManager[None]:
        return repave.write_options(self._spark, token=f"{self._run}/{number}", shrink=0.1)

    def append(self) -> None:
        self._rows([1, 2], "one").write.insertInto("sales")

    def replace_days(self) -> None:
        self._spark.conf.set(OVERWRITE_MODE, "dynamic")
        self._rows([2, 3], "two").createOrReplaceTempView("days")
        self._spark.sql("INSERT OVERWRITE sales SELECT * FROM days")

    def rewrite(self) -> None:
        self._spark.conf.set(OVERWRITE_MODE, "static")
        before = [tuple(row) for row in self._spark.read.parquet(self._sales).collect()]
        kept = self._spark.createDataFrame(before, COLUMNS)
        kept.unionByName(self._rows([4], "three")).write.insertInto("sales", overwrite=True)

    def append_again(self) -> None:
        writer = self._rows([1, 4], "four").write.mode("append").partitionBy("day")
        writer.format("parquet").saveAsTable("sales")


def expected_sales(statements: int, per_day: int) -> "Counter[Row]":
    """Return the rows of `sales` after the first so many statements."""
    days = [
        {},
        {1: ["one"], 2: ["one"]},
        {1: ["one"], 2: ["two"], 3: ["two"]},
        {1: ["one"], 2: ["two"], 3: ["two"], 4: ["three"]},
        {1: ["one", "four"], 2: ["two"], 3: ["two"], 4: ["three", "four"]},
    ][min(statements, 4)]
    return Counter(
        (n, note, day) for day, notes in days.items() for note in notes for n in range(per_day)
    )


def expected_totals(statements: int, per_day: int) -> "Counter[Row]":
    return Counter((n, "five", 5) for n in range(per_day) if statements >= STATEMENTS)


def finished(log: str) -> int:
    """Return how many statements the log says are done."""
    return len(re.findall(r"^done \d$", log, re.MULTILINE))


def begun_in(log: str) -> int:
    """Return the statement in which the driver was when its log ended."""
    return len(re.findall(r"^begin \d$", log, re.MULTILINE))


def main(arguments: Iterable[str]) -> None:
    (text,) = arguments
    work: dict[str, Any] = json.loads(text)
    named = bool(work.get("named"))
    run = "" if named else work["run"]
    builder = session_builder(Path(work["folder"]), {"": work["endpoint"]}, run=run)
    for key, value in work.get("conf", {}).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    if named:
        NamedNightly(spark, work).run()
    else:
        kind = ShuffledNightly if work.get("shuffles") else Nightly
        kind(spark, work["sales"], work["totals"], work["per_day"]).run()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
