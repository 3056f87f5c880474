"""The nightly job as a program of its own, so that the demo can kill its driver."""

import sys

from repave_lab.demo.lake import sales, session


def main() -> None:
    """Overwrite some days of a table: night ENDPOINT TABLE FIRST LAST REVISION."""
    endpoint, table, first, last, revision = sys.argv[1:]
    spark = session(endpoint)
    days = range(int(first), int(last) + 1)
    sales(spark, days, int(revision)).write.mode("overwrite").partitionBy("dt").parquet(table)


if __name__ == "__main__":
    main()
