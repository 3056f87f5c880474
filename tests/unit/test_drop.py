"""Dropping partitions: what the gateway is asked, and what the command says."""

from typing import Any, cast

import pytest
from click.testing import CliRunner

from repave import PartitionDrop, PartitionSize, RepaveTable, UsageError
from repave.cli import answer, drop, main
from unit.fake_spark import FakeSpark
from unit.record_files import FIRST

FOLDERS = [
    {"partition": "dt=1", "files": 1, "bytes": 1024},
    {"partition": "dt=2", "files": 0, "bytes": 0},
    {"partition": "dt=3", "files": 1200, "bytes": 2048},
]
DROPPED = {"version": 7, "commit": FIRST, "dry-run": False, "partitions": FOLDERS}
NOTHING = {**DROPPED, "commit": "", "partitions": FOLDERS[1:2]}


def table(spark: FakeSpark) -> RepaveTable:
    return RepaveTable.for_path(cast("Any", spark), "s3a://lake/sales")


def test_the_gateway_gets_the_names_or_the_value() -> None:
    spark = FakeSpark({"dropPartitions": DROPPED, "dropPartitionsBefore": NOTHING})
    found = table(spark).drop_partitions("dt=1", "dt=2", "dt=3")
    assert found.filled == (
        PartitionSize("dt=1", 1, 1024),
        PartitionSize("dt=3", 1200, 2048),
    )
    assert table(spark).drop_partitions(before="dt=2025-01-01=x", dry_run=True).filled == ()
    assert spark.table.asked == [
        ("dropPartitions", False, "dt=1\ndt=2\ndt=3"),
        ("dropPartitionsBefore", True, "dt", "2025-01-01=x"),
    ]


@pytest.mark.parametrize(
    ("names", "before"),
    [
        ((), None),
        (("dt=1",), "dt=2"),
        (("dt=1\ndt=2",), None),
        (("dt=1\rdt=2",), None),
        (("dt=1\0",), None),
        (("dt=\udce9",), None),  # a byte of the command line that is not UTF-8
        (("before", "dt", "2025-01-01"), None),  # the jar's command reads a bound in these words
        (("2025-01-01",), None),
    ],
)
def test_a_drop_says_in_one_way_what_to_drop(names: tuple[str, ...], before: str | None) -> None:
    spark = FakeSpark()
    with pytest.raises(UsageError, match="such as dt=2025-01-01"):
        table(spark).drop_partitions(*names, before=before)
    assert spark.table.asked == []


@pytest.mark.parametrize("name", ["city=\u3000東京", "a=\t", "a=\u2028b", "a=\xa0", "a=\u200b"])
def test_a_name_may_have_any_character_that_ends_no_line(name: str) -> None:
    """What the jar takes for the end of a line would make two names of one."""
    spark = FakeSpark({"dropPartitions": DROPPED})
    table(spark).drop_partitions(name)
    assert spark.table.asked == [("dropPartitions", False, name)]


@pytest.mark.parametrize("before", ["", "dt", "=1", "dt=", "dt=2025-01-01/country=de"])
def test_a_value_belongs_to_a_column(before: str) -> None:
    with pytest.raises(UsageError, match="Give COLUMN=VALUE, such as dt=2025-01-01"):
        table(FakeSpark()).drop_partitions(before=before)


@pytest.mark.parametrize(
    ("words", "sent", "document", "shown"),
    [
        (
            ["dt=1", "dt=2", "dt=3"],
            ("dt=1", "dt=2", "dt=3"),
            DROPPED,
            (
                "Version 7 is without 2 partitions, 1,201 files (3.0 KiB):\n"
                "  dt=1: 1 file (1.0 KiB)\n"
                "  dt=3: 1,200 files (2.0 KiB)\n"
                "dt=2 has no files.\n"
            ),
        ),
        (
            ["--dry-run", "--before", "dt=2"],
            ("--dry-run", "before", "dt", "2"),
            {**DROPPED, "commit": "", "dry-run": True, "partitions": FOLDERS[:1]},
            "Would drop 1 partition of version 7, 1 file (1.0 KiB):\n  dt=1: 1 file (1.0 KiB)\n",
        ),
        (
            ["dt=2"],
            ("dt=2",),
            NOTHING,
            "No such partition has files. The table stays at version 7.\n",
        ),
    ],
)
def test_the_command_says_what_it_dropped(
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    sent: tuple[str, ...],
    document: dict[str, Any],
    shown: str,
) -> None:
    asked: list[tuple[str, ...]] = []

    def answer(command: str, at: str, _store: object, *rest: str) -> dict[str, Any]:
        asked.append((command, at, *rest))
        return document

    monkeypatch.setattr(drop, "run_in_jvm", answer)
    result = CliRunner().invoke(main, ["drop-partitions", "s3://lake/sales", *words])
    assert (result.exit_code, result.stdout) == (0, shown)
    assert asked == [("drop-partitions", "s3://lake/sales", *sent)]


def test_of_many_partitions_some_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [{"partition": f"dt={day}", "files": 1, "bytes": 1} for day in range(1200)]
    monkeypatch.setattr(drop, "run_in_jvm", lambda *_: {**DROPPED, "partitions": many})
    result = CliRunner().invoke(main, ["drop-partitions", "s3://lake/sales", "--before", "dt=9999"])
    lines = result.stdout.splitlines()
    assert lines[0] == "Version 7 is without 1,200 partitions, 1,200 files (1.2 KiB):"
    assert (len(lines), lines[-1]) == (2 + answer.FOLDERS_SHOWN, "  and 1,180 more")


def test_a_command_without_partitions_is_refused_before_spark_starts() -> None:
    result = CliRunner().invoke(main, ["drop-partitions", "s3://lake/sales"])
    assert result.exit_code == 2
    assert "Name the partitions to drop" in result.stderr


def test_the_document_is_read() -> None:
    assert PartitionDrop.of(DROPPED).version == 7
