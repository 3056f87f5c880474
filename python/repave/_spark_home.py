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
    imported = _home_of_pyspark()
    if imported is not None:
        return imported
    found = shutil.which("spark-submit", path=environment.get("PATH"))
    if found:
        return _home_of(Path(found), environment)
    message = (
        "Spark was not found. Commands that change a table run in its JVM: "
        "`pip install pyspark`, or set SPARK_HOME. The package pyspark-client has no Spark."
    )
    raise UsageError(message)


def _home_of_pyspark() -> Path | None:
    """Return the home of the importable pyspark, None if it has no Spark.

    As for PySpark itself, it is the package's folder, or that of the release around the package.
    """
    module = find_spec("pyspark")
    if module is None or not module.origin:
        return None
    package = Path(module.origin).parent
    return next((home for home in (package, package.parent.parent) if _is_home(home)), None)


def _home_of(program: Path, environment: Mapping[str, str]) -> Path:
    """Return the home of the Spark that a spark-submit starts.

    Raises:
        UsageError: it is a script for a Spark elsewhere, such as a package's in /usr/bin.
    """
    bin_folder = program.resolve().parent
    if _is_home(bin_folder.parent):
        return bin_folder.parent
    # pip copies Spark's scripts next to the interpreter. The jars stay in the package.
    if (bin_folder / "find-spark-home").is_file():
        found = bin_folder.parent.glob("lib*/python3*/*-packages/pyspark")
        # lib64 may be a link to lib.
        homes = {home.resolve() for home in found if _is_home(home)}
        if len(homes) == 1:
            return homes.pop()
    if environment.get("SPARK_JARS_DIR") or environment.get("SPARK_CONF_DIR"):
        # They name what a home is needed for.
        return bin_folder.parent
    message = (
        f"{program} is a script that starts Spark from another folder: set SPARK_HOME to Spark's "
        "folder."
    )
    raise UsageError(message)


def _is_home(folder: Path) -> bool:
    # A clone of Spark that was built has its jars below assembly/.
    return any((folder / name).is_dir() for name in ("jars", "assembly"))
