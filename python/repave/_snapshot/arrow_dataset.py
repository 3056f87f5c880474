"""A version as a dataset of pyarrow, from which the other libraries read too."""

from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import and_
from typing import Any, Protocol

from repave._errors import UsageError
from repave._formats import format_of
from repave._records import DataFile
from repave._snapshot.arrow_formats import arrow_format
from repave._snapshot.extras import library
from repave._snapshot.inference import PartitionType
from repave._snapshot.partitions import Partitions

# ruff: noqa: ANN401 - pyarrow has no types


class Version(Protocol):
    """A version of a table, as a dataset needs it."""

    @property
    def table(self) -> str:
        """The table's URI."""

    @property
    def files(self) -> tuple[DataFile, ...]:
        """All of its files."""

    @property
    def newest(self) -> DataFile | None:
        """One that its newest commit added."""

    def key(self, file: DataFile) -> str:
        """Return a file's bucket and key."""

    def partitions(self) -> Partitions:
        """Return the partition columns and their values."""


def dataset_of(version: Version, filesystem: Any, file_format: Any, schema: Any, extra: str) -> Any:
    """Return a dataset whose files are those of a version.

    No folder is listed and no size is requested: the records have them. The columns are read
    from the newest file, unless there is a `schema`.
    """
    ds = library("pyarrow.dataset", extra)
    newest = version.newest
    if newest is None:
        if schema is None:
            message = f"{version.table} has no files, so its columns are not known: pass schema=."
            raise UsageError(message)
        return ds.dataset([], schema=schema)
    if file_format is None or isinstance(file_format, str):
        name = file_format or format_of(version.files, version.table)
        file_format = arrow_format(name, schema, version.table, extra)

    def fragment(file: DataFile, **guarantee: Any) -> Any:
        return file_format.make_fragment(
            version.key(file), filesystem, file_size=file.bytes, **guarantee
        )

    with ThreadPoolExecutor(1, "repave-schema") as pool:
        # The store answers while partitions and fragments are made.
        asked = pool.submit(lambda: fragment(newest).physical_schema if schema is None else schema)
        partitions = version.partitions()
        guarantees = _guarantees(partitions, extra)
        fragments = [
            fragment(file, partition_expression=guarantees[file.partition])
            for file in version.files
        ]
        columns = _schema(asked.result(), partitions, extra)
    return ds.FileSystemDataset(fragments, columns, file_format, filesystem)


def _schema(physical: Any, partitions: Partitions, extra: str) -> Any:
    """Return the files' columns, then the partition columns, which win where both have one."""
    pa = library("pyarrow", extra)
    fields = [field for field in physical if field.name not in partitions.columns]
    fields += [
        pa.field(column, arrow_type(kind, extra)) for column, kind in partitions.columns.items()
    ]
    return pa.schema(fields)


def _guarantees(partitions: Partitions, extra: str) -> dict[str, Any]:
    """Return for each folder what holds for all of its rows; pyarrow fills the columns from it."""
    pa = library("pyarrow", extra)
    pc = library("pyarrow.compute", extra)
    if not partitions.columns:
        return dict.fromkeys(partitions.values, pc.scalar(True))
    # One array for each column: pyarrow converts values one by one five times as slowly.
    columns = zip(*partitions.values.values(), strict=True)
    guaranteed = []
    for (column, kind), values in zip(partitions.columns.items(), columns, strict=True):
        field = pc.field(column)
        guaranteed.append(
            [
                field == one if one.is_valid else field.is_null()
                for one in pa.array(values, arrow_type(kind, extra))
            ]
        )
    wholes = (reduce(and_, one) for one in zip(*guaranteed, strict=True))
    return dict(zip(partitions.values, wholes, strict=True))


def arrow_type(kind: PartitionType, extra: str) -> Any:
    """Return pyarrow's type for one of Spark's."""
    pa = library("pyarrow", extra)
    if kind.name == "decimal":
        return pa.decimal128(kind.precision, kind.scale)
    return {
        "string": pa.string(),
        "tinyint": pa.int8(),
        "smallint": pa.int16(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us", "UTC"),
        "boolean": pa.bool_(),
    }[kind.name]
