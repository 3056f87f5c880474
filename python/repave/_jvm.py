"""The few things that Python asks of Spark's JVM."""

import json
from collections.abc import Mapping
from typing import Any, cast

from repave._errors import BY_JAVA_NAME, RepaveError, UsageError
from repave._location import Location

GATEWAY = "io.repave.spark.command.TableGateway"
STORE_EXCEPTION = "io.repave.core.store.StoreException"
NO_JAR = (
    "The session does not have Repave: the jar is not on the class path. Start the session through "
    "repave.configure_session, or give the cluster what `repave conf` prints."
)


STORE_SCHEME = "spark.hadoop.repave.store.scheme"
S3A = "org.apache.hadoop.fs.s3a.S3AFileSystem"
NO_CONNECTOR = (
    "There is no S3A connector (hadoop-aws) that Repave's jar can load: "
    "repave.verify_session(spark) says what brings it."
)
CONNECT = "run this where the server runs, or use the `repave` command."
NOT_PINNED = (
    "PYSPARK_PIN_THREAD=false lets the JVM run each statement in any thread, so options of this "
    "thread would reach other writes, or none. Remove it from the environment of the driver."
)
OLD_JAVA = "Spark runs on Java {}, and Repave needs 17 or later."
FIX_JAVA = "install Java 17 and set JAVA_HOME to it, for the driver and the executors"
# The last one: the class was compiled for a later Java.
NOT_LOADED = ("ClassNotFoundException", "NoClassDefFoundError", "UnsupportedClassVersionError")
JAVA_MIN = 17


class Jvm:
    """One session's JVM. Values of type `Any` do not leave this class."""

    def __init__(self, spark: Any, otherwise: str = CONNECT) -> None:  # noqa: ANN401 - a session
        if not hasattr(spark, "_jvm"):
            # Its class is looked up by name, because importing it needs more packages.
            is_connect = type(spark).__module__.startswith("pyspark.sql.connect.")
            message = (
                f"A Spark Connect session has no JVM in this process: {otherwise}"
                if is_connect
                else f"Pass the SparkSession as the first argument: {spark!r} is not one."
            )
            raise UsageError(message)
        self._spark = spark
        self._jvm = spark._jvm  # noqa: SLF001 - py4j's gateway has no public name

    def loaded(self, name: str) -> Any | None:  # noqa: ANN401 - a java.lang.Class
        """Return a class by its name, None if the session cannot load it."""
        return _load(self._jvm.java.lang.Thread.currentThread().getContextClassLoader(), name)

    def jar_loads(self, name: str) -> bool:
        """Return whether Repave's jar can use a class; without the jar, whether the session can.

        Classes of the driver's class path do not see those of `spark.jars` and of packages.
        """
        ours = self.loaded(GATEWAY)
        found = self.loaded(name) if ours is None else _load(ours.getClassLoader(), name)
        return found is not None

    def jar_of(self, name: str) -> str | None:
        """Return the file that a class came from, None if it cannot be loaded."""
        found = self.loaded(name)
        source = found.getProtectionDomain().getCodeSource() if found else None
        return str(source.getLocation().getPath()).rsplit("/", 1)[-1] if source else None

    def version_of(self, name: str) -> str | None:
        """Return the version in the manifest of a class's jar."""
        found = self.loaded(name)
        package = found.getPackage() if found else None
        version = package.getImplementationVersion() if package else None
        return str(version) if version else None

    def hadoop_version(self) -> str:
        """Return the version of the Hadoop that Spark runs with."""
        return str(self._jvm.org.apache.hadoop.util.VersionInfo.getVersion())

    def old_java(self) -> str | None:
        """Return the version of a Java that cannot run Repave, None if it can."""
        version = str(self._jvm.java.lang.System.getProperty("java.specification.version"))
        # Java 8 calls itself 1.8.
        major = version.removeprefix("1.").split(".")[0]
        return version if int(major) < JAVA_MIN else None

    def conf(self, key: str) -> str | None:
        """Return a value of the session's conf, or else of Hadoop's."""
        if key.startswith("spark.hadoop."):
            value = self._hadoop_conf().get(key.removeprefix("spark.hadoop."))
        else:
            value = self._spark.conf.get(key, None)
        return None if value is None else str(value)

    def gateway(self, path: str, own: Mapping[str, str] | None = None) -> "Gateway":
        """Open a table in the JVM; `own` are keys of Hadoop's conf for this table only."""
        opener = self.gateway_class()
        if not self.jar_loads(S3A):
            raise UsageError(NO_CONNECTOR)
        conf = self._hadoop_conf()
        for key, value in (own or {}).items():
            conf.set(key, value)
        session = self._spark._jsparkSession  # noqa: SLF001
        return Gateway(call_jvm(lambda: opener.open(session, conf, path)))

    def open_options(self, options: Mapping[str, str]) -> Any:  # noqa: ANN401 - a py4j object
        """Give options to the writes of this thread, until `close` of the result is called."""
        self.gateway_class()
        if not self._pins_threads():
            raise UsageError(NOT_PINNED)
        values = self._jvm.java.util.HashMap()
        for key, value in options.items():
            values.put(key, value)
        session = self._spark._jsparkSession  # noqa: SLF001
        return call_jvm(lambda: self._jvm.io.repave.WriteOptions.open(session, values))

    def _pins_threads(self) -> bool:
        """Return whether a thread of Python always has the same thread of the JVM."""
        from py4j.clientserver import ClientServer  # noqa: PLC0415 - pyspark is optional

        return isinstance(self._spark.sparkContext._gateway, ClientServer)  # noqa: SLF001

    def commits(self, path: str) -> bool:
        """Return whether Repave manages a path."""
        self.gateway_class()
        if path.startswith("repave://"):
            # Such a path is another name of a folder on S3.
            path = str(Location.of(path).with_scheme(self.conf(STORE_SCHEME) or "s3a"))
        place = self._jvm.org.apache.hadoop.fs.Path(path)
        managed = self._jvm.io.repave.hadoop.ManagedPaths(self._hadoop_conf())
        return bool(call_jvm(lambda: managed.manages(place)))

    def gateway_class(self) -> Any:  # noqa: ANN401 - py4j
        """Return the jar's class `TableGateway`.

        Raises:
            UsageError: the session does not have Repave.
        """
        if self.loaded(GATEWAY) is None:
            old = self.old_java()
            message = NO_JAR if old is None else f"{OLD_JAVA.format(old)} Fix: {FIX_JAVA}."
            raise UsageError(message)
        return self._jvm.io.repave.spark.command.TableGateway

    def _hadoop_conf(self) -> Any:  # noqa: ANN401 - a Hadoop Configuration
        # What was set at runtime, by spark.conf.set("repave.…"), is in it too.
        return self._spark._jsparkSession.sessionState().newHadoopConf()  # noqa: SLF001


class Gateway:
    """A table in the JVM; every answer is a document of docs/json.md."""

    def __init__(self, opened: Any) -> None:  # noqa: ANN401 - a py4j object
        self._opened = opened

    def ask(self, method: str, *arguments: int | bool | str) -> Any:  # noqa: ANN401 - JSON
        """Call a method and parse its answer; its exception becomes an error of this package."""
        return json.loads(call_jvm(lambda: getattr(self._opened, method)(*arguments)))


def _load(loader: Any, name: str) -> Any | None:  # noqa: ANN401 - py4j
    try:
        return loader.loadClass(name)
    except Exception as error:
        if java_name(error) in NOT_LOADED:
            return None
        raise


def call_jvm(call: Any) -> Any:  # noqa: ANN401 - py4j
    """Call the JVM; its typed errors become this package's, with the same messages."""
    try:
        return call()
    except Exception as error:
        translated = translate(error)
        if translated is None:
            raise
        raise translated from error


def translate(error: BaseException) -> RepaveError | None:
    """Return this package's error for a Java one that Repave threw, else None."""
    # PySpark keeps the Java one of an error that it knows, such as AnalysisException, in `_origin`.
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    while java is not None:
        name = str(java.getClass().getName())
        simple = name.rsplit(".", 1)[-1]
        if name.startswith("io.repave.") and simple in BY_JAVA_NAME:
            return BY_JAVA_NAME[simple](str(java.getMessage()))
        if name == STORE_EXCEPTION:
            return RepaveError(f"{str(java.getMessage()).rstrip('. ')}.")
        java = java.getCause()
    return None


def java_name(error: BaseException) -> str:
    """Return the simple name of the Java exception behind an error, "" if there is none."""
    java = getattr(error, "java_exception", None)
    return cast("str", java.getClass().getSimpleName()) if java is not None else ""
