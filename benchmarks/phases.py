"""When the last writing task ended, from Spark's event log: what comes after is the commit."""

import json
from pathlib import Path
from typing import Any


def last_task_end(folder: Path, begin: float, end: float) -> float | None:
    """Return the end of the last task that wrote rows in the interval, in epoch seconds.

    A system may run further jobs after its own, to read its log again: they write no rows.
    """
    ends = [
        told["Task Info"]["Finish Time"] / 1000
        for file in sorted(folder.iterdir())
        if file.is_file()
        for told in _task_ends(file)
        if _rows(told) > 0
    ]
    within = [one for one in ends if begin <= one <= end]
    return max(within, default=None)


def _task_ends(file: Path) -> list[dict[str, Any]]:
    lines = file.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if '"SparkListenerTaskEnd"' in line]


def _rows(told: dict[str, Any]) -> int:
    # A killed task has no metrics.
    metrics = told.get("Task Metrics") or {}
    return int(metrics.get("Output Metrics", {}).get("Records Written", 0))
