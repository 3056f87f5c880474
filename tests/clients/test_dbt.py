"""The dbt project of docs/dbt.md, run twice, killed in two commits, and refreshed."""

import io
import time
from collections import Counter
from collections.abc import Iterable

import pyarrow as pa
import pytest
from pyarrow import parquet

from campaigns.store import listed_rows
from clients.pages import commands_of, write_files
from clients.site import SECONDS, Site
from e2e.deaths import until
from e2e.lake import Lake, TableFolder
from e2e.processes import kill
from repave_lab.proxy.faults import Fault

pytest.importorskip("dbt.adapters.spark", reason="`make test-clients` installs dbt")
PAGE = "dbt.md"
RESERVED, PUBLISHED = 1, 2  # a commit's writes of the head
Notes = dict[int, str]


def test_each_row_is_there_once_after_kills_and_retries(site: Site, lake: Lake) -> None:
    write_files(PAGE, site.folder)
    sales, loads, totals = (lake.table(f"marts/{name}") for name in ("sales", "loads", "totals"))
    raw(lake, {1: "one", 2: "one"})
    build(site, "run 1", 2)
    assert listed_rows(sales) == sold({1: "one", 2: "one"})
    assert listed_rows(loads) == sold({2: "one"})
    assert listed_rows(totals) == counted({1: "one", 2: "one"})

    raw(lake, {1: "two", 2: "two", 3: "two"})
    build(site, "run 2", 3)
    assert listed_rows(sales) == sold({1: "one", 2: "two", 3: "two"})
    assert listed_rows(loads) == sold({2: "one", 3: "two"})
    assert listed_rows(totals) == counted({2: "two", 3: "two"})

    raw(lake, dict.fromkeys((1, 2, 3, 4), "three"))
    kill_build(site, loads, PUBLISHED)
    kill_build(site, sales, RESERVED)
    build(site, "run 3", 4)
    assert listed_rows(sales) == sold({1: "one", 2: "two", 3: "three", 4: "three"})
    assert listed_rows(loads) == sold({2: "one", 3: "two", 4: "three"})
    assert listed_rows(totals) == counted({3: "three", 4: "three"})

    raw(lake, {3: "four", 4: "four"})
    build(site, "run 4", 4, "--full-refresh")
    assert listed_rows(sales) == sold({3: "four", 4: "four"})
    assert listed_rows(loads) == sold({4: "four"})
    assert listed_rows(totals) == counted({3: "four", 4: "four"})
    for table in (sales, loads, totals):
        table.assert_settled()


def raw(lake: Lake, notes: Notes) -> None:
    """Replace the source: two rows for each day."""
    columns = list(zip(*sorted(sold(notes)), strict=True))
    file = io.BytesIO()
    parquet.write_table(pa.table(columns, names=["id", "note", "day"]), file)
    lake.client.put_object(Bucket=lake.bucket, Key="raw/sales/rows.parquet", Body=file.getvalue())


def sold(notes: Notes) -> Counter[tuple[object, ...]]:
    return Counter((day * 100 + n, note, day) for day, note in notes.items() for n in range(2))


def counted(notes: Notes) -> Counter[tuple[object, ...]]:
    return Counter((2, note, day) for day, note in notes.items())


def command(*more: str) -> list[str]:
    """Return the page's command."""
    (line,) = [text.strip() for text in commands_of(PAGE) if "dbt build" in text]
    return ["bash", "-c", " ".join([line, *more])]


def given(run: str, day: int) -> dict[str, str]:
    return {"RUN_ID": run, "DAY": str(day), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}


def build(site: Site, run: str, day: int, *more: str) -> None:
    begin = time.monotonic()
    told = site.run(*command(*more), more=given(run, day))
    assert "PASS=6" in told, told  # three models and three tests
    print(f"{run}: {time.monotonic() - begin:.0f} s")


def kill_build(site: Site, table: TableFolder, swap: int) -> None:
    """Kill dbt when the third run's commit to a table has written its head so many times."""
    log = site.folder / f"{table.name.replace('/', '-')}.log"
    head = rf"^{table.name}/_repave/head\.json$"
    table.lake.proxy.set_faults([Fault("hang_after", op="PutObject", key=head, nth=swap)])
    with site.running(log, *command(), more=given("run 3", 4)) as child:
        table.lake.proxy.wait_for_hits(seconds=SECONDS)
        time.sleep(0.3)  # the request's body follows its head
        kill(child)
    until(lambda: states(table) != [])
    table.lake.proxy.set_faults([])
    assert states(table) == ["pending" if swap == RESERVED else "cleaning"]


def states(table: TableFolder) -> Iterable[str]:
    return [one["state"] for one in table.head()["active"]]
