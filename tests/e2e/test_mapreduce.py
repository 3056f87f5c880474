"""A MapReduce job in Hadoop's own runner, with the keys of docs/rdd-saves.md and no Spark."""

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.lake import TableFolder
from e2e.sessions import s3a_conf
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

PAGE = Path(__file__).parents[2] / "docs/rdd-saves.md"
WORDS = "to be or not to be"
COUNTS = {"to\t2", "be\t2", "or\t1", "not\t1"}


def documented() -> dict[str, str]:
    """Return the keys that the page tells users of MapReduce to set."""
    text = PAGE.read_text("utf-8").partition("**MapReduce**")[2]
    return dict(re.findall(r"^\| `([\w.]+)` \| `([\w.]+)` \|", text, re.MULTILINE))


def class_path(spark: "SparkSession") -> str:
    """Return what the driver of the session has, with its packages, but no Spark."""
    lang = spark._jvm.java.lang  # type: ignore[union-attr]
    urls = lang.Thread.currentThread().getContextClassLoader().getURLs()
    jars = [url.getPath() for url in urls]
    jars += lang.System.getProperty("java.class.path").split(":")
    return ":".join(jar for jar in jars if not Path(jar).name.startswith("spark-"))


@pytest.mark.parametrize("api", ["new", "old"])
def test_a_job_of_mapreduce_appends_its_exact_rows_in_one_commit(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, api: str
) -> None:
    (tmp_path / "in.txt").write_text(WORDS)
    endpoint = {"": table.lake.proxy.endpoint}
    conf = {key.removeprefix("spark.hadoop."): value for key, value in s3a_conf(endpoint).items()}
    assert len(documented()) == 3
    conf |= {**documented(), "hadoop.tmp.dir": f"{tmp_path}/hadoop"}
    options = [f"-D{key}={value}" for key, value in conf.items()]
    words = ["java", "-cp", class_path(spark), "CountWords", *options]
    words += [api, f"file://{tmp_path}/in.txt", table.url]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "seen 0\n" in done.stdout, "files were visible before the job's commit"
    found = [row.value for row in spark.read.text(table.url).collect()]
    assert (len(found), set(found)) == (len(COUNTS), COUNTS)
    (entry,) = RepaveTable.for_path(spark, table.url).history()
    assert (entry.kind, entry.files_in) == ("append", 2)
    assert len(table.data()) == 2
    assert not [key for key in table.listing() if "/jobs/" in key or "/task-" in key]
    table.assert_settled()
