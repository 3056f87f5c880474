"""Files on a local disk as a version of a table, which pyarrow and Polars read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs

from repave._records import DataFile
from repave._snapshot.arrow_dataset import dataset_of
from repave._snapshot.partitions import Partitions, Typing

# ruff: noqa: ANN401 - pyarrow has no types

Write = Callable[[pa.Table, Path], None]


@dataclass(frozen=True)
class StoredFiles:
    """A version; its newest file is the last one."""

    folder: str
    files: tuple[DataFile, ...]
    table: str = "s3://lake/sales"

    @classmethod
    def of(
        cls,
        folder: Path,
        rows: Mapping[str, pa.Table],
        write: Write,
        recorded: Mapping[str, str] | None = None,
    ) -> "StoredFiles":
        """Write a file for each partition.

        Args:
            folder: of the table.
            rows: by partition.
            write: writes rows to a path.
            recorded: the JSON texts of the files' columns, by partition.
        """
        files = []
        for partition, table in rows.items():
            path = folder / partition / "file"
            path.parent.mkdir()
            write(table, path)
            schema = (recorded or {}).get(partition)
            files.append(DataFile(partition, "file", path.stat().st_size, schema=schema))
        return cls(f"{folder}/", tuple(files))

    @property
    def newest(self) -> DataFile:
        return self.files[-1]

    def key(self, file: DataFile) -> str:
        return f"{self.folder}{file.path}"

    def partitions(self) -> Partitions:
        folders = [file.partition for file in self.files]
        return Typing.of(None, None, "UTC").partitions(folders, self.table)

    def dataset(self, file_format: Any, schema: Any = None) -> Any:
        return dataset_of(self, fs.LocalFileSystem(), file_format, schema, "arrow")
