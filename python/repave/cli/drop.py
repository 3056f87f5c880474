"""The command that drops whole partitions."""

# ruff: noqa: ANN401 - click passes what the options say

from typing import Any

import click

from repave._drop import PartitionDrop, column_and_value, require_choice
from repave._figures import counted
from repave.cli.answer import files_and_bytes, json_option, print_json, print_sizes, visible
from repave.cli.change import change_options, run_in_jvm


@click.command("drop-partitions")
@change_options
@click.argument("partitions", nargs=-1)
@click.option(
    "--before",
    metavar="COLUMN=VALUE",
    help="Drop every partition whose value of this column is before this one.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be dropped.")
@json_option
def drop_partitions(
    table: str,
    partitions: tuple[str, ...],
    before: str | None,
    dry_run: bool,  # noqa: FBT001 - click passes it
    as_json: bool,  # noqa: FBT001 - click passes it
    **store: Any,
) -> None:
    """Drop whole partitions, as a new version.

    PARTITIONS are names of folders, such as dt=2025-01-01 or
    dt=2025-01-01/country=de. A name includes all folders inside it.

    With --before, whole numbers compare as numbers and all other values as
    text, so dates need the form 2025-01-01. A partition of nulls stays.

    On a snapshot table `repave rollback` restores the rows until vacuum deletes
    the files. On a listing table the files are deleted at once.
    """
    require_choice(partitions, before)
    words = ["before", *column_and_value(before)] if before is not None else [*partitions]
    dry = ["--dry-run"] if dry_run else []
    document = run_in_jvm("drop-partitions", table, store, *dry, *words)
    if as_json:
        print_json(document)
        return
    _tell(PartitionDrop.of(document))


def _tell(found: PartitionDrop) -> None:
    filled = found.filled
    if not filled:
        click.echo(f"No such partition has files. The table stays at version {found.version}.")
        return
    total = files_and_bytes(sum(one.files for one in filled), sum(one.bytes for one in filled))
    count = counted(len(filled), "partition")
    if found.dry_run:
        click.echo(f"Would drop {count} of version {found.version}, {total}:")
    else:
        click.echo(f"Version {found.version} is without {count}, {total}:")
    print_sizes(filled)
    for one in found.partitions:
        if not one.files:
            click.echo(f"{visible(one.partition)} has no files.")
