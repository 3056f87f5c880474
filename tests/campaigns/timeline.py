"""When the requests of a small write are sent (docs/decisions/0075-requests-in-turn.md).

`python -m campaigns.timeline snapshot`, with `tests` on the path, replaces 100 partitions again
and again behind the latency model. It prints the requests of the last write, in milliseconds since
the write began; requests for the partitions' files are one line for each operation.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from campaigns.store import campaign_lake, described
from campaigns.warm_writes import write
from e2e.sessions import session_builder

if TYPE_CHECKING:
    from repave_lab.proxy.journal import Entry

PARTITIONS = 100
OF_A_FILE = ("CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload")


def lines(journal: "list[Entry]", begin: float) -> list[tuple[int, int, str]]:
    """Return when requests began and ended, and what they were.

    >>> from repave_lab.proxy.journal import Entry
    >>> put = Entry(100.5, "PutObject", "lake", "t/_repave/head.json", ms=20.0)
    >>> parts = [Entry(100 + n, "UploadPart", "lake", f"t/part=1/{n}", ms=30.0) for n in (1, 3)]
    >>> lines([put, *parts], 100.0)
    [(500, 520, 'PutObject t/_repave/head.json'), (1000, 3030, '2 × UploadPart')]
    """
    groups: dict[str, list[Entry]] = {}
    for number, entry in enumerate(journal):
        is_data = entry.op in OF_A_FILE or "/part=" in f"/{entry.key}"
        groups.setdefault(entry.op if is_data else f"{number}", []).append(entry)
    found = []
    for group in groups.values():
        first = min(entry.ts for entry in group)
        last = max(entry.ts + entry.ms / 1000 for entry in group)
        one = group[0]
        told = f"{one.op} {one.key}" if len(group) == 1 else f"{len(group)} × {one.op}"
        found.append((round((first - begin) * 1000), round((last - begin) * 1000), told))
    return sorted(found)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("readers", choices=("listing", "snapshot"))
    options.add_argument("--writes", type=int, default=7)
    chosen = options.parse_args()
    print(described(sys.argv[1:]), flush=True)
    with campaign_lake("typical") as lake, tempfile.TemporaryDirectory() as folder:
        builder = session_builder(Path(folder), {"": lake.proxy.endpoint})
        builder = builder.config("spark.sql.sources.partitionOverwriteMode", "dynamic")
        spark = builder.config("spark.hadoop.repave.readers", chosen.readers).getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        table = lake.table("nightly")
        for number in range(chosen.writes):
            lake.proxy.reset()
            begin = time.time()
            seconds = write(spark, table.url, PARTITIONS)["seconds"]
            print(f"write {number}: {seconds:.2f} s", flush=True)
        for first, last, told in lines(lake.proxy.journal(), begin):
            print(f"{first:>6} {last:>6}  {told}")
        spark.stop()


if __name__ == "__main__":
    main()
