"""The schemas of files are read from the pieces and places of a record."""

from typing import Any

import pytest

from repave._errors import InvalidRecordError
from repave._read import TableRecords
from repave._schemas import BYTES_MAX, COUNT_MAX
from unit.record_files import FIRST, TABLE, MemoryObjects, head, logged, manifest

# ruff: noqa: ANN401 - JSON


def read(place: Any, schemas: list[Any] | None) -> dict[str, Any]:
    """Return the manifest of a table whose one new file has the schema at a place."""
    objects = MemoryObjects()
    objects.put("head.json", head(version=1, log=[logged(FIRST, 1)]))
    one = manifest(FIRST)
    one["partitions"][0]["in"][0]["schema"] = place
    if schemas is not None:
        one["schemas"] = schemas
    objects.put(f"commits/{FIRST}/manifest.json.gz", one)
    return TableRecords(objects, TABLE).manifest(1)


def test_the_pieces_of_a_schema_are_one_text() -> None:
    document = read(1, [{"json": ["x"]}, {"json": ["a", "b"]}])
    assert document["schemas"] == ["ab"]
    assert document["partitions"][0]["in"][0]["schema"] == 0
    assert "schema" not in document["partitions"][0]["out"][0]


def test_the_short_form_of_a_schema_stands_for_its_json() -> None:
    long = [{"ddl": ["id long not null,amo", "unt decimal(10,2)"]}]
    fields = (
        '{"name":"id","type":"long","nullable":false,"metadata":{}},'
        '{"name":"amount","type":"decimal(10,2)","nullable":true,"metadata":{}}'
    )
    assert read(0, long)["schemas"] == [f'{{"type":"struct","fields":[{fields}]}}']


@pytest.mark.parametrize("schemas", [None, []])
def test_in_a_record_without_schemas_they_are_unknown(schemas: list[Any] | None) -> None:
    document = read(3, schemas)
    assert "schemas" not in document
    assert "schema" not in document["partitions"][0]["in"][0]


@pytest.mark.parametrize(
    ("place", "schemas"),
    [
        (1, [{"json": ["a"]}]),
        (-1, [{"json": ["a"]}]),
        ("0", [{"json": ["a"]}]),
        (0, [{"json": []}]),
        (0, [{"json": [""]}]),
        (0, [{"json": "a"}]),
        (0, [{}]),
        (0, [{"ddl": []}]),
        (0, [{"ddl": "id long"}]),
        *(
            (0, [{"ddl": [text]}])
            for text in ("id", "id long,", ",id long", "id long\n", "a b c d")
        ),
        (0, [{"ddl": ["a b," * 1_900] * 4}]),
        (0, [{"json": ["a"]}] * (COUNT_MAX + 1)),
        (0, [{"json": ["a" * 8_000] * (BYTES_MAX // 8_000 + 1)}]),
    ],
)
def test_a_place_or_a_schema_out_of_bounds_is_refused(place: Any, schemas: list[Any]) -> None:
    with pytest.raises(InvalidRecordError):
        read(place, schemas)
