"""One version of a table, and how each library reads it."""

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from repave._location import Location
from repave._records import DataFile
from repave._snapshot.arrow_access import Access
from repave._snapshot.arrow_dataset import dataset_of
from repave._snapshot.duckdb_rows import refuse_floats, refuse_old
from repave._snapshot.extras import library
from repave._snapshot.folders import OUTSIDE
from repave._snapshot.garbage import RARE_COLLECTIONS
from repave._snapshot.pandas_filters import expression_of
from repave._snapshot.partitions import Partitions, Typing
from repave._snapshot.polars_scan import scan

# ruff: noqa: ANN401 - the libraries' own types are theirs; Repave does not need them

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Snapshot:
    """One version of a table. What it names does not change when the table does.

    Every library reads through `arrow()`, so all of them see the same rows in the same types.
    """

    table: str
    version: int
    files: tuple[DataFile, ...] = field(repr=False)
    newest: DataFile | None = field(repr=False)
    typing: Typing = field(repr=False)
    access: Access = field(repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds; what follows from it is computed again."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def uris(self) -> list[str]:
        """Return the files' URIs; the keys are as they are, with nothing escaped."""
        return [f"s3://{self.key(file)}" for file in self.files]

    @property
    def partition_types(self) -> dict[str, str]:
        """The partition columns and their types, as Spark SQL calls them."""
        return {column: str(kind) for column, kind in self.partitions().columns.items()}

    def partition_values(self, file: DataFile) -> dict[str, Any]:
        """Return the values of a file's partition columns."""
        known = self.partitions()
        return dict(zip(known.columns, known.values[file.partition], strict=True))

    def arrow(self, *, schema: Any = None, format: Any = None) -> Any:  # noqa: A002 - Spark's
        """Return a `pyarrow.dataset.Dataset`; a filter on partition columns skips files.

        In `isin` on floating-point columns name both 0.0 and -0.0: for pyarrow they are two values.
        Write a copy from a reader, `write_dataset(dataset.scanner().to_reader(), …)`:
        `write_dataset` itself refuses a dataset with files that Repave opens.

        Args:
            schema: the files' columns, a `pyarrow.Schema`; by default those of the newest
                file, which JSON does not have. Columns that a file lacks are null in its rows. The
                partition columns are added.
            format: "parquet", "orc" or "json", or a `pyarrow.dataset.FileFormat`, which CSV needs;
                by default what the files' names say.
        """
        return self._arrow("arrow", schema, format)

    def duckdb(self, connection: Any = None, *, schema: Any = None, format: Any = None) -> Any:  # noqa: A002
        """Return a relation of DuckDB, of its default connection if there is none.

        Filters and the choice of columns reach pyarrow, which skips files by them.

        Raises:
            UsageError: DuckDB is older than 1.2, or than 2.0 if there is a floating-point column.
        """
        known = library("duckdb", "duckdb")
        refuse_old(known.__version__)
        dataset = self._arrow("duckdb", schema, format)
        refuse_floats(dataset.schema, known.__version__, self.table)
        return (connection or known.default_connection()).from_arrow(dataset)

    def polars(self, *, schema: Any = None, format: Any = None) -> "pl.LazyFrame":  # noqa: A002
        """Return a lazy frame of Polars.

        The choice of columns reaches pyarrow. Files are skipped by filters on partition columns,
        parts of files by comparisons with a value.
        """
        library("polars", "polars")
        frame: pl.LazyFrame = scan(self._arrow("polars", schema, format), self)
        return frame

    def pandas(
        self,
        *,
        columns: list[str] | None = None,
        filters: Any = None,
        schema: Any = None,
        format: Any = None,  # noqa: A002
    ) -> Any:
        """Return a `pandas.DataFrame` of all rows, or of those that pass a filter.

        Args:
            columns: all by default.
            filters: as `pandas.read_parquet` takes them, `[("dt", ">=", date(2026, 11, 1))]`, or
                an expression of pyarrow.
            schema: see `arrow`.
            format: see `arrow`.
        """
        library("pandas", "pandas")
        dataset = self._arrow("pandas", schema, format)
        if isinstance(filters, list):
            filters = expression_of(filters, dataset.schema) if filters else None
        return dataset.to_table(columns=columns, filter=filters).to_pandas()

    def key(self, file: DataFile) -> str:
        """Return a file's bucket and key, with a slash between them."""
        if file.partition.startswith(OUTSIDE):
            return file.path.removeprefix(OUTSIDE)
        return f"{self.folder}{file.path}"

    def partitions(self) -> Partitions:
        """Return the partition columns, and the values of each partition's folder."""
        return self._partitions

    @cached_property
    def folder(self) -> str:
        """The table's bucket and key, with a slash after them."""
        location = Location.of(self.table)
        return f"{location.bucket}/{location.prefix}"

    @cached_property
    def _partitions(self) -> Partitions:
        folders = list(dict.fromkeys(file.partition for file in self.files))
        return self.typing.partitions(folders, self.table)

    def _arrow(self, extra: str, schema: Any, file_format: Any) -> Any:
        with RARE_COLLECTIONS.during():
            return dataset_of(self, self.access.filesystem(extra), file_format, schema, extra)
