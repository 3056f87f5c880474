"""Table formats: every reader goes through their metadata."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from benchmarks.packages import package_conf
from benchmarks.run_context import Lake, RunContext
from benchmarks.workload import Write, partitioned

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ICEBERG_TABLE: Final = "lake.nightly.sales"
SORTED: Final = {"fanout-enabled": "false"}
"""A task of Iceberg sorts its rows and keeps one file open; by default it keeps all open."""


class Delta:
    """Delta Lake with its default log store for S3A."""

    listed = False

    def conf(self, write: Write, lake: Lake) -> dict[str, str]:
        del write, lake
        return {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            **package_conf("delta"),
        }

    def create(self, context: RunContext, old: "DataFrame") -> None:
        partitioned(old.write.format("delta"), old).save(context.lake.url)

    def prepare(self, context: RunContext, new: "DataFrame") -> None:
        """Nothing to prepare."""

    def write(self, context: RunContext, new: "DataFrame", write: Write) -> None:
        mode = "append" if write == "append" else "overwrite"
        overwrite = "dynamic" if write == "dynamic-overwrite" else "static"
        writer = new.write.format("delta").mode(mode)
        writer.option("partitionOverwriteMode", overwrite).save(context.lake.url)

    def read(self, context: RunContext) -> "DataFrame":
        return context.spark.read.format("delta").load(context.lake.url)


@dataclass(frozen=True)
class Iceberg:
    """Apache Iceberg with a catalog of the given conf (docs/decisions/0050-iceberg-set-ups.md)."""

    packages: str
    catalog: Callable[[Lake], Mapping[str, str]]
    options: Mapping[str, str] = field(default_factory=dict)
    """Of each write."""
    listed: bool = False

    def conf(self, write: Write, lake: Lake) -> dict[str, str]:
        del write
        catalog = self.catalog(lake)
        extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        return {
            "spark.sql.extensions": extensions,
            "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
            **{f"spark.sql.catalog.lake.{key}": value for key, value in catalog.items()},
            **package_conf(self.packages),
        }

    def create(self, context: RunContext, old: "DataFrame") -> None:
        context.spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.nightly")
        writer = old.writeTo(ICEBERG_TABLE).using("iceberg").options(**self.options)
        (writer.partitionedBy(old["part"]) if "part" in old.columns else writer).create()

    def prepare(self, context: RunContext, new: "DataFrame") -> None:
        """Nothing to prepare."""

    def write(self, context: RunContext, new: "DataFrame", write: Write) -> None:
        from pyspark.sql.functions import lit  # noqa: PLC0415 - reports need no Spark

        del context
        writer = new.writeTo(ICEBERG_TABLE).options(**self.options)
        if write == "append":
            writer.append()
        elif write == "dynamic-overwrite":
            writer.overwritePartitions()
        else:
            writer.overwrite(lit(True))

    def read(self, context: RunContext) -> "DataFrame":
        return context.spark.table(ICEBERG_TABLE)


def iceberg() -> Iceberg:
    """The set-up without any service: Hadoop catalog and Hadoop file I/O, both on S3A."""
    return Iceberg(
        "iceberg",
        lambda lake: {
            "type": "hadoop",
            "warehouse": f"s3a://{lake.bucket}/{lake.within('iceberg')}",
        },
    )


def iceberg_s3fileio() -> Iceberg:
    """Iceberg's own S3 client, and a catalog in the driver's memory that answers at once."""
    return Iceberg("iceberg-s3fileio", _own_client)


def iceberg_sorted() -> Iceberg:
    """The same with sorted tasks."""
    return replace(iceberg_s3fileio(), options=SORTED)


def _own_client(lake: Lake) -> dict[str, str]:
    return {
        "type": "jdbc",
        "uri": "jdbc:h2:mem:lake;DB_CLOSE_DELAY=-1",
        "jdbc.schema-version": "V1",
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "warehouse": f"s3://{lake.bucket}/{lake.within('iceberg')}",
    }
