"""Replaces the data of a table in the catalog without dropping the table."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from repave._catalog_sql import create_statement, quoted, verbatim
from repave._columns import column_changes, nullable
from repave._conf import PROTOCOL, PROTOCOL_KEY
from repave._errors import UsageError
from repave._jvm import Jvm
from repave._location import SCHEMES
from repave._save_errors import (
    FILES,
    Entry,
    asks_for_dynamic_mode,
    columns_cannot_be_added,
    columns_differ,
    not_committed,
    not_files,
    option_of_dynamic_mode,
    place_of,
    reads_itself,
    stores_dynamic_mode,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

SESSION_CATALOG: Final = "spark_catalog"
# What Spark's ALTER TABLE ADD COLUMNS accepts.
EVOLVING: Final = ("csv", "json", "orc", "parquet")
OVERWRITE_MODE: Final = "spark.sql.sources.partitionOverwriteMode"
READS_ITSELF: Final = ("UNSUPPORTED_OVERWRITE", "also being read from")


def save_as_table(
    df: "DataFrame",
    name: str,
    *,
    format: str | None = None,  # noqa: A002 - Spark's own word
    partition_by: Sequence[str] | None = None,
    path: str | None = None,
    options: Mapping[str, str] | None = None,
) -> None:
    """Replace all rows of a table in the catalog; create the table if there is none.

    `df.write.mode("overwrite").saveAsTable(name)` drops an existing table and creates another one:
    its location, properties and grants are lost, and its rows are missing until the write has
    ended. This call keeps the table. Its old rows stay readable until the commit, and stay if the
    job fails.

        repave.save_as_table(df, "lake.sales", partition_by=["day"], path="s3a://lake/sales")

    Columns are found by name. Columns that the table does not have yet are added to it before the
    write, and stay if the write fails. An empty DataFrame empties the table. If the write to a new
    table fails, the empty table stays, and the next call fills it.

    Args:
        df: the new rows.
        name: the table's name, as SQL writes it.
        format: the files' format; by default the table's, for a new table Spark's default.
        partition_by: the partition columns; by default the table's, for a new table none.
        path: the folder; by default the table's, for a new table the catalog's choice.
        options: the files' options of a new table, such as `{"compression": "zstd"}`.

    Raises:
        UsageError: the name is a view or another kind of table, or the arguments or the columns do
            not fit the existing table, or the catalog stores with it that an overwrite replaces
            single partitions (`partitionOverwriteMode=dynamic`), or Repave does not commit its
            folder. No row was written.
    """
    mode = option_of_dynamic_mode(options or {})
    if mode is not None:
        raise asks_for_dynamic_mode(name, mode)
    target = _Target(df.sparkSession, name)
    target.require_rows(df)
    entry = target.entry()
    if entry is None:
        target.create(df, format, list(partition_by or ()), path, options or {})
        # Another session may have created the table meanwhile.
        entry = target.entry()
    if entry is None:
        message = f"{name} was dropped while it was being written. Nothing was written. Try again."
        raise UsageError(message)
    target.require(entry, format, partition_by, path)
    target.require_committed(entry.location)
    target.replace(df, entry)


class _Target:
    def __init__(self, spark: "SparkSession", name: str) -> None:
        self._spark = spark
        self._jvm = Jvm(spark)
        self._name = name
        self._identifier = self._parsed()
        database = self._identifier.database()
        known = str(
            database.get() if database.isDefined() else self._catalog().getCurrentDatabase()
        )
        parts = (SESSION_CATALOG, known, str(self._identifier.table()))
        # A name with its database never means a temporary view.
        self._sql_name = ".".join(map(quoted, parts))

    def require_rows(self, df: "DataFrame") -> None:
        """Refuse a DataFrame that no table can hold."""
        from pyspark.sql.types import UserDefinedType  # noqa: PLC0415 - pyspark is optional

        if df.isStreaming:
            message = "The DataFrame is a stream: call this from foreachBatch, for each batch."
            raise UsageError(message)
        seen = Counter(self._key(field.name) for field in df.schema)
        twice = [column for column, times in seen.items() if times > 1]
        if twice:
            message = (
                f"The DataFrame has more than one column {', '.join(twice)}, and columns are found "
                "by name. Nothing was written."
            )
            raise UsageError(message)
        void = [field.name for field in df.schema if field.dataType.typeName() == "void"]
        own = [field.name for field in df.schema if isinstance(field.dataType, UserDefinedType)]
        if own:
            message = (
                f"The DataFrame's column {', '.join(own)} has a type of a library, which a table's "
                "columns cannot name. Nothing was written. Convert it, as in "
                "pyspark.ml.functions.vector_to_array."
            )
            raise UsageError(message)
        if void:
            message = (
                f"The DataFrame's column {', '.join(void)} has no type. Nothing was written. Cast "
                'it, as in lit(None).cast("string").'
            )
            raise UsageError(message)

    def entry(self) -> Entry | None:
        """Return what the catalog knows of the table, None if there is no table."""
        if self._catalog().isTempView(self._identifier):
            message = (
                f"{self._name} is a temporary view, which hides a table of that name. Nothing was "
                "written. Drop the view, or take another name."
            )
            raise UsageError(message)
        if not self._catalog().tableExists(self._identifier):
            return None
        found = self._catalog().getTableMetadata(self._identifier)
        if found.tableType().name() == "VIEW":
            message = (
                f"{self._name} is a view, so it has no rows of its own. Nothing was written. Name "
                "the table whose rows are to be replaced."
            )
            raise UsageError(message)
        source = _lower(found.provider())
        if source not in FILES:
            raise not_files(self._name, source or "unknown")
        columns = str(found.partitionColumnNames().mkString("\n"))
        # Path writes an URI without its escapes.
        location = self._path(found.location())
        by = tuple(columns.split("\n")) if columns else ()
        return Entry(source, by, location, _texts(found.storage().properties()))

    def create(
        self,
        df: "DataFrame",
        source: str | None,
        by: list[str],
        location: str | None,
        options: Mapping[str, str],
    ) -> None:
        """Create the table without rows."""
        default = self._catalog().defaultTablePath(self._identifier)
        self.require_committed(self._path(default) if location is None else location)
        source = source or self._spark.conf.get("spark.sql.sources.default") or "parquet"
        if source.lower() not in FILES:
            raise not_files(self._name, source)
        absent = [column for column in by if self._key(column) not in self._by_key(df.schema)]
        if absent:
            message = (
                f"The DataFrame has no column {', '.join(absent)} to partition by. Nothing was "
                "written. Name columns of the DataFrame in partition_by."
            )
            raise UsageError(message)
        columns = self._ddl(df.schema)
        statement = create_statement(self._sql_name, columns, by, source, location, options)
        verbatim(self._spark).sql(statement)

    def require(
        self,
        entry: Entry,
        source: str | None,
        by: Sequence[str] | None,
        location: str | None,
    ) -> None:
        """Refuse arguments that do not fit the table."""
        differences = []
        if source is not None and source.lower() != entry.source:
            differences.append(f"its format is {entry.source}, not {source}")
        if by is not None and list(map(self._key, by)) != list(map(self._key, entry.partition_by)):
            are, wanted = (", ".join(names) or "nothing" for names in (entry.partition_by, by))
            differences.append(f"it is partitioned by {are}, not by {wanted}")
        if location is not None and not self._is_at(entry.location, location):
            differences.append(f"its folder is {entry.location}, not {location}")
        if differences:
            message = (
                f"{self._name} exists, and {'; '.join(differences)}. Nothing was written. "
                "Leave the argument out to keep the table as it is, or drop the table first."
            )
            raise UsageError(message)
        mode = option_of_dynamic_mode(entry.options)
        if mode is not None and entry.partition_by:
            raise stores_dynamic_mode(self._name, mode)

    def require_committed(self, location: str) -> None:
        """Refuse a folder where Spark would delete the old rows before it writes the new ones."""
        named = self._jvm.conf(PROTOCOL_KEY)
        if named != PROTOCOL or not self._jvm.commits(location):
            raise not_committed(self._name, location)

    def replace(self, df: "DataFrame", entry: Entry) -> None:
        """Replace the table's rows."""
        self._fit(df, entry)
        ours = self._by_key(df.schema)
        columns = [ours[self._key(field.name)] for field in self._table_schema()]
        listed = ", ".join(map(quoted, columns))
        with self._reading_other_tables(entry), self._viewed(df) as view:
            rows = f"SELECT {listed} FROM {view}"  # noqa: S608 - the names are quoted
            self._static_session().sql(f"INSERT OVERWRITE TABLE {self._sql_name} {rows}")
        # The other session has a cache of its own.
        self._spark.catalog.refreshTable(self._sql_name)

    def _fit(self, df: "DataFrame", entry: Entry) -> None:
        changes = column_changes(
            {self._key(f.name): f.dataType.simpleString() for f in self._table_schema()},
            {self._key(f.name): f.dataType.simpleString() for f in df.schema},
        )
        if changes.missing or changes.retyped:
            raise columns_differ(self._name, changes)
        if not changes.added:
            return
        if entry.source not in EVOLVING:
            why = f"the format {entry.source} does not allow it"
            raise columns_cannot_be_added(self._name, changes.added, why)
        ours = self._by_key(df.schema)
        new = df.select(*(quoted(ours[column]) for column in changes.added))
        try:
            added = f"ALTER TABLE {self._sql_name} ADD COLUMNS ({self._ddl(new.schema)})"
            verbatim(self._spark).sql(added)
            # This session still has the old columns in its cache.
            self._spark.catalog.refreshTable(self._sql_name)
        except Exception as error:
            # A Hive metastore refuses some names and types, in its own words.
            raise columns_cannot_be_added(self._name, changes.added, str(error)) from error

    def _table_schema(self) -> "StructType":
        return self._spark.table(self._sql_name).schema

    def _static_session(self) -> Any:  # noqa: ANN401 - a classic SparkSession of the JVM
        # The mode must be static, and an INSERT takes it from its session, unless the catalog
        # stores a mode with the table. To change it in this session would change the writes of
        # other threads.
        session = verbatim(self._spark)
        session.conf().set(OVERWRITE_MODE, "static")
        return session

    @contextmanager
    def _viewed(self, df: "DataFrame") -> Iterator[str]:
        view = f"repave_{uuid4().hex}"
        df.createTempView(view)
        try:
            yield view
        finally:
            # The public call would also drop what the user has cached.
            self._catalog().dropTempView(view)

    @contextmanager
    def _reading_other_tables(self, entry: Entry) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if any(mark in str(error) for mark in READS_ITSELF):
                raise reads_itself(self._name, entry) from error
            raise

    def _parsed(self) -> Any:  # noqa: ANN401 - a TableIdentifier
        state = self._java().sessionState()
        found = state.sqlParser().parseMultipartIdentifier(self._name)
        parts = [str(found.apply(i)) for i in range(found.size())]
        catalog = str(state.catalogManager().currentCatalog().name())
        if len(parts) > 2:  # noqa: PLR2004 - database and table
            catalog, *parts = parts
        if catalog != SESSION_CATALOG or len(parts) > 2:  # noqa: PLR2004
            message = (
                f"{self._name} is in the catalog {catalog}, and Repave knows only "
                f"{SESSION_CATALOG}. Nothing was written. Use that catalog's own writer."
            )
            raise UsageError(message)
        return state.sqlParser().parseTableIdentifier(".".join(map(quoted, parts)))

    def _is_at(self, known: str, given: str) -> bool:
        if any(given.startswith(f"{scheme}://") for scheme in SCHEMES):
            return place_of(known) == place_of(given)
        wanted = self._java_path(given).toUri().getPath().rstrip("/")
        return bool(self._java_path(known).toUri().getPath().rstrip("/") == wanted)

    def _path(self, uri: Any) -> str:  # noqa: ANN401 - a java.net.URI
        return str(self._java_path(uri).toString())

    def _java_path(self, place: Any) -> Any:  # noqa: ANN401 - py4j
        return self._spark._jvm.org.apache.hadoop.fs.Path(place)  # type: ignore[union-attr] # noqa: SLF001

    def _ddl(self, schema: "StructType") -> str:
        document = json.dumps(nullable(schema.jsonValue()))
        types = self._spark._jvm.org.apache.spark.sql.types  # type: ignore[union-attr] # noqa: SLF001
        return str(types.DataType.fromJson(document).toDDL())

    def _key(self, column: str) -> str:
        exact = self._spark.conf.get("spark.sql.caseSensitive", "false") == "true"
        return column if exact else column.lower()

    def _by_key(self, schema: "StructType") -> dict[str, str]:
        return {self._key(field.name): field.name for field in schema}

    def _catalog(self) -> Any:  # noqa: ANN401 - py4j
        return self._java().sessionState().catalog()

    def _java(self) -> Any:  # noqa: ANN401 - py4j
        return self._spark._jsparkSession  # noqa: SLF001


def _lower(option: Any) -> str:  # noqa: ANN401 - a scala.Option of a text
    return str(option.get()).lower() if option.isDefined() else ""


def _texts(found: Any) -> dict[str, str]:  # noqa: ANN401 - a scala.Map of texts
    pairs = found.iterator()
    texts = {}
    while pairs.hasNext():
        pair = pairs.next()
        texts[str(pair._1())] = str(pair._2())  # noqa: SLF001 - Scala's names
    return texts
