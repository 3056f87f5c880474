"""What followers cost a commit: `python -m campaigns.followers [--partitions N] [--writes N]`.

Overwrites all partitions of one table for each follower, behind the latency model `typical`, and
prints how long the step Follow took, as each commit's report says, and its requests.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from campaigns.store import campaign_lake, described
from campaigns.warm_writes import write
from e2e.lake import TableFolder
from e2e.sessions import session_builder

FOLDERS = {"delta": "_delta_log/", "symlink": "_symlink_format_manifest/"}


def report(table: TableFolder) -> dict[str, Any]:
    """Return the newest commit's report, past the proxy."""
    commit = table.head()["log"][-1]["commit"]
    key = f"{table.name}/_repave/commits/{commit}/report.json"
    answer = table.lake.client.get_object(Bucket=table.lake.bucket, Key=key)
    document: dict[str, Any] = json.loads(answer["Body"].read())
    return document


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--partitions", type=int, default=1000)
    options.add_argument("--writes", type=int, default=10)
    chosen = options.parse_args()
    print(described(sys.argv[1:]), flush=True)
    with campaign_lake("typical") as lake, tempfile.TemporaryDirectory() as folder:
        builder = session_builder(Path(folder), {"": lake.proxy.endpoint}).config(
            "spark.sql.sources.partitionOverwriteMode", "dynamic"
        )
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        for kind, place in FOLDERS.items():
            table = lake.table(kind)
            spark.conf.set("repave.followers", kind)
            for number in range(chosen.writes):
                lake.proxy.reset()
                seconds = write(spark, table.url, chosen.partitions)["seconds"]
                sent = Counter(
                    entry.op for entry in lake.proxy.journal() if f"{kind}/{place}" in entry.key
                )
                millis = report(table)["millis"]
                told = f"Follow {millis.get('follow')} ms of {sum(millis.values())}"
                print(f"{kind} {number}: {seconds:.2f} s, {told}, {dict(sent)}", flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
