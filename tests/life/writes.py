"""Random writes: what each one writes, what it replaces, and how it reaches Spark."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import repave
from life.model import Model, Row, Rows
from life.name import NAME, SCHEMA, Name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ODD = (
    "a b",
    " ",
    "x=y",
    "50%",
    "%41",
    "é",
    "e\u0301",
    "q'",
    "p+q",
    "a/b",
    "#:?",
    "{*}",
    "\U0001f600",
)
PARTITIONS = ("a", "A", "b", *ODD, None)
KINDS = ("append", "append", "dynamic", "dynamic", "dynamic", "table", "partition")
MODE = "spark.sql.sources.partitionOverwriteMode"
LOADED = "life_loaded"


@dataclass(frozen=True)
class Write:
    """One write, which has a token. `by`: one of two paths, SQL or `save_as_table` on a name."""

    kind: str
    rows: list[Row]
    scope: set[str | None]
    token: str
    by: str
    frame: "DataFrame"
    options: dict[str, str] = field(default_factory=dict)

    def after(self, model: Model) -> Rows:
        """Return the rows after this write."""
        if self.kind == "append":
            kept = model.rows
        elif self.kind == "table":
            kept = Counter()
        else:
            dynamic = {row[2] for row in self.rows}
            kept = model.without(dynamic if self.kind == "dynamic" else self.scope)
        return kept + Counter(self.rows)

    def __str__(self) -> str:
        """Say what it writes, as the story of a life does."""
        parts = Counter(row[2] for row in self.rows)
        scope = f" of {self.scope}" if self.kind == "partition" else ""
        options = f" with {self.options}" if self.options else ""
        return f"{self.token}: {self.kind}{scope} by {self.by}{options}, rows {dict(parts)}"


class Writes:
    """Draws writes to one table, and runs them."""

    def __init__(self, spark: "SparkSession", url: str, model: Model, random: Random) -> None:
        self.spark = spark
        self.url = url
        self.model = model
        self.random = random
        self.name = Name(spark, url, model)
        self._ids = 0
        self._tokens = 0

    def draw(self, *, by_name: bool = True, **options: str) -> Write:
        """Draw a write; by a name only if the table has columns, and in the session's thread."""
        kind = self.random.choice(KINDS)
        has_name = by_name and bool(self.model.rows)
        if kind == "partition" and not has_name:
            kind = "dynamic"
        by = self.random.choice(("path", "path", "repave"))
        if has_name and (kind == "partition" or self.random.random() < 0.4):
            by = self.random.choice(("sql", "save_as_table")) if kind == "table" else "sql"
            self.name.prepare()  # before any fault: S3A's listing tries again for minutes
        parts: list[str | None] = self.random.sample(PARTITIONS, self.random.randint(1, 3))
        if kind == "partition":
            parts = [next(one for one in [*parts, "a"] if one is not None)]
        rows = [self._row(part) for part in parts for _ in range(self.random.randint(1, 3))]
        if kind != "append" and self.random.random() < 0.1:
            rows = []
        self._tokens += 1
        frame = self.spark.createDataFrame(rows, SCHEMA).coalesce(2)
        return Write(kind, rows, set(parts), f"write-{self._tokens}", by, frame, options)

    def _row(self, part: str | None) -> Row:
        self._ids += 1
        return (self._ids, f"note {self._ids}", part)

    def run(self, one: Write) -> None:
        """Write; an error of Repave has its own type."""
        given: dict[str, Any] = {"token": one.token, **one.options}
        with repave.typed_errors(), repave.write_options(self.spark, **given):
            if one.by == "sql":
                self._by_sql(one)
            elif one.by == "save_as_table":
                repave.save_as_table(one.frame, NAME)
            else:
                self._by_path(one)

    def _by_path(self, one: Write) -> None:
        url = self.url if one.by == "path" else self.url.replace("s3a://", "repave://")
        mode = "dynamic" if one.kind == "dynamic" else "static"
        options = {"repave.readers": self.model.readers, "partitionOverwriteMode": mode}
        writer = one.frame.write.mode("append" if one.kind == "append" else "overwrite")
        writer = writer.partitionBy("part").options(**options).format(self.model.format)
        writer.save(url)

    def _by_sql(self, one: Write) -> None:
        one.frame.createOrReplaceTempView(LOADED)
        verb = "INTO" if one.kind == "append" else "OVERWRITE"
        spec, columns = "", "id, note, part"
        if one.kind == "partition":
            (part,) = one.scope
            spec, columns = f"PARTITION (part = '{literal(str(part))}')", "id, note"
        with self._overwrites("dynamic" if one.kind == "dynamic" else "static"):
            self.spark.sql(f"INSERT {verb} {NAME} {spec} SELECT {columns} FROM {LOADED}")

    @contextmanager
    def _overwrites(self, mode: str) -> Iterator[None]:
        self.spark.conf.set(MODE, mode)
        try:
            yield
        finally:
            self.spark.conf.unset(MODE)


def literal(value: str) -> str:
    r"""Escape a text for SQL.

    >>> literal("q'")
    "q\\'"
    """
    return value.replace("\\", "\\\\").replace("'", "\\'")
