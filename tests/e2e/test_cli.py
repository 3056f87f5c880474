"""The commands that change a table, run as a user runs them: `repave`, spark-submit, the jar."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

RUN = "from repave.cli import main; main()"


CREDENTIALS = {"AWS_ACCESS_KEY_ID": "repave-lab", "AWS_SECRET_ACCESS_KEY": "repave-lab-secret"}


def repave(table: TableFolder, command: str, *words: str, at: str = "") -> tuple[int, Any]:
    """Run a command; return its exit code and its document."""
    endpoint = ("--endpoint-url", table.lake.proxy.endpoint)
    return run({**os.environ, **CREDENTIALS}, table, command, *words, *endpoint, at=at)


def run(
    environment: dict[str, str], table: TableFolder, *words: str, at: str = ""
) -> tuple[int, Any]:
    """Run a command on the table, or on a folder `at` a path inside it."""
    command, *rest = words
    url = table.url.replace("s3a://", "s3://") + at
    line = [sys.executable, "-c", RUN, command, url, *rest, "--json"]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_commands_change_a_snapshot_table(spark: "SparkSession", table: TableFolder) -> None:
    for rows in (1, 2):
        writer = spark.range(rows).coalesce(1).write.mode("overwrite")
        writer.option("repave.readers", "snapshot").parquet(table.url)
    code, history = repave(table, "history")
    kinds = [(one["version"], one["kind"]) for one in history]
    assert (code, kinds) == (0, [(3, "static"), (2, "static"), (1, "adopt")])
    code, rolled = repave(table, "rollback", "2")
    assert (code, rolled["version"], rolled["files-in"], rolled["files-out"]) == (0, 4, 1, 1)
    assert repave(table, "recover") == (0, {"version": 4, "commits": []})
    code, vacuumed = repave(table, "vacuum", "--dry-run", "--retention", "0s")
    assert (code, vacuumed["dry-run"], vacuumed["files"]) == (0, True, 1)
    assert len(table.data()) == 2


@pytest.mark.slow
def test_a_command_drops_partitions(spark: "SparkSession", table: TableFolder) -> None:
    frame = spark.range(3).selectExpr("id", "id AS day").coalesce(1)
    frame.write.partitionBy("day").parquet(table.url)
    code, shown = repave(table, "drop-partitions", "--dry-run", "--before", "day=2")
    assert (code, shown["dry-run"], shown["version"]) == (0, True, 1)
    code, dropped = repave(table, "drop-partitions", "day=0", "day=1", "day=7")
    assert (code, dropped["version"]) == (0, 2)
    assert [(one["partition"], one["files"]) for one in dropped["partitions"]] == [
        ("day=0", 1),
        ("day=1", 1),
        ("day=7", 0),
    ]
    assert list(table.partitions()) == ["day=2"]
    code, refusal = repave(table, "drop-partitions", "--before", "dt=2")
    assert (code, refusal["error"]) == (2, "Usage")


@pytest.mark.slow
def test_adopt_names_the_table_of_a_partitions_path(table: TableFolder) -> None:
    table.lake.client.put_object(Bucket=table.lake.bucket, Key=f"{table.name}/day=1/a", Body=b"1")
    code, preview = repave(table, "adopt", "--dry-run", at="/day=1")
    assert (code, preview["dry-run"], preview["version"]) == (0, True, 0)
    assert [key for key in table.listing() if "_repave" in key] == []
    code, adopted = repave(table, "adopt", at="/day=1")
    assert code == 0
    assert (adopted["table"], adopted["files"]) == (table.url.replace("s3a://", "s3://"), 1)
    told = ("table", "files", "bytes", "gone")
    assert [preview[name] for name in told] == [adopted[name] for name in told]


def test_commands_follow_an_existing_table(spark: "SparkSession", table: TableFolder) -> None:
    spark.range(3).coalesce(1).write.parquet(table.url)
    code, followed = repave(table, "follow", "--delta")
    assert (code, followed["followers"]) == (
        0,
        [{"follower": "delta", "version": followed["version"], "behind": 0}],
    )
    code, status = repave(table, "status")
    assert (code, status["followers"]) == (0, followed["followers"])
    assert repave(table, "sync") == (0, followed)
    code, off = repave(table, "follow", "--off", "delta")
    assert (code, off["followers"]) == (0, [])
    assert [key for key in table.listing() if "_delta_log" in key] == []


def test_a_refusal_has_its_sentence_and_its_exit_code(table: TableFolder) -> None:
    code, refusal = repave(table, "rollback", "7")
    assert code == 2
    assert refusal["error"] == "Usage"
    assert "Repave has not committed to" in refusal["message"]


def test_a_misspelt_setting_is_refused_before_anything_is_done(table: TableFolder) -> None:
    code, refusal = repave(table, "vacuum", "--conf", "spark.hadoop.repave.retntion=5d")
    assert code == 2
    assert (
        "There is no setting repave.retntion. Did you mean repave.retention?"
        in (refusal["message"])
    )
    assert table.lake.proxy.journal() == []


def test_the_store_that_a_command_names_wins_over_the_sites_for_the_bucket(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    spark.range(1).coalesce(1).write.parquet(table.url)
    key = f"fs.s3a.bucket.{table.lake.bucket}.endpoint"
    site = f"<property><name>{key}</name><value>http://127.0.0.1:1</value></property>"
    (tmp_path / "core-site.xml").write_text(f"<configuration>{site}</configuration>", "utf-8")
    environment = {**os.environ, **CREDENTIALS, "HADOOP_CONF_DIR": str(tmp_path)}
    endpoint = ("--endpoint-url", table.lake.proxy.endpoint)
    assert run(environment, table, "recover", *endpoint) == (0, {"version": 1, "commits": []})


@pytest.mark.slow
def test_a_command_that_nothing_signs_for_says_so_and_sends_nothing(table: TableFolder) -> None:
    """It does not wait for `repave.retry.budget`, which is five minutes."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}
    environment["AWS_EC2_METADATA_DISABLED"] = "true"
    started = time.monotonic()
    endpoint = ("--endpoint-url", table.lake.proxy.endpoint)
    code, refusal = run(environment, table, "recover", *endpoint)
    assert code == 1
    assert "finds no credentials for s3a://lake. Set AWS_ACCESS_KEY_ID" in refusal["message"]
    assert table.lake.proxy.journal() == []
    assert time.monotonic() - started < 240


def test_a_command_whose_store_is_not_there_says_so(table: TableFolder) -> None:
    environment = {**os.environ, **CREDENTIALS}
    started = time.monotonic()
    code, refusal = run(environment, table, "vacuum", "--endpoint-url", "http://127.0.0.1:1")
    assert code == 1
    assert "S3 cannot be reached, so nothing was done." in refusal["message"]
    assert "Connection refused" in refusal["message"]
    assert time.monotonic() - started < 240
