"""The image of docs/kubernetes.md, in pods of a small Kubernetes API: pods die, rows are exact.

Needs root, and buildah and mmdebstrap from Debian.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyspark
import pytest

import repave
from clients.cluster_task import ClusterTask, published, uploading
from clients.kubelet import Kubelet
from clients.kubernetes_api import KubernetesApi, Object, serving
from clients.pages import commands_of, write_files
from clients.site import SECONDS, Site
from e2e.deaths import until
from e2e.driver import TESTS
from e2e.lake import TableFolder
from e2e.sessions import line, s3a_conf

HERE = Path(__file__).parent / "kubernetes"
WORK = TESTS.parent / ".work" / "kubernetes"
BASE = f"localhost/repave-spark:{pyspark.__version__}"
IMAGE = "localhost/repave-recipe"
JOBS = "localhost/repave-jobs"
BUILD, SUBMIT = 0, 1
PROGRAMS = ("buildah", "mmdebstrap")
JOB = "local:///opt/jobs/clients/cluster_job.py"

if missing := [each for each in PROGRAMS if not shutil.which(each)]:
    pytest.skip(f"Install {' and '.join(missing)} from Debian.", allow_module_level=True)


@dataclass(frozen=True)
class Kubernetes:
    """A running cluster, and how to submit to it."""

    url: str
    api: KubernetesApi
    kubelet: Kubelet
    site: Site

    def submit(self, task: ClusterTask) -> str:
        """Submit as the page says; return the name of the driver's pod."""
        conf = {
            **s3a_conf({"": task.sales.lake.proxy.endpoint}),
            "spark.hadoop.repave.heartbeat": "500ms",
            "spark.kubernetes.driver.master": self.url,
            "spark.kubernetes.submission.waitAppCompletion": "false",
            # The small API has no watches.
            "spark.kubernetes.executor.enableApiWatcher": "false",
            "spark.kubernetes.executor.apiPollingInterval": "1s",
            "spark.executor.instances": "2",
            "spark.executor.memory": "512m",
            "spark.driver.memory": "512m",
            "spark.ui.enabled": "false",
        }
        known = {pod["metadata"]["name"] for pod in self.drivers()}
        self._run(
            SUBMIT,
            API=self.url,
            IMAGE=JOBS,
            RUN=task.run,
            JOB=JOB,
            MORE=" ".join(f"--conf={key}={value}" for key, value in conf.items()),
            ARGUMENTS=task.argument(),
        )
        (name,) = {pod["metadata"]["name"] for pod in self.drivers()} - known
        return str(name)

    def drivers(self) -> list[Object]:
        return self.api.all("pods", "spark-role=driver")

    def build(self) -> None:
        """Build the image that the page describes, and put the job into it."""
        folder = self.site.folder / "image"
        folder.mkdir()
        write_files("kubernetes.md", folder)
        self._run(BUILD, SPARK=line(pyspark.__version__), SPARK_IMAGE=BASE, IMAGE=IMAGE)
        jobs = folder / "jobs"
        for package in (TESTS / "e2e", TESTS / "clients", TESTS / "campaigns"):
            shutil.copytree(package, jobs / package.name)
        shutil.copytree(Path(repave.__file__).parent, jobs / "repave")
        text = f"FROM {IMAGE}\nCOPY jobs /opt/jobs\nENV PYTHONPATH=/opt/jobs\n"
        (folder / "jobs.dockerfile").write_text(text)
        build = ("docker", "build", "--tag", JOBS, "--file", "jobs.dockerfile", ".")
        self.site.run("env", "-C", str(folder), *build, more=self._environment())

    def phase(self, pod: str) -> str:
        found = self.api.get("pods", pod)
        return found["status"]["phase"] if found and "status" in found else ""

    def _run(self, number: int, **variables: str) -> None:
        command = commands_of("kubernetes.md")[number].replace(
            "local:///opt/jobs/nightly.py", "$JOB"
        )
        # The pods would look for this machine's Python.
        own = ("env", "--unset=PYSPARK_PYTHON", "-C", str(self.site.folder / "image"))
        words = (*own, "bash", "-euo", "pipefail", "-c")
        self.site.run(*words, command, more={**self._environment(), **variables})

    def _environment(self) -> dict[str, str]:
        """Return what replaces docker, and a conf folder without the site's own conf."""
        path = f"{HERE}{os.pathsep}{self.site.environment()['PATH']}"
        empty = self.site.folder / "empty"
        empty.mkdir(exist_ok=True)
        return {"PATH": path, "SPARK_CONF_DIR": str(empty)}


@pytest.fixture(scope="session")
def base() -> str:
    """Build an image that stands in for Spark's own."""
    WORK.mkdir(parents=True, exist_ok=True)
    root = WORK / "rootfs.tar"
    if not root.exists():
        sources = sorted(str(one) for one in Path("/etc/apt/sources.list.d").glob("*.sources"))
        packages = "--include=openjdk-17-jre-headless,python3,tini"
        own = ("mmdebstrap", "--variant=minbase", packages, "", str(root), *sources)
        subprocess.run(own, check=True, timeout=SECONDS)
    for each in ("Dockerfile", "entrypoint.sh"):
        shutil.copy(HERE / each, WORK)
    spark = Path(pyspark.__path__[0])
    # Again each time: the environment may have another Spark than before.
    shutil.rmtree(WORK / "spark", ignore_errors=True)
    shutil.copytree(spark, WORK / "spark", ignore=shutil.ignore_patterns("__pycache__"))
    words = (str(HERE / "docker"), "build", "--layers", "--tag", BASE, str(WORK))
    subprocess.run(words, check=True, timeout=SECONDS)
    return BASE


@pytest.fixture
def kubernetes(base: str, site: Site, tmp_path: Path) -> Iterator[Kubernetes]:
    api = KubernetesApi()
    pods = tmp_path / "pods"
    pods.mkdir()
    kubelet = Kubelet(api, pods)
    with serving(api) as url:
        cluster = Kubernetes(url, api, kubelet, site)
        cluster.build()
        try:
            yield cluster
        finally:
            kubelet.stop()


def test_pods_of_the_image_die_and_rows_are_exact(
    site: Site, kubernetes: Kubernetes, table: TableFolder
) -> None:
    task = ClusterTask(site, table, "kubernetes-2026-11-23")
    proxy, kubelet = table.lake.proxy, kubernetes.kubelet
    proxy.set_faults([uploading(task.audit), published(task.sales)])
    first = kubernetes.submit(task)
    task.await_hits(1, kubelet.log(first), kubelet.logs)
    kubelet.kill("KubernetesExecutorBackend")
    task.await_hits(2, kubelet.log(first), kubelet.logs)
    kubelet.kill("SparkSubmit", "cluster_job.py")
    until(lambda: kubernetes.phase(first) == "Failed", SECONDS)
    task.recover()

    again = kubernetes.submit(task)
    until(lambda: kubernetes.phase(again) in ("Succeeded", "Failed"), SECONDS)
    assert kubernetes.phase(again) == "Succeeded", kubelet.logs()
    task.assert_done()
