"""What the readers of a snapshot take."""

import io

import pytest

from repave._errors import UsageError
from repave._snapshot.arrow_access import Access
from unit.snapshot_table import MemoryTable

pa = pytest.importorskip("pyarrow")


@pytest.fixture
def table() -> MemoryTable:
    table = MemoryTable()
    table.commit("append", {"dt=1": ["a.parquet"]})
    return table


@pytest.mark.parametrize("schema", [{"id": "int"}, ["id"]], ids=str)
def test_a_schema_of_another_library_is_refused(table: MemoryTable, schema: object) -> None:
    with pytest.raises(UsageError, match=r"it takes a pyarrow\.Schema, such as"):
        table.open().arrow(schema=schema)


def test_no_filters_are_all_rows(table: MemoryTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """pandas.read_parquet takes an empty list so."""
    pytest.importorskip("pandas")
    from pyarrow import fs, parquet  # noqa: PLC0415 - pyarrow may be absent

    rows = io.BytesIO()
    parquet.write_table(pa.table({"id": [1, 2]}), rows)
    files = fs._MockFileSystem()  # keeps files in memory
    files.create_dir("lake/sales/dt=1")
    with files.open_output_stream("lake/sales/dt=1/a.parquet") as out:
        out.write(rows.getvalue())
    monkeypatch.setattr(Access, "filesystem", lambda *_: files)
    size = len(rows.getvalue())
    monkeypatch.setattr(
        "unit.snapshot_table._entries",
        lambda names: [{"name": one, "bytes": size} for one in names],
    )
    table.commit("dynamic", {"dt=1": ["a.parquet"]})
    assert table.open().pandas(filters=[])["id"].tolist() == [1, 2]
