"""What an adoption records."""

from dataclasses import dataclass

from repave._records import Document, PartitionSize, record_of


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
    partitions: tuple[PartitionSize, ...]

    @classmethod
    def of(cls, document: Document) -> "Adoption":
        sizes = tuple(record_of(PartitionSize, one) for one in document["partitions"])
        return record_of(cls, document, partitions=sizes)
