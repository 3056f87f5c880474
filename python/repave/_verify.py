"""Checks whether a running session commits through Repave, and what is missing if not."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from repave._conf import (
    EXTENSIONS,
    FALLBACK_KEY,
    FIXED,
    PLUGIN,
    PLUGINS_KEY,
    PROTOCOL,
    PROTOCOL_KEY,
    RDD_COMMITTER,
    RDD_COMMITTER_KEY,
    RDD_FACTORY,
    RDD_FACTORY_KEY,
)
from repave._conf_lists import EXTENSIONS_KEY
from repave._connector import connectors
from repave._display import session_html
from repave._errors import RepaveError
from repave._findings import Finding, ok, problem, warning
from repave._jvm import FIX_JAVA, OLD_JAVA, S3A, Jvm
from repave._options import option
from repave._setting_values import refusal, schemes
from repave._version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILE_SYSTEM_KEY = "spark.hadoop.fs.repave.impl"
CONNECTOR_VERSION = re.compile(r"hadoop-(?:aws|cloud-storage)-(\d[\w.]*)\.jar$")
# The SDK's class that S3A of one generation calls first.
SDK = {"3.3": "com.amazonaws.services.s3.AmazonS3Client"}
SDK_TWO = "software.amazon.awssdk.services.s3.S3Client"
STOCK = "Spark's own"
SWITCHED_OFF = "false"
STOCK_CLASS = "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"
# A commit retries for minutes until its store answers again; this check does not.
PATIENCE = {"repave.retry.budget": "10s", "spark.repave.retry.budget": "10s"}
OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"
# Settings of S3A's committers, and the values with which they do nothing.
OTHER_COMMITTERS = {
    "spark.hadoop.fs.s3a.committer.name": "file",
    "spark.sql.parquet.output.committer.class": "org.apache.parquet.hadoop.ParquetOutputCommitter",
}
# Hadoop uses this factory for all paths, and then no factory of a scheme.
FACTORY_OF_ALL = "spark.hadoop.mapreduce.outputcommitter.factory.class"
PURGE = "spark.hadoop.fs.s3a.multipart.purge"
FIX_SESSION = (
    "start the session through repave.configure_session(SparkSession.builder); a script for "
    "spark-submit also needs `spark-submit $(repave conf --format spark-submit)`"
)
# Spark 3.5 needs these rules by name, and `repave conf` leaves the list to the user.
FIX_EXTENSIONS = (
    "start the session through repave.configure_session(SparkSession.builder), or the script by "
    f"`repave submit`; or add {EXTENSIONS} to {EXTENSIONS_KEY} by --conf"
)

UNSEEN_CONNECTOR = (
    "The jar cannot load hadoop-aws: the jar is in Spark's folder of jars or on "
    "spark.driver.extraClassPath, and hadoop-aws is in spark.jars or spark.jars.packages."
)
FIX_UNSEEN = (
    "name both in spark.jars and spark.jars.packages, as configure_session and `repave conf` do, "
    "and remove the jar from the class path; or put hadoop-aws and its AWS SDK there, too"
)


@dataclass(frozen=True, slots=True)
class SessionReport:
    """What `verify_session` found; printing it shows it."""

    protocols: dict[str, str]
    versions: dict[str, str]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """True if writes to S3 will be committed by Repave and nothing is missing."""
        return all(finding.level != "problem" for finding in self.findings)

    @property
    def _heading(self) -> str:
        return "Repave will commit writes to S3." if self.ok else "Repave will NOT work here."

    def _repr_html_(self) -> str:
        facts = {**self.versions, **{f"{key}://": one for key, one in self.protocols.items()}}
        return session_html(self._heading, facts, self.findings)

    def __str__(self) -> str:
        """Return the report as lines of text."""
        marks = {"ok": "ok      ", "warning": "warning ", "problem": "PROBLEM "}
        lines = [self._heading]
        lines += [f"  {name:9} {version}" for name, version in self.versions.items()]
        lines += [f"  {scheme + '://':9} {protocol}" for scheme, protocol in self.protocols.items()]
        after = [finding.fix for finding in self.findings[1:]]
        for finding, next_fix in zip_longest(self.findings, after):
            lines.append(f"  {marks[finding.level]} {finding.text}")
            # One line may fix several problems.
            if finding.fix and finding.fix != next_fix:
                lines.append(f"           -> {finding.fix}")
        return "\n".join(lines)


def verify_session(spark: "SparkSession", path: str | None = None) -> SessionReport:
    """Report which protocol will run for which scheme, and the line that fixes what is missing.

        print(repave.verify_session(spark))

    Args:
        spark: a running classic session.
        path: a table; its store is then checked for conditional writes.
    """
    return _Examination(spark).report(path)


class _Examination:
    def __init__(self, spark: Any) -> None:  # noqa: ANN401 - a classic SparkSession
        self._spark = spark
        self._jvm = Jvm(spark)

    def report(self, path: str | None) -> SessionReport:
        versions = self._versions()
        findings = [*_release(versions["spark"]), *self._protocol(versions)]
        findings += [*self._connector(versions), *self._schemes()]
        findings += [*self._coverage(), *self._surroundings()]
        if path is not None and self._jvm.jar_loads(S3A):
            findings += self._store(path)
        return SessionReport(self._protocols(), versions, tuple(findings))

    def _versions(self) -> dict[str, str]:
        jar = self._jvm.jar_of(S3A)
        named = CONNECTOR_VERSION.search(jar) if jar else None
        return {
            "spark": str(self._spark.version),
            "hadoop": self._jvm.hadoop_version(),
            "connector": named.group(1) if named else jar or "none",
            "jar": self._jvm.version_of(PROTOCOL) or "none",
            "package": __version__,
        }

    def _protocols(self) -> dict[str, str]:
        named = self._jvm.conf(PROTOCOL_KEY) or STOCK_CLASS
        ours = named == PROTOCOL
        other = (self._jvm.conf(FALLBACK_KEY) or STOCK_CLASS) if ours else named
        chosen = STOCK if other == STOCK_CLASS else other
        if ours and self._jvm.loaded(PROTOCOL) is None:
            chosen, ours = "none: the jar is missing", False
        ours = ours and not self._is_off()
        committed = {
            scheme: "Repave" if ours else chosen
            for scheme in self._managed()
            if self._file_system(scheme) is not None
        }
        return {**committed, "file": chosen}

    def _is_off(self) -> bool:
        return (self._setting("enabled") or "").strip().lower() == SWITCHED_OFF

    def _setting(self, name: str) -> str | None:
        # The jar takes a setting without `spark.hadoop.` too.
        values = (self._jvm.conf(f"spark.{prefix}repave.{name}") for prefix in ("hadoop.", ""))
        return next((value for value in values if value is not None), None)

    def _coverage(self) -> Iterator[Finding]:
        if self._is_off():
            yield problem("repave.enabled is false, so Repave does not commit writes.", "remove it")
        excluded = self._setting("exclude")
        if excluded and (why := refusal("repave.exclude", excluded)):
            yield problem(why)
        elif excluded:
            yield ok(f"Writes to {excluded} are left to the fallback protocol (repave.exclude).")
        if self._jvm.conf(RDD_COMMITTER_KEY) == RDD_COMMITTER:
            yield from self._rdd_saves()

    def _rdd_saves(self) -> Iterator[Finding]:
        factory = self._jvm.conf(FACTORY_OF_ALL)
        if factory == RDD_FACTORY:
            missing = []
        elif factory:
            missing = [
                problem(
                    f"{FACTORY_OF_ALL} is {factory}, so Hadoop does not ask Repave to commit saves "
                    "of the new API, such as saveAsNewAPIHadoopFile.",
                    f"remove {FACTORY_OF_ALL}, or set it for the other schemes only, as "
                    f"{RDD_FACTORY_KEY}<scheme>",
                )
            ]
        else:
            missing = list(self._missing_factories())
        yield from missing or [ok("RDD saves are committed by Repave, too.")]
        if PLUGIN not in (self._jvm.conf(PLUGINS_KEY) or ""):
            yield warning(
                f"{PLUGINS_KEY} does not name {PLUGIN}, so each task of an RDD save needs two "
                "requests more.",
                "start the session through repave.configure_session(builder, rdd_saves=True)",
            )

    def _missing_factories(self) -> Iterator[Finding]:
        managed = [scheme for scheme in self._managed() if self._file_system(scheme) is not None]
        paths = {scheme: f"{scheme}:// paths" for scheme in managed}
        default = self._jvm.conf("spark.hadoop.fs.defaultFS") or ""
        if default.partition(":")[0] in managed:
            paths["null"] = f"paths without a scheme, which are on {default}"
        for scheme, named in paths.items():
            key = RDD_FACTORY_KEY + scheme
            factory = self._jvm.conf(key)
            if factory != RDD_FACTORY:
                yield problem(
                    f"{key} is {factory or 'not set'}, so Repave does not commit saves of the new "
                    f"API, such as saveAsNewAPIHadoopFile, to {named}.",
                    f"start the session with {key}={RDD_FACTORY}",
                )

    def _managed(self) -> list[str]:
        return schemes(self._schemes_setting())

    def _schemes_setting(self) -> str:
        named = self._setting("schemes")
        return option("schemes").default if named is None else named

    def _file_system(self, scheme: str) -> str | None:
        return self._jvm.conf(f"spark.hadoop.fs.{scheme}.impl")

    def _schemes(self) -> Iterator[Finding]:
        why = refusal("repave.schemes", self._schemes_setting())
        if why:
            yield problem(why)
            return
        impls = {scheme: self._file_system(scheme) for scheme in self._managed()}
        if not any(impls.values()):
            named = " or ".join(f"{scheme}://" for scheme in impls)
            yield problem(
                f"There is no file system for {named}, so Repave commits no write.",
                "remove repave.schemes, or set spark.hadoop.fs.<scheme>.impl to " + S3A,
            )
        for scheme, found in impls.items():
            if found not in (None, S3A):
                yield problem(
                    f"{scheme}:// is read and written by {found}, which Repave cannot use.",
                    f"write to s3a://, or set spark.hadoop.fs.{scheme}.impl={S3A}",
                )

    def _protocol(self, versions: dict[str, str]) -> Iterator[Finding]:
        chosen = self._jvm.conf(PROTOCOL_KEY)
        loaded = self._jvm.loaded(PROTOCOL) is not None
        if chosen != PROTOCOL:
            yield problem(
                f"{PROTOCOL_KEY} is {chosen or 'not set'}, so Repave does not commit writes.",
                self._switch_on(chosen or STOCK_CLASS) if loaded else FIX_SESSION,
            )
        old = self._jvm.old_java()
        if old is not None:
            yield problem(OLD_JAVA.format(old), FIX_JAVA)
        elif not loaded:
            yield problem("The jar is not on the class path.", FIX_SESSION)
        elif versions["jar"] != versions["package"]:
            yield problem(
                f"The jar is {versions['jar']}, the Python package {versions['package']}.",
                "remove the older jar from the cluster; `repave jar` prints this package's",
            )
        else:
            yield ok(f"The jar {versions['jar']} is loaded.")
        if self._jvm.conf(FILE_SYSTEM_KEY) != FIXED[FILE_SYSTEM_KEY]:
            yield problem(f"{FILE_SYSTEM_KEY} is not set.", FIX_SESSION)
        named = self._jvm.conf(EXTENSIONS_KEY) or ""
        # Scala's shells find the extensions, but this session is PySpark's.
        if versions["spark"].startswith("3.") and EXTENSIONS not in named:
            yield warning(
                f"{EXTENSIONS_KEY} does not name {EXTENSIONS}, so Repave refuses no statement that "
                "harms a table's catalog, and a run does not notice a write that fails in a "
                "shuffle.",
                FIX_EXTENSIONS,
            )

    def _switch_on(self, chosen: str) -> str:
        """Return the lines that switch Repave on, and keep the site's protocol for other paths."""
        lines = [f'spark.conf.set("{PROTOCOL_KEY}", "{PROTOCOL}")']
        if chosen != STOCK_CLASS and self._setting("fallback.protocol") is None:
            lines.append(f'spark.conf.set("repave.fallback.protocol", "{chosen}")')
        return "; ".join(lines)

    def _connector(self, versions: dict[str, str]) -> Iterator[Finding]:
        hadoop, connector = versions["hadoop"], versions["connector"]
        if self._jvm.loaded(S3A) is None:
            yield problem("There is no S3A connector (hadoop-aws).", _connector_fix(hadoop))
            return
        if not self._jvm.jar_loads(S3A):
            yield problem(UNSEEN_CONNECTOR, FIX_UNSEEN)
            return
        if connector[:1].isdigit() and connector != hadoop:
            yield problem(
                f"hadoop-aws is {connector}, Hadoop is {hadoop}: the two only work as one version.",
                _connector_fix(hadoop),
            )
        sdk = SDK.get(".".join(hadoop.split(".")[:2]), SDK_TWO)
        if self._jvm.loaded(sdk) is None:
            yield problem("The AWS SDK of hadoop-aws is missing.", _connector_fix(hadoop))
        elif connector == hadoop:
            yield ok(f"hadoop-aws {connector} is loaded.")
        else:
            yield warning(f"The connector {connector} was not tested with Repave.")

    def _surroundings(self) -> Iterator[Finding]:
        mode = self._jvm.conf(OVERWRITE_MODE) or "static"
        replaced = "the partitions it writes" if mode.lower() == "dynamic" else "the whole table"
        yield ok(f"An overwrite replaces {replaced} ({OVERWRITE_MODE}={mode.lower()}).")
        for key, harmless in OTHER_COMMITTERS.items():
            value = self._jvm.conf(key)
            if value not in (None, harmless):
                yield warning(
                    f"{key} is {value}: DataFrames and SQL do not use it, because Repave commits "
                    "them; RDD saves still may.",
                    f"remove {key} if nothing else needs it",
                )
        if self._jvm.conf(PURGE) == "true":
            yield warning(
                f"{PURGE} is true: each process that opens a bucket aborts all uploads in it that "
                "are older than fs.s3a.multipart.purge.age. The commits of longer jobs fail.",
                "remove it and set a lifecycle rule, or let fs.s3a.multipart.purge.age be longer "
                "than the longest job",
            )
        if self._jvm.conf("spark.speculation") == "true":
            yield ok("Speculation is on: only the uploads of committed attempts are completed.")

    def _store(self, path: str) -> Iterator[Finding]:
        try:
            table = self._jvm.gateway(path, PATIENCE)
            # A store that does not answer may still support conditional writes.
            table.ask("status")
            answer = table.ask("probe")
        except RepaveError as error:
            yield problem(str(error))
            return
        if answer["conditional-writes"]:
            yield ok(f"The store of {path} supports conditional writes.")
        else:
            yield problem(
                f"The store of {path} does not support conditional writes: {answer['reason']}",
                "only if no two jobs ever write to a table at once: set single_writer=True",
            )


def _connector_fix(hadoop: str) -> str:
    if any(one.hadoop == hadoop for one in connectors()):
        return 'repave.configure_session(SparkSession.builder, connector="packages") brings it'
    return f"put org.apache.hadoop:hadoop-aws:{hadoop} and its AWS SDK on the class path"


def _release(spark: str) -> Iterator[Finding]:
    """Yield a problem if this Spark is older than every one that Repave supports."""
    lines = sorted(_line(line) for one in connectors() for line in one.spark)
    found = _line(spark)
    if found and found < lines[0]:
        oldest, newest = (".".join(map(str, line)) for line in (lines[0], lines[-1]))
        yield problem(
            f"This is Spark {spark}, and Repave needs Spark {oldest} or later.",
            f"use a newer Spark, {oldest} to {newest}: docs/install.md has the tested releases",
        )


def _line(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a release; none if it has no such form.

    >>> _line("3.5.1-amzn-0")
    (3, 5)
    """
    found = re.match(r"(\d+)\.(\d+)", version)
    return tuple(map(int, found.groups())) if found else ()
