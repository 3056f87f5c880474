"""What goes wrong; each message names the problem, its cause and what to do next."""


class RepaveError(Exception):
    """Anything that Repave reports in a sentence."""


class UsageError(RepaveError, ValueError):
    """A call or a setting that cannot work as it stands; nothing was done."""


class CommitFailedError(RepaveError):
    """The commit did not happen and the table is as it was; run the job again."""


class CommitConflictError(CommitFailedError):
    """Another commit changed the same partitions."""


class CommitStateUnknownError(RepaveError):
    """Whether the commit happened could not be found out; `recover` settles it."""


class RecordRefusedError(RepaveError):
    """A record under `_repave/` is damaged, foreign or too new; nothing was changed."""


# The jar's exceptions by their simple names, without the ending `Exception`.
BY_JAVA_NAME: dict[str, type[RepaveError]] = {
    "CommitConflict": CommitConflictError,
    "CommitFailed": CommitFailedError,
    "CommitStateUnknown": CommitStateUnknownError,
    "InvalidConfig": UsageError,
    "RecordRefused": RecordRefusedError,
}
