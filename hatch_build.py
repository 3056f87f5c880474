"""Puts the committer's jar into the wheel and the sdist."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IN_SOURCES = "python/repave/jars/repave.jar"
IN_WHEEL = "repave/jars/repave.jar"


class JarHook(BuildHookInterface[Any]):
    """Adds the jar that Maven built at the one place where the package looks for it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        # PKG-INFO, not the jar itself, is what tells an sdist: a stale jar would pass for one.
        if (root / "PKG-INFO").exists():
            return
        # An installation that points at the sources takes Maven's jar as it is at that moment.
        (root / IN_SOURCES).unlink(missing_ok=True)
        if version == "editable":
            return
        built = root / f"committer-java/target/repave-{self.metadata.version}.jar"
        if not built.exists():
            message = f"{built} is missing: run `make jar` (it needs Java 17 and Maven) first."
            raise RuntimeError(message)
        build_data["force_include"][str(built)] = (
            IN_SOURCES if self.target_name == "sdist" else IN_WHEEL
        )
