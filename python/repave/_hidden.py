"""Which keys of a listing are no data files; the jar has the same rule (TouchedListing)."""

from typing import Final

# EMRFS and s3n mark a folder by an object of this name next to it. S3A hides it from Spark.
FOLDER_MARK: Final = "_$folder$"

# `hadoop fs -put` names a file so until all of it has arrived. Spark hides it.
UNFINISHED_COPY: Final = "._COPYING_"


def is_hidden(name: str) -> bool:
    """Return whether readers skip a file or folder of this name, unless it is a folder's mark.

    >>> [is_hidden(name) for name in ("_SUCCESS", ".crc", "_day=1", "day=1")]
    [True, True, False, False]
    """
    return name[:1] in ("_", ".") and "=" not in name


def is_hidden_key(key: str) -> bool:
    """Return whether readers skip a key, relative to its table.

    >>> [is_hidden_key(it) for it in ("dt=1/a.orc", "_dt=1/a.orc", ".tmp/a.orc", "dt=1/")]
    [False, False, True, True]
    """
    if key.endswith((FOLDER_MARK, UNFINISHED_COPY)):
        return True
    return any(not name or is_hidden(name) for name in key.split("/"))


def is_read(name: str, size: int) -> bool:
    """Return whether Spark reads a recorded file: it passes over empty and unfinished ones.

    >>> is_read("a.orc", 3), is_read("a.orc", 0), is_read("a.orc._COPYING_", 3)
    (True, False, False)
    """
    return size > 0 and not name.endswith(UNFINISHED_COPY)
