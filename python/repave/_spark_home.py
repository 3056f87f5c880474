"""Where Spark is installed."""

import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from repave._errors import UsageError


def find_java(environment: Mapping[str, str]) -> str:
    """Return the program that Spark's scripts will start.

    Raises:
        UsageError: there is none.
    """
    home = environment.get("JAVA_HOME")
    if home:
        java = shutil.which("java", path=str(Path(home) / "bin"))
        if java is None:
            message = f"JAVA_HOME is {home}, which has no Java: correct it or unset it."
            raise UsageError(message)
        return java
    java = shutil.which("java", path=environment.get("PATH"))
    if java is None:
        message = (
            "Java was not found. Commands that change a table run in a JVM: install Java 17, and "
            "set JAVA_HOME if it is not on the PATH."
        )
        raise UsageError(message)
    return java


def find_spark(environment: Mapping[str, str]) -> Path:
    """Return the home of an installed Spark.

    Raises:
        UsageError: there is none.
    """
    named = environment.get("SPARK_HOME")
    if named:
        if not Path(named).is_dir():
            message = f"SPARK_HOME is {named}, which is not a folder: correct it or unset it."
            raise UsageError(message)
        return Path(named)
    module = find_spec("pyspark")
    if module is not None and module.origin:
        return Path(module.origin).parent
    found = shutil.which("spark-submit", path=environment.get("PATH"))
    if found:
        return Path(found).resolve().parent.parent
    message = (
        "Spark was not found. Commands that change a table run in its JVM: "
        "`pip install pyspark`, or set SPARK_HOME."
    )
    raise UsageError(message)
