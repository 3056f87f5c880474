"""Fast, safe overwrites for Apache Spark on S3."""

import warnings

from repave._adoption import Adoption
from repave._conf import PROTOCOL, spark_conf
from repave._costs import Costs, JobCost, Prices, costs
from repave._display import History
from repave._drop import PartitionDrop
from repave._errors import (
    CommitConflictError,
    CommitFailedError,
    CommitStateUnknownError,
    InvalidRecordError,
    RepaveError,
    UsageError,
)
from repave._findings import Finding
from repave._jar import jar_path
from repave._order_report import FileOrder, OrderReport, verify_order
from repave._ordered import ordered
from repave._records import (
    ActiveCommit,
    CatalogUpdate,
    ColumnBounds,
    DataFile,
    Followers,
    FollowerStatus,
    HistoryEntry,
    LastCommit,
    Manifest,
    PartitionChange,
    PartitionSize,
    RecoveredCommit,
    Recovery,
    Repair,
    Rollback,
    Status,
    Vacuum,
)
from repave._save import save_as_table
from repave._session import configure_session
from repave._snapshot.opening import snapshot
from repave._snapshot.snapshot import Snapshot
from repave._storage import Amount, Storage, storage
from repave._table import RepaveTable
from repave._verify import SessionReport, verify_session
from repave._version import __version__
from repave._writes import error_of, last_commit, typed_errors, write_options

__all__ = [
    "PROTOCOL",
    "ActiveCommit",
    "Adoption",
    "Amount",
    "CatalogUpdate",
    "ColumnBounds",
    "CommitConflictError",
    "CommitFailedError",
    "CommitStateUnknownError",
    "Costs",
    "DataFile",
    "FileOrder",
    "Finding",
    "FollowerStatus",
    "Followers",
    "History",
    "HistoryEntry",
    "InvalidRecordError",
    "JobCost",
    "LastCommit",
    "Manifest",
    "OrderReport",
    "PartitionChange",
    "PartitionDrop",
    "PartitionSize",
    "Prices",
    "RecoveredCommit",
    "Recovery",
    "Repair",
    "RepaveError",
    "RepaveTable",
    "Rollback",
    "SessionReport",
    "Snapshot",
    "Status",
    "Storage",
    "UsageError",
    "Vacuum",
    "__version__",
    "configure_session",
    "costs",
    "error_of",
    "jar_path",
    "last_commit",
    "ordered",
    "save_as_table",
    "snapshot",
    "spark_conf",
    "storage",
    "typed_errors",
    "verify_order",
    "verify_session",
    "write_options",
]


def __getattr__(name: str) -> type[InvalidRecordError]:
    """Return an error by the name that version 0.1 gave it."""
    if name != "RecordRefusedError":
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    message = "repave.RecordRefusedError is now called repave.InvalidRecordError."
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return InvalidRecordError
