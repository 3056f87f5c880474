"""`repave report`: one page about a table."""

from datetime import datetime, timezone
from pathlib import Path

import click

from repave._bucket import BucketObjects, client
from repave._costs import Prices
from repave._errors import UsageError
from repave._figures import counted
from repave._location import Location
from repave._report.gathering import gather
from repave._report.page import html_page
from repave._retention import vacuum_retention
from repave.cli.store import retention_option, store_options


@click.command()
@store_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    required=True,
    help="Where to write the page, such as report.html; - is standard output.",
)
@click.option(
    "--prices",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A price list, as for `repave costs`.",
)
@retention_option
def report(
    table: str,
    endpoint_url: str | None,
    profile: str | None,
    output: Path,
    prices: Path | None,
    retention: str | None,
) -> None:
    """Write one HTML page about a table.

    It shows the commits with their rows in and out, partitions by size and by
    small files, requests and dollars of each job, storage, and unfinished
    commits with the command that finishes them. The page needs no network.
    It reads three records for each of the newest 10,000 jobs, and lists the
    table's folder.
    """
    now = datetime.now(timezone.utc)
    found = gather(
        BucketObjects(client(endpoint_url, profile)),
        Location.of(table),
        Prices() if prices is None else Prices.read(prices),
        vacuum_retention(retention, now),
        now,
    )
    page = html_page(found)
    if str(output) == "-":
        click.echo(page, nl=False)
        return
    try:
        output.write_text(page, "utf-8")
    except OSError as error:
        message = f"The page cannot be written: {error}. Choose another file with --output."
        raise UsageError(message) from None
    click.echo(f"Wrote {output}: version {found.version}, {counted(len(found.jobs), 'job')}.")
