"""YARN in client and cluster mode: executors and drivers die, and nothing is lost or doubled."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import repave
from campaigns.store import listed_rows
from clients import cluster_job
from clients.cluster_job import PER_DAY, expected_audit
from clients.mini_yarn import APPLICATION_MASTER, EXECUTOR, MiniYarn, mini_yarn
from clients.records import aws, history
from clients.site import SECONDS, Site
from e2e.deaths import until
from e2e.lake import TableFolder
from e2e.nightly import STATEMENTS, expected_sales, expected_totals
from e2e.processes import kill
from repave_lab.child import LabError
from repave_lab.proxy.faults import Fault

PUBLISHED = 2  # a commit's second write of the head
ATTEMPTS = 3


@pytest.fixture
def yarn(tmp_path: Path) -> Iterator[MiniYarn]:
    with mini_yarn(tmp_path / "yarn") as running:
        yield running


@dataclass(frozen=True)
class Task:
    """A scheduled task: its tables, and the command that runs it."""

    site: Site
    yarn: MiniYarn
    sales: TableFolder
    name: str

    @property
    def audit(self) -> TableFolder:
        return self.sales.lake.table(f"{self.sales.name}-audit")

    @property
    def totals(self) -> TableFolder:
        return self.sales.lake.table(f"{self.sales.name}-totals")

    def command(self, mode: str) -> list[str]:
        conf = {
            **self.yarn.conf(),
            "spark.yarn.maxAppAttempts": str(ATTEMPTS),
            "spark.hadoop.repave.run": self.name,
        }
        tables = {"audit": self.audit.url, "sales": self.sales.url, "totals": self.totals.url}
        return [
            *("spark-submit", "--deploy-mode", mode, "--jars", str(repave.jar_path())),
            *(f"--conf={key}={value}" for key, value in conf.items()),
            str(cluster_job.__file__),
            json.dumps({**tables, "token": f"{self.name} audit"}),
        ]

    def await_hits(self, hits: int, log: Path) -> None:
        try:
            self.sales.lake.proxy.wait_for_hits(hits, seconds=SECONDS)
        except (LabError, TimeoutError) as error:
            pytest.fail(f"{error}\n{log.read_text()[-4000:]}\n{self.yarn.logs()}")
        time.sleep(0.3)  # the request's body follows its head

    def assert_done(self) -> None:
        """Assert that each write of the task is there once."""
        assert listed_rows(self.audit) == expected_audit()
        assert listed_rows(self.sales) == expected_sales(STATEMENTS, PER_DAY)
        assert listed_rows(self.totals) == expected_totals(STATEMENTS, PER_DAY)
        for table, tokens in (
            (self.audit, [f"{self.name} audit"]),
            (self.sales, [f"{self.name}/{n}" for n in range(4, 0, -1)]),
            (self.totals, [f"{self.name}/1"]),
        ):
            assert [commit["token"] for commit in history(self.site, table)] == tokens
            table.await_no_uploads()
            table.assert_settled()


def published(table: TableFolder) -> Fault:
    """Freeze a table's first commit when it is published and not finished."""
    head = rf"^{table.name}/_repave/head\.json$"
    return Fault("hang_after", op="PutObject", key=head, nth=PUBLISHED)


def uploading(table: TableFolder) -> Fault:
    return Fault("hang", op="UploadPart", key=f"^{table.name}/", times=1)


def test_client_mode_survives_the_deaths_of_executors_and_the_driver(
    site: Site, yarn: MiniYarn, table: TableFolder
) -> None:
    task = Task(site, yarn, table, "client 2026-11-23")
    proxy, log = table.lake.proxy, site.folder / "killed.log"
    proxy.set_faults([uploading(task.audit), published(task.sales)])
    with site.running(log, *task.command("client"), more=yarn.environment()) as child:
        task.await_hits(1, log)
        yarn.kill(EXECUTOR)
        task.await_hits(2, log)
        kill(child)
    until(lambda: [one["state"] for one in task.sales.head()["active"]] == ["cleaning"])
    proxy.set_faults([])

    site.run("repave", "recover", task.sales.url, more=aws(table))
    assert listed_rows(task.audit) == expected_audit()
    assert listed_rows(task.sales) == expected_sales(1, PER_DAY)
    task.sales.assert_settled()

    site.run(*task.command("client"), more=yarn.environment())
    task.assert_done()


def test_cluster_mode_repeats_no_write_when_yarn_starts_the_driver_again(
    site: Site, yarn: MiniYarn, table: TableFolder
) -> None:
    task = Task(site, yarn, table, "cluster 2026-11-23")
    proxy, log = table.lake.proxy, site.folder / "submit.log"
    # The first driver dies in a write with its own token, the second in one of the run; then
    # the third driver's executors die.
    faults = [published(task.audit), published(task.sales), uploading(task.totals)]
    proxy.set_faults(faults)
    with site.running(log, *task.command("cluster"), more=yarn.environment()) as child:
        for number, program in enumerate((APPLICATION_MASTER, APPLICATION_MASTER, EXECUTOR), 1):
            task.await_hits(number, log)
            yarn.kill(program)
        code = child.wait(SECONDS)
    assert code == 0, f"{log.read_text()[-4000:]}\n{yarn.logs()}"
    task.assert_done()
