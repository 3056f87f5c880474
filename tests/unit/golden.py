"""The table states of the folder contract, and what is asked about them."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from repave._bucket import BucketObjects
from repave._errors import RepaveError
from repave._location import Location
from repave._read import NEWEST, TableRecords
from unit.fake_s3 import FakeS3

CONTRACT = Path(__file__).parents[2] / "contract"
TABLES = CONTRACT / "tables"
STATES = sorted(path.name for path in TABLES.iterdir())
LIMIT = "history-limit-"
# The words of the jar's commands, and the calls that Java makes of them.
COMMANDS = json.loads((CONTRACT / "commands.json").read_text("utf-8"))


class GoldenS3(FakeS3):
    """A bucket that holds the records of one table."""

    def __init__(self, state: str) -> None:
        super().__init__()
        folder = TABLES / state
        for path in folder.glob("_repave/**/*"):
            if path.is_file():
                self.objects[f"{state}/{path.relative_to(folder)}"] = path.read_bytes()

    def get_object(self, *, Key: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401, N803
        if Key in self.objects:
            return {"Body": io.BytesIO(self.objects[Key])}
        return super().get_object(Key=Key, **request)


def records(state: str) -> TableRecords:
    """Return the reader of a state's records."""
    return TableRecords(BucketObjects(GoldenS3(state)), Location.of(f"s3://lake/{state}"))


def expected(state: str) -> dict[str, Any]:
    """Return the expected document of each question."""
    files = sorted((TABLES / state / "expected").iterdir())
    return {path.stem: json.loads(path.read_text("utf-8")) for path in files}


def answer(state: str, question: str) -> Any:  # noqa: ANN401 - JSON
    """Return the document that answers, or the error's."""
    reader = records(state)
    name, _, version = question.partition("-")
    try:
        if question == "status":
            return reader.status()
        if question.startswith(LIMIT):
            limit = int(question.removeprefix(LIMIT))
            return list(reader.history(limit))
        if question == "history":
            return list(reader.history())
        assert name == "manifest", question
        return reader.manifest(NEWEST if version == "newest" else int(version))
    except RepaveError as error:
        return {"error": error.code, "message": str(error)}


def validator(folder: str, name: str) -> Draft202012Validator:
    """Return the validator of a record or a document."""
    schemas = {path.name: json.loads(path.read_text("utf-8")) for path in schema_files(folder)}
    resources = ((name, Resource.from_contents(schema)) for name, schema in schemas.items())
    registry: Registry[Any] = Registry().with_resources(resources)
    return Draft202012Validator(schemas[f"{name}.json"], registry=registry)


def schema_files(folder: str) -> Iterator[Path]:
    """Return the schemas in a folder of the contract."""
    return (CONTRACT / folder).glob("*.json")
