"""A site's Spark: its spark-defaults.conf has what `repave conf` prints; programs that use it."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from e2e.driver import TESTS
from e2e.processes import running
from e2e.sessions import line, s3a_conf
from repave._spark_home import find_spark

SECONDS = 900
PROGRAMS = Path(sys.executable).parent


@dataclass(frozen=True)
class Site:
    """A folder with the conf, the metastore and the logs of the programs."""

    folder: Path

    @classmethod
    def at(cls, folder: Path, endpoint: str) -> "Site":
        """Write what the site itself sets, then append what `repave conf` prints."""
        site = cls(folder)
        own = {
            "spark.master": "local[2]",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.hadoop.javax.jdo.option.ConnectionURL": (
                f"jdbc:derby:;databaseName={folder}/metastore;create=true"
            ),
            "spark.hadoop.repave.heartbeat": "500ms",  # a dead commit is known in two seconds
            **s3a_conf({"": endpoint}),
        }
        defaults = site.conf_folder / "spark-defaults.conf"
        defaults.parent.mkdir()
        defaults.write_text("".join(f"{key} {value}\n" for key, value in own.items()), "utf-8")
        connector = line(pyspark.__version__)
        printed = site.run("repave", "conf", "--connector", connector, "--format", "properties")
        with defaults.open("a", encoding="utf-8") as file:
            file.write(printed)
        return site

    @property
    def conf_folder(self) -> Path:
        return self.folder / "conf"

    def packages(self) -> list[Path]:
        """Return the connector's jars, where Spark has put them; fetch them if it has not."""
        text = (self.conf_folder / "spark-defaults.conf").read_text("utf-8")
        (names,) = [
            line.partition(" ")[2]
            for line in text.splitlines()
            if line.startswith("spark.jars.packages ")
        ]
        folder = Path.home() / (".ivy2" if pyspark.__version__ < "4" else ".ivy2.5.2") / "jars"
        files = [
            folder / f"{group}_{name}-{version}.jar"
            for group, name, version in (one.split(":") for one in names.split(","))
        ]
        if not all(file.is_file() for file in files):
            start = (
                "from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate().stop()"
            )
            self.run(sys.executable, "-c", start)
        return files

    def environment(self) -> dict[str, str]:
        home = find_spark(os.environ)
        return {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_CONF_DIR": str(self.conf_folder),
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
            "PATH": os.pathsep.join([str(PROGRAMS), f"{home}/bin", os.environ["PATH"]]),
        }

    def run(self, *words: str, more: Mapping[str, str] | None = None) -> str:
        """Run a program to its end and return what it printed; it must succeed."""
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={**self.environment(), **(more or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout

    @contextmanager
    def running(
        self, log: Path, *words: str, more: Mapping[str, str] | None = None
    ) -> Iterator["subprocess.Popen[str]"]:
        """Run a program in a session of its own; kill what is left of it when the block ends."""
        env = {**self.environment(), **(more or {})}
        with running(log, words, env=env, cwd=self.folder) as child:
            yield child
