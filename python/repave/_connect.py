"""Repave's error in the text that a Spark Connect client gets of it."""

import re

from repave._errors import BY_JAVA_NAME, RepaveError

MODULE = "pyspark.errors.exceptions.connect"
PACKAGE = r"io\.repave\.(?:\w+\.)*"
# An error of the top level begins the message, one below Spark's is in the server's stack trace.
TOP = re.compile(rf"\A\({PACKAGE}(\w+)\) (.*)")
BELOW = re.compile(rf"^Caused by: {PACKAGE}(\w+): (.*)$", re.MULTILINE)


def connect_error(error: BaseException) -> RepaveError | None:
    """Return this package's error for one of Spark Connect that names a Java one, else None."""
    if type(error).__module__ != MODULE:
        return None
    # PySpark 3.5 has no such method; the message says it all there.
    trace = getattr(error, "getStackTrace", lambda: "")() or ""
    found = TOP.search(str(error)) or BELOW.search(trace) or BELOW.search(str(error))
    if found is None or found[1] not in BY_JAVA_NAME:
        return None
    return BY_JAVA_NAME[found[1]](found[2])
