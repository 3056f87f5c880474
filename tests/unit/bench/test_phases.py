import json
from pathlib import Path

from benchmarks.phases import last_task_end


def event(end: float, rows: int | None) -> str:
    metrics = None if rows is None else {"Output Metrics": {"Records Written": rows}}
    told = {
        "Event": "SparkListenerTaskEnd",
        "Task Info": {"Finish Time": int(end * 1000)},
        "Task Metrics": metrics,
    }
    return json.dumps(told)


def test_the_last_task_that_wrote_rows_in_the_interval_counts(tmp_path: Path) -> None:
    lines = [
        '{"Event": "SparkListenerApplicationStart"}',
        event(5, 10),  # the old data
        event(11, 10),
        event(12.5, 10),
        event(13, None),  # killed
        event(14, 0),  # reads the table's log
        event(30, 10),  # after the write
    ]
    (tmp_path / "local-1").write_text("\n".join([*lines, ""]), "utf-8")
    assert last_task_end(tmp_path, begin=10, end=20) == 12.5


def test_a_write_without_tasks_has_no_task_phase(tmp_path: Path) -> None:
    (tmp_path / "local-1").write_text(event(5, 10) + "\n", "utf-8")
    assert last_task_end(tmp_path, begin=10, end=20) is None
