"""The examples that need a session: those of `RepaveTable`, and the README's."""

import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import sales
from e2e.lake import Lake
from repave import _table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

README = Path(__file__).parents[2] / "README.md"
URL = "s3a://lake/sales"  # the one that the examples name


@pytest.fixture
def table(spark: "SparkSession", lake: Lake) -> Iterator[str]:
    """Three days, of which one was overwritten."""
    sales(spark, [1, 2, 3], "old").write.partitionBy("day").parquet(URL)
    overwrite(spark)
    yield URL
    folder = lake.table("sales")
    for key in folder.listing():
        lake.client.delete_object(Bucket=lake.bucket, Key=f"sales/{key}")


def overwrite(spark: "SparkSession") -> None:
    writer = sales(spark, [2], "new").write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "dynamic").parquet(URL)


def test_the_examples_of_repave_table_are_true(spark: "SparkSession", table: str) -> None:
    found = doctest.testmod(_table, extraglobs={"spark": spark})
    assert found.failed == 0
    assert found.attempted > 5


def test_the_readmes_lines_run(spark: "SparkSession", table: str) -> None:
    overwrite(spark)  # they ask for a third version
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (looking,) = [block for block in blocks if "RepaveTable" in block]
    exec(looking, {"repave": repave, "spark": spark})  # noqa: S102 - our own page
    (beginning,) = [block for block in blocks if "configure_session" in block]
    write = next(text for text in beginning.splitlines() if text.startswith("df.write"))
    frame = sales(spark, [1], "newer").withColumnRenamed("day", "dt")
    exec(write, {"df": frame})  # noqa: S102
    assert spark.read.parquet(URL).columns == ["id", "note", "dt"]
