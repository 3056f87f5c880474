"""`repave adopt`: records the files that are in a table's folder."""

# ruff: noqa: ANN401 - click passes what the options say

from typing import Any

import click

from repave._adoption import AdoptionPreview, preview_adoption
from repave._figures import counted, number, size
from repave._location import Location
from repave._records import Adoption
from repave.cli.answer import json_option, plain, print_json
from repave.cli.change import change_options, run_in_jvm
from repave.cli.store import open_objects

SHOWN = 20


@click.command()
@change_options
@click.option("--dry-run", is_flag=True, help="Only show what would be recorded.")
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
    whole table is adopted, and the answer names it.

    --dry-run lists the folder and needs no Spark.
    """
    if dry_run:
        objects = open_objects(store["endpoint_url"], store["profile"])
        preview = preview_adoption(objects, Location.of(table))
        if as_json:
            print_json(preview.document())
        else:
            _show(preview)
        return
    document = run_in_jvm("adopt", table, store)
    if as_json:
        print_json(document)
        return
    found = Adoption.of(document)
    click.echo(
        f"{plain(found.table)}: version {found.version} names the files in the table. Added: "
        f"{counted(found.files, 'file')} ({size(found.bytes)}). No longer there: "
        f"{number(found.gone)}."
    )


def _show(preview: AdoptionPreview) -> None:
    now = f"at version {number(preview.version)}" if preview.version else "without a version"
    click.echo(
        f"{plain(preview.table)}, {now}. Would add: {counted(preview.files, 'file')} "
        f"({size(preview.bytes)}) in {counted(len(preview.added), 'folder')}. No longer there: "
        f"{number(preview.gone)}."
    )
    for folder, one in list(preview.added.items())[:SHOWN]:
        shown = plain(folder) or "(the table's folder)"
        click.echo(f"  {shown}: {counted(one.files, 'file')} ({size(one.bytes)})")
    if len(preview.added) > SHOWN:
        click.echo(f"  and {counted(len(preview.added) - SHOWN, 'more folder')}")
