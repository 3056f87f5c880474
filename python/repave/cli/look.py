"""`repave status`, `history` and `manifest`: read with boto3, without Spark."""

# ruff: noqa: ANN401 - click passes what the options say

import sys
from typing import Any

import click

from repave._bucket import BucketObjects
from repave._errors import UsageError
from repave._figures import counted, number, size, utc
from repave._follow import advice
from repave._location import RECORDS, Location
from repave._read import NEWEST, TableRecords
from repave._records import HistoryEntry, Manifest, PartitionChange, Status
from repave._snapshot.publication import moment, version_at
from repave._walk import head_is_missing
from repave.cli.answer import (
    AS_JSON,
    json_option,
    plain,
    print_json,
    print_table,
    rows,
    rows_of,
    table,
    visible,
)
from repave.cli.exit_codes import PROBLEM, UNFINISHED
from repave.cli.fleet import duration_of, older_than_option, refuse_fleet_options, show_fleet
from repave.cli.store import open_objects, store_options, version_options


@click.command(short_help="Show the table's version and its unfinished commits.")
@store_options
@click.option("--recursive", is_flag=True, help="Show every table below s3://BUCKET/FOLDER.")
@older_than_option("With --recursive: ignore unfinished commits that are younger than this")
@click.option(
    "--max-lag",
    type=duration_of,
    metavar="DURATION",
    help="With --recursive: a table needs attention if its newest commit is older, such as 25h.",
)
@json_option
@click.pass_context
def status(ctx: click.Context, /, table: str, as_json: bool, **how: Any) -> None:  # noqa: FBT001
    """Show the table's version and the commits that are not finished.

    Exits with 3 if there is such a commit: its job is still committing, or has died.
    Exits with 1 if there is no table, so that a wrong path does not look like a
    healthy table. A follower that is behind does not change the exit code.

    A commit is pending (decided, its files are not published), cleaning
    (published, deleting the files that it replaced) or reverting (deleting its
    own files); `decided` is when its job decided to commit.

    With --recursive it looks for tables below a folder, without listing their
    files. It exits with 0 if all is well, 1 if a table needs attention, and 2
    if the command cannot work or S3 does not answer.
    """
    if how["recursive"]:
        show_fleet(ctx, Location.of(table), how)
        return
    refuse_fleet_options(how, "--recursive")
    objects = open_objects(how["endpoint_url"], how["profile"])
    records = TableRecords(objects, Location.of(table))
    document = records.status()
    if as_json:
        print_json(document)
    elif document["table-id"]:
        _show_status(Status.of(document))
    else:
        _show_unknown(objects, records)
    if document["active"]:
        ctx.exit(UNFINISHED)
    if not document["table-id"]:
        ctx.exit(PROBLEM)


@click.command(short_help="List the table's commits, unfinished ones first.")
@store_options
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many commits to show, with --json too.",
)
@json_option
@click.pass_context
def history(
    ctx: click.Context,
    /,
    table: str,
    endpoint_url: str | None,
    profile: str | None,
    limit: int,
    as_json: bool,  # noqa: FBT001 - click passes it
) -> None:
    """List the table's commits: first the unfinished ones, then the newest.

    Exits with 1 if there is no table.
    """
    objects = open_objects(endpoint_url, profile)
    records = TableRecords(objects, Location.of(table))
    found = list(records.history(min(limit, sys.maxsize - 1) + 1))
    documents, more = found[:limit], len(found) > limit
    if not documents:
        exit_without_table(ctx, objects, records.table, documents)
    if as_json:
        print_json(documents)
    elif documents:
        _show_history([HistoryEntry.of(document) for document in documents])
        if more:
            click.echo("Older commits are not shown: --limit says how many are.")
    else:
        click.echo(f"{records.table}: no version has been published yet.")


@click.command()
@store_options
@version_options
@click.option("--files", "by_file", is_flag=True, help="List every file.")
@json_option
def manifest(
    table: str,
    endpoint_url: str | None,
    profile: str | None,
    version: int | None,
    as_of: str | None,
    by_file: bool,  # noqa: FBT001 - click passes it
    as_json: bool,  # noqa: FBT001 - click passes it
) -> None:
    """Show what one version's commit did."""
    if version is not None and as_of is not None:
        message = "Pass --version or --as-of, not both."
        raise UsageError(message)
    objects = open_objects(endpoint_url, profile)
    records = TableRecords(objects, Location.of(table))
    if as_of is not None:
        version = version_at(records, objects, records.head(), moment(as_of))
    document = records.manifest(NEWEST if version is None else version)
    if as_json:
        print_json(document)
        return
    found = Manifest.of(document)
    click.echo(
        f"Version {found.version}, {found.kind}, commit {visible(found.commit)}: "
        f"{counted(found.files_in, 'file')} in ({size(found.bytes_in)}{rows(found.rows_in)}), "
        f"{number(found.files_out)} out ({size(found.bytes_out)}{rows(found.rows_out)}), "
        f"{number(found.files_adopted)} adopted."
    )
    if by_file:
        _show_files(found.partitions)
    else:
        _show_partitions(found.partitions)


def exit_without_table(
    ctx: click.Context, objects: BucketObjects, place: Location, nothing: Any
) -> None:
    """Exit with 1 if there is no table, so that a wrong path does not look like one in order.

    Args:
        ctx: of the command.
        objects: of the store.
        place: where the table should be.
        nothing: the document of a table that has nothing to show.
    """
    records = TableRecords(objects, place)
    if records.status()["table-id"]:
        return
    if ctx.find_root().meta.get(AS_JSON):
        print_json(nothing)
    else:
        _show_unknown(objects, records)
    ctx.exit(PROBLEM)


def _show_unknown(objects: BucketObjects, records: TableRecords) -> None:
    """Tell that a folder is no table, and which one it is in: 1 LIST."""
    table = records.table
    if next(objects.listed(table.under(RECORDS)), None) is not None:
        click.echo(f"{table}: {head_is_missing()}")
        return
    click.echo(f"{table}: there is no Repave table here: the folder has no records in _repave/.")
    above = records.enclosing()
    if above is None:
        click.echo(
            "Check the path: `repave status --recursive` lists the tables below a folder. A table "
            "has records from its first commit on."
        )
    else:
        click.echo(f"It is inside the table {above}, which Repave writes: use that table.")


def _show_status(found: Status) -> None:
    click.echo(f"{found.table}: version {found.version}, readers={visible(found.readers)}.")
    for each in found.followers:
        call = advice(each.follower, "run `repave sync`")
        behind = f", {number(each.behind)} behind: {call}" if each.behind else ""
        click.echo(f"Followed by {visible(each.called)}: version {each.version}{behind}.")
    if not found.active:
        click.echo("No commit is unfinished.")
        return
    grid = table("commit", "kind", "state", "decided", "token")
    for one in found.active:
        words = (one.commit, one.kind, one.state, utc(one.reserved), one.token)
        grid.add_row(*(plain(word) for word in words))
    print_table(grid)
    click.echo("If its job has died, `repave recover` finishes it.")


def _show_history(entries: list[HistoryEntry]) -> None:
    counts = ("partitions", "files in", "bytes in", "rows in", "files out", "rows out")
    grid = table(
        "version",
        "commit",
        "published",
        "kind",
        "state",
        *counts,
        "token",
        numbers=("version", *counts),
    )
    for entry in entries:
        grid.add_row(
            str(entry.version or "–"),
            plain(entry.commit),
            utc(entry.published) if entry.published else "–",
            plain(entry.kind),
            plain(entry.state),
            number(entry.partitions),
            number(entry.files_in),
            size(entry.bytes_in),
            number(entry.rows_in),
            number(entry.files_out),
            number(entry.rows_out),
            plain(entry.token),
        )
    print_table(grid)


def _show_partitions(partitions: tuple[PartitionChange, ...]) -> None:
    counts = ("files in", "bytes in", "rows in", "files out", "rows out", "adopted")
    grid = table("partition", *counts, numbers=counts)
    for one in partitions:
        grid.add_row(
            plain(one.partition) or "(table)",
            number(len(one.added)),
            size(sum(file.bytes for file in one.added)),
            number(rows_of(one.added)),
            number(len(one.removed)),
            number(rows_of(one.removed)),
            number(len(one.adopted)),
        )
    print_table(grid)


def _show_files(partitions: tuple[PartitionChange, ...]) -> None:
    for one in partitions:
        for mark, files in (("+", one.added), ("-", one.removed), ("=", one.adopted)):
            for file in files:
                click.echo(f"{mark} {visible(file.path)}  {size(file.bytes)}{rows(file.rows)}")
