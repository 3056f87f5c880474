"""Random lives of tables with real Spark: `make spark-life` (docs/testing/life.md)."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import pyspark

from campaigns.store import campaign_lake, described, use_lab_credentials
from e2e.sessions import session_builder
from life.one_life import live


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lives", type=int, default=10, help="of each kind of table")
    options.add_argument("--actions", type=int, default=30, help="in each life")
    options.add_argument("--seed", type=int, default=1, help="the first one")
    chosen = options.parse_args()
    use_lab_credentials()
    print(f"Spark {pyspark.__version__}: {described(sys.argv[1:])}", flush=True)
    with campaign_lake(None) as lake, tempfile.TemporaryDirectory(prefix="repave-life-") as folder:
        builder = session_builder(Path(folder), {"": lake.proxy.endpoint})
        spark = builder.config("spark.hadoop.repave.retry.budget", "5s").getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        for seed in range(chosen.seed, chosen.seed + chosen.lives):
            for readers in ("listing", "snapshot"):
                started = time.monotonic()
                table = lake.table(f"life-{readers}-{seed}")
                lived = live(spark, table, readers, seed, chosen.actions)
                print(
                    f"{readers} table, seed {seed}: {lived.actions} actions, {lived.comparisons} "
                    f"comparisons, {time.monotonic() - started:.0f} s",
                    flush=True,
                )
        spark.stop()


if __name__ == "__main__":
    main()
