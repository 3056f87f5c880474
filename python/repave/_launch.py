"""PYSPARK_SUBMIT_ARGS: what PySpark passes to spark-submit besides the builder's conf.

A builder's conf reaches Spark twice. First as arguments of spark-submit, which adds what it fetches
from Maven to `spark.jars`. Later in the context, where the builder's own `spark.jars` replaces the
completed list. Executors in other JVMs then lack what was fetched. This variable reaches
spark-submit only.
"""

import shlex
from collections.abc import Mapping
from typing import Final

from repave._errors import UsageError
from repave._submit_options import FLAGS, conf_setting, leading_options, site_conf

VARIABLE: Final = "PYSPARK_SUBMIT_ARGS"
JARS_KEY: Final = "spark.jars"


def submit_flags(arguments: str) -> dict[str, str]:
    """Return what flags of their own set.

    >>> submit_flags("--jars=a.jar --conf spark.jars=b.jar pyspark-shell")
    {'spark.jars': 'a.jar'}
    """
    options, _ = _parsed(arguments)
    return {FLAGS[option[0]]: option[-1] for option in options if option[0] in FLAGS}


def submit_conf(arguments: str) -> dict[str, str]:
    """Return what `--conf` sets.

    >>> submit_conf("--jars=a.jar --conf spark.jars=b.jar pyspark-shell")
    {'spark.jars': 'b.jar'}
    """
    options, _ = _parsed(arguments)
    settings = map(conf_setting, options)
    return {key: value for key, value in settings if key}


def submit_site(arguments: str, defaults: Mapping[str, str]) -> Mapping[str, str]:
    """Return what spark-submit will read from a file, if not from the site's defaults."""
    options, _ = _parsed(arguments)
    try:
        return site_conf(options, defaults)
    except UsageError as error:
        raise _named(error) from error


def with_jars(arguments: str, jars: str) -> str:
    """Return the arguments with this list of jars in place of any other.

    >>> with_jars("", "a.jar,b.jar")
    '--conf spark.jars=a.jar,b.jar pyspark-shell'
    """
    options, application = _parsed(arguments or "pyspark-shell")
    kept = [option for option in options if conf_setting(option)[0] != JARS_KEY]
    settings = [("--conf", f"{JARS_KEY}={jars}"), *kept]
    return shlex.join([*(word for option in settings for word in option), *application])


def _parsed(arguments: str) -> tuple[list[tuple[str, ...]], list[str]]:
    try:
        words = shlex.split(arguments)
    except ValueError as error:
        message = f"{VARIABLE} cannot be split into words ({error}): correct its quotes."
        raise UsageError(message) from error
    try:
        return leading_options(words), words
    except UsageError as error:
        raise _named(error) from error


def _named(error: UsageError) -> UsageError:
    # Its other words may be secret keys.
    return UsageError(f"{VARIABLE} cannot be used. {error}")
