"""A Spark write in Python: its options, its typed error, and its version."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from repave._connect import connect_error
from repave._errors import RepaveError
from repave._jvm import Jvm, call_jvm, translate
from repave._location import Location
from repave._options import OptionValue, option_texts
from repave._records import LastCommit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from typing_extensions import Unpack

    from repave._keywords import Options


ON_CONNECT = (
    "options of a thread do not reach the server. Give them to each write: df.write.option(…) for "
    "a path, and on Spark 4 INSERT INTO t WITH ('repave.token' = '…') SELECT … for a table. Spark "
    "3.5 has no way to give options to a write to an existing table."
)


def error_of(error: BaseException) -> RepaveError | None:
    """Return the Repave error that made a Spark write fail, None if there is none.

        try:
            df.write.mode("overwrite").parquet("s3a://lake/sales")
        except Exception as error:
            if isinstance(repave.error_of(error), repave.CommitConflictError): ...

    Args:
        error: what `df.write` or `spark.sql` raised.
    """
    return _error_below(error, None)


def _error_below(error: BaseException, handled: BaseException | None) -> RepaveError | None:
    """Return the Repave error in the causes of an error, without those that belong to `handled`."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        if found is handled and found is not error:
            break
        seen.add(id(found))
        if isinstance(found, RepaveError):
            return found
        translated = translate(found) or connect_error(found)
        if translated is not None:
            return translated
        found = found.__cause__ or found.__context__
    return None


@contextmanager
def typed_errors() -> Iterator[None]:
    """Raise Repave's errors under their own types. Other errors pass unchanged.

        try:
            with repave.typed_errors():
                df.write.mode("overwrite").parquet("s3a://lake/sales")
        except repave.CommitConflictError:
            ...  # another job replaced the same partitions

    Raises:
        CommitConflictError: another commit changed the same partitions.
        CommitFailedError: the commit did not happen.
        CommitStateUnknownError: it is decided and not finished, or its outcome is unknown.
        RepaveError: anything else that Repave refuses.
    """
    # A block inside an `except` clause: Python puts the error of that clause below a new one.
    handled = sys.exc_info()[1]
    try:
        yield
    except RepaveError:
        raise
    except Exception as error:
        translated = _error_below(error, handled)
        if translated is None:
            raise
        raise translated from error


@contextmanager
def write_options(spark: "SparkSession", **options: "Unpack[Options]") -> Iterator[None]:
    """Give options to every write of this thread in a `with` block.

    They are those of `df.write.option("repave.…", …)`, and also reach `insertInto`, `saveAsTable`
    and SQL, where Spark drops the options of a writer.

        with repave.write_options(spark, token="load/2026-11-20", only="dt=2026-11-20"):
            spark.sql("INSERT INTO lake.sales SELECT * FROM loaded")

    A `token` names one write: a second write to the same table in the block is refused before its
    tasks. The first one may be tried again. Blocks may be nested; the inner one adds options. An
    option that is given twice, in two blocks or in a block and a writer, must have one value.

    A thread that is started inside the block has its options if it is an `InheritableThread` of
    PySpark. Any other Python thread has none: open the block in that thread.

    Args:
        spark: the session; the block counts for all sessions of its application.
        options: the committer's options, see docs/configuration.md.

    Raises:
        UsageError: an option or its value is not valid, or the session is one of Spark Connect, or
            its threads are not pinned (`PYSPARK_PIN_THREAD=false`).
    """
    values = option_texts(cast("Mapping[str, OptionValue]", options))
    block = Jvm(spark, ON_CONNECT).open_options({one.key: text for one, text in values.items()})
    try:
        yield
    finally:
        block.close()


def last_commit(spark: "SparkSession", path: str) -> LastCommit | None:
    """Return this application's last commit to the table of a path, None if there is none.

        df.write.mode("append").parquet("s3a://lake/sales")
        repave.last_commit(spark, "s3a://lake/sales").version

    Commits of other applications are not included: `RepaveTable.history` has them.

    Raises:
        UsageError: the path is not on S3, or the session does not have Repave.
    """
    location = Location.of(path)
    gateway = Jvm(spark).gateway_class()
    document = json.loads(call_jvm(lambda: gateway.lastCommit(str(location))))
    return LastCommit.of(document) if document else None
