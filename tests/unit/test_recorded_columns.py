"""The columns of a metastore's new table: those of all files, not those of one."""

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from repave._errors import InvalidRecordError, UsageError
from repave._recorded_columns import columns_of_files
from repave._records import DataFile

# ruff: noqa: ANN401 - py4j has no types

INT, LONG = {"id": "integer"}, {"id": "long"}


class FakeTypes:
    """Spark's `types.DataType`, as far as columns are asked of it."""

    @staticmethod
    def fromJson(document: str) -> Any:  # noqa: N802 - Spark's name
        (field,) = json.loads(document)["fields"]
        assert field["nullable"]
        if field["type"] == "variant":
            message = "Failed to convert the JSON string 'variant' to a data type."
            raise ValueError(message)
        text = f"`{field['name']}` {json.dumps(field['type'])}".replace('"', "")
        return SimpleNamespace(toDDL=lambda: text)


class Asked:
    """What tells the newest file, and counts how often it is asked."""

    def __init__(self, newest: int | None = None) -> None:
        self.files: list[tuple[DataFile, ...]] = []
        self._newest = newest

    def __call__(self, files: tuple[DataFile, ...]) -> DataFile | None:
        self.files.append(files)
        return None if self._newest is None else files[self._newest]


def inferred(**types: str) -> Any:
    fields = [
        SimpleNamespace(
            name=lambda name=name: name,
            dataType=lambda kind=kind: SimpleNamespace(typeName=lambda: kind),
            toDDL=lambda name=name, kind=kind: f"`{name}` {kind} as inferred",
        )
        for name, kind in types.items()
    ]
    return SimpleNamespace(
        _jdf=SimpleNamespace(schema=lambda: SimpleNamespace(fields=lambda: fields))
    )


def columns(frame: Any, *schemas: dict[str, Any] | str | None, newest: Asked | None = None) -> str:
    files = tuple(
        DataFile(f"day={at}", f"part-{at}.parquet", 1, None, _json(schema))
        for at, schema in enumerate(schemas)
    )
    types = SimpleNamespace(DataType=FakeTypes)
    sql = SimpleNamespace(sql=SimpleNamespace(types=types))
    jvm = SimpleNamespace(org=SimpleNamespace(apache=SimpleNamespace(spark=sql)))
    spark = cast("Any", SimpleNamespace(_jvm=jvm))
    return columns_of_files(spark, frame, files, ["day"], newest or Asked())


def _json(schema: dict[str, Any] | str | None) -> str | None:
    if schema is None or isinstance(schema, str):
        return schema
    fields = [{"name": name, "type": kind, "nullable": False} for name, kind in schema.items()]
    return json.dumps({"type": "struct", "fields": fields})


def test_columns_that_only_other_files_have_are_added() -> None:
    asked = Asked()
    found = columns(
        inferred(id="INT", day="INT"),
        INT,
        {**INT, "price": "double"},
        {"Note": "string"},
        newest=asked,
    )
    assert found == ("`id` INT as inferred, `day` INT as inferred, `price` double, `Note` string")
    # No column has several types, so the history, which costs requests, does not matter.
    assert not asked.files


@pytest.mark.parametrize(("newest", "kind"), [(0, "integer"), (1, "long"), (None, "long")])
def test_the_newest_of_several_types_counts(newest: int | None, kind: str) -> None:
    asked = Asked(newest)
    assert columns(inferred(Id="INT"), INT, LONG, newest=asked) == f"`Id` {kind}"
    assert len(asked.files) == 1


def test_a_newest_file_without_the_column_says_nothing_of_its_type() -> None:
    asked = Asked(1)
    other = {"other": "string"}
    found = columns(inferred(Id="INT"), INT, LONG, other, None, newest=asked)
    assert found == "`Id` long, `other` string"
    assert [len(files) for files in asked.files] == [2]


def test_what_the_records_do_not_know_is_as_spark_infers_it() -> None:
    frame = inferred(id="INT", day="void")
    assert columns(frame, None, None) == "`id` INT as inferred, `day` STRING"
    assert columns(frame, None, LONG) == "`id` INT as inferred, `day` STRING"


def test_a_folders_column_is_not_that_of_the_files() -> None:
    found = columns(inferred(id="INT", day="INT"), {"DAY": "long"}, {"day": "string"})
    assert found == "`id` INT as inferred, `day` INT as inferred"


def test_nulls_inside_a_type_make_no_other_type() -> None:
    asked = Asked()
    kinds = [{"type": "array", "elementType": "long", "containsNull": it} for it in (True, False)]
    columns(inferred(tags="ARRAY<BIGINT>"), *({"tags": kind} for kind in kinds), newest=asked)
    assert not asked.files


def test_a_type_that_this_spark_does_not_know_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'doc' .* does not know: \"variant\"") as refused:
        columns(inferred(id="INT"), INT, {"doc": "variant"})
    assert "Follow in a session of the version" in str(refused.value)


def test_a_damaged_record_is_refused() -> None:
    with pytest.raises(InvalidRecordError, match="not Spark's JSON of columns"):
        columns(inferred(id="INT"), '{"fields": 7}')
