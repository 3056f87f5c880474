#!/usr/bin/env python3
"""Writes the generated files; tests/test_generated.py fails when one is out of date.

    scripts/generate.py     after a change of Setting.java, StoreCheck.java, a record, a command…

options.json, store-checks.json, prices.json, _temporary.py and _table_formats.py in python/repave
come from the jar (`make jar`), _keywords.py from the options, _shapes.py from contract/records,
version.txt from pom.xml, docs/configuration.md from the options and the lists of connectors,
docs/cli.md from the commands, docs/python.md from the docstrings.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterable
from copy import copy
from importlib.util import find_spec
from pathlib import Path

import click

from python_page import python_page
from repave._conf import EXTENSIONS, FIXED, LISTING
from repave._connector import Connector, connectors
from repave._jar import jar_path
from repave._options import Option, options
from repave.cli import COMMANDS
from repave.cli import main as commands
from shapes import shapes_module

ROOT = Path(__file__).parent.parent
OPTIONS = ROOT / "python/repave/options.json"
STORE_CHECKS = ROOT / "python/repave/store-checks.json"
PRICES = ROOT / "python/repave/prices.json"
KEYWORDS = ROOT / "python/repave/_keywords.py"
SHAPES = ROOT / "python/repave/_shapes.py"
TEMPORARY = ROOT / "python/repave/_temporary.py"
TABLE_FORMATS = ROOT / "python/repave/_table_formats.py"
RELEASE = ROOT / "python/repave/version.txt"
CONFIGURATION = ROOT / "docs/configuration.md"
CLI = ROOT / "docs/cli.md"
PYTHON = ROOT / "docs/python.md"
LAB_COMMANDS = ("bench", "demo")
# Their options are the settings, which have a page of their own.
TAKE_SETTINGS = ("conf", "submit")
# The settings that people change, and when; the page leads with them.
FIRST = {
    "repave.readers": "readers need versions, rollback, or all of a job at one instant: `snapshot`",
    "repave.conflict": "an overwrite may replace rows that it has not seen: `last-writer`",
    "repave.run": "a scheduler starts failed jobs again: its run id",
    "repave.exclude": "other tools own a bucket or a folder: its `s3://` path",
    "repave.retention": (
        "a job runs longer than 7 days, or old versions cost too much; set it where vacuum runs"
    ),
}
NOTE = "<!-- Written by scripts/generate.py; change the table that it comes from. -->\n"


def options_json() -> str:
    """Return the jar's table of settings."""
    return _printed_by("io.repave.hadoop.SettingsJson")


def store_checks_json() -> str:
    """Return the jar's list of store checks."""
    return _printed_by("io.repave.s3.StoreChecksJson")


def prices_json() -> str:
    """Return the jar's prices of requests."""
    return _printed_by("io.repave.spark.monitor.RequestPrice")


def temporary() -> str:
    """Return the module with the errors after which the jar sends a request again."""
    errors = json.loads(_printed_by("io.repave.s3.TemporaryErrors"))
    statuses = ", ".join(map(str, errors["statuses"]))
    codes = "\n".join(f'    "{code}",' for code in errors["codes"])
    return f'''"""Temporary errors below 500. Written by scripts/generate.py from the jar's list."""

from typing import Final

TEMPORARY_STATUSES: Final = ({statuses})
TEMPORARY_CODES: Final = (
{codes}
)
'''


def table_formats() -> str:
    """Return the module with the formats that keep their metadata in a table's folder."""
    rows = json.loads(_printed_by("io.repave.core.follow.TableFormat"))
    lines = "\n".join(
        f'    (\n        "{label}",\n        "{folder}",\n        r"{metadata}",\n    ),'
        for label, folder, metadata in rows
    )
    return f'''"""Other table formats. Written by scripts/generate.py from the jar's list."""

from typing import Final

# Each has a name, the folder of its metadata, and a pattern of names inside that folder.
TABLE_FORMATS: Final = (
{lines}
)
'''


def _printed_by(program: str) -> str:
    pyspark = find_spec("pyspark")
    if pyspark is None or pyspark.origin is None:
        message = "pyspark is not installed, so there is no Jackson for the jar: run `make venv`."
        raise SystemExit(message)
    jackson = Path(pyspark.origin).parent / "jars" / "*"
    line = ["java", "-cp", f"{jar_path()}{os.pathsep}{jackson}", program]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return done.stdout.strip() + "\n"


def release() -> str:
    """Return the version that pom.xml states."""
    (version,) = re.findall("<revision>(.*)</revision>", (ROOT / "pom.xml").read_text("utf-8"))
    return f"{version}\n"


def keywords() -> str:
    """Return the module with the type of the options' keywords, for editors and type checkers."""
    fields = "\n".join(f"    {option.name}: {_type(option)}" for option in options())
    return f'''"""The options as keywords. Written by scripts/generate.py from the jar's table."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """The committer's options; docs/configuration.md says what each does."""

{fields}
'''


def _type(option: Option) -> str:
    if option.choices:
        return "Literal[" + ", ".join(f'"{choice}"' for choice in option.choices) + "]"
    return {
        "count": "int | str",
        "duration": "timedelta | str",
        "flag": "bool | str",
        "fraction": "float | str",
        "list": "Sequence[str] | str",
        "size": "int | str",
        "text": "str",
    }[option.kind]


def _switches() -> str:
    fixed = "\n".join(f"| `{key}` | `{value}` |" for key, value in {**FIXED, **LISTING}.items())
    return f"""## What switches Repave on

`repave.spark_conf()` returns these, `repave.configure_session()` sets them, `repave conf` prints \
them. Repave merges what is set already, on the builder, in spark-defaults.conf or by the \
arguments of spark-submit (with a `--properties-file`, also in `PYSPARK_SUBMIT_ARGS`):

- Lists of jars, packages and Spark's extensions are extended.
- A commit protocol of the site's own becomes `repave.fallback.protocol`.
- A list in `spark.sql.sources.useListFilesFileSystemList` stays as it is. Add `repave` to it, so \
that Spark 4 lists `repave://` paths by one call.

For any other key, a different value is an error, which names both values.

`configure_session` and `repave submit` also add `{EXTENSIONS}` to \
`spark.sql.extensions`. Spark 4 finds these rules in the jar, PySpark 3.5 does not. If you start \
PySpark 3.5 with `spark_conf()` or `repave conf`, add the class to your own list: the rules refuse \
statements that harm a table's catalog, and let a run notice a write that fails in a shuffle.

| Spark conf | value |
|---|---|
{fixed}
| `spark.jars` | the jar, which `repave jar` names; the variable `REPAVE_JAR` names another |"""


def configuration_page() -> str:
    """Return docs/configuration.md."""
    known_options = {option.key: option for option in options()}
    first = "\n".join(
        f"| `{key}` | {_default(known_options[key])} | {when} |" for key, when in FIRST.items()
    )
    rows = "\n".join(_row(option) for option in options())
    known = "\n".join(_connector_row(one) for one in connectors())
    return f"""{NOTE}
# Configuration

Nothing has to be set. These five are the settings that people change:

| setting | default | change it when |
|---|---|---|
{first}

A setting has one name. Its spelling depends on where you give it:

| where | spelling |
|---|---|
| `--conf` of `spark-submit`, `spark-defaults.conf` | `spark.hadoop.repave.part.size` |
| a running session (`spark.conf.set`, `SET`), Hadoop's configuration | `repave.part.size` |
| one write | `.option("repave.part.size", "16m")` |
| Python: `configure_session`, `write_options` | `part_size=` |
| `repave submit`, `repave conf` | `--part-size` |

Spark copies `spark.hadoop.…` only when it starts. So Repave refuses a setting under that prefix \
that was given later.

## All settings

| conf | Python | default | range | what it does |
|---|---|---|---|---|
{rows}

{_switches()}

## The S3A connector

S3A is Hadoop's own, `org.apache.hadoop:hadoop-aws` in exactly the version of Spark's Hadoop. \
If one is installed, or named in `spark.jars`, `spark.jars.packages`, \
`spark.driver.extraClassPath` (`--driver-class-path`) or the variable `SPARK_DIST_CLASSPATH`, \
Repave uses that; `configure_session` also looks into `PYSPARK_SUBMIT_ARGS`. Otherwise \
`configure_session` lets Spark download it from Maven, with the modules of the AWS SDK that it \
calls instead of the bundle of 500 MB. \
`connector="packages"` always downloads it, `connector=None` never does.

| Hadoop | Spark | jars |
|---|---|---|
{known}
"""


def cli_page() -> str:
    """Return docs/cli.md."""
    return f"""{NOTE}
# The command line

`status`, `history`, `manifest`, `files`, `order`, `costs`, `report`, `symlinks` and `doctor` \
read with boto3 and need no Spark. `recover`, `vacuum`, `rollback`, `drop-partitions`, `adopt`, \
`repair`, `cancel`, `follow` and `sync` change the table, so they run in a JVM: `spark-submit` of \
`SPARK_HOME`, of the installed pyspark or of the `PATH` starts it, without a Spark session. \
`--json` prints one document, see [json.md](json.md); an error is a document too.

`conf` and `submit` also take the settings of [configuration.md](configuration.md#all-settings) \
as flags, such as `--part-size 16m`. They refuse `--token`, which names one write: name the job's \
run by `--run`. They also refuse values that every write would refuse.

| exit code | meaning |
|---|---|
| 0 | all is well |
| 1 | a problem was found, or the command failed; the message says what is true now |
| 2 | the command or a setting cannot work; nothing was done |
| 3 | a commit is unfinished: its job is running, or has died and `repave recover` finishes it |

`status --recursive` and `recover --all` are for monitoring. They exit with 2 when they could not \
check the tables, so that 1 always means that a table needs attention, see \
[monitoring.md](monitoring.md).

{_sections(COMMANDS)}
# In a clone of the project

`pip install -e . -e 'lab[servers]'` in a clone adds these commands. No wheel has them. `demo` \
also needs PySpark, pyarrow and DuckDB; `make venv` installs everything.

{_sections(LAB_COMMANDS)}"""


def _sections(names: Iterable[str]) -> str:
    return "\n".join(f"## repave {name}\n\n```text\n{_help(name)}\n```\n" for name in sorted(names))


def main() -> None:
    """Write everything; the options first, because the page shows them."""
    OPTIONS.write_text(options_json(), "utf-8")
    options.cache_clear()
    STORE_CHECKS.write_text(store_checks_json(), "utf-8")
    PRICES.write_text(prices_json(), "utf-8")
    TEMPORARY.write_text(temporary(), "utf-8")
    TABLE_FORMATS.write_text(table_formats(), "utf-8")
    KEYWORDS.write_text(keywords(), "utf-8")
    SHAPES.write_text(shapes_module(ROOT / "contract/records"), "utf-8")
    RELEASE.write_text(release(), "utf-8")
    CONFIGURATION.write_text(configuration_page(), "utf-8")
    CLI.write_text(cli_page(), "utf-8")
    PYTHON.write_text(python_page(), "utf-8")


def _row(option: Option) -> str:
    default, bounds = _default(option), option.range or "–"
    return f"| `{option.key}` | `{option.name}` | {default} | {bounds} | {option.text} |"


def _default(option: Option) -> str:
    return f"`{option.default}`" if option.default else "–"


def _connector_row(one: Connector) -> str:
    return f"| {one.hadoop} | {', '.join(one.spark)} | {len(one.packages)} |"


def _context() -> click.Context:
    return click.Context(commands, info_name="repave", max_content_width=100, terminal_width=100)


def _help(name: str) -> str:
    command = commands.get_command(_context(), name)
    if command is None:
        message = f"{name} is no command."
        raise SystemExit(message)
    command = copy(command)
    if name in TAKE_SETTINGS:
        settings = {option.flag for option in options()}
        command.params = [one for one in command.params if settings.isdisjoint(one.opts)]
    context = click.Context(command, info_name=name, parent=_context(), terminal_width=100)
    lines = command.get_help(context).splitlines()
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    main()
