"""Finds the format of files by their names."""

from collections.abc import Iterable
from typing import Final

from repave._errors import UsageError
from repave._records import DataFile

DEFAULT_FORMAT: Final = "parquet"
FORMATS: Final = {
    "avro": "avro",
    "csv": "csv",
    "json": "json",
    "orc": "orc",
    "parquet": "parquet",
    "txt": "text",
    "xml": "xml",
}


FORMAT_ADVICE: Final = "pass format=, as spark.read.format calls it"


def format_of(files: Iterable[DataFile], table: str, advice: str = FORMAT_ADVICE) -> str:
    """Return the one format of files, as `spark.read.format` calls it.

    `advice` says what else the caller can do.

    >>> format_of([DataFile("", "part-0.c000.csv.gz", 1)], "s3a://lake/sales")
    'csv'

    Raises:
        UsageError: their names show no format, or several.
    """
    found = {_format(file.name) for file in files}
    if len(found) == 1 and None not in found:
        return str(found.pop())
    told = ", ".join(sorted(one or "unknown" for one in found)) or "no files"
    message = f"The names of the files of {table} do not show one format ({told}): {advice}."
    raise UsageError(message)


def _format(name: str) -> str | None:
    # From the end: the compression is before the format (snappy.parquet) or after it (csv.gz).
    words = reversed(name.lower().rpartition("/")[2].split(".")[-2:])
    return next((FORMATS[word] for word in words if word in FORMATS), None)
