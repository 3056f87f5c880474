"""Spark's Thrift server with Repave, and eight JDBC sessions that write to one table at a time."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from campaigns.store import listed_rows
from clients.records import history
from clients.servers import beeline_words, thrift_server
from clients.site import Site
from e2e.lake import TableFolder

SESSIONS = 8
SHARED = 0
RUN_WRITES = f"INSERT INTO sales SELECT 9000L + id, 'run', {SHARED} FROM range(2)"
COLUMNS = "id BIGINT, note STRING, day INT"


def beeline(site: Site, url: str, name: str, *statements: str) -> str:
    return site.run(*beeline_words(site, url, name, *statements))


def refused(site: Site, url: str, *statements: str) -> str:
    """Run statements of which one must fail, and return what the server logs."""
    log = site.folder / "thrift.log"
    before = len(log.read_text("utf-8"))
    with pytest.raises(AssertionError):
        beeline(site, url, "refused", *statements)
    return log.read_text("utf-8")[before:]


def session(number: int) -> list[str]:
    """Overwrite a partition of its own twice, and append to the one that all share."""

    def select(note: str, day: str = "") -> str:
        return f"SELECT {number * 100}L + id, '{note}'{day} FROM range(2)"

    return [
        "SET spark.sql.sources.partitionOverwriteMode=dynamic",
        f"INSERT OVERWRITE TABLE sales {select('first', f', {number}')}",
        f"INSERT INTO sales {select('shared', f', {SHARED}')}",
        f"INSERT OVERWRITE TABLE sales PARTITION (day={number}) {select('last')}",
    ]


def test_eight_sessions_write_to_one_table(site: Site, table: TableFolder) -> None:
    create = f"CREATE TABLE sales ({COLUMNS}) USING parquet PARTITIONED BY (day)"
    count = "SELECT count(*), count(DISTINCT id, day) FROM sales"
    numbers = range(1, SESSIONS + 1)
    with thrift_server(site) as (url, _), ThreadPoolExecutor(SESSIONS) as pool:
        beeline(site, url, "create", f"{create} LOCATION '{table.url}'")
        jobs = [pool.submit(beeline, site, url, f"s{n}", *session(n)) for n in numbers]
        for job in jobs:
            job.result()
        told = beeline(site, url, "count", count)
        message = refused(site, url, "SET repave.token=nightly", RUN_WRITES)
        for client in ("tried", "again"):
            beeline(site, url, client, "SET repave.run=nightly", RUN_WRITES)
    own = Counter((n * 100 + i, "last", n) for n in numbers for i in range(2))
    shared = Counter((n * 100 + i, "shared", SHARED) for n in numbers for i in range(2))
    by_run = Counter((n, "run", SHARED) for n in (9000, 9001))
    assert listed_rows(table) == own + shared + by_run + by_run
    # A token is an option of one write, which SQL has not. A run counts the server's writes, so
    # the second client does not repeat the first one's: docs/servers.md says not to set it.
    assert "repave.token is set for the whole session" in message
    tokens = [commit["token"] for commit in history(site, table)]
    assert tokens[:2] == ["nightly/2", "nightly/1"]
    assert not any(tokens[2:])
    # By the catalog's partitions too, which eight sessions added at the same time.
    rows = str(4 * SESSIONS)
    assert f"{rows}\t{rows}" in told.splitlines(), told
    kinds = Counter(commit["kind"] for commit in history(site, table))
    assert kinds == {"dynamic": SESSIONS, "append": SESSIONS + 2, "static": SESSIONS}
    table.assert_settled()
