"""The five statements of `e2e.nightly` through Spark Connect, each write with a token of its own.

`python -m clients.connect_nightly <JSON>`
"""

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from e2e.nightly import Nightly

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter


class ConnectNightly(Nightly):
    """A run id is for an application, and a server runs the writes of all its clients in one."""

    run_id = ""
    _token = ""

    def options(self, number: int) -> AbstractContextManager[None]:
        self._token = f"{self.run_id}/{number}"
        return nullcontext()

    def writer(self, frame: "DataFrame") -> "DataFrameWriter":
        return super().writer(frame).option("repave.token", self._token)

    def clause(self) -> str:
        return f" WITH ('repave.token' = '{self._token}')"


def main() -> None:
    work = json.loads(sys.argv[1])
    spark = SparkSession.builder.remote(work["remote"]).getOrCreate()
    nightly = ConnectNightly(spark, work["sales"], work["totals"], work["per_day"])
    nightly.run_id = work["run"]
    nightly.run()
    spark.stop()


if __name__ == "__main__":
    main()
