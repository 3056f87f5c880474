"""The commands that change a table: they run in the JVM."""

# ruff: noqa: ANN401 - click passes what the options say

from collections.abc import Callable
from functools import cache
from typing import Any

import click

from repave._catalog import UNNAMED, catalog_statements, readers_of, unknown_partitions
from repave._errors import RepaveError, UsageError
from repave._figures import counted, number, size
from repave._follow import KINDS
from repave._glue_follower import Ask, glue_follower, sync_all
from repave._jar_command import prepare
from repave._location import Location
from repave._read import TableRecords
from repave._records import Followers, Recovery, Repair, Rollback, Vacuum
from repave._snapshot.opening import snapshot
from repave._snapshot.publication import moment, version_at
from repave.cli.answer import AS_JSON, json_option, print_json, print_text, visible
from repave.cli.bars import bars
from repave.cli.exit_codes import PROBLEM
from repave.cli.fleet import (
    older_than_option,
    recover_fleet,
    refuse_fleet_options,
    tell_statements,
)
from repave.cli.look import exit_without_table
from repave.cli.store import (
    as_of_option,
    open_objects,
    open_records,
    own_conf,
    refuse_unread_store,
    store_options,
)

Store = dict[str, Any]


def change_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the table, its store, and Spark's conf."""
    conf = click.option(
        "--conf", "conf", metavar="KEY=VALUE", multiple=True, help="Passed on to spark-submit."
    )
    return store_options(conf(command))


@click.command(short_help="Finish or revert the commits of dead jobs.")
@change_options
@click.option("--name", metavar="NAME", help="The table's name in the catalog, for the statements.")
@click.option("--all", "recursive", is_flag=True, help="Recover every table below a folder.")
@older_than_option("With --all: leave commits that are younger than this to their own drivers")
@json_option
@click.pass_context
def recover(ctx: click.Context, /, table: str, as_json: bool, **store: Any) -> None:  # noqa: FBT001
    """Finish, or revert, the commits that dead jobs left unfinished.

    Safe at any time, any number of times, while jobs run. Exception: after
    somebody restored or deleted _repave/head.json, stop all jobs and restore its
    newest version first. With an older head this command may delete files of
    later commits ("An older head" in docs/operations.md of the project).

    If it has to revert a commit, it waits for repave.drain (5 minutes by
    default). Do not stop it; if you did, run it again.

    Exits with 1 if a commit had to be reverted: its rows were not added, so run
    its job again. Also exits with 1 if there is no table, or if it failed; the
    message says which. With --json, `outcome` shows which commits were reverted.

    A later run does not show again what was reverted. So if it failed or was
    stopped, look for `reverted` in `repave history --limit 100` at once: the
    history keeps it only among the last 32 commits that ended.

    If the dead jobs wrote new partitions, it prints the statements that make
    them known to a catalog. Run these in Spark. It exits with 1 if it cannot
    read the table afterwards, and so does not know the statements.

    With --all it looks for tables below a folder and recovers those with a
    commit that has been unfinished for longer than --older-than. It exits with
    1 if a commit was reverted or a table could not be recovered, and with 2 if
    the command cannot work or S3 does not answer.
    """
    if store["recursive"]:
        recover_fleet(ctx, Location.of(table), store)
        return
    refuse_fleet_options(store, "--all")
    document = run_in_jvm("recover", table, store)
    found = Recovery.of(document)
    if not (found.version or found.commits):
        objects = open_objects(store["endpoint_url"], store["profile"])
        exit_without_table(ctx, objects, Location.of(table), document)
    statements, notes = _statements(found, table, store)
    if as_json:
        more = {"statements": statements, "notes": notes}
        print_json({**document, **{name: lines for name, lines in more.items() if lines}})
    else:
        _tell(found, table)
        tell_statements(statements)
        for note in notes:
            _warn(note)
    if notes or any(one.outcome == "reverted" for one in found.commits):
        ctx.exit(PROBLEM)


@click.command()
@change_options
@click.option("--dry-run", is_flag=True, help="Only count what would be removed.")
@click.option(
    "--retention",
    metavar="DURATION",
    help="Keep everything that is younger than this; repave.retention, 7d, by default.",
)
@json_option
def vacuum(
    table: str,
    dry_run: bool,  # noqa: FBT001 - click passes it
    retention: str | None,
    as_json: bool,  # noqa: FBT001 - click passes it
    **store: Any,
) -> None:
    """Remove replaced files and orphaned uploads.

    Replaced files are kept while a version within the retention needs them.
    Vacuum also removes history and tokens older than repave.history.retention
    (90d by default).

    --retention must be longer than the longest job: vacuum cancels jobs that
    have run for longer. On a snapshot table it must also be longer than the
    longest query: vacuum deletes the files of versions that were replaced before.
    """
    options = {} if retention is None else {"retention": retention}
    document = run_in_jvm("vacuum", table, store, *(["--dry-run"] if dry_run else []), **options)
    if as_json:
        print_json(document)
        return
    found = Vacuum.of(document)
    click.echo(
        f"{'Would remove' if found.dry_run else 'Removed'} {counted(found.files, 'file')} "
        f"({size(found.bytes)}), {counted(found.uploads, 'open upload')}, "
        f"{counted(found.records, 'record')}."
    )


@click.command(short_help="Publish an earlier version's files again.")
@change_options
@click.argument("version", type=click.IntRange(1), required=False)
@as_of_option
@json_option
def rollback(
    table: str,
    version: int | None,
    as_of: str | None,
    as_json: bool,  # noqa: FBT001
    **store: Any,
) -> None:
    """Publish an earlier version's files again, as a new version.

    VERSION is a number; --as-of names it by a time instead. Only a snapshot
    table keeps the files of earlier versions.
    """
    if (version is None) == (as_of is None):
        message = "Pass either the number of a version or --as-of."
        raise UsageError(message)
    if as_of is not None:
        refuse_unread_store(table, store)
        objects = open_objects(store["endpoint_url"], store["profile"])
        records = TableRecords(objects, Location.of(table))
        version = version_at(records, objects, records.head(), moment(as_of))
    document = run_in_jvm("rollback", table, store, str(version))
    if as_json:
        print_json(document)
        return
    found = Rollback.of(document)
    click.echo(
        f"Version {found.version} holds what version {version} held: files restored: "
        f"{number(found.files_in)}, removed: {number(found.files_out)}."
    )


@click.command(short_help="Let readers of Delta or symlinks read the table.")
@change_options
@click.option("--delta", is_flag=True, help="Keep a Delta log in the table's folder.")
@click.option("--symlink", is_flag=True, help="Keep lists of files for SymlinkTextInputFormat.")
@click.option("--glue", metavar="DATABASE.TABLE", help="Keep the locations of a table in Glue.")
@click.option("--rebuild", is_flag=True, help="Create the table in Glue again, or use this one.")
@click.option(
    "--off",
    metavar="FOLLOWER",
    type=click.Choice(KINDS),
    help="Stop, and delete the log or the lists. A catalog's table stays at its version.",
)
@json_option
def follow(
    table: str,
    delta: bool,  # noqa: FBT001 - click passes it
    symlink: bool,  # noqa: FBT001 - click passes it
    glue: str | None,
    rebuild: bool,  # noqa: FBT001 - click passes it
    off: str | None,
    as_json: bool,  # noqa: FBT001 - click passes it
    **store: Any,
) -> None:
    """Let readers of Delta tables, or of symlink manifests, read the table.

    From now on every commit brings the log or the lists to its version. No file
    is copied. A listing table first adopts the files in its folders. Delta's own
    writers refuse a table with a Delta log.

    With --glue, a table of the Glue Data Catalog follows a snapshot table by
    the locations of its partitions. It is created if it is absent. No commit
    updates its locations: run `repave sync` after each job. A table follows in
    one account and region. With --rebuild, a table that was dropped is created
    again, or the one of this account and region follows instead of another.

    A table of a Hive metastore follows by RepaveTable.follow("lake.sales") in
    a Spark session; --off metastore ends that.
    """
    if delta + symlink + bool(glue) + bool(off) != 1:
        message = "Give one of --delta, --symlink, --glue and --off."
        raise click.UsageError(message)
    if rebuild and not glue:
        message = "--rebuild is for --glue only."
        raise click.UsageError(message)
    if glue:
        refuse_unread_store(table, store)
        where = {"profile": store["profile"], "endpoint_url": store["endpoint_url"]}
        own = glue_follower(
            glue, Location.of(table), _asking(table, store), store["profile"], _warn
        )
        opened = cache(lambda: snapshot(table, unrecorded="ignore", **where))
        found = own.begin(lambda: opened().files, lambda _: opened().newest, rebuild=rebuild)
        _tell_followers(found, as_json=as_json)
        return
    kind = off or ("delta" if delta else "symlink")
    document = run_in_jvm("unfollow" if off else "follow", table, store, kind)
    _tell_followers(document, as_json=as_json)


@click.command()
@change_options
@json_option
@click.pass_context
def sync(ctx: click.Context, /, table: str, as_json: bool, **store: Any) -> None:  # noqa: FBT001
    """Bring the table's followers to its version.

    Every commit does this, with one exception: only this command and
    RepaveTable.sync() update the partition locations of a table in Glue. Run it
    also after a commit warned that it could not do this. This command cannot
    reach a Hive metastore: it exits with 1 if a table there is behind, and names
    the call that updates its locations.
    """
    document = sync_all(Location.of(table), _asking(table, store), store["profile"], _warn)
    _tell_followers(document, as_json=as_json)
    followers = Followers.of(document).followers
    late = [each for each in followers if each.follower == "metastore" and each.behind]
    for each in late:
        click.echo(
            f"Only a Spark session with this metastore can update {visible(each.name)}: "
            f'RepaveTable.for_path(spark, "{Location.of(table).with_scheme("s3a")}").sync()',
            err=True,
        )
    if late:
        ctx.exit(PROBLEM)


def _warn(message: str) -> None:
    print_text(message, err=True)


def _tell_followers(document: Any, *, as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    found = Followers.of(document)
    for each in found.followers:
        click.echo(f"{visible(each.called)} is at version {each.version} of {found.version}.")
    if not found.followers:
        click.echo("Nothing follows the table.")


@click.command()
@change_options
@json_option
def repair(table: str, as_json: bool, **store: Any) -> None:  # noqa: FBT001
    """Rebuild the records from the files in the table.

    Use it for a table that has lost records of its history, for example by a
    lifecycle rule. It changes no row. It refuses snapshot tables.
    """
    document = run_in_jvm("repair", table, store)
    if as_json:
        print_json(document)
        return
    found = Repair.of(document)
    click.echo(
        f"Version {found.version} has new records: {counted(found.files, 'file')} "
        f"({size(found.bytes)})."
    )
    if found.lost_commits:
        click.echo(f"Nothing is known of {counted(found.lost_commits, 'earlier commit')}.")
    if found.searched:
        click.echo(
            "Lost records may have named partitions outside the table: these were looked for in "
            f"{', '.join(map(visible, found.searched))} only, as repave.locations.allowed says."
        )


@click.command()
@change_options
@click.argument("commit")
@json_option
def cancel(table: str, commit: str, as_json: bool, **store: Any) -> None:  # noqa: FBT001
    """Revert an unfinished commit that recover cannot finish.

    COMMIT is its id, which `repave status` shows. This works only while the commit has
    no manifest, or if its ledger or manifest is lost. In these cases no old file was
    touched. The commit's new files are deleted; run its job again.

    A published commit is not reverted. If no record says which files it replaced, it is
    ended: its rows stay, next to the old ones, until its job has run again.
    """
    document = run_in_jvm("cancel", table, store, commit)
    if as_json:
        print_json(document)
    else:
        _tell(Recovery.of(document), table)


def _tell(found: Recovery, table: str) -> None:
    for one in found.commits:
        click.echo(f"{visible(one.outcome)}: {visible(one.kind)} commit {visible(one.commit)}")
        if one.outcome == "ended":
            click.echo("Its rows are there, next to those that it replaces. Run its job again.")
    if not found.commits:
        click.echo("There was nothing to recover.")
    if found.version:
        click.echo(f"The table is at version {found.version}.")
    else:
        click.echo(f"Repave has published nothing in {Location.of(table)}.")


def _statements(found: Recovery, table: str, store: Store) -> tuple[list[str], list[str]]:
    """Return the statements for a catalog, and a sentence if it is not known which they are."""
    folders = [folder for one in found.commits for folder in one.partitions]
    if not folders:
        return [], []
    try:
        return _statements_for(folders, table, store), []
    except RepaveError as error:
        # Only this answer tells which commits were reverted: a second run finds nothing.
        return [], [unknown_partitions(error)]


def _statements_for(folders: list[str], table: str, store: Store) -> list[str]:
    records = open_records(table, store["endpoint_url"], store["profile"])
    status, root = records.status(), Location.of(table)
    if not status["table-id"]:
        # The path of a partition means its table, whose head tells how it is read.
        root = records.enclosing() or root
        status = open_records(str(root), store["endpoint_url"], store["profile"]).status()
    name = store["name"] or UNNAMED
    return catalog_statements(root, folders, readers_of(status), name)


def _asking(table: str, store: Store) -> Ask:
    return lambda command, *words: run_in_jvm(command, table, store, *map(str, words))


def run_in_jvm(command: str, table: str, store: Store, *words: str, **options: str) -> Any:
    """Run a command on a table in the JVM, with bars for its steps, and return its document."""
    location = Location.of(table)
    own = own_conf(store["conf"])
    submit = prepare(location.bucket, store["endpoint_url"], store["profile"], options, own)
    silent = bool(click.get_current_context().find_root().meta.get(AS_JSON))
    with bars(f"{command} {location}", silent=silent) as on_progress:
        return submit.run(command, location, *words, on_progress=on_progress)
