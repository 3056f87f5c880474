"""The formats that pyarrow reads."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from repave._errors import UsageError
from repave._snapshot.extras import library

# ruff: noqa: ANN401 - pyarrow has no types

# As a recorded schema has it.
VARIANT: Final = re.compile(r'"(?:type|elementType|valueType)":"variant"')

# The largest text files without rows, by the last part of their names. The compressed formats are
# those that Spark writes and pyarrow reads.
EMPTY_BYTES: Final = {"gz": 20, "bz2": 14}

# Spark's other codecs of text. pyarrow takes two of them for plain text, and counts wrong lines.
OTHER_CODECS: Final = {"deflate": "deflate", "snappy": "snappy", "zst": "zstd"}

# How the names of types begin that Spark writes to JSON as text and pyarrow does not convert.
TEXT_IN_JSON: Final = ("date", "binary", "large_binary", "fixed_size_binary")


def has_rows(name: str, size: int) -> bool:
    """Return whether a text file may have rows, by its name and its size in bytes.

    Spark writes a file for a task without rows, and pyarrow refuses such a file.

    >>> has_rows("a.json", 0), has_rows("a.json.gz", 20), has_rows("a.json.gz", 21)
    (False, False, True)
    """
    return size > EMPTY_BYTES.get(name.rpartition(".")[2], 0)


def arrow_format(name: str, schema: Any, table: str, extra: str) -> Any:
    """Return pyarrow's format.

    Args:
        name: as `spark.read.format` calls it.
        schema: the files' columns, None if they are to be read from a file.
        table: whose files these are.
        extra: what installs pyarrow.

    Raises:
        UsageError: pyarrow does not read it, or needs more arguments.
    """
    dataset = library("pyarrow.dataset", extra)
    if name == "parquet":
        # By default timestamps of the type INT96 become nanoseconds, and 9999-12-31 becomes 1816.
        return dataset.ParquetFileFormat(coerce_int96_timestamp_unit="us")
    if name == "orc":
        return _required_orc(table, extra)()
    if name == "json" and schema is not None:
        return dataset.JsonFileFormat()
    message = (
        f"pyarrow does not read files in the format {name}, only parquet, orc, csv and json: read "
        "the files that snapshot.uris() names with another library, or the table with Spark."
    )
    if name == "json":
        # A file omits columns that are null in all of its rows.
        message = (
            f"The columns of JSON files such as those of {table} are known only when all of them "
            "have been read: pass schema=, a pyarrow.Schema with the files' columns."
        )
    if name == "csv":
        message = (
            f"CSV files such as those of {table} do not show whether they have a header and how "
            "they quote: pass format=, a pyarrow.dataset.CsvFileFormat, and schema=."
        )
    raise UsageError(message)


def orc_format(extra: str) -> Any:
    """Return pyarrow's class for ORC files, None if this pyarrow was built without it."""
    try:
        return library("pyarrow.dataset", extra).OrcFileFormat
    except (AttributeError, ImportError):
        return None


def _required_orc(table: str, extra: str) -> Any:
    found = orc_format(extra)
    if found is None:
        message = (
            f"The installed pyarrow has no support for ORC, so it cannot read {table}: install one "
            "that has, such as PyPI's, or read the table with Spark."
        )
        raise UsageError(message)
    return found


def refuse_codecs(names: Iterable[str], table: str) -> None:
    """Refuse text files that pyarrow does not decompress.

    Raises:
        UsageError: the name of a file shows such a codec.
    """
    for name in names:
        codec = OTHER_CODECS.get(name.rpartition(".")[2])
        if codec is not None:
            message = (
                f"pyarrow does not read text files that are compressed with {codec}, such as "
                f"{name} of {table}: read the table with Spark, or write it with gzip or bzip2."
            )
            raise UsageError(message)


def refuse_text_in_json(schema: Any, table: str) -> None:
    """Refuse columns of JSON files whose values pyarrow would not read as Spark wrote them.

    pyarrow reads binary values as their text in base64, without an error, and no dates.

    Raises:
        UsageError: a column, or a part of it, has such a type.
    """
    for field in schema:
        for kind in map(str, _types_in(field.type)):
            if kind.startswith(TEXT_IN_JSON):
                message = (
                    f"The column {field.name} of {table} cannot be read as {kind}: in JSON files "
                    "Spark writes dates as text, and binary values as text in base64. Pass schema= "
                    f"with pa.string() in place of {kind} and convert after reading, or read the "
                    "table with Spark."
                )
                raise UsageError(message)


def _types_in(kind: Any) -> Iterator[Any]:
    """Yield a type, and those inside its structs and lists; in JSON pyarrow reads no maps."""
    yield kind
    if hasattr(kind, "value_type"):
        yield from _types_in(kind.value_type)
    elif str(kind).startswith("struct"):
        for at in range(kind.num_fields):
            yield from _types_in(kind.field(at).type)


def refuse_variants(recorded: str | None, table: str) -> None:
    """Refuse a table with a column of Spark's type variant, as its newest file's columns show.

    Each file stores such values in columns of its own choice, so those of others would be lost.

    Raises:
        UsageError: there is such a column.
    """
    if recorded is not None and VARIANT.search(recorded):
        message = (
            f"{table} has a column of the type variant, which is stored differently in each file: "
            "pass schema=, a pyarrow.Schema with the other columns, or read the table with Spark."
        )
        raise UsageError(message)
