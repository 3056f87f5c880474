"""`repave status --recursive` and `repave recover --all`: every table below a folder."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import Any

import click

from repave._bucket import client
from repave._catalog import catalog_statements, readers_of
from repave._errors import BY_JAVA_NAME, RepaveError, UsageError
from repave._figures import counted, number
from repave._fleet import OLDER_THAN, Limits, TableHealth, duration
from repave._jar_command import prepare
from repave._location import Location
from repave._options import FORMS, UNITS
from repave._records import EPOCH, Recovery
from repave._walk import TableWalk
from repave.cli.answer import (
    AS_JSON,
    plain,
    print_error,
    print_json,
    print_statement,
    print_table,
    table,
    visible,
)
from repave.cli.exit_codes import PROBLEM, USAGE
from repave.cli.store import own_conf

Document = dict[str, Any]

# Tables of one JVM: their paths are on its command line.
TABLES_OF_A_JVM = 100


def duration_of(value: str) -> timedelta:
    """Read a duration such as 90s, 10m or 25h.

    Raises:
        BadParameter: it is none.
    """
    match = FORMS["duration"].fullmatch(value)
    if match is None:
        message = f"{value} is not a duration such as 90s, 10m or 25h."
        raise click.BadParameter(message)
    digits, unit = match.groups()
    try:
        return timedelta(milliseconds=int(digits) * UNITS["duration"][unit.lower()])
    except (OverflowError, ValueError):
        message = f"{value} is too long: a duration has at most {timedelta.max.days} days."
        raise click.BadParameter(message) from None


def older_than_option(effect: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the age from which on an unfinished commit needs attention."""
    return click.option(
        "--older-than",
        type=duration_of,
        metavar="DURATION",
        help=f"{effect}; {OLDER_THAN} by default.",
    )


def refuse_fleet_options(how: Document, flag: str) -> None:
    """Refuse options that are only for many tables.

    Raises:
        UsageError: one of them is set.
    """
    for name in ("older_than", "max_lag"):
        if how.get(name) is not None:
            message = f"--{name.replace('_', '-')} needs {flag}."
            raise UsageError(message)


def show_fleet(ctx: click.Context, below: Location, how: Document) -> None:
    """Show every table below a folder; exit with 1 if one needs attention."""
    with _failing_with_2(ctx):
        walk, limits = _walk(below, how), _limits(how)
        found = [TableHealth.of(*one, limits) for one in walk.tables()]
        _require_tables(len(found), walk, below)
    found.sort(key=lambda one: one.table)
    if _as_json(ctx):
        documents = [one.document() for one in found]
        print_json({"tables": documents, "requests": dict(walk.requests)})
    else:
        _show(found, walk.requests, below)
    if any(one.problems for one in found):
        ctx.exit(PROBLEM)


def recover_fleet(ctx: click.Context, below: Location, how: Document) -> None:
    """Recover every table below a folder that has a commit which has been unfinished too long."""
    with _failing_with_2(ctx):
        if how["name"]:
            message = "--name is the name of one table: leave it out with --all."
            raise UsageError(message)
        own = own_conf(how["conf"])
        walk, limits = _walk(below, how), _limits(how)
        stuck: list[Location] = []
        documents: list[Document] = []
        known: dict[str, tuple[Location, str]] = {}
        seen = 0
        for place, overview in walk.tables():
            seen += 1
            if isinstance(overview, RepaveError):
                code = overview.code
                documents.append({"table": str(place), "error": code, "message": str(overview)})
            elif TableHealth.of(place, overview, limits).is_stuck(limits):
                stuck.append(place)
                known[str(place)] = place, readers_of(overview)
        _require_tables(seen, walk, below)
        documents += _recovered(stuck, how, own)
    for one in documents:
        folders = [folder for commit in one.get("commits", ()) for folder in commit["partitions"]]
        place, readers = known.get(one["table"], (below, ""))
        one["statements"] = catalog_statements(place, folders, readers)
    if _as_json(ctx):
        print_json({"tables": documents, "requests": dict(walk.requests)})
    else:
        _tell(documents, seen, below)
    if any(map(_needs_attention, documents)):
        ctx.exit(PROBLEM)


def tell_statements(statements: list[str]) -> None:
    """Print the statements that make new partitions known to a catalog."""
    if statements:
        click.echo("If a catalog names this table, it may not know these partitions. Run in Spark:")
    for statement in statements:
        print_statement(f"  {statement}")


def _recovered(stuck: list[Location], how: Document, own: dict[str, str]) -> Iterator[Document]:
    if not stuck:
        return
    # All of them are below one folder.
    submit = prepare(stuck[0].bucket, how["endpoint_url"], how["profile"], {}, own)
    for start in range(0, len(stuck), TABLES_OF_A_JVM):
        some = stuck[start : start + TABLES_OF_A_JVM]
        paths = [str(one.with_scheme("s3a")) for one in some]
        try:
            documents = submit.run("recover-all", some[0], *paths[1:])
        except (RepaveError, OSError) as error:
            if not start:
                raise
            # What became of the tables before these must still be told.
            code = error.code if isinstance(error, RepaveError) else RepaveError.code
            failed = {"message": str(error), "error": code}
            yield from ({"table": str(one), **failed} for one in some)
            continue
        for place, document in zip(some, documents, strict=True):
            if "error" in document:
                document["error"] = BY_JAVA_NAME.get(document["error"], RepaveError).code
            yield {**document, "table": str(place)}


def _needs_attention(document: Document) -> bool:
    reverted = [one for one in document.get("commits", ()) if one["outcome"] == "reverted"]
    return "error" in document or bool(reverted)


def _walk(below: Location, how: Document) -> TableWalk:
    return TableWalk(client(how["endpoint_url"], how["profile"]), below)


def _require_tables(seen: int, walk: TableWalk, below: Location) -> None:
    """Refuse a folder without a table: a monitor of a wrong path must not say "well"."""
    if seen:
        return
    above = walk.enclosing()
    if above is None:
        message = f"There is no table below {below}: correct the path, or write a table there."
    else:
        message = f"{below} is inside the table {above}: use that table, or a folder above it."
    raise UsageError(message)


def _limits(how: Document) -> Limits:
    older_than = how["older_than"]
    if older_than is None:
        older_than = duration_of(OLDER_THAN)
    now = datetime.now(timezone.utc)
    # No commit is older, and Python has no time before the year 1.
    return Limits(now, min(older_than, now - EPOCH), how.get("max_lag"))


def _as_json(ctx: click.Context) -> bool:
    return bool(ctx.find_root().meta.get(AS_JSON))


def _show(found: list[TableHealth], requests: Counter[str], below: Location) -> None:
    grid = table(
        "table", "version", "lag", "unfinished", "age", numbers=("version", "unfinished", "age")
    )
    for one in found:
        version = str(one.version) if one.is_readable else number(None)
        unfinished = number(len(one.active) if one.is_readable else None)
        grid.add_row(plain(one.table), version, duration(one.lag), unfinished, duration(one.age))
    if found:
        print_table(grid)
    for one in found:
        for problem in one.problems:
            click.echo(f"{visible(one.table)}: {visible(problem)}")
    attention = sum(bool(one.problems) for one in found)
    click.echo(
        f"{counted(len(found), 'table')} below {below}, {number(attention)} in need of attention; "
        f"{number(requests['get'])} GET and {number(requests['list'])} LIST requests."
    )


def _tell(documents: list[Document], seen: int, below: Location) -> None:
    for one in documents:
        if "error" in one:
            click.echo(f"{visible(one['table'])}: {visible(one['message'])}")
            continue
        for commit in Recovery.of(one).commits:
            line = (
                f"{visible(commit.outcome)}: {visible(commit.kind)} commit {visible(commit.commit)}"
            )
            click.echo(f"{visible(one['table'])}: {line}")
        tell_statements(one["statements"])
    if not documents:
        click.echo("There was nothing to recover.")
    click.echo(f"Looked at {counted(seen, 'table')} below {below}.")


@contextmanager
def _failing_with_2(ctx: click.Context) -> Iterator[None]:
    # A monitor must distinguish "a table needs attention" from "this check failed".
    try:
        yield
    except (RepaveError, OSError) as error:
        print_error(error)
        ctx.exit(USAGE)
