"""Hadoop's mini cluster as a process: a ResourceManager and NodeManagers, without HDFS."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from e2e.processes import found_by, running, wait_for_line
from repave._spark_home import find_spark

HERE = Path(__file__).parent / "yarn"
SECONDS = 600
APPLICATION_MASTER = "deploy.yarn.ApplicationMaster"  # in cluster mode it has the driver
EXECUTOR = "YarnCoarseGrainedExecutorBackend"


@dataclass(frozen=True)
class MiniYarn:
    """A running cluster; its containers' command lines name its folder."""

    folder: Path

    def environment(self) -> dict[str, str]:
        return {"HADOOP_CONF_DIR": str(self.folder / "conf")}

    def conf(self) -> dict[str, str]:
        """Return what a Spark of the pip package needs, with everything on one machine."""
        return {
            "spark.master": "yarn",
            "spark.yarn.jars": f"local:{find_spark(os.environ)}/jars/*",
            "spark.yarn.stagingDir": f"file:{self.folder}/staging",
            "spark.yarn.appMasterEnv.SPARK_LOCAL_IP": "127.0.0.1",
            "spark.executorEnv.SPARK_LOCAL_IP": "127.0.0.1",
            "spark.yarn.max.executor.failures": "20",
            "spark.executor.instances": "2",
            "spark.executor.memory": "512m",
            "spark.driver.memory": "512m",
        }

    def processes(self, program: str = "") -> list[int]:
        """Return the ids of the containers' processes that run a program."""
        return found_by(str(self.folder / "target"), program)

    def executors(self) -> list[int]:
        """Return the executors' process ids, without the shells around them."""
        return [pid for pid in self.processes(EXECUTOR) if is_java(pid)]

    def kill(self, program: str = "") -> None:
        """Kill the processes of a program with their shells, as a lost machine does."""
        found = self.processes(program)
        assert found or not program, f"no container runs {program}"
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def logs(self) -> str:
        """Return the end of each container's log."""
        files = sorted(self.folder.glob("target/**/std*"))
        return "\n".join(f"{file}:\n{file.read_text('utf-8', 'replace')[-3000:]}" for file in files)


def is_java(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8").strip() == "java"
    except OSError:
        return False


@contextmanager
def mini_yarn(folder: Path, nodes: int = 1) -> Iterator[MiniYarn]:
    """Run the cluster in a folder; kill it and its containers when the block ends."""
    (folder / "conf").mkdir(parents=True)
    cluster = MiniYarn(folder)
    log = folder / "cluster.log"
    java = ["java", "-cp", class_path(HERE, folder / "class-path"), str(HERE / "MiniYarn.java")]
    arguments = [str(folder / "conf/yarn-site.xml"), str(nodes)]
    with running(log, [*java, *arguments], cwd=folder) as child:
        wait_for_line(log, "The cluster is running.", child, SECONDS)
        try:
            yield cluster
        finally:
            cluster.kill()


def class_path(project: Path, written: Path) -> str:
    """Return the jars of a folder's pom.xml, of the Hadoop release that Spark brings."""
    (jar,) = (find_spark(os.environ) / "jars").glob("hadoop-client-api-*.jar")
    release = jar.stem.removeprefix("hadoop-client-api-")
    words = ["mvn", "-q", "-B", "-ntp", "-f", str(project / "pom.xml")]
    words += ["dependency:build-classpath", f"-Dhadoop.version={release}"]
    words += [f"-Dmdep.outputFile={written}"]
    subprocess.run(words, check=True, timeout=SECONDS)
    return written.read_text("utf-8")
