"""Registers symlink manifests in the Glue Data Catalog, which Athena and Redshift read."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from repave._errors import RepaveError, UsageError
from repave._symlinks import INPUT, OUTPUT, SymlinkTable

# The most partitions of one call.
BATCH: Final = 100
NAME_PARTS: Final = 2
OWN: Final = "repave"
# An update of the table keeps what Glue accepts of it, and drops what Glue adds itself.
KEPT: Final = ("Description", "Owner", "Retention", "Parameters", "ViewOriginalText")


class GlueTable:
    """One table of the catalog. All calls are idempotent."""

    def __init__(self, glue: Any, name: str) -> None:  # noqa: ANN401 - boto3 has no types
        """Take a client of Glue, and a name such as `sales_db.sales`."""
        parts = name.split(".")
        if len(parts) != NAME_PARTS or not all(parts):
            message = f"--glue takes DATABASE.TABLE, not {name!r}."
            raise UsageError(message)
        self._glue = glue
        self._database, self._name = parts

    def register(self, table: SymlinkTable) -> int:
        """Create or update the table and its partitions.

        Partitions that have no files any more stay: their manifests are empty.

        Returns:
            How many partitions were added or changed.

        Raises:
            UsageError: another table has the name.
            RepaveError: Glue refused the request, or some partitions.
        """
        try:
            return self._register(table)
        except self._glue.exceptions.ClientError as error:
            message = f"Glue refused to register {self._database}.{self._name}: {error}"
            raise RepaveError(message) from error

    def _register(self, table: SymlinkTable) -> int:
        wanted: dict[tuple[str, ...], dict[str, Any]] = {
            values: {
                "Values": list(values),
                "StorageDescriptor": self._storage(table, place),
                "Parameters": {OWN: "symlink"},
            }
            for place, values in table.partitions.items()
        }
        known = {} if self._created(table) else dict(self._known())
        self._add(one for values, one in wanted.items() if values not in known)
        changed = [
            one
            for values, one in wanted.items()
            if values in known and not _covers(known[values], one["StorageDescriptor"])
        ]
        self._update(changed)
        return len(wanted.keys() - known.keys()) + len(changed)

    def _created(self, table: SymlinkTable) -> bool:
        """Create the table, or update it if it is there; true if it was created."""
        wanted: dict[str, Any] = {
            "Name": self._name,
            "TableType": "EXTERNAL_TABLE",
            "Parameters": {"EXTERNAL": "TRUE", OWN: "symlink"},
            "PartitionKeys": _columns(table.partition_columns),
            "StorageDescriptor": self._storage(table, table.location),
        }
        try:
            self._glue.create_table(DatabaseName=self._database, TableInput=wanted)
        except self._glue.exceptions.AlreadyExistsException:
            found = self._glue.get_table(DatabaseName=self._database, Name=self._name)["Table"]
            self._require_own(found, table)
            if not (
                _covers(found["StorageDescriptor"], wanted["StorageDescriptor"])
                and found.get("PartitionKeys", []) == wanted["PartitionKeys"]
            ):
                kept = {key: found[key] for key in KEPT if key in found}
                self._glue.update_table(DatabaseName=self._database, TableInput={**wanted, **kept})
            return False
        return True

    def _require_own(self, found: dict[str, Any], table: SymlinkTable) -> None:
        place = found.get("StorageDescriptor", {}).get("Location", "").rstrip("/")
        if place != table.location:
            message = (
                f"{self._database}.{self._name} is in Glue and is at {place or 'no place'}, "
                f"not at {table.location}. Nothing was changed. Take another name."
            )
            raise UsageError(message)

    def _known(self) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
        pages = self._glue.get_paginator("get_partitions").paginate(
            DatabaseName=self._database, TableName=self._name, ExcludeColumnSchema=False
        )
        for page in pages:
            for one in page["Partitions"]:
                yield tuple(one["Values"]), one["StorageDescriptor"]

    def _add(self, partitions: Iterator[dict[str, Any]]) -> None:
        while some := list(islice(partitions, BATCH)):
            answer = self._glue.batch_create_partition(
                DatabaseName=self._database, TableName=self._name, PartitionInputList=some
            )
            # Another process may have added it meanwhile.
            self._require_none(answer, but="AlreadyExistsException")

    def _update(self, partitions: list[dict[str, Any]]) -> None:
        for at in range(0, len(partitions), BATCH):
            entries = [
                {"PartitionValueList": one["Values"], "PartitionInput": one}
                for one in partitions[at : at + BATCH]
            ]
            answer = self._glue.batch_update_partition(
                DatabaseName=self._database, TableName=self._name, Entries=entries
            )
            self._require_none(answer)

    def _require_none(self, answer: dict[str, Any], but: str = "") -> None:
        errors = [one["ErrorDetail"] for one in answer.get("Errors", ())]
        refused = [one for one in errors if one.get("ErrorCode") != but]
        if refused:
            message = (
                f"Glue refused {len(refused)} partitions of {self._database}.{self._name}: "
                f"{refused[0].get('ErrorCode')}: {refused[0].get('ErrorMessage')}. Run it again."
            )
            raise RepaveError(message)

    @staticmethod
    def _storage(table: SymlinkTable, place: str) -> dict[str, Any]:
        return {
            "Columns": _columns(table.columns),
            "Location": place,
            "InputFormat": INPUT,
            "OutputFormat": OUTPUT,
            "SerdeInfo": {
                "SerializationLibrary": table.serde("athena"),
                "Parameters": {"serialization.format": "1"},
            },
        }


def _columns(columns: dict[str, str]) -> list[dict[str, str]]:
    return [{"Name": name.lower(), "Type": kind} for name, kind in columns.items()]


def _covers(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Compare what was asked for; Glue adds members of its own."""
    return all(found.get(key) == value for key, value in wanted.items())
