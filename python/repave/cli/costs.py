"""`repave costs`: the requests and dollars of a table's jobs."""

from datetime import timedelta
from pathlib import Path

import click

from repave._costs import KINDS, Costs, Prices
from repave._costs import costs as costs_of_path
from repave._errors import UsageError
from repave._figures import counted, number, utc
from repave._location import Location
from repave._storage import Storage, storage
from repave.cli.answer import json_option, plain, print_json, print_table
from repave.cli.answer import table as grid_of
from repave.cli.fleet import duration_of
from repave.cli.look import exit_without_table
from repave.cli.store import open_objects, retention_option, store_options

SHOWN = 20


@click.command()
@store_options
@click.option(
    "--since",
    type=duration_of,
    metavar="AGE",
    help="Only jobs that are younger than this, such as 30d.",
)
@click.option(
    "--prices",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Dollars for 1,000 requests and for a GB in a month, by default S3 Standard in us-east-1: "
    '{"writes": 0.005, "reads": 0.0004, "storage": 0.023}.',
)
@click.option(
    "--storage",
    "with_storage",
    is_flag=True,
    help="List the table's folder, too: bytes by kind (live, retained, unfinished, orphaned, "
    "unrecorded, records), and what vacuum frees.",
)
@retention_option
@json_option
@click.pass_context
def costs(  # noqa: PLR0913, PLR0917 - click passes them
    ctx: click.Context,
    /,
    table: str,
    endpoint_url: str | None,
    profile: str | None,
    since: timedelta | None,
    prices: Path | None,
    with_storage: bool,  # noqa: FBT001 - click passes it
    retention: str | None,
    as_json: bool,  # noqa: FBT001 - click passes it
) -> None:
    """Show the requests and dollars of each job.

    They come from the table's records: the requests of the job's tasks and of
    its commit, and Spark's own looks at the folder. Answers of 500 and above are
    not counted, because S3 does not bill them. The project's docs/json.md says
    what else is missing.

    Exits with 1 if there is no table.
    """
    if retention is not None and not with_storage:
        message = "--retention needs --storage."
        raise UsageError(message)
    listed = Prices() if prices is None else Prices.read(prices)
    store = {"profile": profile, "endpoint_url": endpoint_url}
    nothing = Costs(str(Location.of(table)), ()).document()
    exit_without_table(ctx, open_objects(endpoint_url, profile), Location.of(table), nothing)
    found = costs_of_path(table, since, prices=listed, **store)
    stored = storage(table, retention=retention, **store) if with_storage else None
    if as_json:
        kept = {} if stored is None else {"storage": stored.document()}
        print_json({**found.document(), **kept})
        return
    _show(found)
    if stored is not None:
        _show_storage(stored, listed)


def _show(found: Costs) -> None:
    kinds = [kind for kind in KINDS if kind in found.requests]
    counts = (*kinds, "dollars")
    grid = grid_of("version", "began", "kind", *counts, numbers=("version", *counts))
    for job in found.jobs[:SHOWN]:
        requests = job.requests
        grid.add_row(
            str(job.version),
            utc(job.began),
            plain(job.kind),
            *(number(None if requests is None else requests.get(kind, 0)) for kind in kinds),
            "–" if job.dollars is None else f"{job.dollars:.4f}",
        )
    print_table(grid)
    if len(found.jobs) > SHOWN:
        click.echo(f"The newest {SHOWN} of {number(len(found.jobs))} jobs; --json has all.")
    total = sum(found.requests.values())
    known = len(found.jobs) - found.unknown
    click.echo(f"{counted(known, 'job')}, {counted(total, 'request')}, about ${found.dollars:.4f}.")
    if found.unknown:
        are, their = ("is", "its") if found.unknown == 1 else ("are", "their")
        more = counted(found.unknown, "more job")
        click.echo(f"{more} {are} not finished, or {their} records were removed.")


def _show_storage(stored: Storage, prices: Prices) -> None:
    counts = ("files", "bytes", "dollars a month")
    grid = grid_of("kind", *counts, numbers=counts)
    for kind, amount in stored.document().items():
        if kind != "freed":
            price = prices.dollars_a_month(amount["bytes"])
            grid.add_row(kind, number(amount["files"]), number(amount["bytes"]), f"{price:.4f}")
    print_table(grid)
    freed = stored.freed
    click.echo(
        f"Vacuum would free {counted(freed.bytes, 'byte')} in {counted(freed.files, 'file')}."
    )
