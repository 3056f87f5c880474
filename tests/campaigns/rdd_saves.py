"""What `saveAsTextFile` costs: `python -m campaigns.rdd_saves [--files N] [--stock]`.

One task for each file, on a local S3 server behind a proxy that counts requests. `--stock` saves
through Hadoop's own committer (FileOutputCommitter, algorithm 2) in place of Repave's. `--model
typical` makes the proxy answer as late as S3 does, so that seconds can be compared.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

from e2e.sessions import session_builder
from repave_lab.proxy import Proxy
from repave_lab.servers import embedded_s3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--stock", action="store_true")
    parser.add_argument("--model", help="the latency model; by default none")
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        embedded_s3("ministack") as server,
        Proxy(server.endpoint) as proxy,
    ):
        server.client().create_bucket(Bucket="lake")
        builder = session_builder(
            Path(folder), {"": proxy.endpoint}, rdd_saves=not chosen.stock
        ).config("spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version", "2")
        context = builder.getOrCreate().sparkContext
        context.setLogLevel("ERROR")
        # The first save loads classes, and tries the store out.
        context.parallelize(["x"], 1).saveAsTextFile("s3a://lake/first")
        proxy.reset()
        proxy.set_model(chosen.model)
        began = time.monotonic()
        lines = context.parallelize([f"line {n}" for n in range(chosen.files)], chosen.files)
        lines.saveAsTextFile("s3a://lake/logs")
        seconds = time.monotonic() - began
        counts = Counter(entry.op for entry in proxy.journal())
        proxy.set_model(None)
        assert context.textFile("s3a://lake/logs").count() == chosen.files
    answer = {
        "committer": "stock v2" if chosen.stock else "Repave",
        "model": chosen.model,
        "files": chosen.files,
        "seconds": round(seconds, 1),
        "requests": sum(counts.values()),
        "a file": round(sum(counts.values()) / chosen.files, 2),
        "by kind": dict(counts.most_common()),
    }
    print(json.dumps(answer, indent=2))


if __name__ == "__main__":
    main()
