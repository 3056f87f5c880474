"""`repave submit`: spark-submit, with Repave switched on."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from repave._conf import extensions_conf, spark_conf
from repave._conf_lists import join_lists
from repave._connector import connector_for_spark
from repave._defaults import spark_defaults
from repave._errors import UsageError
from repave._launch import JARS_KEY
from repave._options import options
from repave._session import beside, connector_conf
from repave._spark_home import find_java, find_spark
from repave._spark_submit import Submission
from repave._submit_options import is_setting, refuse_dropped, refuse_in_file
from repave.cli.setup import committer_options


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    options_metavar="[OPTIONS]",
)
@click.option("--jar", "jar", metavar="URI", help="The jar's location on the cluster.")
@click.option(
    "--connector",
    metavar="SPARK",
    default="auto",
    help="The S3A connector: of this Spark release, `none`, or by default the one that fits the "
    "installed Spark if there is none.",
)
@click.option("--rdd-saves", is_flag=True, help="Commit what RDDs save, too.")
@click.option("--dry-run", is_flag=True, help="Print the command line and start nothing.")
@click.argument("words", metavar="SPARK-SUBMIT-ARGUMENTS", nargs=-1, type=click.UNPROCESSED)
@committer_options
def submit(
    words: tuple[str, ...],
    jar: str | None,
    connector: str,
    rdd_saves: bool,  # noqa: FBT001 - click passes it
    dry_run: bool,  # noqa: FBT001 - click passes it
    **chosen: Any,  # noqa: ANN401 - what click passes
) -> None:
    """Run spark-submit with Repave switched on.

    Takes what spark-submit takes, after Repave's own options. Lists are joined
    with what Repave needs, also when they are given several times: --jars,
    --packages, --exclude-packages, and spark.sql.extensions among --conf. You may
    also give --jars, --packages and --exclude-packages after the script's name.
    Arguments after `--` go to the script.

    \b
        repave submit --run "$RUN" --jars x.jar job.py 2026-11-22
    """  # noqa: D301 - click's mark that keeps the lines apart
    given = {name: value for name, value in chosen.items() if value is not None}
    home = find_spark(os.environ)
    find_java(os.environ)
    submission = Submission.of(words)
    _refuse_late_options(submission)
    wanted = spark_conf(jar=jar, connector=None, rdd_saves=rdd_saves, **given)
    wanted |= extensions_conf({})
    conf = _joined_conf(submission, wanted, connector, home)
    line = [str(home / "bin" / "spark-submit"), *submission.words(conf)]
    if dry_run:
        click.echo(shlex.join(line))
        return
    # In place of this process: signals and the exit code are spark-submit's own.
    os.execv(line[0], line)  # noqa: S606 - no shell is wanted


def _joined_conf(
    submission: Submission, wanted: Mapping[str, str], connector: str, home: Path
) -> dict[str, str]:
    own = submission.conf()
    # Other keys are the user's affair: Spark warns of them.
    for key in filter(is_setting, own):
        refuse_dropped(key)
    site = submission.site(spark_defaults({**os.environ, "SPARK_HOME": str(home)}))
    for key in filter(is_setting, site):
        refuse_in_file(key)
    present = {**site, **own, **submission.class_path()}
    scalars = beside(present, wanted)
    if connector in ("auto", "none"):
        fetched = connector_conf("auto" if connector == "auto" else None, present, home)
    else:
        fetched = connector_for_spark(connector).conf()
    lists = join_lists(present, {JARS_KEY: wanted[JARS_KEY], **fetched}, {})
    return {**own, **scalars, **lists}


def _refuse_late_options(submission: Submission) -> None:
    ours = {option.flag for option in options()} | {
        "--jar",
        "--connector",
        "--rdd-saves",
        "--dry-run",
    }
    for option in submission.options:
        if option[0] in ours:
            message = (
                f"{option[0]} is an option of Repave's: write it before those of spark-submit, "
                f"right after `repave submit`."
            )
            raise UsageError(message)
