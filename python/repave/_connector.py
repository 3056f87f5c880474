"""Which S3A connector fits a Spark installation, and the small jars that it needs.

`org.apache.hadoop:hadoop-aws` must have the version of Spark's own Hadoop, and it asks for the AWS
SDK's bundle of 500 MB. The lists in `connectors/` name the modules that it really calls, 7 to 13 MB
in all; what Spark itself ships (Netty, SLF4J, the Apache HTTP client) is left out.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from repave._conf_lists import PACKAGES_KEY
from repave._errors import UsageError

HADOOP_JAR = re.compile(r"hadoop-(?:client-api|common)-(\d[\w.]*)\.jar$")
S3A_JAR = re.compile(r"hadoop-(?:aws|cloud-storage)\b|spark-hadoop-cloud|emrfs|aws-hadoop")

# Spark has these already, or (the bundles) the pinned modules replace them.
EXCLUDES = (
    "software.amazon.awssdk:bundle",
    "com.amazonaws:aws-java-sdk-bundle",
    "com.fasterxml.jackson.core:jackson-annotations",
    "com.fasterxml.jackson.core:jackson-core",
    "com.fasterxml.jackson.core:jackson-databind",
    "com.fasterxml.jackson.dataformat:jackson-dataformat-cbor",
    "commons-codec:commons-codec",
    "commons-logging:commons-logging",
    "io.netty:netty-buffer",
    "io.netty:netty-codec",
    "io.netty:netty-codec-http",
    "io.netty:netty-codec-http2",
    "io.netty:netty-common",
    "io.netty:netty-handler",
    "io.netty:netty-resolver",
    "io.netty:netty-transport",
    "io.netty:netty-transport-classes-epoll",
    "io.netty:netty-transport-native-unix-common",
    "joda-time:joda-time",
    "org.apache.httpcomponents:httpclient",
    "org.apache.httpcomponents:httpcore",
    "org.slf4j:slf4j-api",
)


@dataclass(frozen=True)
class Connector:
    """The exact jars that one Hadoop version needs for S3."""

    hadoop: str
    spark: tuple[str, ...]
    packages: tuple[str, ...]

    def conf(self) -> dict[str, str]:
        """Return the two keys by which Spark fetches these jars, and no others, from Maven."""
        return {
            PACKAGES_KEY: ",".join(self.packages),
            "spark.jars.excludes": ",".join(EXCLUDES),
        }


@cache
def connectors() -> tuple[Connector, ...]:
    """Return every connector that this release knows, oldest Hadoop first."""
    folder = resources.files("repave") / "connectors"
    records = [json.loads(file.read_text("utf-8")) for file in folder.iterdir()]
    found = [Connector(r["hadoop"], tuple(r["spark"]), tuple(r["packages"])) for r in records]
    return tuple(sorted(found, key=lambda one: _numbers(one.hadoop)))


def connector_for_spark(version: str) -> Connector:
    """Return the connector of a Spark release as Apache publishes it.

    >>> connector_for_spark("3.5.9").hadoop
    '3.3.4'
    """
    line = ".".join(version.split(".")[:2])
    for one in connectors():
        if line in one.spark:
            return one
    known = ", ".join(spark for one in connectors() for spark in one.spark)
    named = version or repr(version)
    message = (
        f"No connector is known for Spark {named} (known: {known}): put the hadoop-aws of its "
        "Hadoop version on the class path and name no connector."
    )
    raise UsageError(message)


def connector_for_hadoop(version: str) -> Connector:
    """Return the connector of one Hadoop version. One of another version would not load."""
    for one in connectors():
        if one.hadoop == version:
            return one
    known = ", ".join(one.hadoop for one in connectors())
    message = (
        f"No connector is known for Hadoop {version} (known: {known}): put hadoop-aws {version} "
        "on the class path, and choose no connector (connector=None in Python, --connector none "
        "for repave submit)."
    )
    raise UsageError(message)


def hadoop_version(jars: Path) -> str | None:
    """Return the Hadoop version in a Spark installation, None if Hadoop is elsewhere."""
    if not jars.is_dir():
        return None
    found = [match.group(1) for file in jars.iterdir() if (match := HADOOP_JAR.match(file.name))]
    return found[0] if found else None


def has_connector(jars: Path, settings: Iterable[str], environment: Mapping[str, str]) -> bool:
    """Return whether there is an S3 connector already, in the installation or by a setting."""
    installed = jars.is_dir() and any(S3A_JAR.search(file.name) for file in jars.iterdir())
    # The only variable that Spark's launcher adds to every class path.
    named = (*settings, environment.get("SPARK_DIST_CLASSPATH", ""))
    return installed or any(S3A_JAR.search(setting) for setting in named)


def spark_jars(spark_home: Path) -> Path:
    """Return the folder of jars that a Spark installation starts with."""
    return Path(os.environ.get("SPARK_JARS_DIR") or spark_home / "jars")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
