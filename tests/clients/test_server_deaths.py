"""A Spark Connect server and a Thrift server die in an overwrite; each row is there once."""

import importlib.util
import json
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest

from campaigns.store import listed_rows
from clients.records import aws, history
from clients.servers import Server, beeline_words, connect_server, thrift_server
from clients.site import SECONDS, Site
from e2e.deaths import until
from e2e.lake import TableFolder
from e2e.processes import kill
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from e2e.frames import Row

RESERVE, PUBLISH = 1, 2  # a commit's writes of the head
Notes = dict[int, str]


class Write(NamedTuple):
    """A dynamic overwrite of days."""

    days: list[int]
    note: str
    token: str = ""


class Kind(Protocol):
    """A kind of server, and the commands of its clients."""

    def server(self, site: Site) -> "AbstractContextManager[Server]": ...
    def create(self, site: Site, server: Server, table: TableFolder) -> None: ...
    def write(self, site: Site, server: Server, table: TableFolder, write: Write) -> list[str]: ...
    def rows(self, site: Site, server: Server, table: TableFolder) -> "Counter[Row]": ...


class Connect:
    """Clients that write and read by path, with DataFrames."""

    def server(self, site: Site) -> "AbstractContextManager[Server]":
        return connect_server(site)

    def create(self, site: Site, server: Server, table: TableFolder) -> None:
        """Do nothing: a folder needs no statement."""

    def write(self, _: Site, server: Server, table: TableFolder, write: Write) -> list[str]:
        return self._client(server, table, **write._asdict())

    def rows(self, site: Site, server: Server, table: TableFolder) -> "Counter[Row]":
        printed = site.run(*self._client(server, table)).splitlines()
        (found,) = [line for line in printed if line.startswith("rows ")]
        return Counter(tuple(row) for row in json.loads(found.removeprefix("rows ")))

    def _client(self, server: Server, table: TableFolder, **work: object) -> list[str]:
        argument = json.dumps({"remote": server.url, "url": table.url, **work})
        return [sys.executable, "-m", "clients.connect_writer", argument]


class Thrift:
    """JDBC sessions that write and read a table by its name in the catalog."""

    def server(self, site: Site) -> "AbstractContextManager[Server]":
        return thrift_server(site)

    def create(self, site: Site, server: Server, table: TableFolder) -> None:
        create = "CREATE TABLE sales (id BIGINT, note STRING, day INT) USING parquet"
        statement = f"{create} PARTITIONED BY (day) LOCATION '{table.url}'"
        site.run(*beeline_words(site, server.url, "create", statement))

    def write(self, site: Site, server: Server, _: TableFolder, write: Write) -> list[str]:
        options = f" WITH ('repave.token' = '{write.token}')" if write.token else ""
        ids = ", ".join(f"({day * 100 + n}L, {day})" for day in write.days for n in range(2))
        select = f"SELECT id, '{write.note}', day FROM VALUES {ids} AS new(id, day)"
        mode = "SET spark.sql.sources.partitionOverwriteMode=dynamic"
        statement = f"INSERT OVERWRITE TABLE sales{options} {select}"
        return beeline_words(site, server.url, "write", mode, statement)

    def rows(self, site: Site, server: Server, _: TableFolder) -> "Counter[Row]":
        words = beeline_words(site, server.url, "rows", "SELECT id, note, day FROM sales")
        cells = [line.split("\t") for line in site.run(*words).splitlines()]
        return Counter((int(one[0]), one[1], int(one[2])) for one in cells if one[0].isdigit())


class Deaths:
    """Servers of one kind on one table; each lives until it dies or its block ends."""

    def __init__(self, kind: Kind, site: Site, table: TableFolder) -> None:
        self.kind, self.site, self.table = kind, site, table

    def write(self, server: Server, write: Write) -> None:
        self.site.run(*self.kind.write(self.site, server, self.table, write))

    def kill_in(self, server: Server, write: Write, do: str, nth: int) -> None:
        """Let a client write, freeze its commit at a write of the head, and kill the server."""
        proxy, log = self.table.lake.proxy, self.site.folder / "killed.log"
        head = rf"^{self.table.name}/_repave/head\.json$"
        proxy.set_faults([Fault(do, op="PutObject", key=head, nth=nth)])
        words = self.kind.write(self.site, server, self.table, write)
        with self.site.running(log, *words):
            proxy.wait_for_hits(seconds=SECONDS)
            time.sleep(0.3)  # the request's body follows its head
            kill(server.child)
        if do == "hang_after":
            until(lambda: any(one.fault == do for one in self.table.journal()))
        proxy.set_faults([])

    def recover(self, state: str) -> None:
        """Ask for the status, then recover, as an operator does without Spark."""
        found = [one["state"] for one in self.table.head()["active"]]
        assert found == ([state] if state else [])
        url, keys = self.table.url, aws(self.table)
        # `repave status` exits with 3 if a commit is unfinished.
        expected = 3 if state else 0
        asked = f"repave status {url}; test $? = {expected}"
        self.site.run("bash", "-c", asked, more=keys)
        self.site.run("repave", "recover", url, more=keys)
        assert self.table.head()["active"] == []

    def assert_rows(self, server: Server, notes: Notes) -> None:
        """Assert that a client of the server and a listing of the folder find these rows."""
        items = notes.items()
        expected = Counter((day * 100 + n, note, day) for day, note in items for n in range(2))
        assert listed_rows(self.table) == expected
        assert self.kind.rows(self.site, server, self.table) == expected


@pytest.mark.parametrize("kind", [Connect(), Thrift()], ids=["connect", "thrift"])
def test_rows_are_exact_when_the_server_dies_in_an_overwrite(
    site: Site, table: TableFolder, kind: Kind
) -> None:
    if isinstance(kind, Connect) and importlib.util.find_spec("grpc") is None:
        pytest.skip("`make test-clients` installs pyspark[connect]")
    deaths = Deaths(kind, site, table)
    first, second = Write([2, 3], "first", "load/1"), Write([3, 4], "second", "load/2")

    with kind.server(site) as server:
        kind.create(site, server, table)
        deaths.write(server, Write([1, 2, 3], "old"))
        deaths.kill_in(server, first, "hang", RESERVE)
    deaths.recover("")

    with kind.server(site) as server:
        deaths.assert_rows(server, {1: "old", 2: "old", 3: "old"})
        deaths.kill_in(server, first, "hang", PUBLISH)
    deaths.recover("pending")

    with kind.server(site) as server:
        deaths.assert_rows(server, {1: "old", 2: "first", 3: "first"})
        deaths.write(server, first)  # its token was committed: nothing changes
        deaths.assert_rows(server, {1: "old", 2: "first", 3: "first"})
        deaths.kill_in(server, second, "hang_after", PUBLISH)
    deaths.recover("cleaning")

    with kind.server(site) as server:
        deaths.write(server, second)  # the repeated write also gives the catalog its new day
        deaths.assert_rows(server, {1: "old", 2: "first", 3: "second", 4: "second"})
        deaths.write(server, Write([2, 3], "third"))
        deaths.write(server, Write([2, 3], "third"))
        deaths.assert_rows(server, {1: "old", 2: "third", 3: "third", 4: "second"})
    tokens = [commit["token"] for commit in history(site, table)]
    assert list(filter(None, tokens)) == ["load/2", "load/1"]
    assert len(tokens) == 5
    assert table.head()["active"] == []
    # The first server died before its Reserve, so nothing but a vacuum knows its uploads.
    assert {key.split("/")[1] for key in table.open_uploads()} == {"day=2", "day=3"}
