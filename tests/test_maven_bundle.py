"""What `make maven-bundle` would have published: the pom that Maven writes, and the checks."""

import hashlib
import re
import subprocess
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

import maven_bundle

ROOT = Path(__file__).parent.parent
VERSION = re.findall(r"<revision>(.*)</revision>", (ROOT / "pom.xml").read_text("utf-8"))[0]
POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>io.repave</groupId><artifactId>repave</artifactId><version>{VERSION}</version>
  <name>Repave</name><description>It commits.</description><url>https://repave.example</url>
  <licenses><license>
    <name>Apache-2.0</name><url>https://www.apache.org/licenses/LICENSE-2.0.txt</url>
  </license></licenses>
  <developers><developer><name>The Repave project</name></developer></developers>
  <scm>
    <connection>scm:git:https://code.example/repave.git</connection>
    <url>https://code.example/repave.git</url>
  </scm>
  <dependencies><dependency>
    <groupId>g</groupId><artifactId>spark</artifactId><version>4</version><scope>provided</scope>
  </dependency></dependencies>
</project>
"""
CLASSES = ("io/repave/RepaveTable.class", "io/repave/core/Table.class", "repave.properties")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What Maven deploys, in small."""
    folder = tmp_path / f"deployed/io/repave/repave/{VERSION}"
    folder.mkdir(parents=True)
    stem = f"repave-{VERSION}"
    (folder / f"{stem}.pom").write_text(POM, "utf-8")
    archive(folder / f"{stem}.jar", CLASSES)
    sources = [name.replace(".class", ".java") for name in CLASSES]
    archive(folder / f"{stem}-sources.jar", sources)
    archive(folder / f"{stem}-javadoc.jar", ["index.html", "io/repave/RepaveTable.html"])
    sign(folder)
    return folder


def archive(path: Path, names: Iterable[str]) -> None:
    with zipfile.ZipFile(path, "w") as written:
        for name in names:
            written.writestr(name, b"")


def sign(folder: Path) -> None:
    """Write the checksums as Maven does."""
    for path in folder.glob("*[mr]"):
        for kind in ("md5", "sha1"):
            digest = hashlib.new(kind, path.read_bytes()).hexdigest()
            (folder / f"{path.name}.{kind}").write_text(digest, "utf-8")


def test_a_bundle_holds_the_four_artifacts_and_their_checksums(folder: Path) -> None:
    assert maven_bundle.main(folder.parents[3]) == 0
    with zipfile.ZipFile(folder.parents[4] / f"repave-{VERSION}-bundle.zip") as bundle:
        names = {f"repave-{VERSION}{suffix}" for suffix in maven_bundle.ARTIFACTS}
        sums = {f"{name}.{kind}" for name in names for kind in maven_bundle.DIGESTS}
        place = f"io/repave/repave/{VERSION}"
        assert set(bundle.namelist()) == {f"{place}/{name}" for name in names | sums}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (f"<version>{VERSION}<", "<version>${revision}<", "${revision} is not resolved"),
        ("<name>Repave</name>", "", "<name> is missing"),
        ("<url>https://code.example/repave.git</url>", "", "<scm/url> is missing"),
        ("<dependencies>", "<parent/><dependencies>", "<parent> does not belong here"),
        ("<dependencies>", "<repositories/><dependencies>", "<repositories> does not belong here"),
        ("It commits.", "See https://maven.example/all", "neither the project's own nor the"),
        ("<scope>provided</scope>", "", "spark is not provided"),
    ],
)
def test_a_pom_that_must_not_be_published_is_named(old: str, new: str, problem: str) -> None:
    assert maven_bundle.pom_problems(POM) == []
    changed = POM.replace(old, new)
    assert changed != POM
    assert problem in " ".join(maven_bundle.pom_problems(changed))


def test_a_class_of_somebody_else_in_the_jar_is_named(folder: Path) -> None:
    jar = folder / f"repave-{VERSION}.jar"
    archive(jar, [*CLASSES, "com/fasterxml/jackson/Json.class", "META-INF/services/x"])
    sign(folder)
    problems = maven_bundle.folder_problems(folder)
    assert len(problems) == 2
    assert "holds com/fasterxml/jackson/Json.class" in problems[0]


def test_the_jar_that_maven_built_can_be_published() -> None:
    jar = ROOT / f"committer-java/target/repave-{VERSION}.jar"
    assert jar.exists(), "run `make jar` first; `make test-python` does"
    assert maven_bundle.jar_problems(jar) == []


def test_a_missing_source_page_checksum_or_artifact_is_named(folder: Path) -> None:
    archive(folder / f"repave-{VERSION}-sources.jar", [])
    archive(folder / f"repave-{VERSION}-javadoc.jar", [])
    problems = " ".join(maven_bundle.folder_problems(folder))
    assert "io/repave/RepaveTable.java is missing" in problems
    assert "no page for RepaveTable" in problems
    assert f"repave-{VERSION}-sources.jar.md5 is missing or wrong" in problems
    (folder / f"repave-{VERSION}-sources.jar").unlink()
    missing = [f"repave-{VERSION}-sources.jar is missing"]
    assert maven_bundle.folder_problems(folder) == missing


@pytest.mark.slow
def test_the_pom_that_maven_would_publish_is_complete() -> None:
    """As a user's Maven reads it: nothing of ours to resolve, no other repository to ask."""
    goal = "org.codehaus.mojo:flatten-maven-plugin:flatten"
    maven = ["mvn", "-q", "-B", "-Ppublish", "-pl", "committer-java", goal]
    subprocess.run(maven, cwd=ROOT, check=True)
    text = (ROOT / "committer-java/target/published/pom.xml").read_text("utf-8")
    assert maven_bundle.pom_problems(text) == []
    assert f"<version>{VERSION}</version>" in text
    assert "<scope>test</scope>" not in text
