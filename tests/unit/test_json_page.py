"""docs/json.md shows the documents that are really written, and Python reads each of them."""

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import pytest

from java_sources import main_text
from repave import spark_conf
from repave._adoption import Adoption
from repave._doctor import RIGHTS
from repave._drop import PartitionDrop
from repave._errors import CommitStateUnknownError, RepaveError
from repave._findings import problem
from repave._read import TableRecords
from repave._records import (
    HistoryEntry,
    LastCommit,
    Manifest,
    Recovery,
    Repair,
    Rollback,
    Status,
    Vacuum,
    live_files,
)
from repave.cli.answer import AS_JSON, print_error
from unit import golden
from unit.record_files import FIRST, SECOND, TABLE, MemoryObjects, active, head, logged, manifest

# ruff: noqa: ANN401 - JSON

PAGE = (Path(__file__).parents[2] / "docs/json.md").read_text("utf-8")


def shown(heading: str) -> list[Any]:
    """Return the documents below a heading."""
    (block,) = re.findall(rf"^## {heading}\n.*?```json\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
    documents, rest = [], block
    while rest.strip():
        document, end = json.JSONDecoder().raw_decode(rest.strip())
        documents.append(document)
        rest = rest.strip()[end:]
    return documents


def keys(document: Any) -> Any:
    """Return a document's members, and those of what it holds."""
    if isinstance(document, dict):
        return {key: keys(value) for key, value in document.items()}
    if isinstance(document, list):
        return [keys(document[0])] if document else []
    return None


def records() -> TableRecords:
    objects = MemoryObjects()
    pending = active(SECOND, "pending")
    objects.put("head.json", head(version=1, active=[pending], log=[logged(FIRST, 1)]))
    one = manifest(FIRST)
    one["partitions"][0]["adopted"] = []
    one["schemas"] = [{"json": ['{"type":"struct",', '"fields":[]}']}]
    one["partitions"][0]["in"][0]["schema"] = 0
    objects.put(f"commits/{FIRST}/manifest.json.gz", one)
    return TableRecords(objects, TABLE)


def test_status_is_as_it_is_shown() -> None:
    (document,) = shown("status")
    assert keys(document) == keys(records().status())
    assert Status.of(document).active[0].state == "pending"


def test_the_locations_that_are_shown_fit_their_schema() -> None:
    (document,) = shown("locations")
    golden.validator("documents", "locations").validate(document)


def test_history_is_as_it_is_shown() -> None:
    (document,) = shown("history")
    pending, published = records().history()
    assert keys(document) == [keys(published)]
    assert pending["files-in"] is None
    shown_entry = HistoryEntry.of(document[0])
    assert (shown_entry.files_in, shown_entry.rows_in, shown_entry.rows_out) == (12, 1200, None)


def test_manifest_and_files_are_as_they_are_shown() -> None:
    (document,) = shown("manifest")
    assert keys(document) == keys(records().manifest(1))
    (change,) = Manifest.of(document).partitions
    assert change.added[0].bytes == 4017
    assert [file.schema for file in (*change.added, *change.removed)] == [
        document["schemas"][0],
        None,
    ]
    (document,) = shown("files")
    assert [(file.bytes, file.rows) for file in live_files(document)] == [(4017, 100)]


def test_what_changes_a_table_is_read_as_it_is_shown() -> None:
    title = "recover, vacuum, rollback, adopt, repair, drop-partitions"
    recovered, vacuumed, rolled, adopted, repaired, dropped = shown(title)
    assert Recovery.of(recovered).commits[0].outcome == "finished"
    assert Vacuum.of(vacuumed).records == 14
    assert Rollback.of(rolled).files_out == 5
    assert (Adoption.of(adopted).files, Adoption.of(adopted).table) == (930, "s3://lake/sales")
    golden.validator("documents", "adoption").validate(adopted)
    assert Repair.of(repaired).lost_commits == 12
    assert PartitionDrop.of(dropped).filled[0].files == 4
    golden.validator("documents", "drop-partitions").validate(dropped)


def test_the_last_commit_is_read_as_it_is_shown() -> None:
    (document,) = shown("last commit")
    assert (LastCommit.of(document).files_in, LastCommit.of(document).rows_in) == (12, 1200)


def test_the_doctor_is_as_it_is_shown() -> None:
    (document,) = shown("doctor")
    assert keys(document) == [keys(asdict(problem("x")))]
    (told,) = document
    request = told["text"].removesuffix(" is denied.")
    assert told["fix"] == f"allow {RIGHTS[request]}", "the doctor says so"


def test_conf_is_as_it_is_shown() -> None:
    (document,) = shown("conf")
    assert document == spark_conf(jar="/opt/repave.jar")


def test_an_error_is_as_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    (document,) = shown("an error")
    context = click.Context(click.Command("x"))
    context.meta[AS_JSON] = True
    with context:
        print_error(CommitStateUnknownError(document["message"]))
    assert json.loads(capsys.readouterr().out) == document
    (reason,) = re.findall(r"( but not finished: )", document["message"])
    assert reason in main_text(), "the jar says so"
    codes = [one.code for one in _errors(RepaveError)]
    assert [code for code in codes if f"`{code}`" not in PAGE] == []


def _errors(kind: type[RepaveError]) -> list[type[RepaveError]]:
    return [kind, *(inner for one in kind.__subclasses__() for inner in _errors(one))]
