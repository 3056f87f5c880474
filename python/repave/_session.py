"""Puts the conf on a session that is about to start."""

import os
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from repave._conf import LISTS, PROTOCOL_KEY, spark_conf
from repave._connector import (
    connector_for_hadoop,
    hadoop_version,
    has_connector,
    spark_jars,
)
from repave._defaults import spark_defaults
from repave._errors import UsageError
from repave._launch import JARS_KEY, VARIABLE, submit_conf, submit_flags, with_jars
from repave._options import OptionValue
from repave._spark_home import find_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CLASS_PATHS = ("spark.driver.extraClassPath", JARS_KEY, "spark.jars.packages")
# Set in a script that spark-submit runs: its JVM is there already, with all the jars it will have.
SUBMITTED = "PYSPARK_GATEWAY_PORT"


def configure_session(
    builder: "SparkSession.Builder",
    *,
    jar: Path | str | None = None,
    connector: Literal["auto", "packages"] | None = "auto",
    **options: OptionValue,
) -> "SparkSession.Builder":
    """Let the session that this builder will start commit through Repave.

    Every key that is set already, on the builder or in spark-defaults.conf, stays as it is; the
    jar is appended to the user's own. The list of jars goes into PYSPARK_SUBMIT_ARGS, because
    Spark would not give executors the fetched connector beside a list on the builder. In a script
    that spark-submit runs, jars are left to spark-submit.

        spark = repave.configure_session(SparkSession.builder).getOrCreate()

    Args:
        builder: a session's builder; no session may be running yet.
        jar: by default the one of this installation.
        connector: "auto" fetches the S3A connector that fits the installed Spark from Maven
            (7 to 13 MB), unless one is there; "packages" fetches it in any case; None never does.
        options: the committer's options, see docs/configuration.md.

    Raises:
        UsageError: a session is running, or a key is set to something else.
    """
    _refuse_running_session()
    own: dict[str, object] = getattr(builder, "_options", {})
    chosen = {key: str(value) for key, value in own.items()}
    _refuse_remote(chosen)
    home = find_spark(os.environ)
    arguments = os.environ.get(VARIABLE, "")
    present = {**spark_defaults({**os.environ, "SPARK_HOME": str(home)}), **chosen}
    present |= _joined(chosen, submit_conf(arguments))
    wanted = spark_conf(jar=jar, connector=None, **options)
    if SUBMITTED in os.environ:
        wanted = {key: value for key, value in wanted.items() if key not in LISTS}
    else:
        wanted |= connector_conf(connector, present, home)
    for key, value in merge(present, wanted, submit_flags(arguments)).items():
        if key == JARS_KEY:
            _launch_with(value, own, os.environ)
        else:
            builder.config(key, value)
    return builder


def _launch_with(jars: str, own: dict[str, object], environment: MutableMapping[str, str]) -> None:
    environment[VARIABLE] = with_jars(environment.get(VARIABLE, ""), jars)
    # The user's own are in the variable now; here they would hide what Spark fetches.
    own.pop(JARS_KEY, None)


def _joined(chosen: Mapping[str, str], submitted: Mapping[str, str]) -> dict[str, str]:
    """Return what PYSPARK_SUBMIT_ARGS sets, lists with what the builder holds."""
    return {
        key: ",".join(dict.fromkeys([*_items(chosen.get(key, "")), *_items(value)]))
        if key in LISTS
        else value
        for key, value in submitted.items()
    }


def merge(
    present: Mapping[str, str], wanted: Mapping[str, str], flags: Mapping[str, str]
) -> dict[str, str]:
    """Return what has to be set so that both hold: lists are joined, equal values left alone.

    >>> merge({"spark.jars": "a.jar"}, {"spark.jars": "repave.jar"}, {})
    {'spark.jars': 'a.jar,repave.jar'}
    """
    merged = {}
    for key, value in wanted.items():
        if key in LISTS:
            missing = _missing(value, flags.get(key, present.get(key, "")))
            if missing and key in flags:
                message = (
                    f"PYSPARK_SUBMIT_ARGS hides {key}: add {','.join(missing)} to its own list."
                )
                raise UsageError(message)
            if missing:
                merged[key] = ",".join([*_items(present.get(key, "")), *missing])
        elif present.get(key, value) != value:
            raise UsageError(_conflict(key, present[key], value))
        else:
            merged[key] = value
    return merged


def _conflict(key: str, found: str, wanted: str) -> str:
    if key == PROTOCOL_KEY:
        return (
            f"{key} is set to {found}, so Repave would not run: remove it, or set "
            f'.config("{key}", "{wanted}") on the builder.'
        )
    return f"{key} is set to {found}, and {wanted} is asked for: remove one of them."


def connector_conf(
    connector: str | None, present: Mapping[str, str], spark_home: Path
) -> dict[str, str]:
    """Return the conf that brings a connector, empty if none is wanted or one is there."""
    if connector is None:
        return {}
    if connector not in ("auto", "packages"):
        message = f'connector={connector!r} is not possible: it is "auto", "packages" or None.'
        raise UsageError(message)
    jars = spark_jars(spark_home)
    settings = [present.get(key, "") for key in CLASS_PATHS]
    if connector == "auto" and _is_provided(jars, settings):
        return {}
    hadoop = hadoop_version(jars)
    if hadoop is None:
        message = f"No Hadoop was found in {jars}, so no connector can be chosen for it."
        raise UsageError(message)
    return connector_for_hadoop(hadoop).conf()


def _is_provided(jars: Path, settings: list[str]) -> bool:
    if has_connector(jars, settings, os.environ):
        return True
    # A Spark "without Hadoop" takes Hadoop, and with it the connector, from the cluster.
    return jars.is_dir() and hadoop_version(jars) is None


def _refuse_running_session() -> None:
    module = sys.modules.get("pyspark")
    context = getattr(getattr(module, "SparkContext", None), "_active_spark_context", None)
    if context is not None:
        message = (
            "A SparkContext is running already, and it takes no further jars: call "
            "configure_session before the first session starts, or give the cluster what "
            "`repave conf` prints."
        )
        raise UsageError(message)


def _refuse_remote(chosen: Mapping[str, str]) -> None:
    if "spark.remote" in chosen or "SPARK_REMOTE" in os.environ:
        message = (
            "This session speaks to a Spark Connect server, whose conf is set where it starts: "
            "give the server what `repave conf` prints."
        )
        raise UsageError(message)


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _missing(wanted: str, present: str) -> list[str]:
    there = set(_items(present))
    return [item for item in _items(wanted) if item not in there]
