"""A session without a JVM: answers what py4j would, from plain values."""

# ruff: noqa: ANN401 - py4j has no types

import json
from types import SimpleNamespace
from typing import Any

from repave._conf import FIXED, PROTOCOL
from repave._jvm import GATEWAY
from repave._version import __version__

S3A = "org.apache.hadoop.fs.s3a.S3AFileSystem"
SDK_ONE = "com.amazonaws.services.s3.AmazonS3Client"
SDK_TWO = "software.amazon.awssdk.services.s3.S3Client"
JARS = {
    PROTOCOL: "repave.jar",
    GATEWAY: "repave.jar",
    S3A: "org.apache.hadoop_hadoop-aws-3.5.0.jar",
    SDK_TWO: "software.amazon.awssdk_s3-2.35.4.jar",
}
# What the jar answers of a listing table.
STATUS = {
    "table": "s3a://lake/sales",
    "table-id": "t",
    "version": 3,
    "oldest-version": 1,
    "readers": "listing",
    "checkpoint-version": 0,
    "active": [],
}


class FakeJavaError(Exception):
    """What py4j raises when Java threw."""

    def __init__(self, name: str, message: str, cause: "FakeJavaError | None" = None) -> None:
        super().__init__(message)
        simple = name.rsplit(".", 1)[-1]
        self.java_exception: SimpleNamespace = SimpleNamespace(
            getClass=lambda: SimpleNamespace(getName=lambda: name, getSimpleName=lambda: simple),
            getMessage=lambda: message,
            getCause=lambda: cause.java_exception if cause else None,
        )


class FakeGateway:
    """Answers each method with the document, or the error, that it was given."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.asked: list[tuple[Any, ...]] = []

    def __getattr__(self, method: str) -> Any:
        def call(*arguments: Any) -> str:
            self.asked.append((method, *arguments))
            answer = self.answers[method]
            if isinstance(answer, Exception):
                raise answer
            return json.dumps(answer)

        return call


class FakeReader:
    def __init__(self) -> None:
        self.loaded: list[tuple[str, str]] = []

    def format(self, source: str) -> "FakeReader":
        self.source = source
        return self

    def load(self, path: str) -> str:
        self.loaded.append((self.source, path))
        return path


class FakeSpark:
    """A classic session; `jars` says which class comes out of which jar."""

    def __init__(
        self,
        answers: dict[str, Any] | None = None,
        *,
        conf: dict[str, str] | None = None,
        jars: dict[str, str] | None = None,
        hadoop: str = "3.5.0",
        jar_version: str = __version__,
    ) -> None:
        self.version = "4.3.0"
        self.java = "17"
        # Classes that only the session's own class loader finds, and not the jar's.
        self.unseen_by_jar: tuple[str, ...] = ()
        self.table = FakeGateway(answers or {})
        self.opened: list[str] = []
        self.opened_with: dict[str, str] = {}
        self.read = FakeReader()
        # Hadoop's own defaults know s3a and no other scheme of S3.
        self._keys = {"spark.hadoop.fs.s3a.impl": S3A, **(FIXED if conf is None else conf)}
        self._jars = JARS if jars is None else jars
        self._jar_version = jar_version
        self.conf = self._keys
        self._jsparkSession = SimpleNamespace(
            sessionState=lambda: SimpleNamespace(newHadoopConf=lambda: FakeHadoopConf(self._keys))
        )
        self._jvm = self._fake_jvm(hadoop)

    def _fake_jvm(self, hadoop: str) -> Any:
        thread = SimpleNamespace(getContextClassLoader=lambda: self)
        info = SimpleNamespace(getVersion=lambda: hadoop)
        gateway = SimpleNamespace(open=self._open, lastCommit=self.table.lastCommit)
        spark = SimpleNamespace(command=SimpleNamespace(TableGateway=gateway))
        return SimpleNamespace(
            java=SimpleNamespace(
                lang=SimpleNamespace(
                    Thread=SimpleNamespace(currentThread=lambda: thread),
                    System=SimpleNamespace(getProperty=lambda _key: self.java),
                )
            ),
            org=SimpleNamespace(
                apache=SimpleNamespace(
                    hadoop=SimpleNamespace(util=SimpleNamespace(VersionInfo=info))
                )
            ),
            io=SimpleNamespace(repave=SimpleNamespace(spark=spark)),
        )

    def _open(self, _session: Any, conf: Any, path: str) -> FakeGateway:
        self.opened_with = conf.own
        self.opened.append(path)
        return self.table

    def loadClass(self, name: str) -> Any:  # noqa: N802 - Java's name
        if name not in self._jars:
            java = "java.lang.ClassNotFoundException"
            raise FakeJavaError(java, name)
        location = SimpleNamespace(getPath=lambda: f"/jars/{self._jars[name]}")
        source = SimpleNamespace(getLocation=lambda: location)
        return SimpleNamespace(
            getProtectionDomain=lambda: SimpleNamespace(getCodeSource=lambda: source),
            getPackage=lambda: SimpleNamespace(getImplementationVersion=lambda: self._jar_version),
            getClassLoader=lambda: SimpleNamespace(loadClass=self._load_for_jar),
        )

    def _load_for_jar(self, name: str) -> Any:
        if name in self.unseen_by_jar:
            java = "java.lang.ClassNotFoundException"
            raise FakeJavaError(java, name)
        return self.loadClass(name)


class FakeHadoopConf:
    def __init__(self, keys: dict[str, str]) -> None:
        self._keys = keys
        self.own: dict[str, str] = {}

    def set(self, key: str, value: str) -> None:
        self.own[key] = value

    def get(self, key: str) -> str | None:
        return self._keys.get(f"spark.hadoop.{key}")
