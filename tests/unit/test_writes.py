"""Errors of writes by type, as `except` needs them, and what a write committed."""

from typing import Any, cast

import pytest

import repave
from unit.fake_spark import FakeJavaError, FakeSpark

CONFLICT = FakeJavaError("io.repave.core.error.CommitConflictException", "Run the job again.")
DOCUMENT = {"table": "s3://lake/sales", "version": 7, "commit": "c", "repeated": False}
COUNTS = {"files-in": 3, "bytes-in": 9, "files-out": 2, "bytes-out": 8, "files-adopted": 0}


class CapturedError(Exception):
    """What PySpark makes of an error that it knows: the Java one is in `_origin`."""

    def __init__(self, origin: FakeJavaError) -> None:
        super().__init__("Job aborted.")
        self._origin = origin.java_exception


def test_an_error_of_a_write_is_raised_under_its_own_type() -> None:
    with (
        pytest.raises(repave.CommitConflictError, match=r"^Run the job again\.$") as raised,
        repave.typed_errors(),
    ):
        raise CONFLICT
    assert raised.value.__cause__ is CONFLICT


def test_the_error_is_found_below_others() -> None:
    aborted = FakeJavaError("org.apache.spark.SparkException", "Job aborted.", CONFLICT)
    assert isinstance(repave.error_of(aborted), repave.CommitConflictError)
    assert isinstance(repave.error_of(CapturedError(aborted)), repave.CommitConflictError)
    outer = RuntimeError("the pipeline failed")
    outer.__cause__ = aborted
    assert isinstance(repave.error_of(outer), repave.CommitConflictError)


@pytest.mark.parametrize(
    "second", [ValueError("no such column"), FakeJavaError("java.lang.OutOfMemoryError", "heap")]
)
def test_an_error_in_the_handler_of_a_refused_write_is_not_taken_for_that_one(
    second: Exception,
) -> None:
    try:
        raise CONFLICT
    except FakeJavaError:
        with pytest.raises(type(second)) as raised, repave.typed_errors():
            raise second  # noqa: B904 - as a write raises it
    assert raised.value is second


def test_an_error_that_a_handler_raises_again_is_raised_under_its_own_type() -> None:
    try:
        raise CONFLICT
    except FakeJavaError as error:
        with pytest.raises(repave.CommitConflictError), repave.typed_errors():
            raise error  # noqa: TRY201 - as a handler may write it


class ConnectError(Exception):
    """What a Spark Connect client raises: text, and the server's stack trace if it sent one."""

    __module__ = "pyspark.errors.exceptions.connect"

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self._trace = trace

    def getStackTrace(self) -> str:  # noqa: N802 - PySpark's name
        return self._trace


def test_a_connect_clients_error_is_raised_under_its_own_type() -> None:
    told = "(io.repave.core.error.CommitConflictException) Run the job again."
    trace = "io.repave.core.error.CommitConflictException\n\tat io.repave.Any.any(Any.java:1)"
    error = ConnectError(f"{told}\n\nJVM stacktrace:\n{trace}", trace)
    with (
        pytest.raises(repave.CommitConflictError, match=r"^Run the job again\.$") as raised,
        repave.typed_errors(),
    ):
        raise error
    assert raised.value.__cause__ is error


def test_a_connect_clients_error_is_found_below_sparks() -> None:
    trace = (
        "org.apache.spark.SparkException\n\tat any\n"
        "Caused by: io.repave.core.error.CommitFailedException: Nothing was written.\n\tat any"
    )
    found = repave.error_of(ConnectError("Job aborted.", trace))
    assert isinstance(found, repave.CommitFailedError)
    assert str(found) == "Nothing was written."


def test_a_connect_clients_error_that_only_mentions_ours_passes_as_it_is() -> None:
    mentioned = ConnectError("no class (io.repave.core.error.CommitConflictException) found")
    assert repave.error_of(mentioned) is None
    unknown = ConnectError("(io.repave.core.error.Unheard) Something.")
    assert repave.error_of(unknown) is None


def test_other_errors_pass_as_they_are() -> None:
    other = FakeJavaError("java.io.IOException", "broken pipe")
    assert repave.error_of(other) is None
    with pytest.raises(FakeJavaError, match="broken pipe"), repave.typed_errors():
        raise other


def test_what_a_write_committed_can_be_asked() -> None:
    spark = cast("Any", FakeSpark({"lastCommit": {**DOCUMENT, **COUNTS}}))
    found = repave.last_commit(spark, "s3a://lake/sales")
    assert found is not None
    assert (found.version, found.files_in, found.repeated) == (7, 3, False)
    assert spark.table.asked == [("lastCommit", "s3a://lake/sales")]
    silent = cast("Any", FakeSpark({"lastCommit": None}))
    assert repave.last_commit(silent, "s3a://lake/sales") is None


def test_a_block_of_options_is_refused_under_spark_connect() -> None:
    session = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with (
        pytest.raises(repave.UsageError, match=r"do not reach the server.*INSERT INTO t WITH"),
        repave.write_options(cast("Any", session), token="load/1"),
    ):
        pass
