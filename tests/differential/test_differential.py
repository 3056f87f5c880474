"""Random sequences of writes: Repave over S3 does what stock Spark does over a local disk.

REPAVE_SEQUENCES says how many (40), REPAVE_SEED where to start (drawn, and part of each test's
name): `REPAVE_SEED=1234 REPAVE_SEQUENCES=1 pytest tests/differential` replays one.
"""

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from differential.sequences import sequence
from differential.tables import Target, local_files, remote_files
from e2e.lake import Lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST = int(os.environ.get("REPAVE_SEED") or random.SystemRandom().randrange(10**9))
COUNT = int(os.environ.get("REPAVE_SEQUENCES") or 40)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_a_sequence_of_writes_ends_as_stock_spark_ends_it(
    spark: "SparkSession", lake: Lake, tmp_path: Path, seed: int
) -> None:
    work = sequence(seed)
    folder, table = tmp_path / "table", lake.table(f"differential-{seed}")
    stock = Target(spark, work, f"stock_{seed}", f"file://{folder}")
    ours = Target(spark, work, f"ours_{seed}", table.url)
    print(work)
    try:
        for number, step in enumerate(work.steps):
            failed = stock.run(step)
            wanted = stock.read(local_files(folder), failed)
            failed = ours.run(step)
            found = ours.read(remote_files(table), failed)
            for part, a, b in zip(wanted._fields, wanted, found, strict=True):
                assert a == b, f"seed {seed}, step {number}: {part} differ"
            assert table.open_uploads() == []
    finally:
        for target in (stock, ours):
            target.drop()


def test_the_comparison_sees_a_difference(tmp_path: Path) -> None:
    (tmp_path / "p=1").mkdir()
    (tmp_path / "p=1" / "part-0").touch()
    (tmp_path / "_SUCCESS").touch()
    assert local_files(tmp_path) == {"p=1": 1}
    (tmp_path / "p=1" / "part-1").touch()
    assert local_files(tmp_path) != {"p=1": 1}
