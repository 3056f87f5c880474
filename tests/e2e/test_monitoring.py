"""What Spark's log and Spark's metrics tell about commits."""

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.driver import driver
from e2e.frames import in_a_batch, sales
from e2e.lake import TableFolder
from e2e.test_failures import while_another_job_runs
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MARK = "repave-commit "
# docs/monitoring.md shows these lines.
LOG4J = """
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c: %m%n
logger.repave.name = io.repave.commits
logger.repave.level = info
"""


def metrics(spark: "SparkSession") -> dict[str, int]:
    """Return the counters that this driver's sinks report."""
    jvm: Any = spark._jvm
    source = jvm.io.repave.spark.monitor.CommitMetrics.current().get()
    counters = source.metricRegistry().getCounters()
    return {str(name): int(counters.get(name).getCount()) for name in counters.keySet()}


@pytest.mark.slow
def test_a_driver_logs_one_line_and_its_csv_sink_shows_the_counts(
    table: TableFolder, tmp_path: Path
) -> None:
    (tmp_path / "log4j2.properties").write_text(LOG4J)
    (tmp_path / "metrics").mkdir()
    sink = "spark.metrics.conf.driver.sink.csv"
    conf = {
        "spark.driver.extraJavaOptions": (
            f"-Dderby.system.home={tmp_path}"
            f" -Dlog4j2.configurationFile={tmp_path}/log4j2.properties"
        ),
        f"{sink}.class": "org.apache.spark.metrics.sink.CsvSink",
        f"{sink}.directory": str(tmp_path / "metrics"),
        f"{sink}.period": "1",
        "spark.metrics.namespace": "lake",
    }
    work = {"endpoint": table.lake.proxy.endpoint, "url": table.url, "days": [1, 2], "note": "a"}
    again = {"days": [2], "note": "b"}
    with driver(tmp_path, {**work, "conf": conf, "again": again}) as child:
        assert child.wait(300) == 0, (tmp_path / "driver.log").read_text()[-4000:]

    log = (tmp_path / "driver.log").read_text()
    first, second = [
        json.loads(line.partition(MARK)[2]) for line in log.splitlines() if MARK in line
    ]
    assert (first["table"], first["outcome"]) == (
        f"s3://{table.lake.bucket}/{table.name}",
        "committed",
    )
    assert [first[name] for name in ("version", "kind", "partitions")] == [1, "dynamic", 2]
    assert [second[name] for name in ("version", "files-in", "files-out")] == [2, 1, 1]
    assert first["bytes-in"] > 0
    assert sum(first["millis"].values()) <= first["job-millis"]
    sent = sum(not one.op.startswith(("UploadPart", "CreateM")) for one in table.journal())
    assert 10 < first["requests"] + second["requests"] <= sent

    # Each session of the driver has a metrics system of its own, which begins at 0.
    assert last_value(tmp_path, "commits.committed") == 1
    assert last_value(tmp_path, "files-out") == 1
    assert last_value(tmp_path, "millis.retire") == second["millis"]["retire"]
    assert last_value(tmp_path, "job-time") == 1


def last_value(folder: Path, name: str) -> float:
    with (folder / "metrics" / f"lake.driver.repave.{name}.csv").open() as lines:
        *_, last = csv.DictReader(lines)
    return float(last["count"])


def test_conflicts_repeats_retries_and_failures_are_counted(
    spark: "SparkSession", table: TableFolder, dynamic: None, tmp_path: Path
) -> None:
    sales(spark, [0, 1, 2], "old").write.partitionBy("day").parquet(table.url)
    before = metrics(spark)

    def changes() -> dict[str, int]:
        now = metrics(spark)
        found = {name: now[name] - before.get(name, 0) for name in now}
        before.update(now)
        return {name: count for name, count in found.items() if count}

    def append(token: str) -> None:
        writer = sales(spark, [1, 2], "a").write.mode("append").partitionBy("day")
        with in_a_batch(spark):
            writer.option("repave.token", token).parquet(table.url)

    append("query-7")
    counts = changes()
    assert counts["commits.committed"] == 1
    assert (counts["files-in"], counts["partitions"]) == (2, 2)
    assert counts["requests"] > 5
    assert "retries" not in counts

    append("query-7")
    counts = changes()
    assert counts["commits.repeated"] == 1
    assert "files-in" not in counts

    # The connector's client repeats a request five times before the engine hears of it. The one of
    # Spark 3.5 repeats it for minutes.
    if not spark.version.startswith("3."):
        outage = Fault("error", op="PutObject", key="head.json", times=8, status=500)
        table.lake.proxy.set_faults([outage])
        append("query-8")
        table.lake.proxy.set_faults([])
        assert changes()["retries"] >= 1

    assert while_another_job_runs(spark, table, tmp_path / "go", [1, 2]) is not None
    counts = changes()
    assert (counts["commits.conflict"], counts["commits.committed"]) == (1, 1)

    with pytest.raises(Exception, match="no unit"):
        spark.range(1).selectExpr("cast(raise_error('no unit') AS int) x").write.mode(
            "append"
        ).parquet(table.url)
    assert changes()["commits.aborted"] == 1
