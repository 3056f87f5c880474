"""`repave doctor`: checks a store and a table."""

from collections.abc import Iterator
from dataclasses import asdict

import click

from repave._bucket import client
from repave._doctor import Doctor
from repave._findings import Finding
from repave._location import Location
from repave._store_errors import store_errors
from repave.cli.answer import console, json_option, plain, print_json
from repave.cli.exit_codes import PROBLEM
from repave.cli.store import store_options

MARKS = {
    "ok": "[green]ok     [/]",
    "warning": "[yellow]warning[/]",
    "problem": "[bold red]PROBLEM[/]",
}


@click.command(short_help="Check a table's store, permissions and surroundings.")
@store_options
@click.option("--read-only", is_flag=True, help="Write no probe under the table's _repave/.")
@json_option
@click.pass_context
def doctor(
    ctx: click.Context,
    table: str,
    endpoint_url: str | None,
    profile: str | None,
    read_only: bool,  # noqa: FBT001 - click passes it
    as_json: bool,  # noqa: FBT001 - click passes it
) -> None:
    """Check the store, the permissions and the surroundings of a table.

    Exits with 1 if a problem was found.
    """
    location = Location.of(table)
    one = Doctor(client(endpoint_url, profile), location)
    findings = []
    with store_errors(location):
        for finding in _examine(one, read_only=read_only):
            findings.append(finding)
            if not as_json:
                _show(finding)
    if as_json:
        print_json([asdict(finding) for finding in findings])
    if any(finding.level == "problem" for finding in findings):
        ctx.exit(PROBLEM)


def _examine(one: Doctor, *, read_only: bool) -> Iterator[Finding]:
    listed = False
    for finding in one.look():
        listed = listed or finding.level == "ok"
        yield finding
    if listed and not read_only:
        yield from one.try_out()


def _show(finding: Finding) -> None:
    console().print(f"{MARKS[finding.level]} {plain(finding.text)}", soft_wrap=True)
    if finding.fix:
        console().print(f"        [dim]->[/] {plain(finding.fix)}", soft_wrap=True)
