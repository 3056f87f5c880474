"""Configures a session before it starts."""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from repave._conf import (
    FIXED,
    LISTING,
    PLUGINS_KEY,
    PROTOCOL_KEY,
    RDD_SAVES,
    extensions_conf,
    fallback_conf,
    listing_conf,
    plugin_conf,
)
from repave._conf_lists import (
    EXTENSIONS_KEY,
    JOINED,
    PACKAGES_KEY,
    JoinedOptions,
    join_lists,
    joined,
)
from repave._connector import (
    connector_for_hadoop,
    hadoop_version,
    has_connector,
    spark_jars,
)
from repave._defaults import spark_defaults
from repave._errors import UsageError
from repave._jar import chosen_jar
from repave._launch import JARS_KEY, VARIABLE, submit_conf, submit_flags, submit_site, with_jars
from repave._options import OptionValue, options_conf
from repave._progress import show_in_notebook
from repave._running import (
    jvm_conf,
    refuse_kept,
    remember_given,
    require_jar_in_running_jvm,
    require_same_conf,
    running_context,
    submitted_conf,
)
from repave._spark_home import find_spark
from repave._submit_options import CLASS_PATH_KEY

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from typing_extensions import Unpack

    from repave._keywords import Options

CLASS_PATHS = (CLASS_PATH_KEY, JARS_KEY, PACKAGES_KEY)


def configure_session(
    builder: "SparkSession.Builder",
    *,
    jar: Path | str | None = None,
    connector: Literal["auto", "packages"] | None = "auto",
    rdd_saves: bool = False,
    progress: bool = True,
    **options: "Unpack[Options]",
) -> "SparkSession.Builder":
    """Let the session that this builder will start commit through Repave.

    It merges what is set already, on the builder, in spark-defaults.conf or by the arguments of
    spark-submit: lists of jars, packages and extensions are joined, a commit protocol of the site's
    own becomes `repave.fallback.protocol`, which commits the paths that Repave does not, and
    `spark.sql.sources.useListFilesFileSystemList` stays as it is. For any other key, a different
    value is an error. Jars and packages that you set on the builder afterwards are joined too, so
    the order does not matter. The list of jars goes into PYSPARK_SUBMIT_ARGS, because Spark would
    not give executors the fetched connector next to a list on the builder.
    Under spark-submit, `configure_session` does not add jars: pass them with `repave submit`.

    A notebook's cell may run again: with a session that this call would have started, it changes
    nothing.

        spark = repave.configure_session(SparkSession.builder).getOrCreate()

    Args:
        builder: a session's builder.
        jar: by default the one of this installation.
        connector: "auto" fetches the S3A connector that fits the installed Spark from Maven
            (7 to 13 MB), unless one is there; "packages" fetches it in any case; None never does.
        rdd_saves: True also commits what RDDs save, such as `rdd.saveAsTextFile("s3a://…")`.
        progress: False shows no progress of commits in a notebook. Elsewhere there is none.
        options: the committer's options, see docs/configuration.md.

    Raises:
        UsageError: a session runs without Repave or with other settings, a key is set to something
            else, or spark-submit started a JVM without the jar.
    """
    given = options_conf(cast("Mapping[str, OptionValue]", options))
    given |= RDD_SAVES if rdd_saves else {}
    wanted = {**FIXED, **given}
    own: dict[str, object] = getattr(builder, "_options", {})
    chosen = {key: str(value) for key, value in own.items()}
    _refuse_remote(chosen)
    _require_builder(builder)
    if progress:
        show_in_notebook()
    context = running_context()
    if context is not None:
        start = Start(connector, os.environ, submitted_conf())
        require_same_conf(context, wanted, start.present(chosen))
        remember_given(given)
        return builder.config(PROTOCOL_KEY, wanted[PROTOCOL_KEY])
    require_jar_in_running_jvm()
    start = Start(connector, os.environ, submitted_conf())
    present = start.present(chosen)
    refuse_kept(jvm_conf(), {*wanted, *present})
    wanted |= {**extensions_conf({}), **(plugin_conf({}) if rdd_saves else {})}
    wanted = beside(present, wanted)
    join = start.extensions
    if start.script_conf is None:
        join = partial(start.lists, chosen_jar(jar))
    # Spark's own builder, the only one there is, keeps its options here.
    builder._options = JoinedOptions(own, join)  # noqa: SLF001
    for key, value in wanted.items():
        builder.config(key, value)
    remember_given(given)
    return builder


@dataclass(frozen=True)
class Start:
    """The lists of jars with which this process will start its JVM."""

    connector: str | None
    environment: MutableMapping[str, str]
    # Of the spark-submit that runs this script, which has a JVM already.
    script_conf: Mapping[str, str] | None = None

    @property
    def home(self) -> Path:
        """Where the Spark is that this process will start."""
        return find_spark(self.environment)

    def present(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """Return what is set already: by the site, on the builder, for spark-submit."""
        if self.script_conf is not None:
            return {**self.script_conf, **chosen}
        arguments = self.environment.get(VARIABLE, "")
        defaults = spark_defaults({**self.environment, "SPARK_HOME": str(self.home)})
        submitted = submit_conf(arguments)
        lists = {
            key: joined(chosen.get(key, ""), value)
            for key, value in submitted.items()
            if key in JOINED
        }
        return {**submit_site(arguments, defaults), **chosen, **submitted, **lists}

    def extensions(self, own: Mapping[str, str]) -> dict[str, str]:
        """Return the builder's lists in a script: its jars are the affair of spark-submit."""
        return {**own, **extensions_conf(self.present(own))}

    def lists(self, jar: str, own: Mapping[str, str]) -> dict[str, str]:
        """Return the builder's lists for the user's own; the jars go to PYSPARK_SUBMIT_ARGS."""
        arguments = self.environment.get(VARIABLE, "")
        present = self.present(own)
        fetched = connector_conf(self.connector, present, self.home, arguments)
        wanted = {JARS_KEY: jar, **fetched}
        lists = join_lists(present, wanted, submit_flags(arguments))
        # On the builder it would hide what Spark fetches.
        jars = lists.pop(JARS_KEY, "")
        if jars:
            self.environment[VARIABLE] = with_jars(arguments, jars)
        # What the site or the variable says by itself stays there.
        lists = {key: value for key, value in lists.items() if key in wanted or key in own}
        return {**lists, **extensions_conf(present)}


def beside(present: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the wanted keys that are no lists of jars, so that they replace none that is set.

    Raises:
        UsageError: a key is set to something else.
    """
    apart = {*JOINED, *LISTING, PLUGINS_KEY}
    scalars = {key: value for key, value in wanted.items() if key not in apart}
    scalars = {**fallback_conf(present), **listing_conf(present), **scalars}
    refuse_conflicts(present, scalars)
    saves = plugin_conf(present) if PLUGINS_KEY in wanted else {}
    rules = extensions_conf(present) if EXTENSIONS_KEY in wanted else {}
    return {**scalars, **rules, **saves}


def refuse_conflicts(present: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    """Refuse a key that is set to something else; another commit protocol becomes the fallback."""
    for key, value in wanted.items():
        if key != PROTOCOL_KEY and present.get(key, value) != value:
            message = f"{key} is set to {present[key]}, but {value} is needed: remove one."
            raise UsageError(message)


def connector_conf(
    connector: str | None, present: Mapping[str, str], spark_home: Path, arguments: str = ""
) -> dict[str, str]:
    """Return the conf that brings a connector, empty if none is wanted or one is there.

    Args:
        connector: "auto", "packages" or None.
        present: what is set already.
        spark_home: the Spark that will start.
        arguments: PYSPARK_SUBMIT_ARGS, for a JVM that PySpark starts. No other reads it.
    """
    if connector is None:
        return {}
    if connector not in ("auto", "packages"):
        message = f'connector={connector!r} is not possible: it is "auto", "packages" or None.'
        raise UsageError(message)
    jars = spark_jars(spark_home)
    settings = [arguments, *(present.get(key, "") for key in CLASS_PATHS)]
    if connector == "auto" and _is_provided(jars, settings):
        return {}
    hadoop = hadoop_version(jars)
    if hadoop is None:
        message = (
            f"No Hadoop was found in {jars}, so no connector can be chosen for it. Set SPARK_HOME "
            "to the folder of a Spark with Hadoop, or pass connector=None and add hadoop-aws "
            "yourself."
        )
        raise UsageError(message)
    return connector_for_hadoop(hadoop).conf()


def _is_provided(jars: Path, settings: list[str]) -> bool:
    if has_connector(jars, settings, os.environ):
        return True
    # A Spark "without Hadoop" takes Hadoop, and with it the connector, from the cluster.
    return jars.is_dir() and hadoop_version(jars) is None


def _require_builder(builder: object) -> None:
    if not hasattr(builder, "config"):
        message = (
            f"configure_session takes a builder, such as SparkSession.builder, not {builder!r}. "
            "Call it before getOrCreate()."
        )
        raise UsageError(message)


def _refuse_remote(chosen: Mapping[str, str]) -> None:
    if "spark.remote" in chosen or "SPARK_REMOTE" in os.environ:
        message = (
            "This session speaks to a Spark Connect server, whose conf is set where it starts: "
            "give the server what `repave conf` prints."
        )
        raise UsageError(message)
