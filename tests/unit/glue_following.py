"""A follower in moto's Glue, and a stand-in for the jar that it asks."""

import json
from typing import TYPE_CHECKING, Any

from repave._errors import RepaveError
from repave._glue import GlueTable
from repave._glue_follower import GlueFollower
from repave._location import Location
from repave._records import DataFile
from unit import golden
from unit.glue_catalog import Catalog

# ruff: noqa: ANN401 - JSON

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = "s3://lake/sales"
TABLE = Location.of("s3a://lake/sales")
SCHEMA = json.dumps({"fields": [{"name": "id", "type": "long"}, {"name": "at", "type": "date"}]})
Folders = dict[str, str]
ASKED = {(words[0], len(words[2:])) for words in (each["words"] for each in golden.COMMANDS)}


class FakeJar:
    """The table's side: each write of `folders` is a version."""

    def __init__(self, folders: Folders) -> None:
        self.version = 0
        self.followed = 0
        self.name = ""
        self.id = "f1"
        self.warned: list[str] = []
        self.begins = True
        self.before_moved: list[Callable[[], None]] = []
        self.write(folders)

    def write(self, folders: Folders) -> None:
        self.version += 1
        self.folders = folders

    def __call__(self, command: str, *words: Any) -> Any:
        assert words[0] == "glue"
        assert (command, len(words)) in ASKED
        if command == "locations":
            document = {
                "version": self.version,
                "follower": self.id,
                "begins": self.begins,
                "partitions": [
                    {"partition": partition, "folder": folder}
                    for partition, folder in self.folders.items()
                ],
            }
            golden.validator("documents", "locations").validate(document)
            return document
        if command in {"follow", "refollow"}:
            died = self.name and self.begins
            self.name = words[1]
            if command == "refollow" or died:
                self.id, self.begins = f"{self.id}-again", True
        else:
            assert command == "moved"
            assert words[1] == self.name
            if self.before_moved:
                self.before_moved.pop(0)()
            if words[2] != self.id:
                message = "Another process has let the table follow again"
                raise RepaveError(message)
            self.followed, self.begins = max(self.followed, words[3]), False
        one = {"follower": "glue", "name": self.name, "version": self.followed}
        behind = self.version - self.followed
        return {"version": self.version, "followers": [{**one, "behind": behind}]}


def days(numbers: range, commit: str = "") -> Folders:
    return {f"day={day}": f"day={day}/@{commit}" if commit else f"day={day}" for day in numbers}


def files(jar: FakeJar) -> tuple[DataFile, ...]:
    return tuple(
        DataFile(partition, "part-0.c000.snappy.parquet", 1, None, SCHEMA)
        for partition in jar.folders
    )


def followed(glue: Catalog, jar: FakeJar) -> GlueFollower:
    """Let the catalog follow, and count its calls from then on."""
    follower = GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar, jar.warned.append)
    follower.begin(lambda: files(jar))
    glue.reset()
    return follower


def assert_at(glue: Catalog, jar: FakeJar) -> None:
    expected = {
        partition.partition("=")[2]: f"{ROOT}/{folder}" for partition, folder in jar.folders.items()
    }
    assert glue.locations() == expected
    assert jar.followed == jar.version
