"""What a user installs: one wheel with one jar, buildable from the sdist without Maven."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import repave
from repave import _jar

ROOT = Path(__file__).parent.parent
VERSION = re.findall(r"<revision>(.*)</revision>", (ROOT / "pom.xml").read_text("utf-8"))[0]
JAR = b"PK\x05\x06" + bytes(18)  # an empty zip: what is packed is not what is tested here
PACKAGES = [path for path in sys.path if path.endswith("-packages")]
PACKED = (
    "python/repave",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "hatch_build.py",
    "pom.xml",
    "pyproject.toml",
    ".gitignore",
)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of what the build reads, with Maven's jar in its place."""
    copy = tmp_path / "sources"
    for name in PACKED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("jars", "*.pyc"))
        elif source.exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy / name)
    target = copy / "committer-java/target"
    target.mkdir(parents=True)
    (target / f"repave-{VERSION}.jar").write_bytes(JAR)
    return copy


def build(folder: Path, kind: str) -> subprocess.CompletedProcess[str]:
    # Without Maven on the PATH: a build must take the jar that is there, or say what is missing.
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind],
        cwd=folder,
        env={"PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )


def built(folder: Path, kind: str) -> Path:
    done = build(folder, kind)
    assert done.returncode == 0, done.stderr
    (archive,) = (folder / "dist").glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return archive


def test_the_wheel_has_exactly_one_jar(sources: Path) -> None:
    wheel = built(sources, "wheel")
    with zipfile.ZipFile(wheel) as archive:
        jars = [name for name in archive.namelist() if name.endswith(".jar")]
        assert jars == ["repave/jars/repave.jar"]
        assert archive.read(jars[0]) == JAR
        assert "repave/py.typed" in archive.namelist()


def test_every_file_of_the_package_is_in_the_wheel(sources: Path) -> None:
    with zipfile.ZipFile(built(sources, "wheel")) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = (path for path in (sources / "python").rglob("*") if path.is_file())
    expected = {str(path.relative_to(sources / "python")) for path in files}
    assert packed - {"repave/jars/repave.jar"} == expected


def test_the_wheel_has_neither_the_lab_nor_what_it_needs(sources: Path) -> None:
    with zipfile.ZipFile(built(sources, "wheel")) as archive:
        assert [name for name in archive.namelist() if "lab" in name] == []
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        needed = re.findall(
            r"^Requires-Dist: ([\w-]+)", archive.read(metadata).decode(), re.MULTILINE
        )
    readers = {"pyarrow", "pandas", "duckdb", "polars", "pytz"}
    assert set(needed) == {"boto3", "click", "rich", "pyspark", *readers}


def test_a_stale_jar_in_the_sources_is_not_shipped(sources: Path) -> None:
    stale = sources / "python/repave/jars/repave.jar"
    stale.parent.mkdir()
    stale.write_bytes(b"stale")
    with zipfile.ZipFile(built(sources, "wheel")) as archive:
        assert archive.namelist().count("repave/jars/repave.jar") == 1
        assert archive.read("repave/jars/repave.jar") == JAR


def test_the_sdist_becomes_a_wheel_without_maven(sources: Path, tmp_path: Path) -> None:
    with tarfile.open(built(sources, "sdist")) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / f"repave-{VERSION}"
    assert not (unpacked / "committer-java").exists()
    with zipfile.ZipFile(built(unpacked, "wheel")) as archive:
        assert archive.read("repave/jars/repave.jar") == JAR


def test_the_version_is_the_poms(sources: Path) -> None:
    assert repave.__version__ == VERSION
    assert built(sources, "wheel").name == f"repave-{VERSION}-py3-none-any.whl"


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_missing_jar_is_named_in_one_sentence(sources: Path, kind: str) -> None:
    (sources / f"committer-java/target/repave-{VERSION}.jar").unlink()
    done = build(sources, kind)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert re.search(rf"repave-{VERSION}\.jar is missing: run `make jar` .* first\.$", last)
    assert not list(sources.glob("dist/*"))


def test_an_installed_package_finds_its_own_jar(sources: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", target, sources], check=True)
    shutil.rmtree(sources)
    done = subprocess.run(
        [sys.executable, "-c", "import repave; print(repave.jar_path(), repave.__version__)"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(target / "repave/jars/repave.jar"), VERSION]
    # -S leaves out what is installed from this clone: its paths stand in .pth files.
    told = subprocess.run(
        [sys.executable, "-S", "-c", "from repave.cli import main; main()", "--help"],
        cwd=tmp_path,
        env={"PYTHONPATH": os.pathsep.join([str(target), *PACKAGES])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "\n  doctor " in told.stdout
    assert not re.search(r"\n  (demo|bench) ", told.stdout)


@pytest.mark.parametrize("form", ["folder", "zip"])
def test_a_copied_package_is_imported(tmp_path: Path, form: str) -> None:
    """As `--py-files repave.zip` does, on machines where nothing is installed."""
    shutil.copytree(ROOT / "python/repave", tmp_path / "lib/repave")
    if form == "zip":
        shutil.make_archive(str(tmp_path / "repave"), "zip", tmp_path / "lib")
    place = tmp_path / ("repave.zip" if form == "zip" else "lib")
    script = "import repave; print(repave.__version__, len(repave.spark_conf(jar='r.jar')))"
    done = subprocess.run(
        # Neither site-packages nor this environment's metadata.
        [sys.executable, "-S", "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [VERSION, "4"]
    if form == "folder":
        return
    without = subprocess.run(
        [sys.executable, "-S", "-c", "import repave; repave.spark_conf()"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"is imported from the archive {place}, out of which" in without.stderr


def test_the_command_of_a_copied_package_names_what_is_missing(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "python/repave", tmp_path / "repave")
    done = subprocess.run(
        [sys.executable, "-S", "-m", "repave", "status", "s3://lake/sales"],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("The repave command needs the package click, which is not")


def test_mavens_jar_holds_our_classes_alone_and_names_its_version() -> None:
    built_jar = ROOT / f"committer-java/target/repave-{VERSION}.jar"
    assert built_jar.exists(), "run `make jar` first; `make test-python` does"
    with zipfile.ZipFile(built_jar) as jar:
        classes = [name for name in jar.namelist() if name.endswith(".class")]
        assert classes
        assert [name for name in classes if not name.startswith("io/repave/")] == []
        releases = {int.from_bytes(jar.read(name)[6:8], "big") - 44 for name in classes}
        assert releases == {17}
        manifest = jar.read("META-INF/MANIFEST.MF").decode()
        assert f"Implementation-Version: {VERSION}\r\n" in manifest
        assert jar.read("repave.properties").decode().split() == [f"version={VERSION}"]


def test_importing_repave_imports_no_pyspark() -> None:
    program = "import sys, repave; print(sorted({n.split('.')[0] for n in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "'repave'" in done.stdout
    assert not {"pyspark", "py4j", "boto3"} & set(re.findall(r"'(\w+)'", done.stdout))


class TestJarPath:
    @pytest.fixture(autouse=True)
    def package(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        package = tmp_path / "python/repave"
        monkeypatch.setattr(_jar, "PACKAGE", package)
        monkeypatch.delenv("REPAVE_JAR", raising=False)
        return package

    @staticmethod
    def put(jar: Path) -> Path:
        jar.parent.mkdir(parents=True, exist_ok=True)
        jar.write_bytes(JAR)
        return jar

    def test_the_variable_comes_first_then_the_wheel_then_the_build(
        self, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        built_jar = self.put(tmp_path / f"committer-java/target/repave-{VERSION}.jar")
        assert _jar.jar_path() == built_jar
        bundled = self.put(package / "jars/repave.jar")
        assert _jar.jar_path() == bundled
        named = self.put(tmp_path / "elsewhere/own.jar")
        monkeypatch.setenv("REPAVE_JAR", str(named))
        assert _jar.jar_path() == named

    def test_a_variable_that_names_no_file_is_not_passed_over(
        self, package: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.put(package / "jars/repave.jar")
        monkeypatch.setenv("REPAVE_JAR", "/no/such.jar")
        with pytest.raises(repave.UsageError, match=r"REPAVE_JAR names /no/such\.jar"):
            _jar.jar_path()

    def test_no_jar_at_all_says_what_to_do(self) -> None:
        with pytest.raises(repave.UsageError, match=r"has no jar: install the wheel .*make jar"):
            _jar.jar_path()
