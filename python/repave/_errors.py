"""Repave's errors. Each message names the problem, its cause and what to do next.

The table of errors that Java and Python share is contract/errors.json; a test compares them.
"""

from typing import ClassVar


class RepaveError(Exception):
    """An error that Repave explains in a sentence."""

    code: ClassVar[str] = "Repave"  # what JSON calls it: docs/json.md


class UsageError(RepaveError, ValueError):
    """A call or a setting cannot work. Nothing was done."""

    code: ClassVar[str] = "Usage"


class CommitFailedError(RepaveError):
    """The commit did not happen and will not happen; the table is as it was. Run the job again."""

    code: ClassVar[str] = "CommitFailed"


class CommitConflictError(CommitFailedError):
    """Another commit changed the same partitions first; this one did not happen."""

    code: ClassVar[str] = "CommitConflict"


class CommitStateUnknownError(RepaveError):
    """The commit is decided and not finished, or its outcome is unknown.

    Do not clean up: `recover` finishes the commit, or says that it did not happen.
    """

    code: ClassVar[str] = "CommitStateUnknown"


class InvalidRecordError(RepaveError):
    """A record under `_repave/` is damaged, missing, foreign or too new; nothing was changed."""

    code: ClassVar[str] = "RecordRefused"  # as version 0.1 called it


# The jar's exceptions by their simple names.
BY_JAVA_NAME: dict[str, type[RepaveError]] = {
    "CommitConflictException": CommitConflictError,
    "CommitFailedException": CommitFailedError,
    "CommitStateUnknownException": CommitStateUnknownError,
    "InvalidConfigException": UsageError,
    "InvalidRecordException": InvalidRecordError,
    # Names of version 0.1: a cluster's jar may be older than this package.
    "CommitConflict": CommitConflictError,
    "CommitFailed": CommitFailedError,
    "CommitStateUnknown": CommitStateUnknownError,
    "InvalidConfig": UsageError,
    "RecordRefused": InvalidRecordError,
}
