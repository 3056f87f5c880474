"""Fast, safe overwrites for Apache Spark on S3."""

from repave._conf import PROTOCOL, spark_conf
from repave._errors import (
    CommitConflictError,
    CommitFailedError,
    CommitStateUnknownError,
    RecordRefusedError,
    RepaveError,
    UsageError,
)
from repave._findings import Finding
from repave._jar import jar_path
from repave._records import (
    ActiveCommit,
    Adoption,
    CatalogUpdate,
    DataFile,
    HistoryEntry,
    LastCommit,
    Manifest,
    PartitionChange,
    RecoveredCommit,
    Recovery,
    Rollback,
    Status,
    Vacuum,
)
from repave._session import configure_session
from repave._table import RepaveTable
from repave._verify import SessionReport, verify_session
from repave._version import __version__
from repave._writes import error_of, last_commit, typed_errors

__all__ = [
    "PROTOCOL",
    "ActiveCommit",
    "Adoption",
    "CatalogUpdate",
    "CommitConflictError",
    "CommitFailedError",
    "CommitStateUnknownError",
    "DataFile",
    "Finding",
    "HistoryEntry",
    "LastCommit",
    "Manifest",
    "PartitionChange",
    "RecordRefusedError",
    "RecoveredCommit",
    "Recovery",
    "RepaveError",
    "RepaveTable",
    "Rollback",
    "SessionReport",
    "Status",
    "UsageError",
    "Vacuum",
    "__version__",
    "configure_session",
    "error_of",
    "jar_path",
    "last_commit",
    "spark_conf",
    "typed_errors",
    "verify_session",
]
