"""Columns of ORC files that old versions of Hive named by their place."""

from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import csv, orc

from repave._errors import UsageError
from unit.stored_files import StoredFiles

OF_HIVE = pa.table({"_col0": [1, 2], "_col1": ["x", "y"]})
NAMED = pa.table({"id": [3], "name": ["z"]})


def test_columns_that_are_named_by_their_place_are_refused(tmp_path: Path) -> None:
    """Their rows would be null in pyarrow; Spark matches them by their place."""
    version = StoredFiles.of(tmp_path, {"day=1": OF_HIVE, "day=2": NAMED}, orc.write_table)
    dataset = version.dataset("orc")
    with pytest.raises(UsageError, match=r"named by their place, such as '_col0', and .* has 'id'"):
        dataset.to_table()
    assert dataset.to_table(filter=ds.field("day") == 2).num_rows == 1


def test_a_table_whose_columns_are_all_named_by_their_place_is_read(tmp_path: Path) -> None:
    """A file may also have no columns, and a schema may leave some out."""
    none = pa.table({"_col0": pa.array([], pa.int64())}).select([])
    rows = {"day=0": none, "day=1": OF_HIVE, "day=2": OF_HIVE}
    version = StoredFiles.of(tmp_path, rows, orc.write_table)
    assert version.dataset("orc").to_table()["_col1"].to_pylist() == ["x", "y"] * 2
    schema = pa.schema([("_col1", pa.string())])
    assert version.dataset("orc", schema).to_table()["_col1"].to_pylist() == ["x", "y"] * 2


def test_a_name_that_only_begins_like_a_place_does_not_matter(tmp_path: Path) -> None:
    some = pa.table({"_col0": [1], "id": [2]})
    version = StoredFiles.of(tmp_path, {"day=1": some, "day=2": NAMED}, orc.write_table)
    assert sorted(version.dataset("orc").to_table()["id"].to_pylist()) == [2, 3]


@pytest.fixture
def _no_orc(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pyarrow that was built without ORC raises an ImportError for the name."""
    monkeypatch.delattr(ds, "OrcFileFormat")
    monkeypatch.setattr(ds, "_orc_available", False)


@pytest.mark.usefixtures("_no_orc")
def test_a_pyarrow_without_orc_says_so(tmp_path: Path) -> None:
    version = StoredFiles.of(tmp_path, {"day=1": NAMED}, orc.write_table)
    with pytest.raises(UsageError, match=r"pyarrow has no support for ORC.*install one"):
        version.dataset("orc")


@pytest.mark.usefixtures("_no_orc")
def test_a_pyarrow_without_orc_reads_other_formats(tmp_path: Path) -> None:
    version = StoredFiles.of(tmp_path, {"day=1": NAMED}, csv.write_csv)
    assert version.dataset(ds.CsvFileFormat()).to_table().num_rows == 1
