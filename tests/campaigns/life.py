"""Random lives of tables with real Spark: `make spark-life` (docs/testing/life.md)."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import pyspark

from campaigns.store import campaign_lake, described, use_lab_credentials
from e2e.sessions import session_builder
from life.one_life import Lived, live

# A store that does not answer is given up after seconds.
RETRIES = {
    "repave.retry.budget": "5s",
    "fs.s3a.retry.limit": "2",
    "fs.s3a.retry.interval": "100ms",
    "fs.s3a.retry.throttle.limit": "2",
    "fs.s3a.retry.throttle.interval": "100ms",
    "fs.s3a.attempts.maximum": "2",
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lives", type=int, default=10, help="of each kind of table")
    options.add_argument("--actions", type=int, default=30, help="in each life")
    options.add_argument("--seed", type=int, default=1, help="the first one")
    options.add_argument("--readers", choices=("listing", "snapshot"), help="only this kind")
    options.add_argument("--seconds", type=float, default=1e9, help="begin no life after these")
    options.add_argument("--tell", action="store_true", help="print every action")
    options.add_argument("--keep-going", action="store_true", help="after a life that failed")
    chosen = options.parse_args()
    use_lab_credentials()
    print(f"Spark {pyspark.__version__}: {described(sys.argv[1:])}", flush=True)
    failed = 0
    with campaign_lake(None) as lake, tempfile.TemporaryDirectory(prefix="repave-life-") as folder:
        builder = session_builder(Path(folder), {"": lake.proxy.endpoint})
        for key, value in RETRIES.items():
            builder = builder.config(f"spark.hadoop.{key}", value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        total, begin = Lived(), time.monotonic()
        for seed in range(chosen.seed, chosen.seed + chosen.lives):
            for readers in ("listing", "snapshot"):
                started = time.monotonic()
                if started - begin > chosen.seconds or readers not in (chosen.readers or readers):
                    continue
                table = lake.table(f"life-{readers}-{seed}")
                try:
                    lived = live(spark, table, readers, seed, chosen.actions)
                except AssertionError as error:
                    if not chosen.keep_going:
                        raise
                    failed += 1
                    print(f"FAILED: {error}", flush=True)
                    continue
                total.add(lived)
                print("\n".join(lived.told) + "\n" if chosen.tell else "", end="")
                seconds = time.monotonic() - started
                did = f"{len(lived.told)} actions, {lived.seen.total()} comparisons"
                print(f"{readers} table, seed {seed}: {did}, {seconds:.0f} s", flush=True)
        spark.stop()
    print(f"{len(total.told)} actions, {total.seen.total()} comparisons, {failed} lives failed")
    print("\n".join(f"  {what}: {number}" for what, number in sorted(total.seen.items())))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
