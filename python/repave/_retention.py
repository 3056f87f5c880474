"""For how long vacuum keeps replaced files, as far as Python can know it."""

import os
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from repave._defaults import spark_defaults
from repave._errors import UsageError
from repave._options import option
from repave._records import EPOCH
from repave._spark_home import find_spark

RETENTION: Final = option("retention")


def vacuum_retention(given: timedelta | str | None, now: datetime) -> timedelta:
    """Return the given retention, or else the one that `repave vacuum` has here.

    It is that of spark-defaults.conf. The JVM alone knows a value in core-site.xml, and what Hadoop
    makes of `${…}`.

    Raises:
        UsageError: the given or the configured retention is no duration.
    """
    millis = RETENTION.millis_of(_configured() if given is None else given)
    # The calendar has no moments for a much longer retention.
    return timedelta(milliseconds=min(millis, (now - EPOCH) // timedelta(milliseconds=1)))


def _configured() -> str:
    environment = dict(os.environ)
    with suppress(UsageError):
        # Without Spark there are no defaults, unless SPARK_CONF_DIR names them.
        environment["SPARK_HOME"] = str(find_spark(os.environ))
    site = spark_defaults(environment)
    # The first one has priority in the jar, too.
    keys = (RETENTION.spark_key, f"spark.{RETENTION.key}")
    found = next((site[key] for key in keys if key in site), RETENTION.default)
    return RETENTION.default if "${" in found else found
