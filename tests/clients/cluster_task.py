"""A scheduled task on a cluster: `cluster_job.py`, its tables, and what they hold in the end."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from campaigns.store import listed_rows
from clients.cluster_job import PER_DAY, expected_audit
from clients.records import aws, history
from clients.site import SECONDS, Site
from e2e.deaths import until
from e2e.lake import TableFolder
from e2e.nightly import STATEMENTS, expected_sales, expected_totals
from repave_lab.child import LabError
from repave_lab.proxy.faults import Fault

PUBLISHED = 2  # a commit's second write of the head


@dataclass(frozen=True)
class ClusterTask:
    """One run of the task, however often it is started."""

    site: Site
    sales: TableFolder
    run: str

    @property
    def audit(self) -> TableFolder:
        return self.sales.lake.table(f"{self.sales.name}-audit")

    @property
    def totals(self) -> TableFolder:
        return self.sales.lake.table(f"{self.sales.name}-totals")

    def argument(self) -> str:
        """Return the argument of `cluster_job.py`, without a space."""
        tables = {"audit": self.audit.url, "sales": self.sales.url, "totals": self.totals.url}
        return json.dumps({**tables, "token": f"{self.run}/audit"}, separators=(",", ":"))

    def await_hits(self, hits: int, log: Path, logs: Callable[[], str]) -> None:
        try:
            self.sales.lake.proxy.wait_for_hits(hits, seconds=SECONDS)
        except (LabError, TimeoutError) as error:
            pytest.fail(f"{error}\n{log.read_text()[-4000:]}\n{logs()}")
        time.sleep(0.3)  # the request's body follows its head

    def recover(self) -> None:
        """Finish the commit of the second write, whose driver died, as an operator does."""
        until(lambda: [one["state"] for one in self.sales.head()["active"]] == ["cleaning"])
        self.sales.lake.proxy.set_faults([])
        self.site.run("repave", "recover", self.sales.url, more=aws(self.sales))
        assert listed_rows(self.audit) == expected_audit()
        assert listed_rows(self.sales) == expected_sales(1, PER_DAY)
        self.sales.assert_settled()

    def assert_done(self) -> None:
        """Assert that each write of the task is there once."""
        assert listed_rows(self.audit) == expected_audit()
        assert listed_rows(self.sales) == expected_sales(STATEMENTS, PER_DAY)
        assert listed_rows(self.totals) == expected_totals(STATEMENTS, PER_DAY)
        for table, tokens in (
            (self.audit, [f"{self.run}/audit"]),
            (self.sales, [f"{self.run}/{n}" for n in range(4, 0, -1)]),
            (self.totals, [f"{self.run}/1"]),
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
