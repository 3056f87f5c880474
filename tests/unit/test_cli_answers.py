"""What the command line prints about a table, whose records lie in memory."""

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

import repave as repave_package
from repave._bucket import Listed
from repave._catalog import catalog_statements
from repave._errors import UsageError
from repave._formats import format_of
from repave._hive import HiveColumns
from repave._location import Location
from repave._order_report import OrderReport
from repave._records import DataFile
from repave.cli import main, store
from repave.cli.answer import print_error, print_json, visible
from repave.cli.change import _warn
from repave.cli.fleet import _tell, tell_statements
from unit.record_files import FIRST, active
from unit.snapshot_table import MemoryTable

TABLE = "s3://lake/sales"
BELOW = Location.of("s3://lake")
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


@pytest.mark.parametrize(
    "words",
    [
        ("manifest", TABLE, "--as-of", "2026-11-20T03:00Z"),
        ("rollback", TABLE, "--as-of", "2026-11-20T03:00Z"),
        ("manifest", TABLE),
    ],
    ids=" ".join,
)
def test_a_path_without_a_table_is_told_as_such(table: MemoryTable, words: tuple[str, ...]) -> None:
    result = repave(*words)
    assert result.exit_code == 2
    assert "Repave has not committed to s3://lake/sales: it has no versions. Check" in result.stderr
    table.publish(active=[active(FIRST, "pending")])
    assert "has no version yet: its first commit is not finished" in repave(*words).stderr


def test_the_cost_of_a_job_whose_records_are_not_all_there_is_unknown(
    table: MemoryTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repave._costs.client", lambda *_: None)
    monkeypatch.setattr("repave._costs.BucketObjects", lambda _: table)
    table.commit("append", {"dt=1": ["a"]})
    shown = repave("costs", TABLE).stdout
    assert "1 more job is not finished, or its records were removed." in shown
    table.commit("append", {"dt=1": ["b"]})
    assert "2 more jobs are not finished, or their records were" in repave("costs", TABLE).stdout


def test_what_a_path_without_a_table_costs_is_not_asked_for(
    table: MemoryTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong path may be a folder of millions of objects."""
    monkeypatch.setattr("repave.cli.costs.storage", pytest.fail)
    listed: list[Location] = []

    def nothing(folder: Location) -> Iterator[Listed]:
        listed.append(folder)
        return iter(())

    monkeypatch.setattr(table, "listed", nothing)
    result = repave("costs", TABLE, "--storage")
    assert result.exit_code == 1
    assert "there is no Repave table here" in result.stdout
    assert listed == [Location.of(f"{TABLE}/_repave")]
    assert table.lists == 0


@pytest.mark.parametrize("name", ["costs", "storage"])
def test_python_refuses_a_path_without_a_table(
    table: MemoryTable, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for each in ("_costs", "_storage"):
        monkeypatch.setattr(f"repave.{each}.client", lambda *_: None)
        monkeypatch.setattr(f"repave.{each}.BucketObjects", lambda _: table)
    with pytest.raises(UsageError, match="Repave has not committed to s3://lake/sales"):
        getattr(repave_package, name)(TABLE)


def test_names_are_printed_as_they_are(table: MemoryTable) -> None:
    """Neither with the backslashes of Rich, nor with control characters."""
    table.commit("append", {"dt=[b]1": ["f[0]\x1b.parquet", r"g\.parquet"]})
    lines = repave("manifest", TABLE, "--files").stdout.splitlines()[1:]
    assert lines == [r"+ dt=[b]1/f[0]\x1b.parquet  10 B", r"+ dt=[b]1/g\.parquet  10 B"]
    assert "dt=[b]1" in repave("manifest", TABLE).stdout.splitlines()[-1]


def test_what_was_recovered_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    _tell([{"table": "s3://lake/a[b]", "error": "Repave", "message": "[x] is gone."}], 1, BELOW)
    assert capsys.readouterr().out.startswith("s3://lake/a[b]: [x] is gone.\n")


NAMES = "\x1b]0;title\x07\u202e\x9b2J"


@pytest.mark.parametrize(
    "tell",
    [
        lambda: print_error(UsageError(f"{NAMES} is no table.\n\tat line 2")),
        lambda: _warn(f"{NAMES} is behind.\n\tat line 2"),
        lambda: tell_statements([f"{NAMES}\n\tat line 2"]),
    ],
)
def test_no_control_character_of_a_name_reaches_the_terminal(
    tell: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    tell()
    told = "".join(capsys.readouterr())
    assert r"\x1b]0;title\x07\u202e\x9b2J" in told
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(told)
    assert told.endswith("\n\tat line 2\n")


def test_the_order_of_a_record_is_shown_without_control_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = OrderReport(TABLE, 3, f"`{NAMES}`", "pages", ())
    monkeypatch.setattr("repave.cli.order.verify_order", lambda *_, **__: report)
    shown = repave("order", TABLE).stdout
    assert "\x1b" not in shown
    assert r"order `\x1b]0;title" in shown


def test_a_document_has_the_numbers_of_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """JSON itself asks for those below a blank only."""
    print_json({"partition": f"dt={NAMES}é"})
    shown = capsys.readouterr().out
    assert not [char for char in "\x1b\x9b\u202e" if char in shown]
    assert "é" in shown
    assert json.loads(shown) == {"partition": f"dt={NAMES}é"}


def test_a_uri_has_no_control_character_on_a_terminal_and_is_exact_for_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = f"lake/sales/{NAMES}.parquet"
    found = SimpleNamespace(uris=lambda: [f"s3://{key}"])
    monkeypatch.setattr("repave.cli.files.snapshot", lambda *_, **__: found)
    assert repave("files", TABLE, "--uris").stdout == f"s3://{key}\n"
    monkeypatch.setattr("repave.cli.files.on_terminal", lambda: True)
    assert repave("files", TABLE, "--uris").stdout == f"s3://{visible(key)}\n"


def test_a_statement_keeps_invisible_characters_that_are_part_of_a_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tell_statements(["ADD PARTITION (`\u200c\xad`='\xad')"])
    assert capsys.readouterr().out.endswith("  ADD PARTITION (`\u200c\xad`='\xad')\n")


def test_a_statement_has_the_numbers_of_control_characters() -> None:
    (statement,) = catalog_statements(Location.of(TABLE), ["dt=a%1B[2J"], "listing", "sales")
    assert statement.endswith(r"PARTITION (`dt`='a\u001b[2J')")


def test_the_columns_of_a_commit_say_what_they_count(table: MemoryTable) -> None:
    table.commit("append", {"dt=1": ["a"]})
    wanted = ["files in", "bytes in", "rows in", "files out", "rows out"]
    for command in ("history", "manifest"):
        heading = next(
            line for line in repave(command, TABLE).stdout.splitlines() if "rows in" in line
        )
        assert [heading.find(one) for one in wanted] == sorted(heading.find(one) for one in wanted)
        assert all(one in heading for one in wanted)


def test_no_summary_of_a_command_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = CliRunner().invoke(main, ["--help"], terminal_width=80).stdout
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.parametrize("command", ["jar", "conf"])
def test_an_installation_without_a_jar_is_no_problem_of_a_table(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("REPAVE_JAR", "/nowhere/repave.jar")
    result = repave(command)
    assert result.exit_code == 2
    assert "REPAVE_JAR names /nowhere/repave.jar, which is not a file" in result.stderr


def test_files_without_a_known_format_are_refused_with_what_the_command_can_do() -> None:
    with pytest.raises(UsageError, match="describe such a table to the catalog yourself"):
        HiveColumns.of((DataFile("dt=1", "000000_0", 1),), TABLE)
    assert format_of([DataFile("dt=1", "data.PARQUET", 1)], TABLE) == "parquet"
