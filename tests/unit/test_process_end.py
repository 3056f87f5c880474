"""A process whose last line reads a version ends as it should, whatever Arrow's threads do."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs, orc

from repave._snapshot import process_end
from repave._snapshot.orc_names import OrcNames
from repave._snapshot.respelled import TAIL_BYTES, Respelled
from unit.stored_files import StoredFiles

IDS = pa.schema([("id", pa.int64())])
SCRIPT = """
import sys
from pathlib import Path
import pyarrow as pa
from pyarrow import orc
from pyarrow import parquet as pq
from unit.stored_files import StoredFiles
write = orc.write_table if sys.argv[2] == "orc" else pq.write_table
rows = range(int(sys.argv[4]))
tables = {"day=1": pa.table({sys.argv[3]: rows}), "day=2": pa.table({"id": rows})}
version = StoredFiles.of(Path(sys.argv[1]), tables, write)
found = version.dataset(sys.argv[2]).to_table()
"""


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_end, "_lent", {})


@pytest.mark.parametrize(
    ("file_format", "column", "rows"),
    [
        ("parquet", "id", 2),
        ("parquet", "id", 50_000),
        ("parquet", "ID", 2),
        ("parquet", "ID", 50_000),
        ("orc", "id", 2),
    ],
)
def test_a_script_may_end_with_a_read(
    tmp_path: Path, file_format: str, column: str, rows: int
) -> None:
    line = [sys.executable, "-c", SCRIPT, str(tmp_path), file_format, column, str(rows)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("column", ["id", "ID"])
def test_a_small_parquet_file_is_in_memory_of_arrow(tmp_path: Path, column: str) -> None:
    """A thread that releases Python's memory needs the lock of an interpreter that may end."""
    path = tmp_path / "file"
    pq.write_table(pa.table({column: [1, 2]}), path)
    handler = Respelled(fs.LocalFileSystem())
    handler.schema = IDS
    assert_is_native(handler, path)


def test_a_small_orc_file_is_in_memory_of_arrow(tmp_path: Path) -> None:
    path = tmp_path / "file"
    orc.write_table(pa.table({"id": [1, 2]}), path)
    handler = OrcNames(fs.LocalFileSystem())
    handler.schema = IDS
    assert_is_native(handler, path)


def assert_is_native(handler: Respelled, path: Path) -> None:
    size = path.stat().st_size
    gc.collect()
    before = pa.total_allocated_bytes()
    opened = handler.open_input_file(str(path))
    assert pa.total_allocated_bytes() >= before + size
    assert isinstance(opened, pa.BufferReader)


def test_the_end_waits_for_what_arrow_has_of_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    pq.write_table(pa.table({"ID": range(50_000)}), path)
    assert path.stat().st_size > TAIL_BYTES
    handler = Respelled(fs.LocalFileSystem())
    handler.schema = IDS
    opened = handler.open_input_file(str(path))
    assert len(process_end._lent) == 1
    assert pq.read_table(opened).num_rows == 50_000
    assert process_end._lent
    del opened
    process_end.wait_for_arrow()
    assert not process_end._lent


def test_the_last_file_systems_outlive_their_datasets(tmp_path: Path) -> None:
    version = StoredFiles.of(tmp_path, {"day=1": pa.table({"id": [1]})}, pq.write_table)
    version.dataset("parquet")
    assert isinstance(process_end._kept[-1].handler, Respelled)
    for _ in range(2 * process_end.KEPT):
        version.dataset("parquet")
    assert len(process_end._kept) == process_end.KEPT, "a long process keeps no more"
