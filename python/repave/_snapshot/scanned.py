"""Scans of files that Python opens."""

from typing import Any

import pyarrow as pa
from pyarrow import dataset as ds

# ruff: noqa: ANN401 - pyarrow has no types


class OpenedByPython(ds.FileSystemDataset):  # type: ignore[misc]  # pyarrow has no types
    """A dataset with files that a handler in Python opens.

    pyarrow's `Scanner.to_reader` holds the interpreter's lock while it waits for one of Arrow's
    threads. That thread may wait for the same lock to open a file, and then the process hangs.
    DuckDB reads datasets in this way.
    """

    @classmethod
    def of(cls, dataset: Any) -> "OpenedByPython":
        """Return a dataset with the same files."""
        fragments = list(dataset.get_fragments())
        return cls(fragments, dataset.schema, dataset.format, dataset.filesystem)

    def scanner(self, *args: Any, **options: Any) -> Any:
        """Return a scanner whose `to_reader` lets other threads open files."""
        return _Scanner(super().scanner(*args, **options))


class _Scanner:
    """A scanner of pyarrow; its constructor is not for others, so it cannot be extended."""

    def __init__(self, scanner: Any) -> None:
        self._scanner = scanner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scanner, name)

    def to_reader(self) -> Any:
        """Return the batches one by one; to wait for each releases the lock."""
        return pa.RecordBatchReader.from_batches(
            self._scanner.projected_schema, self._scanner.to_batches()
        )
