"""What a driver's event log says has happened in its tasks."""

from pathlib import Path


def event_log(folder: Path) -> dict[str, str]:
    """Return the conf of a session that logs its events as plain lines of JSON."""
    events = folder / "events"
    events.mkdir()
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file:{events}",
    }


def events(folder: Path) -> str:
    """Return everything that the session of `event_log` has logged."""
    files = sorted(file for file in (folder / "events").rglob("*") if file.is_file())
    return "".join(file.read_text("utf-8") for file in files)


def assert_speculated(folder: Path) -> None:
    """Assert that a task had a twin: Spark starts none where all executors are on one host."""
    assert '"Speculative":true' in events(folder), "no speculative attempt was started"
