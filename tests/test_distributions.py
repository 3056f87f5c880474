"""The wheel and the sdist, installed as a user does: into an environment with nothing else."""

import email
import email.message
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
VERSION = re.findall(r"<revision>(.*)</revision>", (ROOT / "pom.xml").read_text("utf-8"))[0]
MAVENS_JAR = ROOT / f"committer-java/target/repave-{VERSION}.jar"
PACKED = ("CHANGELOG.md", "LICENSE", "README.md", "hatch_build.py", "pom.xml", "pyproject.toml")


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make wheel` fills: an sdist, and the wheel that is built from it."""
    assert MAVENS_JAR.exists(), "run `make jar` first; `make test-python` does"
    sources = tmp_path_factory.mktemp("distributions")
    for name in PACKED:
        shutil.copy2(ROOT / name, sources / name)
    ignored = shutil.ignore_patterns("jars", "__pycache__")
    shutil.copytree(ROOT / "python", sources / "python", ignore=ignored)
    (sources / "committer-java/target").mkdir(parents=True)
    shutil.copy2(MAVENS_JAR, sources / "committer-java/target")
    build = [sys.executable, "-m", "build", "-q", "--no-isolation"]
    subprocess.run(build, cwd=sources, check=True)
    return sources / "dist"


def wheel(distributions: Path) -> Path:
    return distributions / f"repave-{VERSION}-py3-none-any.whl"


def sdist(distributions: Path) -> Path:
    return distributions / f"repave-{VERSION}.tar.gz"


def metadata(text: bytes) -> email.message.Message:
    return email.message_from_bytes(text)


def test_a_build_makes_both_and_the_wheel_has_mavens_jar(distributions: Path) -> None:
    assert sorted(distributions.iterdir()) == sorted([wheel(distributions), sdist(distributions)])
    with zipfile.ZipFile(wheel(distributions)) as archive:
        assert archive.read("repave/jars/repave.jar") == MAVENS_JAR.read_bytes()


def test_the_metadata_is_complete_and_the_same_in_both(distributions: Path) -> None:
    with zipfile.ZipFile(wheel(distributions)) as archive:
        in_wheel = archive.read(f"repave-{VERSION}.dist-info/METADATA")
        assert f"repave-{VERSION}.dist-info/licenses/LICENSE" in archive.namelist()
    with tarfile.open(sdist(distributions)) as archive:
        packed = archive.extractfile(f"repave-{VERSION}/PKG-INFO")
        assert packed is not None
        assert packed.read() == in_wheel
    found = metadata(in_wheel)
    for name in ("Name", "Summary", "Author", "Keywords", "Requires-Python", "License-Expression"):
        assert found[name], name
    assert found["Version"] == VERSION
    assert found["Description-Content-Type"] == "text/markdown"
    assert str(found.get_payload()).startswith("# Repave")
    classifiers = found.get_all("Classifier")
    assert classifiers
    assert "Programming Language :: Python :: 3.10" in classifiers
    # PEP 639: the expression above says it, and an index refuses both.
    assert [name for name in classifiers if name.startswith("License ::")] == []


@pytest.mark.parametrize("find", [wheel, sdist])
def test_a_clean_environment_runs_it_without_pyspark(
    distributions: Path, tmp_path: Path, find: Callable[[Path], Path]
) -> None:
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python, repave = home / "bin/python", home / "bin/repave"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q"]
    subprocess.run([*install, str(find(distributions))], cwd=tmp_path, check=True)

    def run(*words: Path | str) -> str:
        # Without this environment's variables: neither Spark nor another jar is found by chance.
        variables = {"PATH": str(home / "bin")}
        done = subprocess.run(
            words, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert VERSION in run(repave, "--version")
    jar = next(home.glob("lib/python3*/site-packages/repave/jars/repave.jar"))
    assert jar.read_bytes() == MAVENS_JAR.read_bytes()
    conf = run(repave, "conf")
    assert str(jar) in conf
    assert "spark.sql.sources.commitProtocolClass=io.repave.spark.RepaveCommitProtocol" in conf
    program = "import importlib.util, repave; print(importlib.util.find_spec('pyspark'), repave)"
    assert run(python, "-c", program).startswith("None <module 'repave' from")
