"""Systems that write plain Parquet folders through one of Spark's commit protocols."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks.packages import bench_jar, package_conf
from benchmarks.run_context import Lake, RunContext
from benchmarks.workload import Write, partitioned
from repave import spark_conf

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CLOUD: Final = "org.apache.spark.internal.io.cloud"
S3A_COMMITTERS: Final = {
    "spark.sql.sources.commitProtocolClass": f"{CLOUD}.PathOutputCommitProtocol",
    "spark.sql.parquet.output.committer.class": f"{CLOUD}.BindingParquetOutputCommitter",
}


def save(new: "DataFrame", write: Write, url: str) -> None:
    """Write as a user would."""
    mode = "append" if write == "append" else "overwrite"
    overwrite = "dynamic" if write == "dynamic-overwrite" else "static"
    writer = new.write.mode(mode).option("partitionOverwriteMode", overwrite)
    partitioned(writer, new).parquet(url)


def save_by_append(new: "DataFrame", write: Write, url: str) -> None:
    """Write as partitioned staging wants it: `replace` happens when told to *append*."""
    save(new, "append" if write == "dynamic-overwrite" else write, url)


@dataclass(frozen=True)
class Folders:
    """A commit protocol by its conf."""

    settings: Callable[[Write], dict[str, str]]
    listed: bool = True
    read_scheme: str = "s3a"
    save: Callable[["DataFrame", Write, str], None] = save

    def conf(self, write: Write, lake: Lake) -> dict[str, str]:
        del lake
        return self.settings(write)

    def create(self, context: RunContext, old: "DataFrame") -> None:
        save(old, "append", context.lake.url)

    def prepare(self, context: RunContext, new: "DataFrame") -> None:
        """Nothing to prepare."""

    def write(self, context: RunContext, new: "DataFrame", write: Write) -> None:
        self.save(new, write, context.lake.url)

    def read(self, context: RunContext) -> "DataFrame":
        lake = context.lake
        return context.spark.read.parquet(f"{self.read_scheme}://{lake.bucket}/{lake.table}")


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
        read_scheme="repave",
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


def emrfs_stand_in() -> Folders:
    """A stand-in for EMRFS's protocol: docs/decisions/0051-emrfs-stand-in.md."""
    return Folders(lambda _write: _own_protocol("EmrfsStandIn"))


def plain_job() -> Folders:
    """The same job without any commit: one plain PUT a file, by S3A's own stream."""
    return Folders(
        lambda write: {
            **_own_protocol("DirectWrite"),
            "spark.hadoop.repave.bench.beside": str(write == "append").lower(),
            "spark.hadoop.fs.s3a.performance.flags": "create",
        }
    )


def _own_protocol(name: str) -> dict[str, str]:
    """Return the conf for a protocol of the benchmark's own jar, which uses Repave's classes."""
    conf = spark_conf()
    return {
        **conf,
        "spark.sql.sources.commitProtocolClass": f"io.repave.bench.{name}",
        "spark.jars": f"{conf['spark.jars']},{bench_jar()}",
    }


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
