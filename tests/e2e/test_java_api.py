"""The Java API in a real session, and the Scala block of its page."""

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

import repave
from e2e.frames import sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

PAGE = Path(__file__).parents[2] / "docs/java.md"


def test_a_session_opens_a_table_with_its_settings(
    spark: "SparkSession", table: TableFolder
) -> None:
    for note in ("old", "new"):
        writer = sales(spark, [0, 1], note).write.mode("overwrite").partitionBy("day")
        writer.option("repave.readers", "snapshot").parquet(table.url)
    java = spark._jvm.io.repave  # type: ignore[union-attr]
    opened = java.RepaveTable.open(spark._jsparkSession, table.url)
    python = repave.RepaveTable.for_path(spark, table.url)
    assert opened.status().version() == python.status().version
    assert [entry.commit() for entry in opened.history()] == [
        entry.commit for entry in python.history()
    ]
    replaced = opened.vacuum(java.VacuumOptions.configured().dryRun())
    assert replaced.files() == 0, "the default retention keeps them"
    spark.conf.set("repave.retention", "0s")
    try:
        opened = java.RepaveTable.open(spark._jsparkSession, table.url)
    finally:
        spark.conf.unset("repave.retention")
    assert opened.vacuum(java.VacuumOptions.configured().dryRun()).files() == 2


def test_the_scala_of_the_page_compiles(tmp_path: Path) -> None:
    blocks = re.findall(r"^```scala\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    sources = [tmp_path / f"Page{number}.scala" for number in range(len(blocks))]
    for source, block in zip(sources, blocks, strict=True):
        source.write_text(block, "utf-8")
    jars = f"{Path(pyspark.__file__).parent}/jars/*"
    compiler = ["java", "-cp", f"{jars}:{repave.jar_path()}", "scala.tools.nsc.Main", "-usejavacp"]
    if not list(Path(pyspark.__file__).parent.glob("jars/scala-compiler-*.jar")):
        pytest.fail("Spark has no Scala compiler any more")
    done = subprocess.run(
        [*compiler, "-d", tmp_path, *sources], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("NightlyMaintenance", "DailyLoad"):
        assert list(tmp_path.glob(f"{name}*.class"))
