"""One table of the Glue Data Catalog, by boto3."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

from repave._aws import credential_errors, session
from repave._errors import RepaveError, UsageError
from repave._hive import ORC_BY_NAME, SERDES
from repave._hive_types import Columns

# The most partitions of one call.
BATCH: Final = 100
DELETED_BATCH: Final = 25
PAGE: Final = 1_000
REFUSALS_SHOWN: Final = 5
NAME_PARTS: Final = 2
# An update keeps what Glue accepts of a table or a partition, and drops what Glue adds itself.
OF_A_TABLE: Final = (
    "Name",
    "Description",
    "Owner",
    "LastAccessTime",
    "LastAnalyzedTime",
    "Retention",
    "StorageDescriptor",
    "PartitionKeys",
    "ViewOriginalText",
    "ViewExpandedText",
    "TableType",
    "Parameters",
    "TargetTable",
)
OF_A_PARTITION: Final = (
    "Values",
    "LastAccessTime",
    "StorageDescriptor",
    "Parameters",
    "LastAnalyzedTime",
)
# Another process was faster.
OVERTAKEN: Final = (
    "AlreadyExistsException",
    "ConcurrentModificationException",
    "EntityNotFoundException",
)

# Members of Glue's own, as boto3 takes and returns them.
Entry = dict[str, Any]


def glue_client(profile: str | None = None) -> Any:  # noqa: ANN401 - boto3 has no types
    """Return a client with the credentials that boto3 finds."""
    with credential_errors():
        return session(profile).client("glue")


def columns_of(columns: Columns) -> list[Entry]:
    """Return columns as Glue describes them."""
    return [{"Name": name.lower(), "Type": kind} for name, kind in columns.items()]


def serde(library: str) -> Entry:
    """Return the class that reads rows as Glue describes it."""
    own = ORC_BY_NAME if library == SERDES["orc"] else {}
    return {"SerializationLibrary": library, "Parameters": {"serialization.format": "1", **own}}


class GlueTable:
    """One table of the catalog. A call that fails may be sent again."""

    def __init__(self, glue: Any, name: str) -> None:  # noqa: ANN401 - boto3 has no types
        """Take a client of Glue, and a name such as `sales_db.sales`."""
        parts = name.split(".")
        if len(parts) != NAME_PARTS or not all(parts):
            message = f"A table of Glue is named DATABASE.TABLE, not {name!r}."
            raise UsageError(message)
        self._glue = glue
        self._database, self._name = parts
        self.name = name

    def found(self) -> Entry | None:
        """Return the table as Glue describes it, None if it is absent."""
        with self._answers("show"):
            try:
                answer = self._glue.get_table(DatabaseName=self._database, Name=self._name)
            except self._glue.exceptions.EntityNotFoundException:
                return None
            table: Entry = answer["Table"]
            return table

    def require_database(self) -> None:
        """Refuse a database that is absent.

        Raises:
            UsageError: there is none of this name.
        """
        with self._answers("look for the database of"):
            try:
                self._glue.get_database(Name=self._database)
            except self._glue.exceptions.EntityNotFoundException:
                message = (
                    f"Glue has no database {self._database}. Create it, then run this again: "
                    f"aws glue create-database --database-input Name={self._database}"
                )
                raise UsageError(message) from None

    def create(self, wanted: Entry) -> bool:
        """Create the table; false if another process has done it."""
        with self._answers("create"):
            try:
                self._glue.create_table(
                    DatabaseName=self._database, TableInput={"Name": self._name, **wanted}
                )
            except self._glue.exceptions.AlreadyExistsException:
                return False
            return True

    def change(self, found: Entry, **members: Any) -> int:  # noqa: ANN401 - as Glue has them
        """Change members of the table; 1 if another process has changed the table instead."""
        kept: Entry = {key: found[key] for key in OF_A_TABLE if key in found}
        # Glue changes this version of the table or none. It does not keep the old one.
        condition = {"VersionId": found["VersionId"]} if "VersionId" in found else {}
        with self._answers("change"):
            try:
                self._glue.update_table(
                    DatabaseName=self._database,
                    TableInput={**kept, **members},
                    SkipArchive=True,
                    **condition,
                )
            except self._glue.exceptions.ConcurrentModificationException:
                return 1
            return 0

    def partitions(self) -> Iterator[Entry]:
        """Yield every partition, with its columns: an update has to repeat them.

        Partitions with the same columns share them; 100,000 copies of 100 columns are gigabytes.
        """
        shared: dict[str, list[Entry]] = {}
        with self._answers("list the partitions of"):
            pages = self._glue.get_paginator("get_partitions").paginate(
                **self._named(),
                ExcludeColumnSchema=False,
                PaginationConfig={"PageSize": PAGE},
            )
            for page in pages:
                for one in page["Partitions"]:
                    storage = one.get("StorageDescriptor", {})
                    if columns := storage.get("Columns"):
                        storage["Columns"] = shared.setdefault(str(columns), columns)
                    yield one

    def add(self, partitions: Iterable[Entry]) -> int:
        """Add partitions; return how many another process had added."""
        return self._send(
            BATCH,
            partitions,
            lambda some: self._glue.batch_create_partition(
                **self._named(), PartitionInputList=some
            ),
        )

    def update(self, partitions: Iterable[Entry]) -> int:
        """Change partitions; return how many another process had dropped."""
        return self._send(
            BATCH,
            ({"PartitionValueList": one["Values"], "PartitionInput": one} for one in partitions),
            lambda some: self._glue.batch_update_partition(**self._named(), Entries=some),
        )

    def drop(self, values: Iterable[list[str]]) -> int:
        """Drop partitions; return how many another process had dropped."""
        return self._send(
            DELETED_BATCH,
            ({"Values": one} for one in values),
            lambda some: self._glue.batch_delete_partition(
                **self._named(), PartitionsToDelete=some
            ),
        )

    def _send(
        self, size: int, entries: Iterable[Entry], call: Callable[[list[Entry]], Entry]
    ) -> int:
        remaining = iter(entries)
        sent, refused = 0, []
        with self._answers("change partitions of"):
            while some := list(islice(remaining, size)):
                sent += len(some)
                refused += call(some).get("Errors", ())
        overtaken = [one for one in refused if one["ErrorDetail"].get("ErrorCode") in OVERTAKEN]
        if len(overtaken) < len(refused):
            raise self._refusal(sent, [one for one in refused if one not in overtaken])
        return len(overtaken)

    def overtaken(self) -> RepaveError:
        """Return the error for a process that others overtake again and again."""
        return RepaveError(
            f"Other processes change {self.name} in Glue at the same time. Run it again."
        )

    def _refusal(self, sent: int, refused: list[Entry]) -> RepaveError:
        shown = ", ".join(
            f"{'/'.join(one.get('PartitionValues') or one.get('PartitionValueList') or ['?'])} "
            f"({one['ErrorDetail'].get('ErrorCode')}: {one['ErrorDetail'].get('ErrorMessage')})"
            for one in refused[:REFUSALS_SHOWN]
        )
        more = ", …" if len(refused) > REFUSALS_SHOWN else ""
        return RepaveError(
            f"Glue refused {len(refused):,} of {sent:,} partitions of {self.name}: {shown}{more}. "
            "Run it again: it sends only what is missing."
        )

    @contextmanager
    def _answers(self, what: str) -> Iterator[None]:
        from botocore.exceptions import BotoCoreError  # noqa: PLC0415 - as in _aws.py

        try:
            yield
        except self._glue.exceptions.ClientError as error:
            message = f"Glue refused to {what} {self.name}: {error}"
            raise RepaveError(message) from error
        except BotoCoreError as error:
            message = (
                f"Glue did not answer when asked to {what} {self.name}: {error}. It may have done "
                "so. Run it again: it sends only what is missing."
            )
            raise RepaveError(message) from error

    def _named(self) -> dict[str, str]:
        return {"DatabaseName": self._database, "TableName": self._name}
