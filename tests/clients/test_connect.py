"""A Spark Connect server with Repave, and two clients that overwrite one table at a time."""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

import repave
from campaigns.store import listed_rows, wait_for_line
from clients.records import aws, history
from clients.site import SECONDS, Site
from e2e.lake import TableFolder
from repave_lab.child import free_port

pytest.importorskip("grpc", reason="`make test-clients` installs pyspark[connect]")
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
ROUNDS = 4


@contextmanager
def connect_server(site: Site) -> Iterator[str]:
    """Run the server as `spark-submit` does it, and return where clients find it."""
    port = free_port()
    binding = {"address": "127.0.0.1", "port": str(port)}
    conf = [f"--conf=spark.connect.grpc.binding.{key}={value}" for key, value in binding.items()]
    log = site.folder / "connect.log"
    with site.running(log, "spark-submit", "--class", SERVER, *conf, "spark-internal") as child:
        wait_for_line(log, ".*Spark Connect server started at.*", child, SECONDS)
        yield f"sc://127.0.0.1:{port}"


def client(site: Site, remote: str, table: TableFolder, day: int, **more: str) -> dict[str, Any]:
    work = {"remote": remote, "url": table.url, "day": day, "rounds": ROUNDS, **more}
    printed = site.run(sys.executable, "-m", "clients.connect_client", json.dumps(work))
    (line,) = [line for line in printed.splitlines() if line.startswith("answer ")]
    answer: dict[str, Any] = json.loads(line.removeprefix("answer "))
    return answer


def test_two_clients_overwrite_their_partitions_at_the_same_time(
    site: Site, table: TableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect_server(site) as remote, ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(client, site, remote, table, day) for day in (1, 2)]
        answers = [job.result() for job in jobs]
    # Another server is another application: a token that was used changes nothing there.
    with connect_server(site) as remote:
        client(site, remote, table, 1, repeats="1-0")
    last = f"round {ROUNDS - 1}"
    expected = sorted((day * 100 + n, last, day) for day in (1, 2) for n in range(2))
    assert sorted(listed_rows(table).elements()) == expected
    commits = history(site, table)
    tokens = sorted(f"{day}-{n}" for day in (1, 2) for n in range(ROUNDS))
    assert sorted(commit["token"] for commit in commits) == tokens
    assert {commit["kind"] for commit in commits} == {"dynamic"}
    table.assert_settled()

    for answer in answers:
        assert answer["refused"]["type"] == "UsageError"
        assert "A token (repave.token) names one write." in answer["refused"]["message"]
        assert "\tat " not in answer["refused"]["message"]
        assert answer["of_a_session"]["type"] == "UsageError"
        assert "is set for the whole session" in answer["of_a_session"]["message"]
        for call in ("table", "last_commit", "verify"):
            assert answer[call]["type"] == "UsageError", answer[call]
            assert "Spark Connect" in answer[call]["message"]

    # What a client has instead: the records, read past Spark.
    for key, value in aws(table).items():
        monkeypatch.setenv(key, value)
    snapshot = repave.snapshot(table.url)
    assert snapshot.version == 2 * ROUNDS
    assert snapshot.arrow().count_rows() == len(expected)
