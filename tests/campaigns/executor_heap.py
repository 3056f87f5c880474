"""32 tasks of one executor of 1 GiB write at once: `python -m campaigns.executor_heap --gib 10`.

MiniStack keeps all of it in memory.
"""

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

from campaigns.store import described
from e2e.sessions import session_builder
from repave_lab.servers import embedded_s3

TASKS = 32
LINE_BYTES = 100_000
COLLECTED = re.compile(r"\d+M->(\d+)M\(\d+M\)")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--gib", type=float, default=10)
    lines = int(options.parse_args().gib * 2**30 / LINE_BYTES / TASKS) * TASKS
    print(described(sys.argv[1:]), flush=True)
    with embedded_s3("ministack") as server, tempfile.TemporaryDirectory() as folder:
        client, log = server.client(), Path(folder) / "gc.log"
        client.create_bucket(Bucket="lake")
        spark = (
            session_builder(Path(folder), {"": server.endpoint})
            .config("spark.master", f"local-cluster[1,{TASKS},1024]")
            .config("spark.executor.memory", "1g")
            .config("spark.executor.cores", str(TASKS))
            .config("spark.executor.extraJavaOptions", f"-Xlog:gc:file={log}")
            .getOrCreate()
        )
        rows = spark.range(0, lines, 1, TASKS).selectExpr(f"repeat('x', {LINE_BYTES - 1}) AS value")
        started = time.monotonic()
        rows.write.text("s3a://lake/table")
        seconds = time.monotonic() - started
        spark.stop()
        pages = client.get_paginator("list_objects_v2").paginate(Bucket="lake", Prefix="table/part")
        sizes = [one["Size"] for page in pages for one in page.get("Contents", ())]
        told = log.read_text("utf-8")
    assert sum(sizes) == lines * LINE_BYTES
    alive = max(int(found) for found in COLLECTED.findall(told))
    print(f"{sum(sizes)} bytes in {len(sizes)} files: {seconds:.0f} s", flush=True)
    print(f"at most {alive} MiB after a collection, {told.count('Pause Full')} full collections")


if __name__ == "__main__":
    main()
