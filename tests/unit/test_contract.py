"""Python reads the table states of the folder contract as Java does."""

import gzip
import json
from typing import Any, cast

import pytest

from repave import RepaveError, RepaveTable
from repave._envelope import open_record
from repave._errors import InvalidRecordError
from repave._records import DataFile
from repave._shapes import SHAPES
from repave._snapshot.live_files import LiveFiles
from unit import golden, mutations
from unit.fake_spark import FakeJavaError, FakeSpark
from unit.record_files import sealed

CHANGED = ("damaged-", "newer-format", "later-members", "wrong-")
QUESTIONS = [
    (state, question)
    for state in golden.STATES
    for question in golden.expected(state)
    if not question.startswith("files-")  # below: `TableRecords` has no such document
]


def whole_records() -> list[tuple[str, dict[str, Any]]]:
    """Return each record that is whole, with its path."""
    found = []
    for state in golden.STATES:
        for key, content in golden.GoldenS3(state).objects.items():
            if not state.startswith(CHANGED):
                text = gzip.decompress(content) if key.endswith(".gz") else content
                found.append((key, json.loads(text)))
    return found


@pytest.mark.parametrize(("state", "question"), QUESTIONS)
def test_every_question_is_answered_as_expected(state: str, question: str) -> None:
    assert golden.answer(state, question) == golden.expected(state)[question]


@pytest.mark.parametrize("state", golden.STATES)
def test_the_expected_documents_fit_their_schemas(state: str) -> None:
    for question, document in golden.expected(state).items():
        failed = isinstance(document, dict) and "error" in document
        name = "error" if failed else question.partition("-")[0]
        golden.validator("documents", name).validate(document)


def test_the_records_fit_their_schemas() -> None:
    records = whole_records()
    for _, record in records:
        golden.validator("records", record.get("record", "refused")).validate(record)
    types = {record.get("record", "refused") for _, record in records}
    assert types == {path.stem for path in golden.schema_files("records")} - {"common"}


@pytest.mark.parametrize("folder", ["records", "documents"])
def test_the_schemas_are_schemas(folder: str) -> None:
    for path in golden.schema_files(folder):
        golden.validator(folder, path.stem).check_schema(json.loads(path.read_text("utf-8")))


def test_a_record_is_refused_when_it_does_not_fit_the_schema() -> None:
    seen = set()
    for key, record in whole_records():
        kind = record.get("record")
        if kind not in SHAPES or (members := (kind, mutations.members(record))) in seen:
            continue
        seen.add(members)
        fits = golden.validator("records", kind)
        for change, mutant in mutations.of(record):
            accepted = _accepts(mutant, kind)
            assert accepted == fits.is_valid(mutant), f"{key}: {change}"
    assert {kind for kind, _ in seen} == set(SHAPES)


def _accepts(mutant: dict[str, Any], kind: str) -> bool:
    del mutant["checksum"]
    content = sealed(mutant)
    mutant.update(json.loads(content))
    try:
        open_record(content, kind, "here")
    except InvalidRecordError:
        return False
    return True


@pytest.mark.parametrize("state", golden.STATES)
def test_a_table_in_a_session_reads_the_documents(state: str) -> None:
    documents = golden.expected(state)
    questions = [("files", question) for question in documents if question.startswith("files-")]
    questions += [("manifest", question) for question in documents if "manifest" in question]
    for method, question in [*questions, ("status", "status"), ("history", "history")]:
        document = documents[question]
        table = _table(method, document)
        if isinstance(document, dict) and "error" in document:
            with pytest.raises(RepaveError) as raised:
                getattr(table, method)()
            assert (raised.value.code, str(raised.value)) == tuple(document.values())
        else:
            _compare(getattr(table, method)(), document)


@pytest.mark.parametrize("state", golden.STATES)
def test_python_finds_the_live_files_that_the_engine_finds(state: str) -> None:
    for question, document in golden.expected(state).items():
        if not question.startswith("files-") or "error" in document:
            continue
        found = _live_files(state, document["version"])
        assert [(one.partition, one.name, one.bytes) for one in found] == [
            (partition["partition"], file["name"], file["bytes"])
            for partition in document["partitions"]
            for file in partition["files"]
        ], question


@pytest.mark.parametrize("state", golden.STATES)
def test_python_refuses_the_versions_whose_records_the_engine_refuses(state: str) -> None:
    for question, document in golden.expected(state).items():
        _, files, version = question.partition("files-")
        if not files or version in ("0", "newest"):  # Version 0 has no files.
            continue
        if document.get("error") == InvalidRecordError.code:
            with pytest.raises(InvalidRecordError):
                _live_files(state, int(version))


def test_a_manifest_of_another_kind_is_refused_in_the_same_words() -> None:
    with pytest.raises(InvalidRecordError) as raised:
        _live_files("other-kind", 2)
    assert str(raised.value) == golden.expected("other-kind")["files-2"]["message"]


def _live_files(state: str, version: int) -> tuple[DataFile, ...]:
    records = golden.records(state)
    return LiveFiles(records).at(records.head(), version)


def _table(method: str, document: Any) -> RepaveTable:  # noqa: ANN401 - JSON
    answer = document
    if isinstance(document, dict) and "error" in document:
        entries = json.loads((golden.CONTRACT / "errors.json").read_text("utf-8"))
        (java,) = [one["java"] for one in entries if one["error"] == document["error"]]
        answer = FakeJavaError(f"io.repave.core.error.{java}", document["message"])
    return RepaveTable.for_path(cast("Any", FakeSpark({method: answer})), "s3a://lake/t")


def _compare(value: Any, document: Any) -> None:  # noqa: ANN401 - JSON
    """Compare what the table returns with what the document says, count by count."""
    if isinstance(document, list):
        assert [(one.version, one.commit, one.state, one.files_in) for one in value] == [
            (one["version"], one["commit"], one["state"], one["files-in"]) for one in document
        ]
    elif "active" in document:
        assert [one.commit for one in value.active] == [one["commit"] for one in document["active"]]
    elif "files-in" in document:
        assert [(one.partition, len(one.added), len(one.removed)) for one in value.partitions] == [
            (one["partition"], len(one["in"]), len(one["out"])) for one in document["partitions"]
        ]
    else:
        assert [(one.partition, one.name, one.bytes) for one in value] == [
            (one["partition"], file["name"], file["bytes"])
            for one in document["partitions"]
            for file in one["files"]
        ]
