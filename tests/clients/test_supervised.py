"""A driver on a standalone worker, which starts it again with `--supervise` when it dies."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import repave
from campaigns.standalone import SECONDS as START_SECONDS
from campaigns.standalone import master, worker
from campaigns.store import listed_rows
from clients.records import history
from clients.site import SECONDS, Site
from e2e.deaths import until
from e2e.lake import TableFolder
from e2e.processes import found_by
from repave._spark_home import find_spark
from repave_lab.proxy.faults import Fault

JOB = Path(__file__).parent / "supervised/WriteDays.java"
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


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    """Compile the job: Spark starts no Python on a standalone worker."""
    classes, made = tmp_path / "classes", tmp_path / "job.jar"
    spark = f"{find_spark(os.environ)}/jars/*"
    for words in (
        ("javac", "-cp", spark, "-d", str(classes), str(JOB)),
        ("jar", "--create", "--file", str(made), "-C", str(classes), "."),
    ):
        subprocess.run(words, check=True, timeout=START_SECONDS)
    return made


def command(site: Site, url: str, jar: Path, table: TableFolder) -> list[str]:
    # In this mode Spark fetches spark.jars.packages for the driver alone.
    jars = ",".join(map(str, [repave.jar_path(), *site.packages()]))
    conf = {
        "spark.master": url,
        "spark.cores.max": "2",
        "spark.executor.cores": "1",
        "spark.executor.memory": "512m",
        "spark.driver.memory": "512m",
        "spark.rpc.askTimeout": "120s",  # spark-submit waits for ten seconds by default
        "spark.standalone.submit.waitAppCompletion": "true",
        "spark.hadoop.repave.run": RUN,
    }
    return [
        *("spark-submit", "--deploy-mode", "cluster", "--supervise", "--class", "WriteDays"),
        *("--jars", jars),
        *(f"--conf={key}={value}" for key, value in conf.items()),
        *(str(jar), table.url, *WRITES),
    ]


def driver(jar: Path) -> int:
    """Return the id of the driver's process on its worker."""
    return found_by("DriverWrapper", str(jar))[0]


def test_a_supervised_driver_repeats_no_write(
    site: Site, cluster: str, jar: Path, table: TableFolder
) -> None:
    # The driver dies after the Publish of its first write, the next one in its second write.
    head = rf"^{table.name}/_repave/head\.json$"
    deaths = [Fault("hang_after", op="PutObject", key=head, nth=nth) for nth in (2, SWAPS + 2)]
    table.lake.proxy.set_faults(deaths)
    with site.running(site.folder / "submit.log", *command(site, cluster, jar, table)) as child:
        for hits in (1, 2):
            table.lake.proxy.wait_for_hits(hits, seconds=SECONDS)
            time.sleep(0.3)  # the request's body follows its head
            os.kill(driver(jar), signal.SIGKILL)
        code = child.wait(SECONDS)
    assert code == 0, (site.folder / "submit.log").read_text()[-4000:]
    until(lambda: table.head()["active"] == [], SECONDS)

    days = {1: ["one", "last"], 2: ["two"], 3: ["two"]}
    rows = [(n, note, day) for day, notes in days.items() for note in notes for n in range(2)]
    assert listed_rows(table) == Counter(rows)
    assert [one["token"] for one in history(site, table)] == [f"{RUN}/{n}" for n in (3, 2, 1)]
    table.await_no_uploads()
    table.assert_settled()
