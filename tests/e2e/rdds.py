"""The ways to save an RDD, and what they saved."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from repave._conf import RDD_SAVES

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession

OLD_FORMAT = "org.apache.hadoop.mapred.TextOutputFormat"
NEW_FORMAT = "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat"
CODEC = "org.apache.hadoop.io.compress.GzipCodec"
TEXT = "org.apache.hadoop.io.Text"
TEXT_SAVES = (
    "saveAsTextFile",
    "saveAsHadoopFile",
    "saveAsHadoopDataset",
    "saveAsNewAPIHadoopFile",
    "saveAsNewAPIHadoopDataset",
)
SAVES = (*TEXT_SAVES, "saveAsSequenceFile", "saveAsPickleFile")


@contextmanager
def rdd_saves(spark: "SparkSession") -> Iterator[None]:
    """Switch RDD saves on in a session that runs already."""
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    keys = [key.removeprefix("spark.hadoop.") for key in RDD_SAVES]
    before = {key: conf.get(key) for key in keys}
    for key, value in zip(keys, RDD_SAVES.values(), strict=True):
        conf.set(key, value)
    yield
    for key, value in before.items():
        conf.unset(key) if value is None else conf.set(key, value)


def pairs(spark: "SparkSession", count: int) -> "RDD[tuple[str, str]]":
    return spark.sparkContext.parallelize([(f"k{n}", f"v{n}") for n in range(count)], count)


def save(rdd: "RDD[Any]", way: str, url: str) -> None:
    """Save pairs by one of the ways."""
    if way == "saveAsTextFile":
        rdd.map("\t".join).saveAsTextFile(url, CODEC)
    elif way == "saveAsHadoopFile":
        rdd.saveAsHadoopFile(url, OLD_FORMAT, TEXT, TEXT)
    elif way == "saveAsNewAPIHadoopFile":
        rdd.saveAsNewAPIHadoopFile(url, NEW_FORMAT, TEXT, TEXT)
    elif way in ("saveAsHadoopDataset", "saveAsNewAPIHadoopDataset"):
        getattr(rdd, way)(_conf(url, new="New" in way))
    else:
        getattr(rdd, way)(url)


def _conf(url: str, *, new: bool) -> dict[str, Any]:
    own = {"mapreduce.job.outputformat.class": NEW_FORMAT} if new else {}
    return {
        **(own or {"mapred.output.format.class": OLD_FORMAT}),
        "mapreduce.output.fileoutputformat.outputdir": url,
        "mapreduce.job.output.key.class": TEXT,
        "mapreduce.job.output.value.class": TEXT,
    }


def saved(spark: "SparkSession", way: str, url: str) -> set[str]:
    """Return the pairs that are there, as lines; no pair is there twice."""
    if way in TEXT_SAVES:
        return lines(spark, url)
    context = spark.sparkContext
    rdd: RDD[Any] = (
        context.sequenceFile(url) if way == "saveAsSequenceFile" else context.pickleFile(url)
    )
    return once(["\t".join(pair) for pair in rdd.collect()])


def lines(spark: "SparkSession", url: str) -> set[str]:
    return once([row.value for row in spark.read.text(url).collect()])


def once(found: list[str]) -> set[str]:
    assert len(found) == len(set(found)), "a line is there twice"
    return set(found)
