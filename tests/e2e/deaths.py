"""Drivers that die at a chosen request of their commit."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.processes import kill
from repave_lab.child import LabError
from repave_lab.proxy.faults import Fault


def head_of(table: TableFolder) -> str:
    """Return the pattern of the key of a table's head."""
    return rf"^{table.name}/_repave/head\.json$"


def kill_driver_at(table: TableFolder, folder: Path, fault: Fault, **work: Any) -> None:  # noqa: ANN401
    """Start a driver that replaces days 1 and 2, and kill it when the fault has frozen it."""
    task = {"endpoint": table.lake.proxy.endpoint, "url": table.url, "days": [1, 2], "note": "new"}
    kill_at(table, folder, {**task, **work}, fault)


def kill_at(
    table: TableFolder,
    folder: Path,
    work: dict[str, Any],
    fault: Fault,
    module: str = "e2e.driver",
) -> None:
    """Start a driver, and kill it when the fault has frozen it.

    With `hang` the server never gets the request, with `hang_after` it has applied it.
    """
    table.lake.proxy.set_faults([fault])
    with driver(folder, work, module) as child:
        try:
            table.lake.proxy.wait_for_hits(seconds=300)
        except (LabError, TimeoutError) as error:
            pytest.fail(f"{error}\n{(folder / 'driver.log').read_text()[-4000:]}")
        time.sleep(0.3)  # the request's body follows its head
        kill(child)
    if fault.do == "hang_after":
        until(lambda: any(entry.fault == fault.do for entry in table.journal()))
        (struck,) = [entry for entry in table.journal() if entry.fault == fault.do]
        assert struck.server_status in (200, 204), "the server did not get the request"
    table.lake.proxy.set_faults([])


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for what a frozen request does on the server."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "the request never reached the server"
        time.sleep(0.1)
