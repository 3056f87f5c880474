"""`repave symlinks`: makes a table's symlink manifests known to an engine."""

import click

from repave._aws import credential_errors
from repave._dialects import dialect_of
from repave._errors import UsageError
from repave._figures import number
from repave._glue import GlueTable, glue_client
from repave._glue_symlinks import register
from repave._location import Location
from repave._snapshot.opening import snapshot
from repave._symlinks import ENGINES, SymlinkTable
from repave.cli.answer import print_statement
from repave.cli.store import open_records, store_options


@click.command()
@store_options
@click.option("--ddl", type=click.Choice(sorted(ENGINES)), help="Print statements for an engine.")
@click.option("--name", metavar="NAME", help="The table's name in the statements.")
@click.option("--columns", metavar="DDL", help="The files' columns, as 'id bigint, note string'.")
@click.option("--glue", metavar="DATABASE.TABLE", help="Register the table in Glue.")
def symlinks(
    table: str,
    endpoint_url: str | None,
    profile: str | None,
    ddl: str | None,
    name: str | None,
    columns: str | None,
    glue: str | None,
) -> None:
    """Make the symlink manifests of a table known to an engine.

    `repave follow --symlink` writes the manifests. With --ddl this prints the
    statements that create the table and add its partitions. With --glue it
    registers both in the Glue Data Catalog; run it again for new partitions.
    """
    if bool(ddl) == bool(glue):
        message = "Give either --ddl or --glue."
        raise click.UsageError(message)
    status = open_records(table, endpoint_url, profile).status()
    if not any(one["follower"] == "symlink" for one in status.get("followers", ())):
        message = f"{table} has no symlink manifests. First run: repave follow {table} --symlink"
        raise UsageError(message)
    found = snapshot(table, profile=profile, endpoint_url=endpoint_url, unrecorded="ignore")
    described = SymlinkTable.of(found, columns)
    if ddl:
        for statement in described.statements(ddl, name or _name_of(table, ddl)):
            print_statement(f"{statement};")
        return
    assert glue is not None  # noqa: S101 - one of both is given
    with credential_errors():
        changed = register(GlueTable(glue_client(profile), glue), described)
    click.echo(f"{glue} is registered: partitions added or changed: {number(changed)}.")


def _name_of(table: str, engine: str) -> str:
    folder = Location.of(table).key.rpartition("/")[2]
    if not folder:
        message = f"{table} has no folder whose name the statements could use: pass --name."
        raise UsageError(message)
    return dialect_of(engine).table(folder)
