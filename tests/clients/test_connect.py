"""A Spark Connect server with Repave, and two clients that overwrite one table at a time."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import repave
from campaigns.store import listed_rows
from clients.records import aws, history
from clients.servers import connect_server
from clients.site import Site
from e2e.lake import TableFolder

pytest.importorskip("grpc", reason="`make test-clients` installs pyspark[connect]")
ROUNDS = 4


def client(site: Site, remote: str, table: TableFolder, day: int, **more: str) -> dict[str, Any]:
    work = {"remote": remote, "url": table.url, "day": day, "rounds": ROUNDS, **more}
    printed = site.run(sys.executable, "-m", "clients.connect_client", json.dumps(work))
    (line,) = [line for line in printed.splitlines() if line.startswith("answer ")]
    answer: dict[str, Any] = json.loads(line.removeprefix("answer "))
    return answer


def test_two_clients_overwrite_their_partitions_at_the_same_time(
    site: Site, table: TableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect_server(site) as server, ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(client, site, server.url, table, day) for day in (1, 2)]
        answers = [job.result() for job in jobs]
    # Another server is another application: a token that was used changes nothing there.
    with connect_server(site) as server:
        client(site, server.url, table, 1, repeats="1-0")
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
