"""`repave order`: whether the rows of a table's files are sorted."""

import click

from repave._figures import counted, number
from repave._order_report import IN_ORDER, OrderReport, verify_order
from repave.cli.answer import json_option, print_json, visible
from repave.cli.exit_codes import PROBLEM
from repave.cli.store import store_options

SHOWN = 20


@click.command()
@store_options
@click.option("--by", metavar="ORDER", help="Such as 'id, ts desc'; by default the records' order.")
@click.option("--prove", is_flag=True, help="Read the columns of the order, row by row.")
@json_option
@click.pass_context
def order(
    ctx: click.Context,
    table: str,
    endpoint_url: str | None,
    profile: str | None,
    by: str | None,
    prove: bool,  # noqa: FBT001 - click passes it
    as_json: bool,  # noqa: FBT001 - click passes it
) -> None:
    """Show whether the rows of each file are sorted.

    The records hold the order of each file's pages; --prove reads all rows of Parquet
    files with pyarrow. Exits with 1 if rows of a file are not in order, or if --prove
    cannot read a file. A file whose order is unknown does not count as a problem.
    """
    report = verify_order(table, by, prove=prove, profile=profile, endpoint_url=endpoint_url)
    if as_json:
        print_json(report.document())
    else:
        _show(report)
    if report.disordered or report.unreadable:
        ctx.exit(PROBLEM)


def _show(report: OrderReport) -> None:
    click.echo(
        f"Version {report.version}, order {visible(report.order)}, by {report.by}: "
        f"{counted(report.count(IN_ORDER), 'file')} in order, "
        f"{number(len(report.disordered))} not in order, {number(len(report.unknown))} unknown"
        + (f", {number(len(report.unreadable))} unreadable." if report.unreadable else ".")
    )
    files = (*report.disordered, *report.unreadable, *report.unknown)
    for file in files[:SHOWN]:
        click.echo(f"{visible(file.path)}  {file.state}: {visible(file.detail)}")
    if len(files) > SHOWN:
        click.echo(f"{number(len(files) - SHOWN)} more; --json has all.")
    if report.unknown and report.by == "pages":
        click.echo("--prove reads the rows of all files.")
