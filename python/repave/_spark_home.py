"""Where Spark is installed."""

import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from repave._errors import UsageError


def find_spark(environment: Mapping[str, str]) -> Path:
    """Return the home of an installed Spark.

    Raises:
        UsageError: there is none.
    """
    named = environment.get("SPARK_HOME")
    if named:
        return Path(named)
    module = find_spec("pyspark")
    if module is not None and module.origin:
        return Path(module.origin).parent
    found = shutil.which("spark-submit", path=environment.get("PATH"))
    if found:
        return Path(found).resolve().parent.parent
    message = (
        "No Spark was found, and what changes a table runs in its JVM: "
        "`pip install 'repave[spark]'`, or set SPARK_HOME."
    )
    raise UsageError(message)
