"""Where a table is."""

import re
from dataclasses import dataclass
from typing import Final

from repave._errors import UsageError

SCHEMES = ("s3", "s3a", "s3n", "repave")
# The folder inside a table that holds its records.
RECORDS: Final = "_repave"
HEAD: Final = f"{RECORDS}/head.json"
# Without credentials, so a bucket has no `@`. A `?` or `#` is an ordinary character of a key.
# Half a surrogate pair, by which Python keeps a byte that is not UTF-8, cannot be in a key.
# A control character can, but it comes from a line end of another system rather than from a name.
URI: Final = re.compile(
    r"([A-Za-z0-9]+)://([^\s/@?#\[\]\ud800-\udfff]+)(?:/([^\x00-\x1f\x7f\ud800-\udfff]*))?"
)
CREDENTIALS: Final = re.compile(r"//[^/]*@")


@dataclass(frozen=True, slots=True)
class Location:
    """A bucket and a key, without a slash at its end."""

    scheme: str
    bucket: str
    key: str

    @classmethod
    def of(cls, uri: str) -> "Location":
        """Parse a URI.

        Slashes that follow a slash are left out, as Hadoop leaves them out of the paths of a job.

        >>> Location.of("s3://lake//raw//sales/")
        Location(scheme='s3', bucket='lake', key='raw/sales')

        Raises:
            UsageError: it is not a location on S3.
        """
        found = URI.fullmatch(str(uri))
        if found is None or found[1].lower() not in SCHEMES:
            shown = _printable(CREDENTIALS.sub("//", str(uri)))
            message = f"{shown or 'An empty path'} is not a table on S3: the form is s3://bucket/folder/table."
            raise UsageError(message)
        key = "/".join(filter(None, (found[3] or "").split("/")))
        return cls(found[1].lower(), found[2], key)

    def under(self, path: str) -> "Location":
        """Return a location inside this one."""
        return Location(self.scheme, self.bucket, f"{self.key}/{path}" if self.key else path)

    @property
    def prefix(self) -> str:
        """What the keys inside this location begin with."""
        return f"{self.key}/" if self.key else ""

    def with_scheme(self, scheme: str) -> "Location":
        """Return the same location with another scheme."""
        return Location(scheme, self.bucket, self.key)

    def __str__(self) -> str:
        """Return the URI."""
        return f"{self.scheme}://{self.bucket}/{self.key}".rstrip("/")


def is_partition_folder(name: str) -> bool:
    """Return whether a folder of this name is a partition; the jar has the same rule (TablePaths).

    >>> [is_partition_folder(name) for name in ("day=1", "day=", "a=b=c", "=1", "=a=b", "day")]
    [True, True, True, False, False, False]
    """
    return name.find("=") > 0


def _printable(text: str) -> str:
    r"""Return a text that a terminal shows as it is.

    >>> _printable("s3://lake/sale" + chr(13))
    's3://lake/sale\\r'
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode-escape").decode() for char in text
    )
