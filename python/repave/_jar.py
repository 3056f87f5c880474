"""Finds the jar that Spark has to load."""

import os
from pathlib import Path

from repave._errors import UsageError
from repave._version import __version__

PACKAGE = Path(__file__).parent
VARIABLE = "REPAVE_JAR"


def chosen_jar(jar: Path | str | None) -> str:
    """Return the jar's path or URI: as it is given, or else that of this installation.

    Raises:
        UsageError: it is empty, or this installation has none.
    """
    if jar is None:
        return str(jar_path())
    if not str(jar).strip():
        message = (
            "jar (--jar) is empty, as from a variable that is not set: leave it out, or name the "
            "jar's location."
        )
        raise UsageError(message)
    return str(jar)


def jar_path() -> Path:
    """Return the jar: the one REPAVE_JAR names, else the wheel's, else the developer's own build.

    Raises:
        UsageError: there is none; the message says what to do.
    """
    named = os.environ.get(VARIABLE)
    if named:
        jar = Path(named)
        if not jar.is_file():
            message = f"{VARIABLE} names {jar}, which is not a file: correct it or unset it."
            raise UsageError(message)
        return jar.absolute()
    bundled = PACKAGE / "jars" / "repave.jar"
    built = PACKAGE.parent.parent / "committer-java" / "target" / f"repave-{__version__}.jar"
    for jar in (bundled, built):
        if jar.is_file():
            return jar
    if PACKAGE.parent.is_file():
        message = (
            f"repave is imported from the archive {PACKAGE.parent}, out of which Spark loads no "
            f"jar: set {VARIABLE} to the path of the jar, or pass it as `jar`."
        )
        raise UsageError(message)
    message = (
        f"This installation of repave {__version__} has no jar: install the wheel "
        f"(`make wheel` in a clone builds it), or run `make jar` in a clone, or set {VARIABLE}."
    )
    raise UsageError(message)
