"""The result of a Spark write in Python: its typed error, and its version."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from repave._connect import connect_error
from repave._errors import RepaveError
from repave._jvm import Jvm, asking, translate
from repave._location import Location
from repave._records import LastCommit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def error_of(error: BaseException) -> RepaveError | None:
    """Return the Repave error that made a Spark write fail, None if there is none.

        try:
            df.write.mode("overwrite").parquet("s3a://lake/sales")
        except Exception as error:
            if isinstance(repave.error_of(error), repave.CommitConflictError): ...

    Args:
        error: what `df.write` or `spark.sql` raised.
    """
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
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
    try:
        yield
    except RepaveError:
        raise
    except Exception as error:
        translated = error_of(error)
        if translated is None:
            raise
        raise translated from error


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
    document = json.loads(asking(lambda: gateway.lastCommit(str(location))))
    return LastCommit.of(document) if document else None
