"""Checks what Maven would publish, and packs it as one bundle. Uploads nothing.

`make maven-bundle` deploys into a folder below target/ and runs this on it.
"""

import hashlib
import re
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

ARTIFACTS = (".pom", ".jar", "-sources.jar", "-javadoc.jar")
DIGESTS = ("md5", "sha1")
NAMESPACE = "{http://maven.apache.org/POM/4.0.0}"
REQUIRED = (
    "groupId",
    "artifactId",
    "version",
    "name",
    "description",
    "url",
    "licenses/license/name",
    "licenses/license/url",
    "developers/developer/name",
    "scm/connection",
    "scm/url",
)
# The parent is not published, and a pom must not send its users to other repositories.
FORBIDDEN = ("parent", "repositories", "pluginRepositories", "distributionManagement", "profiles")
LICENSE = "https://www.apache.org/licenses/"
OWN = "io/repave/"
# Spark looks for extensions of its sessions in the second one.
OWN_SERVICES = (
    "META-INF/services/io.repave.",
    "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider",
)


def pom_problems(text: str) -> list[str]:
    """Return what is wrong with a pom that is to be published."""
    pom = ET.fromstring(text)  # noqa: S314 - Maven wrote it
    problems = [f"{found} is not resolved" for found in re.findall(r"\$\{[^}]*\}", text)]
    problems += [f"<{name}> is missing" for name in REQUIRED if not _text(pom, name)]
    problems += [f"<{name}> does not belong here" for name in FORBIDDEN if _find(pom, name)]
    own = tuple(place for place in (_text(pom, "url"), _text(pom, "scm/url")) if place)
    for element in pom.iter():
        for url in re.findall(r"https?://\S+", element.text or ""):
            if not url.startswith((*own, LICENSE)):
                problems.append(f"{url} is neither the project's own nor the license's")
    for dependency in _find(pom, "dependencies/dependency"):
        # The cluster has them. Another scope would put a second copy on Spark's class path.
        if _text(dependency, "scope") != "provided":
            problems.append(f"{_text(dependency, 'artifactId')} is not provided")
    return problems


def jar_problems(jar: Path) -> list[str]:
    """Return what in the jar could meet a class of the cluster's."""
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    foreign = [name for name in names if name.endswith((".class", ".jar"))]
    foreign = [name for name in foreign if not name.startswith(OWN)]
    services = [name for name in names if name.startswith(("META-INF/services", "META-INF/vers"))]
    services = [name for name in services if not name.startswith(OWN_SERVICES)]
    return [f"{jar.name} holds {name}" for name in foreign + services]


def companion_problems(jar: Path, sources: Path, javadoc: Path) -> list[str]:
    """Return the classes without a source, and the public ones without a page."""
    with zipfile.ZipFile(jar) as archive:
        classes = {name.removesuffix(".class") for name in archive.namelist() if "$" not in name}
    with zipfile.ZipFile(sources) as archive:
        written = set(archive.namelist())
    with zipfile.ZipFile(javadoc) as archive:
        pages = set(archive.namelist())
    own = sorted(name for name in classes if name.startswith(OWN) and "package-info" not in name)
    own = [name for name in own if not name.endswith("/")]
    problems = [f"{name}.java is missing" for name in own if f"{name}.java" not in written]
    if f"{OWN}RepaveTable.html" not in pages:
        problems.append("The Javadoc has no page for RepaveTable")
    return problems


def checksum_problems(artifact: Path) -> list[str]:
    """Return the checksums that are missing or wrong."""
    problems = []
    for kind in DIGESTS:
        sums = artifact.with_name(f"{artifact.name}.{kind}")
        right = hashlib.new(kind, artifact.read_bytes()).hexdigest()
        if not sums.exists() or sums.read_text("utf-8").strip() != right:
            problems.append(f"{sums.name} is missing or wrong")
    return problems


def folder_problems(folder: Path) -> list[str]:
    """Return everything that is wrong with the folder of one version."""
    stem = f"{folder.parent.name}-{folder.name}"
    artifacts = [folder / f"{stem}{suffix}" for suffix in ARTIFACTS]
    problems = [f"{path.name} is missing" for path in artifacts if not path.exists()]
    if problems:
        return problems
    pom, jar, sources, javadoc = artifacts
    problems += pom_problems(pom.read_text("utf-8"))
    problems += jar_problems(jar)
    problems += companion_problems(jar, sources, javadoc)
    for artifact in artifacts:
        problems += checksum_problems(artifact)
    return problems


def pack(root: Path, folder: Path) -> Path:
    """Write the bundle next to `root`; signatures come from whoever uploads it."""
    bundle = root.parent / f"{folder.parent.name}-{folder.name}-bundle.zip"
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.relative_to(root))
    return bundle


def main(root: Path) -> int:
    """Check the one version in a folder that Maven deployed to, and pack it."""
    (folder,) = (path.parent for path in root.rglob("*.pom"))
    problems = folder_problems(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    pom = ET.fromstring(next(folder.glob("*.pom")).read_text("utf-8"))  # noqa: S314
    print(pack(root, folder))
    print(f"url: {_text(pom, 'url')}, scm: {_text(pom, 'scm/url')}. Check both before an upload.")
    return 0


def _find(element: ET.Element, path: str) -> list[ET.Element]:
    return element.findall("/".join(NAMESPACE + name for name in path.split("/")))


def _text(element: ET.Element, path: str) -> str:
    return next(((found.text or "").strip() for found in _find(element, path)), "")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
