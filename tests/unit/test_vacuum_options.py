"""What `repave vacuum` passes to the jar, and what it refuses before."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from repave.cli import main
from unit.fake_submit import answering, spark_home, use_spark

COUNTS = {"files": 1, "bytes": 2048, "uploads": 3, "records": 4, "oldest-version": 1}


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_spark(tmp_path, monkeypatch)


def test_vacuum_passes_its_options_and_a_connector(tmp_path: Path) -> None:
    lines = tmp_path / "line.json"
    told = f"pathlib.Path({str(lines)!r}).write_text(json.dumps(line))\n"
    spark_home(tmp_path, told + answering({**COUNTS, "dry-run": True}))
    words = ["vacuum", "s3://lake/sales", "--dry-run", "--retention", "3d"]
    own = ["--conf", "spark.hadoop.fs.s3a.endpoint.region=eu-north-1"]
    result = CliRunner().invoke(main, [*words, *own, "--endpoint-url", "http://other:1"])
    assert result.stdout == "Would remove 1 file (2.0 KiB), 3 open uploads, 4 records.\n"
    line = json.loads(lines.read_text("utf-8"))
    assert line[-3:] == ["vacuum", "s3a://lake/sales", "--dry-run"]
    assert "spark.hadoop.repave.retention=3d" in line
    assert "spark.hadoop.fs.s3a.endpoint.region=eu-north-1" in line
    assert any("org.apache.hadoop:hadoop-aws:3.5.0" in word for word in line)


def test_an_empty_retention_is_not_the_usual_one(tmp_path: Path) -> None:
    spark_home(tmp_path, "sys.exit(1)\n")
    result = CliRunner().invoke(main, ["vacuum", "s3://lake/sales", "--retention", ""])
    assert result.stderr.startswith("repave: repave.retention= is not possible: it takes a dur")
    assert result.exit_code == 2


@pytest.mark.parametrize("key", ["spark.hadoop.repave.retention", "spark.repave.retention"])
def test_two_retentions_of_one_vacuum_are_refused(tmp_path: Path, key: str) -> None:
    spark_home(tmp_path, answering({**COUNTS, "dry-run": False}))
    words = ["vacuum", "s3://lake/sales", "--retention", "30d", "--conf"]
    result = CliRunner().invoke(main, [*words, f"{key}=1d"])
    told = f"repave: --retention 30d and --conf {key}=1d differ: leave one of them out.\n"
    assert (result.exit_code, result.stderr) == (2, told)
    assert CliRunner().invoke(main, [*words, f"{key}=30d"]).exit_code == 0
