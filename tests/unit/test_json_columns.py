"""Columns of JSON files, which have fewer types than Spark."""

from base64 import b64decode
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest

from repave._errors import UsageError
from unit.stored_files import StoredFiles

# As Spark writes a binary value, a date, a struct and an array.
ROW = (
    '{"b":"YWJj","d":"2026-11-21","ts":"2026-11-21T03:00:00.123Z",'
    '"s":{"x":"cQ=="},"a":["2026-11-21"]}\n'
)


@pytest.fixture
def version(tmp_path: Path) -> StoredFiles:
    def write(_: pa.Table, path: Path) -> None:
        path.write_text(ROW, "utf-8")

    return StoredFiles.of(tmp_path, {"day=2026-11-21": pa.table({})}, write)


@pytest.mark.parametrize("file_format", ["json", ds.JsonFileFormat()], ids=str)
@pytest.mark.parametrize(
    ("name", "kind", "told"),
    [
        ("b", pa.binary(), "binary"),
        ("b", pa.large_binary(), "large_binary"),
        ("d", pa.date32(), r"date32\[day\]"),
        ("d", pa.date64(), r"date64\[ms\]"),
        ("s", pa.struct([("y", pa.int64()), ("x", pa.binary())]), "binary"),
        ("a", pa.list_(pa.date32()), r"date32\[day\]"),
        ("a", pa.large_list(pa.struct([("x", pa.list_(pa.binary()))])), "binary"),
    ],
    ids=str,
)
def test_a_type_that_json_has_as_text_is_refused(
    version: StoredFiles,
    file_format: Any,  # noqa: ANN401 - pyarrow has no types
    name: str,
    kind: pa.DataType,
    told: str,
) -> None:
    """A reader would get the four bytes YWJj in place of the three that this base64 text means."""
    why = rf"column {name} of s3://lake/sales cannot be read as {told}: .* pa\.string\(\) in place"
    with pytest.raises(UsageError, match=why):
        version.dataset(file_format, pa.schema([(name, kind)]))


def test_text_of_json_can_be_converted_after_reading(version: StoredFiles) -> None:
    text = pa.string()
    schema = pa.schema([("b", text), ("d", text), ("s", pa.struct([("x", text)]))])
    # A partition column has the folder's value.
    schema = schema.append(pa.field("day", pa.date32())).append(
        pa.field("ts", pa.timestamp("us", "UTC"))
    )
    found = version.dataset("json", schema).to_table()
    assert [b64decode(one) for one in found["b"].to_pylist()] == [b"abc"]
    assert pc.cast(found["d"], pa.date32()).to_pylist() == found["day"].to_pylist()
    assert found["s"].to_pylist() == [{"x": "cQ=="}]
    assert found["ts"].to_pylist()[0].microsecond == 123_000
