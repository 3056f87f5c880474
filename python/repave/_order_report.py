"""Whether the files of a table are in an order, from its records or row by row."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from repave._errors import UsageError
from repave._order import SortColumn, order_of, order_text
from repave._records import DataFile
from repave._snapshot.opening import snapshot
from repave._snapshot.row_order import Incomparable, RowOrder, Unreadable
from repave._snapshot.snapshot import Snapshot

IN_ORDER: Final = "in order"
UNKNOWN: Final = "unknown"
UNREADABLE: Final = "unreadable"
DISORDERED: Final = "not in order"


@dataclass(frozen=True)
class FileOrder:
    """One file; `detail` says why its state is not `in order`."""

    path: str
    state: Literal["in order", "unknown", "unreadable", "not in order"]
    detail: str = ""


@dataclass(frozen=True)
class OrderReport:
    """The files of one version, and whether they are in an order.

    `by` is what the states rest on: "pages" (the records of the files' page indexes, which say
    nothing of the rows inside a page) or "rows" (all rows were read).
    """

    table: str
    version: int
    order: str
    by: Literal["pages", "rows"]
    files: tuple[FileOrder, ...]

    def count(self, state: str) -> int:
        """Return the number of files in a state."""
        return sum(file.state == state for file in self.files)

    @property
    def disordered(self) -> tuple[FileOrder, ...]:
        """The files that are not in order."""
        return tuple(file for file in self.files if file.state == DISORDERED)

    @property
    def unreadable(self) -> tuple[FileOrder, ...]:
        """The files that are gone or damaged; only a report by rows has them."""
        return tuple(file for file in self.files if file.state == UNREADABLE)

    @property
    def unknown(self) -> tuple[FileOrder, ...]:
        """The files of which it is not known."""
        return tuple(file for file in self.files if file.state == UNKNOWN)

    def document(self) -> dict[str, Any]:
        """Return the report as docs/json.md describes it."""
        return {
            "table": self.table,
            "version": self.version,
            "order": self.order,
            "by": self.by,
            "in-order": self.count(IN_ORDER),
            "unknown": self.count(UNKNOWN),
            "unreadable": self.count(UNREADABLE),
            "not-in-order": self.count(DISORDERED),
            "files": [
                {"path": file.path, "state": file.state, "detail": file.detail}
                for file in self.files
                if file.state != IN_ORDER
            ],
        }


def verify_order(
    path: str,
    order: str | Sequence[str] | None = None,
    *,
    prove: bool = False,
    profile: str | None = None,
    endpoint_url: str | None = None,
) -> OrderReport:
    """Return whether the files of a table are in an order, without Spark or a JVM.

        repave.verify_order("s3://lake/sales", prove=True).disordered

    Args:
        path: the table, say `s3://lake/sales`.
        order: as `ORDER BY` writes it; by default the one that the records name.
        prove: read the columns of the order of all Parquet files, row by row (`repave[arrow]`).
        profile: the AWS profile; by default what boto3 finds.
        endpoint_url: the store, if it is not Amazon's.

    Raises:
        UsageError: there is no such table, or the records name no order or several.
        InvalidRecordError: a record of the table is missing or damaged.
    """
    found = snapshot(path, profile=profile, endpoint_url=endpoint_url, unrecorded="ignore")
    return report_of(found, order, prove=prove)


def report_of(
    found: Snapshot, order: str | Sequence[str] | None = None, *, prove: bool = False
) -> OrderReport:
    """Return the report on a version."""
    columns = order_of(order) if order else _recorded(found)
    files = _proven(found, columns) if prove else _by_records(found, columns)
    by: Literal["pages", "rows"] = "rows" if prove else "pages"
    return OrderReport(found.table, found.version, order_text(columns), by, files)


def _recorded(found: Snapshot) -> tuple[SortColumn, ...]:
    orders = Counter(file.ordered for file in found.files if file.ordered)
    if len(orders) == 1:
        return order_of(next(iter(orders)))
    known = "; ".join(f"{order} (files: {files})" for order, files in orders.most_common(10))
    message = (
        f"The records of {found.table} name "
        + (f"several orders: {known}." if orders else "no order of any file.")
        + " Name the order to verify: order= in Python, --by on the command line."
    )
    raise UsageError(message)


def _by_records(found: Snapshot, columns: tuple[SortColumn, ...]) -> tuple[FileOrder, ...]:
    return tuple(_by_record(file, columns) for file in found.files)


def _by_record(file: DataFile, columns: tuple[SortColumn, ...]) -> FileOrder:
    if file.ordered is None:
        return FileOrder(file.path, UNKNOWN, "no page index shows its order")
    known = order_of(file.ordered)
    if known[: len(columns)] == columns:
        return FileOrder(file.path, IN_ORDER)
    return FileOrder(file.path, UNKNOWN, f"its pages are in the order {file.ordered}")


def _proven(found: Snapshot, columns: tuple[SortColumn, ...]) -> tuple[FileOrder, ...]:
    rows = RowOrder(found.access.filesystem("arrow"), columns)
    return tuple(_by_rows(file, found.key(file), rows) for file in found.files)


def _by_rows(file: DataFile, key: str, rows: RowOrder) -> FileOrder:
    try:
        row = rows.first_disorder(key, file)
    except Incomparable as why:
        return FileOrder(file.path, UNKNOWN, str(why))
    except Unreadable as why:
        return FileOrder(file.path, UNREADABLE, str(why))
    if row is None:
        return FileOrder(file.path, IN_ORDER)
    return FileOrder(file.path, DISORDERED, f"row {row + 1} sorts before row {row}")
