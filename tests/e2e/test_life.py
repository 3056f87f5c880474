"""A short random life of each kind of table; `make spark-life` has long ones.

LIFE_SEED and LIFE_ACTIONS choose another life: a failure names its seed.
"""

import os
from typing import TYPE_CHECKING

import pyspark
import pytest

from e2e.lake import TableFolder
from e2e.sessions import line
from life.one_life import live

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = int(os.environ.get("LIFE_SEED") or 1)
ACTIONS = int(os.environ.get("LIFE_ACTIONS") or 6)

pytestmark = [
    pytest.mark.newest,
    pytest.mark.skipif(
        line(pyspark.__version__) < "4.0", reason="a name shows one version from Spark 4 on"
    ),
]


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `repave.snapshot` and delta-rs sign with."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "repave-lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")


@pytest.mark.parametrize("readers", ["snapshot", pytest.param("listing", marks=pytest.mark.slow)])
def test_every_reader_sees_the_rows_that_were_published(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    # A store that does not answer is given up after seconds.
    spark.conf.set("repave.retry.budget", "5s")
    try:
        lived = live(spark, table, readers, SEED, ACTIONS)
    finally:
        spark.conf.unset("repave.retry.budget")
    assert len(lived.told) == ACTIONS
    assert lived.seen.total() > ACTIONS
