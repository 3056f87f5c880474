"""A table as its users think of it: the rows of every version that may be read."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

# Of a row: its id, what wrote it, and its partition.
Row = tuple[int, str, str | None]
Rows = Counter[Row]
NULL = "__HIVE_DEFAULT_PARTITION__"
SPECIAL = "\"#%'*/:=?\\{[]^"
# What a change makes of the newest rows.
Effect = Callable[["Model"], Rows]


def folder_of(part: str | None) -> str:
    """Return the name of a partition's folder, as Hive and Spark write it.

    >>> folder_of("50%")
    'part=50%25'
    """
    text = NULL if part is None else part
    return "part=" + "".join(f"%{ord(one):02X}" if one in SPECIAL else one for one in text)


@dataclass
class Model:
    """The rows of each version. It shares no code with Repave."""

    readers: str
    format: str = "parquet"
    versions: dict[int, Rows] = field(default_factory=dict)
    newest: int = 0
    oldest: int = 1

    @property
    def rows(self) -> Rows:
        return self.versions.get(self.newest, Counter())

    @property
    def partitions(self) -> set[str | None]:
        return {row[2] for row in self.rows}

    @property
    def readable(self) -> list[int]:
        """The versions whose files are kept."""
        if self.readers == "listing":
            return [self.newest] if self.newest else []
        return [one for one in self.versions if one >= self.oldest]

    @property
    def removed(self) -> list[int]:
        """The versions that must not be shown with other rows than their own."""
        return sorted(set(self.versions) - set(self.readable))

    def is_inferred(self, version: int) -> bool:
        """Whether Spark reads what it infers: it takes nulls alone for `void`, not in ORC."""
        partitions = {row[2] for row in self.versions[version]}
        return self.format == "parquet" or partitions != {None}

    def publish(self, version: int, rows: Rows) -> None:
        assert version > self.newest, f"version {version} after {self.newest}"
        self.versions[version] = rows
        self.newest = version

    def without(self, partitions: set[str | None]) -> Rows:
        """Return the newest rows outside some partitions."""
        return Counter({row: n for row, n in self.rows.items() if row[2] not in partitions})

    def inside(self, partitions: set[str | None]) -> Rows:
        """Return the newest rows in some partitions."""
        return self.rows - self.without(partitions)
