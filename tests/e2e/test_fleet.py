"""Every table below a folder: found by jumps on a real server, recovered in one JVM."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.deaths import kill_driver_at
from e2e.frames import notes, sales
from e2e.lake import TableFolder
from e2e.test_cli import CREDENTIALS, RUN
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest


def repave(table: TableFolder, *words: str) -> tuple[int, Any]:
    """Run a command on the folder with the test's tables; return its exit code and its document."""
    command, *rest = words
    below = f"s3://{table.lake.bucket}/{table.name}/"
    line = [sys.executable, "-c", RUN, command, below, *rest, "--json"]
    line += ["--endpoint-url", table.lake.proxy.endpoint]
    done = subprocess.run(
        line, env={**os.environ, **CREDENTIALS}, capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.slow
def test_what_dead_drivers_left_is_found_and_finished(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    orders, stock = (table.lake.table(f"{table.name}/{name}") for name in ("eu/orders", "stock"))
    for each in (orders, stock):
        sales(spark, range(40), "old").write.partitionBy("day").parquet(each.url)
    kill_driver_at(orders, tmp_path, Fault("hang", op="DeleteObjects", nth=1), days=[2, 40, 41])

    table.lake.proxy.reset()
    code, found = repave(table, "status", "--recursive", "--older-than", "0s")
    assert (code, found["requests"]) == (1, {"get": 4, "list": 2})
    names = [one["table"].rpartition(table.name)[2] for one in found["tables"]]
    assert names == ["/eu/orders", "/stock"]
    assert [len(one["problems"]) for one in found["tables"]] == [1, 0]
    asked = table.counts()
    assert (asked["GetObject"], asked["ListObjectsV2"]) == (4, 2)
    assert repave(table, "status", "--recursive", "--older-than", "1h")[0] == 0

    code, done = repave(table, "recover", "--all", "--older-than", "0s")
    (one,) = done["tables"]
    assert (code, one["commits"][0]["outcome"]) == (0, "finished")
    assert sorted(one["commits"][0]["partitions"]) == ["day=2", "day=40", "day=41"]
    assert one["statements"][1] == "ALTER TABLE <name> ADD IF NOT EXISTS PARTITION (`day`='40')"
    seen = notes(spark.read.parquet(orders.url))
    assert (len(seen), seen[2], seen[3], seen[41]) == (42, "new", "old", "new")
    assert repave(table, "status", "--recursive", "--older-than", "0s")[0] == 0
    orders.assert_settled()
