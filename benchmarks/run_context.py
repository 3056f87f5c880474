"""What one run of the benchmark works with, and what it asks of a system."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from benchmarks.workload import Write

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Lake:
    """The folder of a bucket in which one run's tables are; nothing else is in it."""

    bucket: str = "lake"
    folder: str = ""

    @property
    def table(self) -> str:
        """The table's key."""
        return self.within("sales")

    @property
    def url(self) -> str:
        return f"s3a://{self.bucket}/{self.table}"

    def within(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name


@dataclass(frozen=True)
class RunContext:
    """What a system may use: the session, an S3 client through the proxy, a local folder."""

    spark: "SparkSession"
    client: "S3Client"
    folder: Path
    lake: Lake


class System(Protocol):
    """One way of writing a table. The clock runs in `write` alone."""

    @property
    def listed(self) -> bool:
        """Whether readers find the table's files by listing its folder."""

    def conf(self, write: Write, lake: Lake) -> dict[str, str]:
        """Return what the session needs in addition to the S3A connector."""

    def create(self, context: RunContext, old: "DataFrame") -> None:
        """Write the old data."""

    def prepare(self, context: RunContext, new: "DataFrame") -> None:
        """Do before the clock starts what is no part of the work."""

    def write(self, context: RunContext, new: "DataFrame", write: Write) -> None:
        """Do the work that is measured."""

    def read(self, context: RunContext) -> "DataFrame":
        """Read the table as its readers do."""
