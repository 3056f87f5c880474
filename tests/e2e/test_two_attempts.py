"""A task and its retry run at the same time with one run id: each statement is applied once."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from e2e.deaths import head_of
from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.nightly import STATEMENTS, expected_sales, expected_totals
from e2e.test_runs import PER_DAY, SECONDS, SWAPS, rows
from repave_lab.proxy import Proxy
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    import subprocess

    from pyspark.sql import SparkSession

    from repave_lab.servers import S3Server

RUN = "nightly 2026-11-22"
HELD_MILLIS = 1_000_000  # until it is released
REFUSED, APPLIED = 412, 200


class Pause(NamedTuple):
    """The write of the head in which an attempt is paused.

    With `delay` the write reaches the server after the retry has ended. With `delay_after` the
    server has applied it, and the attempt does not know.
    """

    name: str
    do: str
    swap: int


LATE_PUBLISH = Pause("late-publish", "delay", 2)
PAUSES = (
    Pause("late-reserve", "delay", 1),
    Pause("reserved", "delay_after", 1),
    LATE_PUBLISH,
    Pause("published", "delay_after", 2),
    Pause("late-finish", "delay", 3),
)
MIDDLE = (3, LATE_PUBLISH)
CASES = [
    (statement, pause)
    for statement in range(1, STATEMENTS + 1)
    for pause in PAUSES
    if (statement, pause) != MIDDLE
]


@pytest.fixture
def second_proxy(ministack: "S3Server") -> Iterator[Proxy]:
    """The retry's own way to the server, which no fault is on."""
    with Proxy(ministack.endpoint) as proxy:
        yield proxy


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "pause"), CASES, ids=[f"{number}-{pause.name}" for number, pause in CASES]
)
def test_an_attempt_that_continues_after_its_retry_changes_nothing(
    spark: "SparkSession",
    table: TableFolder,
    second_proxy: Proxy,
    tmp_path: Path,
    statement: int,
    pause: Pause,
) -> None:
    pause_and_retry(spark, Attempts(table, tmp_path), second_proxy, (statement, pause))


@pytest.mark.oldest
def test_an_attempt_that_was_paused_in_its_third_statement_changes_nothing(
    spark: "SparkSession", table: TableFolder, second_proxy: Proxy, tmp_path: Path
) -> None:
    pause_and_retry(spark, Attempts(table, tmp_path), second_proxy, MIDDLE)


@pytest.mark.slow
def test_two_attempts_that_run_side_by_side_apply_each_statement_once(
    spark: "SparkSession", table: TableFolder, second_proxy: Proxy, tmp_path: Path
) -> None:
    attempts = Attempts(table, tmp_path)
    with ExitStack() as running:
        both = [
            attempts.start(running, "first", table.lake.proxy),
            attempts.start(running, "retry", second_proxy),
        ]
        codes = [child.wait(SECONDS) for child in both]
    if any(codes):
        # A reader of plain folders may look for files that the other attempt replaced meanwhile.
        assert attempts.logs().count("done") < 2 * STATEMENTS
        with ExitStack() as running:
            assert attempts.start(running, "third", second_proxy).wait(SECONDS) == 0
    attempts.assert_applied_once(spark)


def pause_and_retry(
    spark: "SparkSession", attempts: "Attempts", way: Proxy, at: tuple[int, Pause]
) -> None:
    statement, pause = at
    struck = attempts.sales if statement < STATEMENTS else attempts.totals
    nth = pause.swap if struck is attempts.totals else SWAPS * (statement - 1) + pause.swap
    fault = Fault(pause.do, op="PutObject", key=head_of(struck), nth=nth, ms=HELD_MILLIS)
    proxy = struck.lake.proxy
    proxy.set_faults([fault])
    with ExitStack() as running:
        first = attempts.start(running, "first", proxy)
        proxy.wait_for_hits(seconds=SECONDS)
        time.sleep(0.3)  # the request's body follows its head
        os.killpg(first.pid, signal.SIGSTOP)
        retry = attempts.start(running, "retry", way)
        assert retry.wait(SECONDS) == 0, attempts.logs()
        attempts.assert_applied_once(spark)
        proxy.release()
        proxy.settle()
        (held,) = [entry for entry in struck.journal() if entry.fault == pause.do]
        assert held.server_status == (REFUSED if pause.do == "delay" else APPLIED)
        attempts.assert_applied_once(spark)
        os.killpg(first.pid, signal.SIGCONT)
        assert first.wait(SECONDS) == 0, attempts.logs()
    attempts.assert_applied_once(spark)
    struck.await_no_uploads()


class Attempts:
    """Drivers that run the same task under the same run id, each in a folder of its own."""

    def __init__(self, sales: TableFolder, folder: Path) -> None:
        self.sales = sales
        self.totals = sales.lake.table(f"{sales.name}-totals")
        self._folder = folder

    def start(self, running: ExitStack, name: str, way: Proxy) -> "subprocess.Popen[str]":
        folder = self._folder / name
        folder.mkdir()
        work: dict[str, Any] = {
            "endpoint": way.endpoint,
            "sales": self.sales.url,
            "totals": self.totals.url,
            "run": RUN,
            "per_day": PER_DAY,
            "conf": {"spark.hadoop.repave.heartbeat": "500ms"},
        }
        return running.enter_context(driver(folder, work, "e2e.nightly"))

    def logs(self) -> str:
        texts = [log.read_text() for log in sorted(self._folder.glob("*/driver.log"))]
        return "\n".join(text[-4000:] for text in texts)

    def assert_applied_once(self, spark: "SparkSession") -> None:
        assert rows(spark, self.sales) == expected_sales(STATEMENTS, PER_DAY), self.logs()
        assert rows(spark, self.totals) == expected_totals(STATEMENTS, PER_DAY), self.logs()
        for table, numbers in ((self.sales, [1, 2, 3, 4]), (self.totals, [1])):
            tokens = [commit["token"] for commit in table.head()["log"]]
            assert tokens == [f"{RUN}/{number}" for number in numbers]
            assert table.head()["active"] == []
