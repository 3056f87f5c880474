"""One life: random actions, each followed by a look through several readers."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from e2e.lake import TableFolder
from life.actions import Actions
from life.model import Model
from life.name import NAME
from life.readers import Readers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass
class Lived:
    """What happened: a line for each action, and the number of comparisons by reader."""

    told: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Lived") -> None:
        self.told += other.told
        self.seen += other.seen


def live(spark: "SparkSession", table: TableFolder, readers: str, seed: int, actions: int) -> Lived:
    """Live one life, and raise with its seed and what happened when a reader sees wrong rows."""
    random = Random(f"{readers} {seed}")  # noqa: S311 - a test
    model = Model(readers, random.choice(("parquet", "parquet", "orc")))
    doing = Actions(spark, table, model, random)
    reading = Readers(spark, table, model, random)
    told: list[str] = []
    try:
        for _ in range(actions):
            held = reading.hold()
            told.append(doing.any())
            held()
            reading.look()
    except Exception as error:
        happened = "\n".join(f"  {number}. {one}" for number, one in enumerate(told, 1))
        first = "\n".join(str(error).splitlines()[:3])
        cached = ", with a cached frame" if reading.cached else ""
        kind = f"{readers} table of {model.format} files"
        message = f"{kind}, seed {seed}{cached}: {first}\nafter\n{happened}"
        raise AssertionError(message) from error
    finally:
        table.lake.proxy.set_faults([])
        spark.catalog.clearCache()
        spark.sql(f"DROP TABLE IF EXISTS {NAME}")
    return Lived(told, reading.seen)
