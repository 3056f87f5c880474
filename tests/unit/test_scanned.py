"""Libraries scan files that Python opens without a deadlock."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import dataset as ds

from repave._snapshot.scanned import OpenedByPython
from unit.stored_files import StoredFiles

SECONDS = 120
# The lock was met within 40 queries in each of 15 runs.
SCRIPT = """
import sys
from pathlib import Path
import pyarrow as pa
from pyarrow import dataset as ds
from pyarrow import parquet as pq
from unit.stored_files import StoredFiles
tables = {
    f"day={day}": pa.table({"id": range(day * 1000, day * 1000 + 1000)}) for day in range(8)
}
dataset = StoredFiles.of(Path(sys.argv[1]), tables, pq.write_table).dataset("parquet")
if sys.argv[2] == "duckdb":
    import duckdb
    rows = duckdb.from_arrow(dataset)
    for _ in range(100):
        found = rows.filter("id = 1005 OR id = 5005").project("id").order("id").fetchall()
        assert found == [(1005,), (5005,)], found
else:
    for _ in range(100):
        chosen = ds.field("id").isin([1005, 5005])
        found = dataset.scanner(columns=["id"], filter=chosen).to_reader().read_all()
        assert sorted(found.column("id").to_pylist()) == [1005, 5005], found
"""


@pytest.mark.parametrize("library", ["duckdb", "pyarrow"])
def test_a_reader_of_files_without_a_recorded_schema_ends(tmp_path: Path, library: str) -> None:
    line = [sys.executable, "-c", SCRIPT, str(tmp_path), library]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        line, capture_output=True, text=True, check=False, env=environment, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr


def test_everything_else_of_a_dataset_is_as_before(tmp_path: Path) -> None:
    tables = {f"day={day}": pa.table({"id": [day, day + 10]}) for day in (1, 2)}
    found = StoredFiles.of(tmp_path, tables, pq.write_table).dataset("parquet")
    assert isinstance(found, OpenedByPython)
    chosen = ds.field("day") == 2
    assert found.to_table(filter=chosen).to_pydict() == {"id": [2, 12], "day": [2, 2]}
    assert found.count_rows() == 4
    assert found.head(1).num_rows == 1
    assert [it.num_rows for it in found.filter(chosen).to_batches()] == [2]
    scanner = found.scanner(columns=["id"])
    assert scanner.projected_schema == pa.schema([("id", pa.int64())])
    assert scanner.to_reader().read_all().num_rows == scanner.to_table().num_rows
    assert len(list(found.get_fragments(filter=chosen))) == 1


@pytest.mark.parametrize("recorded", [(1, 2), (2,)])
def test_a_version_is_written_from_its_reader(tmp_path: Path, recorded: tuple[int, ...]) -> None:
    """`write_dataset` takes the scanner of pyarrow alone, which not every version has."""
    columns = '{"type":"struct","fields":[{"name":"id","type":"long"}]}'
    tables = {f"day={day}": pa.table({"id": [day, day + 10]}) for day in (1, 2)}
    schemas = {f"day={day}": columns for day in recorded}
    found = StoredFiles.of(tmp_path, tables, pq.write_table, schemas).dataset("parquet")
    assert isinstance(found, OpenedByPython) == (len(recorded) < len(tables))
    ds.write_dataset(found.scanner().to_reader(), tmp_path / "copy", format="parquet")
    copy = ds.dataset(tmp_path / "copy").to_table().sort_by("id")
    assert copy.to_pydict() == {"id": [1, 2, 11, 12], "day": [1, 2, 1, 2]}
