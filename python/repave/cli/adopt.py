"""`repave adopt`: records the files that are in a table's folder."""

# ruff: noqa: ANN401 - click passes what the options say

from typing import Any

import click

from repave._adoption import Adoption
from repave._figures import counted, number
from repave.cli.answer import files_and_bytes, json_option, print_json, print_sizes, visible
from repave.cli.change import change_options, run_in_jvm


@click.command()
@change_options
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only show what would be recorded. Files that an unfinished commit has yet to delete "
    "count too: run `repave recover` before.",
)
@json_option
def adopt(
    table: str,
    dry_run: bool,  # noqa: FBT001 - click passes it
    as_json: bool,  # noqa: FBT001 - click passes it
    **store: Any,
) -> None:
    """Record the files that are in the table, as a new version.

    Use it for a table that existed before Repave, and after a catalog's TRUNCATE
    or DROP PARTITION has deleted files. If you pass the path of a partition, the
    whole table is adopted, and the answer names it. It refuses snapshot
    tables.
    """
    document = run_in_jvm("adopt", table, store, *(["--dry-run"] if dry_run else []))
    if as_json:
        print_json(document)
        return
    found = Adoption.of(document)
    if found.dry_run:
        _preview(found)
        return
    click.echo(
        f"{visible(found.table)}: version {found.version} names the files in the table. Added: "
        f"{files_and_bytes(found.files, found.bytes)}. No longer there: {number(found.gone)}."
    )


def _preview(found: Adoption) -> None:
    now = f"at version {number(found.version)}" if found.version else "without a version"
    click.echo(
        f"{visible(found.table)}, {now}. Would add: {files_and_bytes(found.files, found.bytes)} "
        f"in {counted(len(found.partitions), 'folder')}. No longer there: {number(found.gone)}."
    )
    print_sizes(found.partitions)
