"""A statement of a Connect or Thrift server is cancelled in a write: all of its rows, or none."""

import importlib.util
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from campaigns.store import listed_rows
from clients.cluster_days import sold
from clients.records import history
from clients.servers import Server, connect_server, thrift_server
from clients.site import SECONDS, Site
from clients.test_server_deaths import Thrift, Write
from e2e.deaths import head_of, until
from e2e.lake import TableFolder
from repave_lab.proxy.faults import Fault

# A JDBC connection sends its cancel after the poll that it is in, which takes up to five seconds.
DELAY_MILLIS = 12_000
# Keeps a session open until the commit has ended.
STAYS = "SELECT java_method('java.lang.Thread', 'sleep', 20000L);\n"
THRIFT = Thrift()
OLD = {1: "old", 2: "old"}


class Point(NamedTuple):
    """The request during which a statement is cancelled; the commit is decided in its Reserve."""

    name: str
    fault: Fault
    is_published: bool


def points(table: TableFolder) -> list[Point]:
    head = head_of(table)
    part = Fault("delay", op="UploadPart", key="part-", times=1, ms=DELAY_MILLIS)
    reserve = Fault("delay", op="PutObject", key=head, nth=1, ms=DELAY_MILLIS)
    publish = Fault("delay", op="PutObject", key=head, nth=2, ms=DELAY_MILLIS)
    return [
        Point("tasks", part, is_published=False),
        Point("reserve", reserve, is_published=True),
        Point("publish", publish, is_published=True),
    ]


def test_interrupt_all_of_a_connect_client_stops_tasks_and_lets_a_commit_end(
    site: Site, table: TableFolder
) -> None:
    if importlib.util.find_spec("grpc") is None:
        pytest.skip("`make test-clients` installs pyspark[connect]")
    with connect_server(site) as server:
        base = {"remote": server.url, "url": table.url}
        writer = json.dumps({**base, "days": [1, 2], "note": "old", "token": ""})
        site.run(sys.executable, "-m", "clients.connect_writer", writer)
        notes = OLD
        for point in points(table):
            stop, log = site.folder / f"stop-{point.name}", site.folder / f"{point.name}.log"
            work = {**base, "days": [2], "note": point.name, "stop": str(stop)}
            table.lake.proxy.set_faults([point.fault])
            words = [sys.executable, "-m", "clients.connect_stopped", json.dumps(work)]
            with site.running(log, *words) as child:
                table.lake.proxy.wait_for_hits(seconds=SECONDS)
                stop.touch()
                assert child.wait(SECONDS) == 0, log.read_text("utf-8")[-4000:]
            assert "OPERATION_CANCELED" in log.read_text("utf-8")
            notes = {**notes, 2: point.name} if point.is_published else notes
            assert_settles_with(table, notes)


@contextmanager
def thrift_server_with(site: Site, table: TableFolder) -> Iterator[Server]:
    """Run a Thrift server whose catalog has the table with its old rows."""
    with thrift_server(site) as server:
        THRIFT.create(site, server, table)
        site.run(*THRIFT.write(site, server, table, Write([1, 2], "old")))
        yield server


def test_a_cancelled_jdbc_statement_stops_tasks_and_lets_a_commit_end(
    site: Site, table: TableFolder
) -> None:
    with thrift_server_with(site, table) as server:
        notes = OLD
        for point in points(table):
            write = THRIFT.write(site, server, table, Write([2], point.name))
            with Path(write[-1]).open("a") as script:
                script.write(STAYS)
            cancel(site, table, point, [*write, "--force=true"])
            notes = {**notes, 2: point.name} if point.is_published else notes
            assert_settles_with(table, notes)


def test_a_client_that_cancels_and_disconnects_leaves_a_commit_that_the_next_job_ends(
    site: Site, table: TableFolder
) -> None:
    # The server closes S3A's client when a session ends, also for a statement that goes on.
    with thrift_server_with(site, table) as server:
        publish = points(table)[-1]
        words = THRIFT.write(site, server, table, Write([2], "left"))
        cancel(site, table, publish, words)
        time.sleep(DELAY_MILLIS / 1000)
        table.lake.proxy.set_faults([])
        assert [one["state"] for one in table.head()["active"]] != []
        site.run(*THRIFT.write(site, server, table, Write([2], "last")))
        assert_settles_with(table, {**OLD, 2: "last"})
        assert [commit["kind"] for commit in history(site, table)] == 3 * ["dynamic"]


def cancel(site: Site, table: TableFolder, point: Point, words: list[str]) -> None:
    """Run a statement by Beeline, and let it cancel the statement at a request."""
    table.lake.proxy.set_faults([point.fault])
    log = site.folder / f"{point.name}.log"
    with site.running(log, *words) as child:
        table.lake.proxy.wait_for_hits(seconds=SECONDS)
        os.kill(child.pid, signal.SIGINT)
        child.wait(SECONDS)
    assert "Query was cancelled" in log.read_text("utf-8")


def assert_settles_with(table: TableFolder, notes: dict[int, str]) -> None:
    """Assert what a listing finds when the server has ended the write."""
    time.sleep(DELAY_MILLIS / 1000)  # the delayed request arrives, even if nobody waits for it
    table.lake.proxy.set_faults([])
    until(lambda: table.head()["active"] == [])
    assert listed_rows(table) == sold(notes)
    table.await_no_uploads()
    table.assert_settled()
