"""What an adoption records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AddedFiles:
    """The files of a folder that an adoption added; `partition` is "" for the table's folder."""

    partition: str
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Adoption:
    """What an adoption changed, or would change, in the records of a table.

    `table` is the table's folder. `files` were added to the records, with `bytes`, in these
    `partitions`; `gone` files no longer existed. `version` names the files in the table; for a dry
    run it is the version before, 0 without records, and `commit` is "".
    """

    table: str
    version: int
    commit: str
    dry_run: bool
    files: int
    bytes: int
    gone: int
    partitions: tuple[AddedFiles, ...]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Adoption":
        return cls(
            document["table"],
            document["version"],
            document["commit"],
            document["dry-run"],
            document["files"],
            document["bytes"],
            document["gone"],
            tuple(
                AddedFiles(one["partition"], one["files"], one["bytes"])
                for one in document["partitions"]
            ),
        )
