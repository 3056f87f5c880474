"""The conf that makes Spark commit through Repave."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from repave._conf_lists import EXTENSIONS_KEY, joined
from repave._connector import connector_for_spark
from repave._jar import chosen_jar
from repave._options import OptionValue, options_conf

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from repave._keywords import Options

PROTOCOL_KEY: Final = "spark.sql.sources.commitProtocolClass"
PROTOCOL: Final = "io.repave.spark.RepaveCommitProtocol"
# `mapreduce.job.committer.dynamic.partitioning` is never declared: with it Spark would stage the
# files and rename the partitions by itself.
FIXED: Final = {
    PROTOCOL_KEY: PROTOCOL,
    "spark.hadoop.fs.repave.impl": "io.repave.hadoop.RepaveFileSystem",
}
# Spark 4 lists a path by one call on the driver if the scheme is among these; other paths are
# listed folder by folder, by tasks. The default is s3a alone.
LISTING: Final = {"spark.sql.sources.useListFilesFileSystemList": "s3a,repave"}
# What RDD saves use: the old API one class for all paths, the new API a factory for each scheme.
# Hadoop looks up a path without a scheme as "null", which is not the default file system's scheme.
RDD_COMMITTER: Final = "io.repave.hadoop.mapreduce.RepaveMapredCommitter"
RDD_FACTORY: Final = "io.repave.hadoop.mapreduce.RepaveCommitterFactory"
RDD_COMMITTER_KEY: Final = "spark.hadoop.mapred.output.committer.class"
RDD_FACTORY_KEY: Final = "spark.hadoop.mapreduce.outputcommitter.factory.scheme."
RDD_SAVES: Final = {
    RDD_COMMITTER_KEY: RDD_COMMITTER,
    **{f"{RDD_FACTORY_KEY}{scheme}": RDD_FACTORY for scheme in ("s3a", "s3", "s3n", "null")},
}
EXTENSIONS: Final = "io.repave.spark.plan.RepaveExtensions"
PLUGINS_KEY: Final = "spark.plugins"
PLUGIN: Final = "io.repave.spark.RepavePlugin"
FALLBACK_KEY: Final = "spark.hadoop.repave.fallback.protocol"


def spark_conf(
    *,
    jar: Path | str | None = None,
    connector: str | None = None,
    rdd_saves: bool = False,
    **options: "Unpack[Options]",
) -> dict[str, str]:
    """Return the conf that switches Repave on, for any way of starting Spark.

    >>> conf = spark_conf(jar="/jars/repave.jar", part_size="16M")
    >>> for key, value in conf.items():
    ...     print(key, value)
    spark.sql.sources.commitProtocolClass io.repave.spark.RepaveCommitProtocol
    spark.hadoop.fs.repave.impl io.repave.hadoop.RepaveFileSystem
    spark.sql.sources.useListFilesFileSystemList s3a,repave
    spark.jars /jars/repave.jar
    spark.hadoop.repave.part.size 16M

    Args:
        jar: the jar's path or URI on the cluster; by default the one of this installation.
        connector: a Spark version; adds the S3A connector of that release, from Maven. By default
            the cluster's own is used. Do not put this conf on a builder: its `spark.jars` would
            replace the list to which Spark adds the fetched connector, and executors of a cluster
            would lack it. Use `configure_session` there.
        rdd_saves: True also commits RDD saves and other jobs of Hadoop's output formats.
        options: the committer's options, see docs/configuration.md.

    Raises:
        UsageError: there is no such option, or the value is not valid.
        UsageError: this installation has no jar.
    """
    chosen = options_conf(cast("Mapping[str, OptionValue]", options))
    fetched = {} if connector is None else connector_for_spark(connector).conf()
    saves = {**RDD_SAVES, **plugin_conf({})} if rdd_saves else {}
    jars = {"spark.jars": chosen_jar(jar)}
    return {**FIXED, **LISTING, **saves, **jars, **fetched, **chosen}


def listing_conf(present: Mapping[str, str]) -> dict[str, str]:
    """Return what lets Spark list `repave://` paths by one call, unless the site has its own list.

    >>> listing_conf({"spark.sql.sources.useListFilesFileSystemList": "s3a,gs"})
    {}
    """
    return {key: value for key, value in LISTING.items() if key not in present}


def plugin_conf(present: Mapping[str, str]) -> dict[str, str]:
    """Return the conf that adds Repave's plugin to the site's own.

    >>> plugin_conf({"spark.plugins": "com.example.Own"})
    {'spark.plugins': 'com.example.Own,io.repave.spark.RepavePlugin'}
    """
    return {PLUGINS_KEY: joined(present.get(PLUGINS_KEY, ""), PLUGIN)}


def extensions_conf(present: Mapping[str, str]) -> dict[str, str]:
    """Return the conf that adds Repave's rules to the extensions that are set.

    PySpark 3.5 needs it; Spark 4 finds the rules in the jar. `spark_conf` leaves it out, because it
    would hide the extensions of Delta or Iceberg that it does not know.

    >>> extensions_conf({"spark.sql.extensions": "com.example.Own"})
    {'spark.sql.extensions': 'com.example.Own,io.repave.spark.plan.RepaveExtensions'}
    """
    return {EXTENSIONS_KEY: joined(present.get(EXTENSIONS_KEY, ""), EXTENSIONS)}


def fallback_conf(present: Mapping[str, str]) -> dict[str, str]:
    """Return the conf that keeps the site's own commit protocol for all other paths.

    >>> fallback_conf({"spark.sql.sources.commitProtocolClass": "com.example.Own"})
    {'spark.hadoop.repave.fallback.protocol': 'com.example.Own'}
    """
    named = present.get(PROTOCOL_KEY, PROTOCOL)
    return {} if named == PROTOCOL or FALLBACK_KEY in present else {FALLBACK_KEY: named}
