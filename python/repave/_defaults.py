"""Reads spark-defaults.conf, which Spark itself reads only after it has started."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

BLANKS: Final = " \t\f"
LINE: Final = re.compile(
    r"(?P<key>(?:[^\\=: \t\f]|\\.)+)[ \t\f]*[=:]?[ \t\f]*(?P<value>.*)", re.DOTALL
)
ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.?))", re.DOTALL)
CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def spark_defaults(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the site's defaults, empty if there are none."""
    file = defaults_file(environment)
    return read_properties(file) if file is not None and file.is_file() else {}


def defaults_file(environment: Mapping[str, str]) -> Path | None:
    """Return where Spark looks for the site's defaults, None if nothing says where Spark is."""
    folder = environment.get("SPARK_CONF_DIR")
    home = environment.get("SPARK_HOME")
    path = Path(folder) if folder else Path(home) / "conf" if home else None
    return path / "spark-defaults.conf" if path else None


def read_properties(file: Path) -> dict[str, str]:
    """Read a file as Spark does: a byte that is not UTF-8 is one unknown character."""
    return parse_properties(file.read_text("utf-8", "replace"))


def parse_properties(text: str) -> dict[str, str]:
    r"""Read a file as Spark does: by java.util.Properties, and without blanks around values.

    >>> parse_properties("# site\nspark.jars  /a.jar,\\\n  /b.jar\nspark.ui.enabled=false\n")
    {'spark.jars': '/a.jar,/b.jar', 'spark.ui.enabled': 'false'}
    """
    found = (LINE.match(line) for line in _lines(text))
    return {_plain(match["key"]): _plain(match["value"]).strip(BLANKS) for match in found if match}


def _lines(text: str) -> Iterator[str]:
    """Yield the lines with what follows a backslash at their end, and without comments."""
    lines = iter(re.split(r"\r\n?|\n", text))
    for line in lines:
        whole = line.lstrip(BLANKS)
        if whole.startswith(("#", "!")):
            continue
        while _goes_on(whole):
            whole = whole[:-1] + next(lines, "").lstrip(BLANKS)
        yield whole


def _goes_on(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _plain(text: str) -> str:
    """Return a text without escapes."""
    return ESCAPE.sub(
        lambda found: chr(int(found[1], 16)) if found[1] else CONTROLS.get(found[2], found[2]), text
    )
