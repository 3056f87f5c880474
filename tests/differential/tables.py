"""Runs a step on one table, and says what the table is afterwards."""

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from differential.sequences import Schema, Sequence, Step
from e2e.frames import rows
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Content(NamedTuple):
    """Everything in which two tables must agree."""

    failed: str
    rows: list[tuple[Any, ...]]
    types: list[tuple[str, str]]
    files: Counter[str]
    registered: set[str]


class Target:
    """One of the two tables."""

    def __init__(self, spark: "SparkSession", work: Sequence, name: str, url: str) -> None:
        self._spark = spark
        self._work = work
        self._name = name
        self._url = url
        if work.catalog:
            by = f"PARTITIONED BY ({', '.join(work.schema.names)})" if work.schema.names else ""
            spark.sql(
                f"CREATE TABLE {name} ({work.schema.columns}) USING {work.schema.source} {by}"
                f" LOCATION '{url}'"
            )

    def run(self, step: Step) -> str:
        """Run a step; return the class of its failure, "" if it succeeded."""
        mode = "spark.sql.sources.partitionOverwriteMode"
        self._spark.conf.set(mode, step.overwrite)
        try:
            if self._work.catalog:
                self._insert(step)
            else:
                self._save(step)
        except Exception as error:  # noqa: BLE001 - both tables must fail alike
            return type(error).__name__
        finally:
            self._spark.conf.unset(mode)
        return ""

    def _save(self, step: Step) -> None:
        schema = self._work.schema
        frame = _frame(self._spark, schema, step)
        mode = "append" if step.kind == "append" else "overwrite"
        writer = frame.write.mode(mode).format(schema.source).options(**step.options)
        if schema.names:
            writer = writer.partitionBy(*schema.names)
        writer.save(self._url)

    def _insert(self, step: Step) -> None:
        schema = self._work.schema
        _frame(self._spark, schema, step).createOrReplaceTempView("step")
        verb = "INSERT INTO" if step.kind == "append" else "INSERT OVERWRITE TABLE"
        pairs = [f"{name}={value}" for name, value in zip(schema.names, _plain(step), strict=False)]
        pairs += schema.names[len(step.spec) :] if pairs else []
        spec = f"PARTITION ({', '.join(pairs)})" if pairs else ""
        exists = "IF NOT EXISTS" if step.kind.endswith("if-not-exists") else ""
        self._spark.sql(f"{verb} {self._name} {spec} {exists} SELECT * FROM step")

    def read(self, files: Counter[str], failed: str) -> Content:
        registered: set[str] = set()
        if self._work.catalog:
            self._spark.sql(f"REFRESH TABLE {self._name}")
            frame = self._spark.table(self._name)
            if self._work.schema.names:
                shown = self._spark.sql(f"SHOW PARTITIONS {self._name}").collect()
                registered = {row.partition for row in shown}
        elif files:
            reader = self._spark.read.format(self._work.schema.source)
            frame = reader.schema(self._work.schema.columns).load(self._url)
        else:
            return Content(failed, [], [], files, registered)
        return Content(failed, rows(frame), frame.dtypes, files, registered)

    def drop(self) -> None:
        if self._work.catalog:
            self._spark.sql(f"DROP TABLE IF EXISTS {self._name}")


def _plain(step: Step) -> list[str]:
    """Return static values as literals: a partition spec takes no casts."""
    return [value.removeprefix("CAST(").rsplit(" AS ", 1)[0] for value in step.spec]


def _frame(spark: "SparkSession", schema: Schema, step: Step) -> "DataFrame":
    free = schema.partitions[len(step.spec) :]
    names = ["id", "v", *(name for name, _ in free)]
    kinds = ["int", "string", *(kind for _, kind in free)]
    if step.rows:
        values = ", ".join(f"({', '.join(row)})" for row in step.rows)
        frame = spark.sql(f"SELECT * FROM VALUES {values} AS t({', '.join(names)})")
    else:
        nothing = [f"CAST(NULL AS {kind}) {name}" for name, kind in zip(names, kinds, strict=True)]
        frame = spark.sql(f"SELECT {', '.join(nothing)} WHERE false")
    typed = [f"CAST({name} AS {kind}) {name}" for name, kind in zip(names, kinds, strict=True)]
    frame = frame.selectExpr(*typed)
    return frame.repartition(step.tasks, "id") if step.tasks > 1 else frame.coalesce(1)


def local_files(folder: Path) -> Counter[str]:
    """Return the data files by folder, as readers see them."""
    return Counter(
        os.path.relpath(where, folder) if where != str(folder) else ""
        for where, _, names in os.walk(folder)
        for name in names
        if not name.startswith(("_", "."))
    )


def remote_files(table: TableFolder) -> Counter[str]:
    return table.partitions()
