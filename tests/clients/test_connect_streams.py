"""A stream of a Spark Connect client whose batch fails after its write."""

import json
import sys

import pytest

from campaigns.store import listed_rows
from clients.records import history
from clients.servers import Server, connect_server
from clients.site import Site
from e2e.lake import TableFolder
from e2e.stream import add_file, batch_rows

pytest.importorskip("grpc", reason="`make test-clients` installs pyspark[connect]")
# Spark waits 10 seconds for the process that runs the batches, which a busy machine may not keep.
STARTS_MAX = 5


def stream(site: Site, server: Server, table: TableFolder) -> str:
    """Run the stream to its end, and return the message of its error, "" if there is none."""
    for _ in range(STARTS_MAX):
        message = started(site, server, table)
        if "Python worker failed to connect back" not in message:
            break
    return message


def started(site: Site, server: Server, table: TableFolder) -> str:
    places = {key: str(site.folder / key) for key in ("source", "checkpoint", "fails")}
    work = json.dumps({"remote": server.url, "url": table.url, **places})
    printed = site.run(sys.executable, "-m", "clients.connect_stream", work)
    (line,) = [line for line in printed.splitlines() if line.startswith("answer ")]
    return str(json.loads(line.removeprefix("answer "))["message"])


def test_a_repeated_batch_is_refused_until_the_server_restarts(
    site: Site, table: TableFolder
) -> None:
    add_file(site.folder / "source", 0)
    fails = site.folder / "fails"
    fails.touch()
    with connect_server(site) as server:
        assert "the batch fails after its write" in stream(site, server, table)
        fails.unlink()
        for _ in range(2):
            assert "which was made by this application" in stream(site, server, table)
    with connect_server(site) as server:
        assert stream(site, server, table) == ""
    assert sorted(listed_rows(table).elements()) == sorted(batch_rows(0))
    assert [commit["token"] for commit in history(site, table)] == ["orders-0"]
    table.assert_settled()
