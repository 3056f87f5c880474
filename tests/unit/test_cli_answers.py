"""What the command line prints about a table, whose records lie in memory."""

import pytest
from click.testing import CliRunner, Result

from repave.cli import main, store
from unit.snapshot_table import MemoryTable

TABLE = "s3://lake/sales"
MINUTE = 60_000
# 2026-11-18 11:06:40.456
BEGIN = 1_795_000_000_456


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> MemoryTable:
    table = MemoryTable()
    monkeypatch.setattr(store, "client", lambda *_: None)
    monkeypatch.setattr(store, "BucketObjects", lambda _: table)
    return table


def repave(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), catch_exceptions=False)


def test_a_time_that_history_shows_names_its_version(table: MemoryTable) -> None:
    for number in range(3):
        table.commit("append", {"dt=1": [f"f{number}"]})
        table.log[-1]["published-millis"] = BEGIN + number * MINUTE
    table.publish()
    shown = repave("history", TABLE).stdout.splitlines()[1]
    copied = " ".join(shown.split()[2:4])
    assert copied == "2026-11-18 11:08:40.456Z"
    assert repave("manifest", TABLE, "--as-of", copied).stdout.startswith("Version 3,")
