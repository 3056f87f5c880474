"""Python's errors are those of contract/errors.json, and so are Java's (ErrorsTest)."""

import json
from typing import Any

import pytest

import repave
from repave._errors import BY_JAVA_NAME
from repave.cli import exit_code
from unit.golden import CONTRACT

ENTRIES: list[dict[str, Any]] = json.loads((CONTRACT / "errors.json").read_text("utf-8"))


def subclasses(kind: type[Exception]) -> list[type[Exception]]:
    return [kind, *(inner for one in kind.__subclasses__() for inner in subclasses(one))]


def test_every_error_is_in_the_table() -> None:
    names = [kind.__name__ for kind in subclasses(repave.RepaveError)]
    assert sorted(names) == sorted(entry["python"] for entry in ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["python"])
def test_an_error_is_what_the_table_says(entry: dict[str, Any]) -> None:
    kind = getattr(repave, entry["python"])
    assert kind.code == entry["error"]
    assert exit_code(kind("x")) == entry["exit-code"]
    if entry["parent"]:
        assert kind.__base__.__name__ == entry["parent"]
        assert BY_JAVA_NAME[entry["java"]] is BY_JAVA_NAME[entry["java-0.1"]] is kind


def test_the_jar_throws_no_other_errors() -> None:
    known = {entry[name] for entry in ENTRIES if entry["parent"] for name in ("java", "java-0.1")}
    assert set(BY_JAVA_NAME) == known


def test_the_name_of_version_0_1_still_works() -> None:
    with pytest.warns(DeprecationWarning, match="InvalidRecordError"):
        assert repave.RecordRefusedError is repave.InvalidRecordError
    with pytest.raises(AttributeError, match="no attribute 'NoSuchError'"):
        _ = repave.NoSuchError
