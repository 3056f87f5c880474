"""A driver on a standalone worker, which starts it again with `--supervise` when it dies."""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from campaigns.store import listed_rows
from clients.records import history
from clients.site import SECONDS, Site
from clients.supervised_job import command, compiled, drivers
from e2e.deaths import until
from e2e.lake import TableFolder
from e2e.standalone import master, worker
from repave_lab.proxy.faults import Fault

WRITES = ("append:1,2:one", "overwrite:2,3:two", "append:1:last")
SWAPS = 3  # a commit writes the head to reserve, to publish and to finish
RUN = "supervised 2026-11-23"


@pytest.fixture
def cluster(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    # Spark ignores spark.driver.host in cluster mode, so executors would look for the host's name.
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    folder = site.folder / "cluster"
    with master(folder) as url, worker(folder, url, "worker", cores=3):
        yield url


def test_a_supervised_driver_repeats_no_write(site: Site, cluster: str, table: TableFolder) -> None:
    jar = compiled(site.folder)
    words = command(site, cluster, jar, RUN, [table.url, *WRITES])
    # The driver dies after the Publish of its first write, the next one in its second write.
    head = rf"^{table.name}/_repave/head\.json$"
    deaths = [Fault("hang_after", op="PutObject", key=head, nth=nth) for nth in (2, SWAPS + 2)]
    table.lake.proxy.set_faults(deaths)
    with site.running(site.folder / "submit.log", *words) as child:
        for hits in (1, 2):
            table.lake.proxy.wait_for_hits(hits, seconds=SECONDS)
            time.sleep(0.3)  # the request's body follows its head
            os.kill(drivers(jar)[0], signal.SIGKILL)
        code = child.wait(SECONDS)
    assert code == 0, (site.folder / "submit.log").read_text()[-4000:]
    until(lambda: table.head()["active"] == [], SECONDS)

    days = {1: ["one", "last"], 2: ["two"], 3: ["two"]}
    rows = [(n, note, day) for day, notes in days.items() for note in notes for n in range(2)]
    assert listed_rows(table) == Counter(rows)
    assert [one["token"] for one in history(site, table)] == [f"{RUN}/{n}" for n in (3, 2, 1)]
    table.await_no_uploads()
    table.assert_settled()
