"""YARN in client and cluster mode: executors and drivers die, and nothing is lost or doubled."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns.mini_yarn import APPLICATION_MASTER, EXECUTOR, MiniYarn, mini_yarn
from clients.cluster_task import ClusterTask, published, uploading
from clients.site import SECONDS, Site
from clients.yarn_job import command
from e2e.lake import TableFolder
from e2e.processes import kill

ATTEMPTS = 3


@pytest.fixture
def yarn(tmp_path: Path) -> Iterator[MiniYarn]:
    with mini_yarn(tmp_path / "yarn") as running:
        yield running


def test_client_mode_survives_the_deaths_of_executors_and_the_driver(
    site: Site, yarn: MiniYarn, table: TableFolder
) -> None:
    task = ClusterTask(site, table, "client 2026-11-23")
    proxy, log = table.lake.proxy, site.folder / "killed.log"
    proxy.set_faults([uploading(task.audit), published(task.sales)])
    words = command(yarn, "client", task.run, task.argument(), ATTEMPTS)
    with site.running(log, *words, more=yarn.environment()) as child:
        task.await_hits(1, log, yarn.logs)
        yarn.kill(EXECUTOR)
        task.await_hits(2, log, yarn.logs)
        kill(child)
    task.recover()

    site.run(*words, more=yarn.environment())
    task.assert_done()


def test_cluster_mode_repeats_no_write_when_yarn_starts_the_driver_again(
    site: Site, yarn: MiniYarn, table: TableFolder
) -> None:
    task = ClusterTask(site, table, "cluster 2026-11-23")
    proxy, log = table.lake.proxy, site.folder / "submit.log"
    # The first driver dies in a write with its own token, the second in one of the run; then
    # the third driver's executors die.
    faults = [published(task.audit), published(task.sales), uploading(task.totals)]
    proxy.set_faults(faults)
    words = command(yarn, "cluster", task.run, task.argument(), ATTEMPTS)
    with site.running(log, *words, more=yarn.environment()) as child:
        for number, program in enumerate((APPLICATION_MASTER, APPLICATION_MASTER, EXECUTOR), 1):
            task.await_hits(number, log, yarn.logs)
            yarn.kill(program)
        code = child.wait(SECONDS)
    assert code == 0, f"{log.read_text()[-4000:]}\n{yarn.logs()}"
    task.assert_done()
