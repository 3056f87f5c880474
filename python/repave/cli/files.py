"""`repave files`: the files of one version, for readers without Spark."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from repave._figures import counted, size
from repave._schemas import SchemaPlaces, file_document
from repave._snapshot.opening import snapshot
from repave._snapshot.snapshot import Snapshot
from repave.cli.answer import json_option, on_terminal, print_json, rows, rows_of, visible
from repave.cli.store import store_options, version_options

if TYPE_CHECKING:
    from repave._records import DataFile


@click.command()
@store_options
@version_options
@click.option("--uris", "as_uris", is_flag=True, help="Print nothing but the files' URIs.")
@click.option(
    "--unrecorded",
    type=click.Choice(["refuse", "ignore"]),
    default="refuse",
    show_default=True,
    help="What to do about data files of other writers in a listing table.",
)
@json_option
def files(  # noqa: PLR0913, PLR0917 - click passes them
    table: str,
    endpoint_url: str | None,
    profile: str | None,
    version: int | None,
    as_of: str | None,
    as_uris: bool,  # noqa: FBT001 - click passes it
    unrecorded: str,
    as_json: bool,  # noqa: FBT001 - click passes it
) -> None:
    """List the files of one version.

    A listing table keeps only the files of its newest version.
    """
    found = snapshot(
        table,
        version,
        as_of,
        profile=profile,
        endpoint_url=endpoint_url,
        unrecorded="ignore" if unrecorded == "ignore" else "refuse",
    )
    if as_json:
        print_json(_document(found))
    elif as_uris:
        # A program that reads them needs every URI as it is.
        shown = visible if on_terminal() else str
        for uri in found.uris():
            click.echo(shown(uri))
    else:
        _show(found)


def _document(found: Snapshot) -> dict[str, object]:
    partitions: dict[str, list[DataFile]] = {}
    for file in found.files:
        partitions.setdefault(file.partition, []).append(file)
    places = SchemaPlaces()
    return {
        "version": found.version,
        "partitions": [
            {
                "partition": partition,
                "files": [file_document(asdict(one), places) for one in inside],
            }
            for partition, inside in partitions.items()
        ],
        **places.document(),
    }


def _show(found: Snapshot) -> None:
    total = sum(file.bytes for file in found.files)
    click.echo(
        f"Version {found.version}: {counted(len(found.files), 'file')} "
        f"({size(total)}{rows(rows_of(found.files))})."
    )
    for file in found.files:
        click.echo(f"{visible(file.path)}  {size(file.bytes)}{rows(file.rows)}")
