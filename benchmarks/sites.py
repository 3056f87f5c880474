"""The stores that a run can happen on, and the sources that show which requests reached them."""

import contextlib
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

import boto3
from botocore.config import Config

from benchmarks.packages import bench_jar
from benchmarks.run_context import Lake
from benchmarks.victim import UNFIT
from repave_lab.proxy import Entry, Fault, Proxy, load_model
from repave_lab.servers import S3Server, embedded_s3

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from pyspark.sql import SparkSession

SERVER: Final = "ministack"
LOG: Final = "io.repave.bench.RequestLog"


class Site(Protocol):
    """A store and its journal. `direct` is a client whose requests are not in it."""

    lake: Lake
    direct: "S3Client"
    through: "S3Client"
    processes: Mapping[str, int]
    """What runs on this machine for the store, by name."""

    def conf(self) -> dict[str, str]:
        """Return how a session reaches the store."""

    def begin(self, spark: "SparkSession | None") -> None:
        """Start the latency, if it is modelled, and the journal of what the session asks for."""

    def end(self, spark: "SparkSession | None") -> list[Entry]:
        """Wait for the last request and return the journal."""

    def hold(self, fault: Fault) -> Callable[[], bool]:
        """Let a request hang; the answer says whether one does."""


class ProxiedSite:
    """A store behind the proxy, on this machine with modelled latency, or anywhere without."""

    def __init__(self, proxy: Proxy, server: S3Server, lake: Lake, model: str | None) -> None:
        self.lake = lake
        self.direct = server.client()
        self.through = server.client(proxy.endpoint)
        self.processes: Mapping[str, int] = {"store": server.pid, "proxy": proxy.pid}
        self._proxy = proxy
        self._server = server
        self._model = model

    def conf(self) -> dict[str, str]:
        keys = self._server.access_key, self._server.secret_key
        return store_conf(self._proxy.endpoint, self._server.region, keys)

    def begin(self, spark: "SparkSession | None") -> None:
        del spark
        self._proxy.settle()
        self._proxy.reset()
        if self._model:
            self._proxy.set_model(load_model(self._model))

    def end(self, spark: "SparkSession | None") -> list[Entry]:
        del spark
        self._proxy.settle()
        self._proxy.set_model(None)
        return self._proxy.journal()

    def hold(self, fault: Fault) -> Callable[[], bool]:
        self._proxy.set_faults([fault])
        return lambda: any(one["hit"] for one in self._proxy.status()["faults"])


class RemoteSite:
    """A store behind TLS, such as Amazon's: its requests are told by the S3A clients."""

    def __init__(self, endpoint: str, lake: Lake) -> None:
        config = Config(max_pool_connections=64)
        url = None if endpoint == "aws" else endpoint
        self.lake = lake
        self.direct = self.through = boto3.client("s3", endpoint_url=url, config=config)
        self.processes: Mapping[str, int] = {}
        self._endpoint = url

    def conf(self) -> dict[str, str]:
        region = boto3.Session().region_name or S3Server.region
        conf = store_conf(self._endpoint, region, keys=None)
        return {
            **conf,
            "spark.hadoop.fs.s3a.audit.execution.interceptors": LOG,
            "spark.jars": str(bench_jar()),
        }

    def begin(self, spark: "SparkSession | None") -> None:
        if spark:
            _log_of(spark).clear()

    def end(self, spark: "SparkSession | None") -> list[Entry]:
        return list(entries(_log_of(spark).lines())) if spark else []

    def hold(self, fault: Fault) -> Callable[[], bool]:
        message = f"A driver {UNFIT}: {fault.op} is held by the proxy, which is not used."
        raise ValueError(message)


def entries(lines: str) -> Iterator[Entry]:
    r"""Read what `RequestLog` wrote.

    >>> [one.op for one in entries("PutObject\t1000\t27\t200\tlake\tsales/a\t5\t")]
    ['PutObject']
    """
    for line in filter(None, lines.split("\n")):
        op, sent, ms, status, bucket, key, size, deleted = line.split("\t")
        yield Entry(
            ts=int(sent) / 1000,
            op=op,
            bucket=bucket,
            key=key,
            ms=float(ms),
            status=int(status),
            server_status=int(status),
            stored=int(size) if op in {"PutObject", "UploadPart"} else None,
            keys=deleted.split("\u0001") if deleted else None,
        )


@contextlib.contextmanager
def modelled_site(model: str, seed: int) -> Iterator[ProxiedSite]:
    """Start an empty store on this machine behind the latency proxy."""
    with embedded_s3(SERVER) as server, Proxy(server.endpoint, seed=seed) as proxy:
        server.client().create_bucket(Bucket=Lake().bucket)
        yield ProxiedSite(proxy, server, Lake(), model)


@contextlib.contextmanager
def remote_site(endpoint: str, bucket: str, prefix: str) -> Iterator[RemoteSite]:
    """Use a folder of its own in a bucket that is there, and delete what was written to it."""
    name = f"repave-bench-{uuid.uuid4().hex[:12]}"
    lake = Lake(bucket, f"{prefix.strip('/')}/{name}".lstrip("/"))
    site = RemoteSite(endpoint, lake)
    try:
        yield site
    finally:
        _delete_folder(site.direct, lake)


def keys(client: "S3Client", lake: Lake) -> list[str]:
    pages = client.get_paginator("list_objects_v2").paginate(
        Bucket=lake.bucket, Prefix=lake.within("")
    )
    return [one["Key"] for page in pages for one in page.get("Contents", ())]


def store_conf(endpoint: str | None, region: str, keys: tuple[str, str] | None) -> dict[str, str]:
    """Return how S3A reaches the store, and how Iceberg's own client does."""
    s3a, lake = "spark.hadoop.fs.s3a", "spark.sql.catalog.lake"
    conf = {f"{s3a}.endpoint.region": region, f"{lake}.client.region": region}
    if endpoint:
        conf |= {
            f"{s3a}.endpoint": endpoint,
            f"{s3a}.path.style.access": "true",
            f"{s3a}.connection.ssl.enabled": str(endpoint.startswith("https")).lower(),
            f"{lake}.s3.endpoint": endpoint,
            f"{lake}.s3.path-style-access": "true",
        }
    if keys:
        conf |= {
            f"{s3a}.access.key": keys[0],
            f"{s3a}.secret.key": keys[1],
            f"{lake}.s3.access-key-id": keys[0],
            f"{lake}.s3.secret-access-key": keys[1],
        }
    return conf


def _log_of(spark: "SparkSession") -> Any:  # noqa: ANN401 - a Java class
    jvm = spark._jvm  # noqa: SLF001 - the one way to a class of ours
    return jvm.io.repave.bench.RequestLog  # type: ignore[union-attr]


def _delete_folder(client: "S3Client", lake: Lake) -> None:
    uploads = client.get_paginator("list_multipart_uploads")
    for page in uploads.paginate(Bucket=lake.bucket, Prefix=lake.within("")):
        for one in page.get("Uploads", ()):
            client.abort_multipart_upload(
                Bucket=lake.bucket, Key=one["Key"], UploadId=one["UploadId"]
            )
    for key in keys(client, lake):
        client.delete_object(Bucket=lake.bucket, Key=key)
