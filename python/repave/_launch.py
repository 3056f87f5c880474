"""PYSPARK_SUBMIT_ARGS: what PySpark passes to spark-submit besides the builder's conf.

A builder's conf reaches Spark twice. First as arguments of spark-submit, which adds what it fetches
from Maven to `spark.jars`. Later in the context, where the builder's own `spark.jars` replaces the
completed list. Executors in other JVMs then lack what was fetched. This variable reaches
spark-submit only.
"""

import itertools
import shlex
from typing import Final

VARIABLE: Final = "PYSPARK_SUBMIT_ARGS"
JARS_KEY: Final = "spark.jars"
# A flag beats the conf of the same meaning.
FLAGS: Final = {
    "--jars": JARS_KEY,
    "--packages": "spark.jars.packages",
    "--exclude-packages": "spark.jars.excludes",
}
CONF_FLAGS: Final = ("--conf", "-c")


def submit_flags(arguments: str) -> dict[str, str]:
    """Return what flags of their own set.

    >>> submit_flags("--jars=a.jar --conf spark.jars=b.jar pyspark-shell")
    {'spark.jars': 'a.jar'}
    """
    pairs = itertools.pairwise(_words(arguments))
    return {FLAGS[flag]: value for flag, value in pairs if flag in FLAGS}


def submit_conf(arguments: str) -> dict[str, str]:
    """Return what `--conf` sets.

    >>> submit_conf("--jars=a.jar --conf spark.jars=b.jar pyspark-shell")
    {'spark.jars': 'b.jar'}
    """
    pairs = itertools.pairwise(_words(arguments))
    settings = [value.partition("=") for flag, value in pairs if flag in CONF_FLAGS]
    return {key: value for key, _, value in settings}


def with_jars(arguments: str, jars: str) -> str:
    """Return the arguments with this list of jars in place of any other.

    >>> with_jars("", "a.jar,b.jar")
    '--conf spark.jars=a.jar,b.jar pyspark-shell'
    """
    kept: list[str] = []
    for word in _words(arguments or "pyspark-shell"):
        if word.startswith(f"{JARS_KEY}=") and kept and kept[-1] in CONF_FLAGS:
            kept.pop()
        else:
            kept.append(word)
    return shlex.join(["--conf", f"{JARS_KEY}={jars}", *kept])


def _words(arguments: str) -> list[str]:
    words = []
    for word in shlex.split(arguments):
        words += word.split("=", 1) if word.startswith("--") else [word]
    return words
