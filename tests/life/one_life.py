"""One life: random actions, each followed by a look through several readers."""

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from e2e.lake import TableFolder
from life.actions import Actions
from life.model import Model
from life.readers import NAME, Readers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Lived:
    """How much happened."""

    actions: int
    comparisons: int


def live(spark: "SparkSession", table: TableFolder, readers: str, seed: int, actions: int) -> Lived:
    """Live one life, and raise with its seed and what happened when a reader sees wrong rows."""
    random = Random(f"{readers} {seed}")  # noqa: S311 - a test
    model = Model(readers)
    doing, reading = (
        Actions(spark, table, model, random),
        Readers(spark, table, model, random),
    )
    told: list[str] = []
    try:
        for _ in range(actions):
            told.append(doing.any())
            reading.look(follows=doing.follows)
    except Exception as error:
        happened = "\n".join(f"  {number}. {one}" for number, one in enumerate(told, 1))
        message = f"{readers} table, seed {seed}: {error}\nafter\n{happened}"
        raise AssertionError(message) from error
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {NAME}")
    return Lived(len(told), reading.comparisons)
