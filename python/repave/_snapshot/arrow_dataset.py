"""A version as a dataset of pyarrow, from which the other libraries read too."""

from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, Protocol

from repave._errors import UsageError
from repave._formats import format_of
from repave._hidden import is_read
from repave._records import DataFile
from repave._snapshot.arrow_formats import (
    arrow_format,
    has_rows,
    orc_format,
    refuse_codecs,
    refuse_text_in_json,
    refuse_variants,
)
from repave._snapshot.column_kinds import refuse_recorded_columns
from repave._snapshot.extras import library
from repave._snapshot.inference import PartitionType
from repave._snapshot.partitions import Partitions
from repave._snapshot.spelling import Names

# ruff: noqa: ANN401 - pyarrow has no types

if TYPE_CHECKING:
    from repave._snapshot.respelled import Respelled


class Version(Protocol):
    """A version of a table, as a dataset needs it."""

    @property
    def table(self) -> str:
        """The table's URI."""

    @property
    def folder(self) -> str:
        """The table's bucket and key, with a slash after them."""

    @property
    def files(self) -> tuple[DataFile, ...]:
        """All of its files."""

    @property
    def newest(self) -> DataFile | None:
        """One that its newest commit added; None if there are no files, or if it is unknown."""

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
    texts = (ds.CsvFileFormat, ds.JsonFileFormat)
    shown = [it for it in version.files if is_read(it.name, it.bytes)]
    newest = version.newest
    if schema is not None and not isinstance(schema, library("pyarrow", extra).Schema):
        message = (
            f"schema={schema!r} is not possible: it takes a pyarrow.Schema, such as "
            'pyarrow.schema([("id", pyarrow.int64())]).'
        )
        raise UsageError(message)
    if newest is None and schema is None:
        raise _no_columns(version, shown)
    if not version.files:
        return ds.dataset([], schema=schema)
    if file_format is None or isinstance(file_format, str):
        name = file_format or format_of(shown or version.files, version.table)
        file_format = arrow_format(name, schema, version.table, extra)

    recorded = None if newest is None else newest.schema
    if schema is None:
        refuse_variants(recorded, version.table)
    files = _Files(version, file_format, filesystem, Names.of(schema, recorded), extra)
    if isinstance(file_format, texts):
        refuse_codecs((it.name for it in shown), version.table)
        shown = [it for it in shown if has_rows(it.name, it.bytes)]
    with ThreadPoolExecutor(1, "repave-schema") as pool:
        # The store answers while partitions and fragments are made.
        asked = pool.submit(files.columns_of, newest, schema)
        partitions = version.partitions()
        own, columns = _schemas(() if schema is None else schema, partitions, extra)
        found = files.dataset(shown, partitions, columns)
        if schema is None:
            own, columns = _schemas(_nullable(asked.result(), extra), partitions, extra)
            found = found.replace_schema(columns)
    if isinstance(file_format, ds.JsonFileFormat):
        refuse_text_in_json(own, version.table)
    refuse_recorded_columns(own, shown, version.key)
    if files.respelled is not None:
        files.respelled.schema = own
    return files.scanned(found)


def _no_columns(version: Version, shown: list[DataFile]) -> UsageError:
    if not shown:
        message = (
            f"{version.table} has no files with rows, so its columns are not known: pass schema=."
        )
    else:
        message = (
            f"The history of {version.table} does not tell which of its files is the newest, so "
            "its columns are not known: pass schema=, such as the columns of one file by "
            "pyarrow.parquet.read_schema."
        )
    return UsageError(message)


class _Files:
    """Makes a fragment of each file of a version."""

    def __init__(
        self, version: Version, file_format: Any, filesystem: Any, names: Names, extra: str
    ) -> None:
        self._version = version
        self._format = file_format
        self._filesystem = filesystem
        self._names = names
        self._extra = extra
        self.respelled: Respelled | None = None
        self._by_python = False
        of_orc = orc_format(extra)
        if isinstance(file_format, library("pyarrow.dataset", extra).ParquetFileFormat):
            from repave._snapshot import respelled  # noqa: PLC0415 - pyarrow may be absent

            self.respelled = respelled.Respelled(filesystem)
        elif of_orc is not None and isinstance(file_format, of_orc):
            from repave._snapshot import orc_names  # noqa: PLC0415 - pyarrow may be absent

            self.respelled = orc_names.OrcNames(filesystem)
        if self.respelled is not None:
            from repave._snapshot.process_end import lasting_filesystem  # noqa: PLC0415

            self._respelling = lasting_filesystem(self.respelled)

    def columns_of(self, file: DataFile | None, schema: Any) -> Any:
        """Return a file's columns, unless they are chosen."""
        if file is None or schema is not None:
            return schema
        key = self._version.key(file)
        one = self._format.make_fragment(key, self._filesystem, file_size=file.bytes)
        return one.physical_schema

    def dataset(self, files: list[DataFile], partitions: Partitions, schema: Any) -> Any:
        """Return a dataset of these files."""
        ds = library("pyarrow.dataset", self._extra)
        keys = list(map(self._version.key, files))
        opened_by = list(map(self._opened_by, files))
        by_python = library("pyarrow.fs", self._extra).PyFileSystem
        self._by_python = any(isinstance(it, by_python) for it in opened_by)
        inside_others = "/" in "".join(it.name for it in files)
        if partitions.are_plain and not inside_others and len(set(map(id, opened_by))) == 1:
            return self._read_off_paths(keys, files, partitions, schema, opened_by[0])
        guarantees = _guarantees(partitions, self._extra)
        fragments = [
            self._format.make_fragment(
                key,
                filesystem,
                file_size=file.bytes,
                partition_expression=guarantees[file.partition],
            )
            for key, file, filesystem in zip(keys, files, opened_by, strict=True)
        ]
        return ds.FileSystemDataset(fragments, schema, self._format, self._filesystem)

    def scanned(self, dataset: Any) -> Any:
        """Return the dataset as libraries can scan it."""
        if not self._by_python:
            return dataset
        from repave._snapshot.scanned import OpenedByPython  # noqa: PLC0415 - pyarrow may be absent

        return OpenedByPython.of(dataset)

    def _opened_by(self, file: DataFile) -> Any:
        """Return what opens a file by the table's names if it may have others."""
        if self.respelled is None or not self._names.may_differ(file.schema):
            return self._filesystem
        return self._respelling

    def _read_off_paths(
        self,
        keys: list[str],
        files: list[DataFile],
        partitions: Partitions,
        schema: Any,
        filesystem: Any,
    ) -> Any:
        """Let pyarrow read the values off the folders' names, three times as fast as Python."""
        ds = library("pyarrow.dataset", self._extra)
        fs = library("pyarrow.fs", self._extra)
        kind = fs.FileType.File
        infos = [
            fs.FileInfo(key, kind, size=file.bytes) for key, file in zip(keys, files, strict=True)
        ]
        _, columns = _schemas((), partitions, self._extra)
        options = ds.FileSystemFactoryOptions(
            partition_base_dir=self._version.folder,
            partitioning=ds.HivePartitioning(columns, segment_encoding="none"),
        )
        return ds.FileSystemDatasetFactory(filesystem, infos, self._format, options).finish(schema)


def _schemas(physical: Any, partitions: Partitions, extra: str) -> tuple[Any, Any]:
    """Return the files' columns alone, and with the partition columns after them.

    Where both have a column, in whatever spelling, the partition column wins.
    """
    pa = library("pyarrow", extra)
    taken = {column.lower() for column in partitions.columns}
    own = [field for field in physical if field.name.lower() not in taken]
    fields = [
        pa.field(column, arrow_type(kind, extra)) for column, kind in partitions.columns.items()
    ]
    return pa.schema(own), pa.schema(own + fields)


def _nullable(schema: Any, extra: str) -> Any:
    """Return columns that may be null at every depth, as Spark reads them.

    A file may say of a column that it has no nulls, and older files may lack that column.
    """
    pa = library("pyarrow", extra)

    def field(one: Any) -> Any:
        return pa.field(one.name, kind(one.type), nullable=True, metadata=one.metadata)

    def kind(of: Any) -> Any:
        types = pa.types
        if types.is_struct(of):
            return pa.struct([field(of.field(at)) for at in range(of.num_fields)])
        if types.is_large_list(of):
            return pa.large_list(field(of.value_field))
        if types.is_list(of):
            return pa.list_(field(of.value_field))
        if types.is_map(of):
            return pa.map_(of.key_field, field(of.item_field), keys_sorted=of.keys_sorted)
        return of

    return pa.schema([field(one) for one in schema], metadata=schema.metadata)


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
