"""The columns of all files of a table, for a table that a session's catalog creates.

Spark infers the columns from one file. The records name those of every Parquet file.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from repave._catalog_sql import columns_of, ddl_of
from repave._columns import nullable
from repave._errors import UsageError
from repave._hive_types import SHOWN_CHARS, Columns, recorded_as
from repave._records import DataFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Newest = Callable[[tuple[DataFile, ...]], DataFile | None]


def columns_of_files(
    spark: "SparkSession",
    frame: "DataFrame",
    files: tuple[DataFile, ...],
    by: Iterable[str],
    newest: Newest,
) -> str:
    """Return a frame's columns as DDL, and those that only other files have.

    Args:
        spark: the session.
        frame: the rows, with the columns that Spark infers.
        files: those of the version.
        by: the partition columns.
        newest: returns which file is of the newest commit. It reads the history, so it is asked
            only if a column has several types.

    Raises:
        UsageError: this Spark does not know a type.
        InvalidRecordError: a record does not hold columns where it should.
    """
    columns, differing = _recorded(files, newest)
    own = {name.lower() for name in by}
    known = {name.lower(): (name, kind) for name, kind in columns.items()}
    shown = [column.name() for column in frame._jdf.schema().fields()]  # noqa: SLF001
    # Where the files agree the frame's type counts: the session's settings may decide it.
    changed = {
        name: _ddl(spark, name, known[name.lower()][1])
        for name in shown
        if name.lower() in differing - own
    }
    missing = known.keys() - own - {name.lower() for name in shown}
    later = [_ddl(spark, *column) for key, column in known.items() if key in missing]
    return ", ".join([columns_of(frame, changed), *later])


def _recorded(files: tuple[DataFile, ...], newest: Newest) -> tuple[Columns, set[str]]:
    """Return the columns with Spark's JSON of their types, and those with several, in lower case.

    The type in the newest file that has the column counts.
    """
    schemas = dict.fromkeys(file.schema for file in files if file.schema)
    types = {schema: _types(schema) for schema in schemas}
    pairs = {pair for one in types.values() for pair in one.items()}
    differing = {name for name, count in Counter(name for name, _ in pairs).items() if count > 1}
    columns = recorded_as(schemas, "the table", _json)
    # Most columns that differ are in the same files, of which one look finds the newest.
    asked: dict[frozenset[str], dict[str, str]] = {}
    for name in [one for one in columns if one.lower() in differing]:
        having = frozenset(schema for schema, one in types.items() if name.lower() in one)
        if having not in asked:
            some = tuple(file for file in files if file.schema in having)
            # The history may not go back so far. Then the last partition's counts.
            asked[having] = types[(newest(some) or some[-1]).schema or ""]
        columns[name] = asked[having][name.lower()]
    return columns, differing


def _types(schema: str) -> dict[str, str]:
    found = recorded_as([schema], "the table", _json)
    return {name.lower(): kind for name, kind in found.items()}


def _json(kind: Any) -> str:  # noqa: ANN401 - Spark's JSON of a type
    return json.dumps(nullable(kind), sort_keys=True)


def _ddl(spark: "SparkSession", name: str, kind: str) -> str:
    try:
        return ddl_of(spark, name, json.loads(kind))
    except Exception as error:
        shown = kind if len(kind) <= SHOWN_CHARS else f"{kind[:SHOWN_CHARS]}…"
        message = (
            f"The column {name!r} of the table's files has a type that this version of Spark does "
            f"not know: {shown}. Nothing was changed. Follow in a session of the version that "
            "wrote the files, or create the catalog's table with the columns that readers need, "
            "then follow again."
        )
        raise UsageError(message) from error
