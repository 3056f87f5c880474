"""The commands that change a table, run as a user runs them: `repave`, spark-submit, the jar."""

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RUN = "from repave.cli import main; main()"


def repave(table: TableFolder, command: str, *words: str) -> tuple[int, Any]:
    """Run a command; return its exit code and its document."""
    url = table.url.replace("s3a://", "s3://")
    endpoint = ("--endpoint-url", table.lake.proxy.endpoint)
    line = [sys.executable, "-c", RUN, command, url, *words, *endpoint, "--json"]
    credentials = {"AWS_ACCESS_KEY_ID": "repave-lab", "AWS_SECRET_ACCESS_KEY": "repave-lab-secret"}
    done = subprocess.run(
        line, env={**os.environ, **credentials}, capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_commands_change_a_snapshot_table(spark: "SparkSession", table: TableFolder) -> None:
    for rows in (1, 2):
        writer = spark.range(rows).coalesce(1).write.mode("overwrite")
        writer.option("repave.readers", "snapshot").parquet(table.url)
    code, history = repave(table, "history")
    kinds = [(one["version"], one["kind"]) for one in history]
    assert (code, kinds) == (0, [(3, "static"), (2, "append"), (1, "adopt")])
    code, rolled = repave(table, "rollback", "2")
    assert (code, rolled["version"], rolled["files-in"], rolled["files-out"]) == (0, 4, 1, 1)
    assert repave(table, "recover") == (0, {"version": 4, "commits": []})
    code, vacuumed = repave(table, "vacuum", "--dry-run", "--retention", "0s")
    assert (code, vacuumed["dry-run"], vacuumed["files"]) == (0, True, 1)
    assert len(table.data()) == 2


def test_a_refusal_has_its_sentence_and_its_exit_code(table: TableFolder) -> None:
    code, refusal = repave(table, "rollback", "7")
    assert code == 2
    assert refusal["error"] == "Usage"
    assert "Nothing was ever committed to" in refusal["message"]
