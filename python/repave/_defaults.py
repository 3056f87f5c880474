"""Reads spark-defaults.conf, which Spark itself reads only after it has started."""

import re
from collections.abc import Mapping
from pathlib import Path

LINE = re.compile(r"\s*([^#!\s=:][^\s=:]*)\s*[=:\s]\s*(.*?)\s*$")


def spark_defaults(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the site's defaults, empty if there are none."""
    folder = environment.get("SPARK_CONF_DIR")
    home = environment.get("SPARK_HOME")
    path = Path(folder) if folder else Path(home) / "conf" if home else None
    file = path / "spark-defaults.conf" if path else None
    if file is None or not file.is_file():
        return {}
    return parse_properties(file.read_text("utf-8"))


def parse_properties(text: str) -> dict[str, str]:
    r"""Read the lines of a properties file, separated by blanks, `=` or `:`.

    >>> parse_properties("# site\nspark.jars  /a.jar\nspark.ui.enabled=false\n")
    {'spark.jars': '/a.jar', 'spark.ui.enabled': 'false'}
    """
    found = (LINE.match(line) for line in text.splitlines())
    return {match.group(1): match.group(2) for match in found if match}
