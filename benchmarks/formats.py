"""Table formats: every reader goes through their metadata."""

from typing import TYPE_CHECKING, Final

from benchmarks.ground import BUCKET, URL, Ground
from benchmarks.packages import package_conf
from benchmarks.workload import Write

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ICEBERG_TABLE: Final = "lake.nightly.sales"


class Delta:
    """Delta Lake with its default log store for S3A."""

    listed = False

    def conf(self, write: Write) -> dict[str, str]:
        del write
        return {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            **package_conf("delta"),
        }

    def create(self, ground: Ground, old: "DataFrame") -> None:
        del ground
        old.write.format("delta").partitionBy("part").save(URL)

    def prepare(self, ground: Ground, new: "DataFrame") -> None:
        """Nothing to prepare."""

    def write(self, ground: Ground, new: "DataFrame", write: Write) -> None:
        del ground
        mode = "append" if write == "append" else "overwrite"
        overwrite = "dynamic" if write == "dynamic-overwrite" else "static"
        writer = new.write.format("delta").mode(mode)
        writer.option("partitionOverwriteMode", overwrite).save(URL)

    def read(self, ground: Ground) -> "DataFrame":
        return ground.spark.read.format("delta").load(URL)


class Iceberg:
    """Apache Iceberg with its Hadoop catalog and file I/O, both on S3A."""

    listed = False

    def conf(self, write: Write) -> dict[str, str]:
        del write
        extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        return {
            "spark.sql.extensions": extensions,
            "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.lake.type": "hadoop",
            "spark.sql.catalog.lake.warehouse": f"s3a://{BUCKET}/iceberg",
            **package_conf("iceberg"),
        }

    def create(self, ground: Ground, old: "DataFrame") -> None:
        del ground
        old.writeTo(ICEBERG_TABLE).using("iceberg").partitionedBy(old["part"]).create()

    def prepare(self, ground: Ground, new: "DataFrame") -> None:
        """Nothing to prepare."""

    def write(self, ground: Ground, new: "DataFrame", write: Write) -> None:
        from pyspark.sql.functions import lit  # noqa: PLC0415 - reports need no Spark

        del ground
        writer = new.writeTo(ICEBERG_TABLE)
        if write == "append":
            writer.append()
        elif write == "dynamic-overwrite":
            writer.overwritePartitions()
        else:
            writer.overwrite(lit(True))

    def read(self, ground: Ground) -> "DataFrame":
        return ground.spark.table(ICEBERG_TABLE)
