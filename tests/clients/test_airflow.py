"""The task of docs/airflow.md, killed in its second write, retried, and cleared."""

import ast
import io
import time
from collections import Counter
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyarrow import parquet

from campaigns.store import listed_rows
from clients.pages import files_of, write_files
from clients.records import history
from clients.site import SECONDS, Site
from e2e.deaths import until
from e2e.lake import Lake
from e2e.processes import kill
from repave_lab.proxy.faults import Fault

jinja2 = pytest.importorskip("jinja2", reason="`make test-clients` installs it")
PAGE = "airflow.md"
DAY = 20261122
TASK = {
    "ti": SimpleNamespace(dag_id="nightly", task_id="orders"),
    "run_id": "scheduled__2026-11-23T00:00:00+00:00",
    # Airflow 3 starts a run of @daily at the end of the day.
    "data_interval_end": datetime(2026, 11, 23, tzinfo=timezone.utc),
    "macros": SimpleNamespace(timedelta=timedelta),
    "params": SimpleNamespace(day=""),
}


def command() -> list[str]:
    """Return the DAG's command as Airflow renders it."""
    tree = ast.parse(files_of(PAGE)["dags/nightly.py"])
    keywords = [node for node in ast.walk(tree) if isinstance(node, ast.keyword)]
    (text,) = [node.value for node in keywords if node.arg == "bash_command"]
    rendered: str = jinja2.Template(ast.literal_eval(text)).render(**TASK)
    return ["bash", "-c", rendered]


def test_a_killed_task_is_retried_and_cleared(site: Site, lake: Lake) -> None:
    write_files(PAGE, site.folder)
    orders, audit = lake.table("orders"), lake.table("audit")
    rows = [(n, "new", DAY) for n in range(3)]
    raw(lake, [*rows, (9, "new", DAY - 1)])

    head = rf"^{orders.name}/_repave/head\.json$"
    lake.proxy.set_faults([Fault("hang_after", op="PutObject", key=head, nth=2)])
    with site.running(site.folder / "killed.log", *command()) as child:
        lake.proxy.wait_for_hits(seconds=SECONDS)
        time.sleep(0.3)  # the request's body follows its head
        kill(child)
    until(lambda: [one["state"] for one in orders.head()["active"]] == ["cleaning"])
    lake.proxy.set_faults([])
    assert listed_rows(audit) == Counter(rows)

    checked = [(n, "checked", DAY) for n in range(3)]
    for _ in ("retried", "cleared"):
        site.run(*command())
        assert listed_rows(orders) == Counter(rows)
        assert listed_rows(audit) == Counter([*rows, *checked])
        run = f"nightly/orders/{TASK['run_id']}"
        assert [one["token"] for one in history(site, orders)] == [f"{run}/1"]
        assert [one["token"] for one in history(site, audit)] == [f"{run}/2", f"{run}/1"]
        orders.assert_settled()
        audit.assert_settled()


def raw(lake: Lake, rows: list[tuple[int, str, int]]) -> None:
    file = io.BytesIO()
    columns = list(zip(*rows, strict=True))
    parquet.write_table(pa.table(columns, names=["id", "note", "day"]), file)
    lake.client.put_object(Bucket=lake.bucket, Key="raw/orders/rows.parquet", Body=file.getvalue())
