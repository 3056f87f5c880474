"""The table's name in the session's catalog."""

from typing import TYPE_CHECKING

from life.model import Model
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "life"
SCHEMA = "id long, note string, part string"


class Name:
    """One name, for reads and for SQL."""

    def __init__(self, spark: "SparkSession", url: str, model: Model) -> None:
        self.spark = spark
        self.url = url
        self.model = model

    def prepare(self) -> None:
        """Bring the partitions of the name to those of the table, which has rows."""
        if self.model.readers == "snapshot":
            RepaveTable.for_path(self.spark, self.url).register(NAME)
            return
        columns = SCHEMA.replace("long", "BIGINT")
        self.spark.sql(
            f"CREATE TABLE IF NOT EXISTS {NAME} ({columns}) USING {self.model.format}"
            f" PARTITIONED BY (part) LOCATION '{self.url}'"
        )
        self.spark.sql(f"MSCK REPAIR TABLE {NAME}")
        self.spark.sql(f"REFRESH TABLE {NAME}")
