"""Spark's two servers with Repave, started as `spark-submit` does it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import repave
from clients.site import SECONDS, Site
from e2e.processes import wait_for_line
from repave_lab.child import free_port

if TYPE_CHECKING:
    import subprocess

CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"
THRIFT = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
THRIFT_STARTED = ".*(HiveThriftServer2 started|ThriftBinaryCLIService on port).*"


class Server(NamedTuple):
    """A server's process, and where clients find it."""

    url: str
    child: "subprocess.Popen[str]"


@contextmanager
def connect_server(site: Site, port: int = 0) -> Iterator[Server]:
    port = port or free_port()
    binding = {"address": "127.0.0.1", "port": str(port)}
    conf = [f"--conf=spark.connect.grpc.binding.{key}={value}" for key, value in binding.items()]
    log = site.folder / "connect.log"
    with site.running(log, "spark-submit", "--class", CONNECT, *conf, "spark-internal") as child:
        wait_for_line(log, ".*Spark Connect server started at.*", child, SECONDS)
        yield Server(f"sc://127.0.0.1:{port}", child)


@contextmanager
def thrift_server(site: Site, port: int = 0) -> Iterator[Server]:
    port = port or free_port()
    own = {"port": str(port), "bind.host": "127.0.0.1"}
    words = [
        word
        for key, value in own.items()
        for word in ("--hiveconf", f"hive.server2.thrift.{key}={value}")
    ]
    log = site.folder / "thrift.log"
    # The sessions' threads do not see `spark.jars`, so the jars are on the class path as well.
    jars = os.pathsep.join(map(str, [repave.jar_path(), *site.packages()]))
    start = ["spark-submit", "--class", THRIFT, "--driver-class-path", jars]
    start += ["spark-internal", *words]
    with site.running(log, *start) as child:
        wait_for_line(log, THRIFT_STARTED, child, SECONDS)
        yield Server(f"jdbc:hive2://127.0.0.1:{port}", child)


def beeline_words(site: Site, url: str, name: str, *statements: str) -> list[str]:
    """Return the command that runs statements in a JDBC session of its own."""
    script = site.folder / f"{name}.sql"
    script.write_text("".join(f"{one};\n" for one in statements), "utf-8")
    return ["beeline", "-u", url, "-n", name, "--outputformat=tsv2", "-f", str(script)]
