"""Spark Connect and Thrift servers that die under a client and come back on the same port."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from campaigns.killed_tasks import PER_DAY, Task, nightly
from clients.servers import Server, beeline_words, connect_server, thrift_server
from clients.site import Site
from e2e.lake import Lake
from e2e.processes import kill
from repave_lab.child import free_port

CLIENT_SECONDS = 2.0
DYNAMIC, STATIC = (
    f"SET spark.sql.sources.partitionOverwriteMode={mode}" for mode in ("dynamic", "static")
)


@dataclass
class ServerSubmission:
    """A client, and the server that runs its writes."""

    child: subprocess.Popen[str]
    log: Path
    server: Server
    start: Callable[[], Server]

    def told(self) -> str:
        return self.log.read_text("utf-8", "replace")

    def executors(self) -> list[int]:
        return []

    def kill(self) -> bool:
        kill(self.server.child)
        try:
            self.child.wait(CLIENT_SECONDS)  # a JDBC session ends with its server
        except subprocess.TimeoutExpired:
            self.server = self.start()
        return True


class ServerKind:
    """A server for each submission: a server refuses a token that it has committed itself."""

    def __init__(
        self,
        site: Site,
        server: Callable[[Site, int], AbstractContextManager[Server]],
        client: Callable[[Site, str, Task, int], list[str]],
    ) -> None:
        self._site, self._server, self._client = site, server, client
        self._task = Task((), lambda _: [])

    def task(self, lake: Lake, number: int) -> Task:
        self._task = nightly(lake, number)
        return self._task

    @contextmanager
    def submitted(self, number: int) -> Iterator[ServerSubmission]:
        port, log = free_port(), self._site.folder / "client.log"
        with ExitStack() as stack:

            def start() -> Server:
                return stack.enter_context(self._server(self._site, port))

            server = start()
            words = self._client(self._site, server.url, self._task, number)
            child = stack.enter_context(self._site.running(log, *words))
            yield ServerSubmission(child, log, server, start)


@contextmanager
def connect_kind(site: Site) -> Iterator[ServerKind]:
    yield ServerKind(site, connect_server, connect_client)


@contextmanager
def thrift_kind(site: Site) -> Iterator[ServerKind]:
    yield ServerKind(site, thrift_server, thrift_client)


def connect_client(_: Site, url: str, task: Task, number: int) -> list[str]:
    sales, totals = (table.url for table in task.tables)
    work = {"remote": url, "sales": sales, "totals": totals, "per_day": PER_DAY}
    argument = json.dumps({**work, "run": f"task {number}"})
    return [sys.executable, "-m", "clients.connect_nightly", argument]


def thrift_client(site: Site, url: str, task: Task, number: int) -> list[str]:
    """Return a JDBC session that makes the rows of `e2e.nightly` in SQL, by the catalog."""
    sales, totals, kept = (f"{name}_{number}" for name in ("sales", "totals", "kept"))
    columns = "(id BIGINT, note STRING, day INT) USING parquet"
    places = [f"LOCATION '{table.url}'" for table in task.tables]

    def write(statement: int, verb: str, rows: str, table: str = sales) -> list[str]:
        insert = f"{verb} {table} WITH ('repave.token' = 'task {number}/{statement}') {rows}"
        return [f"SELECT 'begin {statement}' AS at", insert, f"SELECT 'done {statement}' AS at"]

    statements = [
        f"CREATE TABLE IF NOT EXISTS {sales} {columns} PARTITIONED BY (day) {places[0]}",
        f"CREATE TABLE IF NOT EXISTS {totals} {columns} {places[1]}",
        *write(1, "INSERT INTO", rows("one", 1, 2)),
        DYNAMIC,
        *write(2, "INSERT OVERWRITE", rows("two", 2, 3)),
        # SQL cannot overwrite a table that it reads.
        f"DROP TABLE IF EXISTS {kept}",
        f"CREATE TABLE {kept} USING parquet AS SELECT * FROM {sales}",
        STATIC,
        *write(3, "INSERT OVERWRITE", f"TABLE {kept} UNION ALL {rows('three', 4)}"),
        *write(4, "INSERT INTO", rows("four", 1, 4)),
        *write(5, "INSERT INTO", rows("five", 5), totals),
    ]
    return beeline_words(site, url, "nightly", *statements)


def rows(note: str, *days: int) -> str:
    """Return the rows of a statement of `e2e.nightly` as a query.

    >>> rows("one", 1, 2)
    "SELECT id % 20, 'one', array(1, 2)[CAST(id DIV 20 AS INT)] FROM range(0, 40, 1, 2)"
    """
    day = f"array({', '.join(map(str, days))})[CAST(id DIV {PER_DAY} AS INT)]"
    return f"SELECT id % {PER_DAY}, '{note}', {day} FROM range(0, {len(days) * PER_DAY}, 1, 2)"
