"""Systems that write plain Parquet folders through one of Spark's commit protocols."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks.ground import BUCKET, TABLE, URL, Ground
from benchmarks.packages import package_conf
from benchmarks.workload import Write
from repave import spark_conf

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CLOUD: Final = "org.apache.spark.internal.io.cloud"
S3A_COMMITTERS: Final = {
    "spark.sql.sources.commitProtocolClass": f"{CLOUD}.PathOutputCommitProtocol",
    "spark.sql.parquet.output.committer.class": f"{CLOUD}.BindingParquetOutputCommitter",
}


def save(new: "DataFrame", write: Write) -> None:
    """Write as a user would."""
    mode = "append" if write == "append" else "overwrite"
    overwrite = "dynamic" if write == "dynamic-overwrite" else "static"
    writer = new.write.mode(mode).option("partitionOverwriteMode", overwrite)
    writer.partitionBy("part").parquet(URL)


def save_by_append(new: "DataFrame", write: Write) -> None:
    """Write as partitioned staging wants it: `replace` happens when told to *append*."""
    save(new, "append" if write == "dynamic-overwrite" else write)


@dataclass(frozen=True)
class Folders:
    """A commit protocol by its conf."""

    settings: Callable[[Write], dict[str, str]]
    listed: bool = True
    url: str = URL
    save: Callable[["DataFrame", Write], None] = save

    def conf(self, write: Write) -> dict[str, str]:
        return self.settings(write)

    def create(self, ground: Ground, old: "DataFrame") -> None:
        del ground
        save(old, "append")

    def prepare(self, ground: Ground, new: "DataFrame") -> None:
        """Nothing to prepare."""

    def write(self, ground: Ground, new: "DataFrame", write: Write) -> None:
        del ground
        self.save(new, write)

    def read(self, ground: Ground) -> "DataFrame":
        return ground.spark.read.parquet(self.url)


def stock(algorithm: int) -> Folders:
    """Spark's own protocol with Hadoop's FileOutputCommitter, as it comes."""
    key = "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version"
    return Folders(lambda _write: {key: str(algorithm)})


def repave_listing() -> Folders:
    return Folders(lambda _write: spark_conf(readers="listing"))


def repave_snapshot() -> Folders:
    return Folders(
        lambda _write: spark_conf(readers="snapshot"),
        listed=False,
        url=f"repave://{BUCKET}/{TABLE}",
    )


def magic(tracker: str) -> Folders:
    """S3A's magic committer. It refuses dynamic overwrites; the report shows that."""
    in_memory = "spark.hadoop.fs.s3a.committer.magic.track.commits.in.memory.enabled"
    return Folders(
        lambda _write: {
            **S3A_COMMITTERS,
            "spark.hadoop.fs.s3a.committer.name": "magic",
            in_memory: str(tracker == "memory").lower(),
            **package_conf("cloud"),
        }
    )


def staging() -> Folders:
    """S3A's partitioned staging committer; its cluster file system is the local one."""
    conflict = "spark.hadoop.fs.s3a.committer.staging.conflict-mode"
    return Folders(
        lambda write: {
            **S3A_COMMITTERS,
            "spark.hadoop.fs.s3a.committer.name": "partitioned",
            conflict: "append" if write == "append" else "replace",
            **package_conf("cloud"),
        },
        save=save_by_append,
    )
