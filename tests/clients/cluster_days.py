"""A job for a cluster that overwrites days of a table after a shuffle: `e2e.driver`."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clients.site import SECONDS
from e2e.driver import driver
from e2e.lake import TableFolder
from repave_lab.proxy.faults import Fault

TASKS = 2


def work(table: TableFolder, conf: Mapping[str, str], days: list[int], note: str) -> dict[str, Any]:
    """Return what the driver gets: it shuffles the rows of the days to tasks that write them."""
    own = {"spark.executor.memory": "512m", "spark.hadoop.repave.heartbeat": "500ms"}
    return {
        "endpoint": table.lake.proxy.endpoint,
        "url": table.url,
        "days": days,
        "note": note,
        "tasks": TASKS,
        "conf": {**own, **conf},
    }


def finish(folder: Path, task: dict[str, Any], more: Mapping[str, str] | None = None) -> None:
    with driver(folder, task, more=more) as child:
        code = child.wait(SECONDS)
    assert code == 0, (folder / "driver.log").read_text()[-4000:]


def sold(notes: dict[int, str]) -> Counter[tuple[object, ...]]:
    """Return the rows of a table whose days were last written with these notes."""
    return Counter((day * 100 + n, note, day) for day, note in notes.items() for n in range(2))


def home(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


def uploading(table: TableFolder) -> Fault:
    """Freeze a task in its upload: the files of the shuffle before it are written."""
    return Fault("hang", op="UploadPart", key=table.name, times=1)
