"""The blocks of docs/readers.md run as they stand."""

import re
import shlex
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from lab.reader_tables import StoredTable
from repave.cli import main
from repave_lab.servers import S3Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/readers.md").read_text("utf-8")
FOLDER = "dt={}/region=eu"


@pytest.fixture
def tables(server: S3Server, direct: "S3Client", monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's tables: sales in two versions, and notes in CSV."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    direct.create_bucket(Bucket="lake")
    sales = StoredTable(direct, "lake", "snapshot")
    for day in ("2026-10-31", "2026-11-01"):
        sales.commit("append", {FOLDER.format(day): [1, 2]})
        sales.report()
    notes = StoredTable(direct, "lake", "snapshot")
    # As Spark writes a null, and with the option of the page a quote.
    content = b'1,first\n2,\n3,"a ""b""\nc\\"\n'
    name = "part-0.csv"
    entry = {"partition": "", "in": [{"name": name, "bytes": len(content)}]}
    notes.records.commit("append", {"": [name]}, partitions=[entry])
    notes.put_as("notes", {f"notes/{name}": content})


@pytest.mark.usefixtures("tables")
def test_the_python_blocks_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) > 8
    for block in blocks:
        # The test's versions are of today, which is later than the page's day.
        later = block.replace("2026-11-20", "2100-01-01")
        exec(compile(later, "docs/readers.md", "exec"), space)  # noqa: S102 - our own page
    assert space["snap"].version == 2
    assert space["snap"].partition_types == {"dt": "date", "region": "string"}
    assert space["table"].num_rows == 4
    assert space["ds"].dataset("copy").count_rows() == 4
    assert set(space["frame"]["dt"]) == {date(2026, 11, 1)}
    assert sorted(space["rows"]) == [(date(2026, 10, 31), 2), (date(2026, 11, 1), 2)]
    assert sorted(space["per_day"]["len"]) == [2, 2]
    assert (space["first"].version, space["then"].version) == (1, 2)
    assert len(space["uris"]) == len(space["values"]) == 2
    found = space["notes"].to_table()["note"].to_pylist()
    assert found == ["first", None, 'a "b"\nc\\']
    assert space["raw"].partition_types["dt"] == "string"
    assert str(space["some"].arrow().schema.field("dt").type) == "timestamp[us, tz=UTC]"


@pytest.mark.usefixtures("tables")
def test_the_commands_run() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("repave ")]
    assert len(lines) == 3
    for line in lines:
        run = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
        assert run.exit_code == 0, run.output
        assert "part-00000-" in run.output


def test_the_versions_that_are_tested_are_those_of_the_extras() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    oldest = (ROOT / "scripts/readers-oldest.txt").read_text("utf-8")
    bounds = re.findall(r"\| `(\w+)` \| [^|]+ \| ([\d.]+)(?: \([^)]*\))?, [\d.]+ \|", PAGE)
    assert len(bounds) == 4
    for library, bound in bounds:
        name = "pyarrow" if library == "arrow" else library
        lowest = bound.removesuffix(".0")
        assert f'"{name}>={lowest},<' in project
        assert f"{name}=={lowest}.*" in oldest
