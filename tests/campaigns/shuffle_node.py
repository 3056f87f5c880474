"""A NodeManager with Spark's external shuffle service: a process that a test kills and restarts."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from campaigns.mini_yarn import HERE, SECONDS, MiniYarn, class_path
from e2e.processes import running, wait_for_line
from repave_lab.child import free_port

if TYPE_CHECKING:
    import subprocess

NODE = HERE / "node"
MAIN = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
SERVICE = "org.apache.spark.network.yarn.YarnShuffleService"
REGISTERED = ".*Registered with ResourceManager as.*"

# Executors come for tasks and leave when they are idle.
DYNAMIC = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.executorIdleTimeout": "1s",
    "spark.dynamicAllocation.maxExecutors": "2",
    "spark.executor.cores": "1",
    "spark.shuffle.io.retryWait": "1s",
}


class ShuffleNode:
    """The only node of a cluster; what it keeps survives its process."""

    def __init__(self, cluster: MiniYarn) -> None:
        self._folder = cluster.folder
        self._shuffle_port = free_port()
        self._jars = class_path(NODE, cluster.folder / "node-class-path")
        self._write(free_port())
        self.starts = 0

    def conf(self) -> dict[str, str]:
        """Return what a Spark needs to keep its shuffle files in the service."""
        return {
            "spark.shuffle.service.enabled": "true",
            "spark.shuffle.service.port": str(self._shuffle_port),
            **DYNAMIC,
        }

    def log(self, start: int) -> Path:
        return self._folder / f"node-{start}.log"

    @contextmanager
    def running(self) -> Iterator["subprocess.Popen[str]"]:
        """Run the process until the block ends; its containers live on when it is killed."""
        self.starts += 1
        log = self.log(self.starts)
        settings = f"-Dlog4j.configuration=file:{NODE}/log4j.properties"
        jars = f"{self._folder}/conf{os.pathsep}{self._jars}"
        words = ["java", settings, "-cp", jars, MAIN, "-conf", str(self._folder / "node.xml")]
        with running(log, words, cwd=self._folder) as child:
            wait_for_line(log, REGISTERED, child, SECONDS)
            yield child

    def lose_disks(self) -> None:
        """Delete shuffle files and all other files that the node keeps, while it is dead."""
        for folder in self._disks():
            shutil.rmtree(folder)

    def _disks(self) -> list[Path]:
        # Command lines of containers name target/, as those of the mini cluster's own node do.
        return [self._folder / "target/local", self._folder / "recovery"]

    def _write(self, port: int) -> None:
        local, recovery = self._disks()
        own = "yarn.nodemanager"
        conf = {
            f"{own}.aux-services": "spark_shuffle",
            f"{own}.aux-services.spark_shuffle.class": SERVICE,
            "spark.shuffle.service.port": str(self._shuffle_port),
            f"{own}.address": f"127.0.0.1:{port}",  # a node that recovers needs a fixed port
            f"{own}.localizer.address": "127.0.0.1:0",
            f"{own}.collector-service.address": "127.0.0.1:0",
            f"{own}.webapp.address": "127.0.0.1:0",
            f"{own}.local-dirs": str(local),
            f"{own}.log-dirs": str(self._folder / "target/logs"),
            f"{own}.recovery.enabled": "true",
            f"{own}.recovery.dir": str(recovery),
            f"{own}.resource.memory-mb": "8192",
            f"{own}.resource.cpu-vcores": "8",
        }
        root = ET.Element("configuration")
        for name, value in conf.items():
            entry = ET.SubElement(root, "property")
            ET.SubElement(entry, "name").text = name
            ET.SubElement(entry, "value").text = value
        ET.ElementTree(root).write(self._folder / "node.xml", "utf-8")
