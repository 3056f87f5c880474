"""Where a table is."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from repave._errors import UsageError

SCHEMES = ("s3", "s3a", "s3n", "repave")


@dataclass(frozen=True, slots=True)
class Location:
    """A bucket and a key, without a slash at its end."""

    scheme: str
    bucket: str
    key: str

    @classmethod
    def of(cls, uri: str) -> "Location":
        """Parse a URI.

        >>> Location.of("s3://lake/sales/")
        Location(scheme='s3', bucket='lake', key='sales')

        Raises:
            UsageError: it is not a location on S3.
        """
        parts = urlsplit(uri, allow_fragments=False)
        if parts.scheme not in SCHEMES or not parts.netloc:
            message = f"{uri} is not a table on S3: the form is s3://bucket/folder/table."
            raise UsageError(message)
        # A `?` is an ordinary character of a key.
        path = uri.split("://", 1)[1].removeprefix(parts.netloc)
        return cls(parts.scheme, parts.netloc, path.strip("/"))

    def under(self, path: str) -> "Location":
        """Return a location inside this one."""
        return Location(self.scheme, self.bucket, f"{self.key}/{path}" if self.key else path)

    def with_scheme(self, scheme: str) -> "Location":
        """Return the same location with another scheme."""
        return Location(scheme, self.bucket, self.key)

    def __str__(self) -> str:
        """Return the URI."""
        return f"{self.scheme}://{self.bucket}/{self.key}".rstrip("/")
