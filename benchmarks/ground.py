"""Where one run happens: an empty bucket behind the proxy, and a session on it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from benchmarks.workload import Write

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from pyspark.sql import DataFrame, SparkSession

BUCKET: Final = "lake"
TABLE: Final = "sales"
URL: Final = f"s3a://{BUCKET}/{TABLE}"


@dataclass(frozen=True)
class Ground:
    """What a system may use: the session, an S3 client through the proxy, a local folder."""

    spark: "SparkSession"
    client: "S3Client"
    folder: Path


class System(Protocol):
    """One way of writing a table. The clock runs in `write` alone."""

    @property
    def listed(self) -> bool:
        """Whether readers find the table's files by listing its folder."""

    def conf(self, write: Write) -> dict[str, str]:
        """Return what the session needs beside the S3A connector."""

    def create(self, ground: Ground, old: "DataFrame") -> None:
        """Write the old data."""

    def prepare(self, ground: Ground, new: "DataFrame") -> None:
        """Do before the clock starts what is no part of the work."""

    def write(self, ground: Ground, new: "DataFrame", write: Write) -> None:
        """Do the work that is measured."""

    def read(self, ground: Ground) -> "DataFrame":
        """Read the table as its readers do."""
