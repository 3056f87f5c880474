"""The options by which a command finds S3."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from repave._aws import addressing, check_endpoint
from repave._bucket import BucketObjects, client
from repave._errors import UsageError
from repave._location import Location
from repave._read import TableRecords
from repave._store_keys import StoreKeys
from repave._submit_options import refuse_dropped


def store_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the table's URI and where its store is."""
    for add in (
        click.option("--profile", metavar="NAME", help="The AWS profile to use."),
        click.option(
            "--endpoint-url", metavar="URL", help="The URL of the store, if it is not Amazon S3."
        ),
        click.argument("table", metavar="s3://BUCKET/TABLE"),
    ):
        command = add(command)
    return command


as_of_option = click.option(
    "--as-of", metavar="TIME", help="The newest version at this time, such as 2026-11-20T03:00Z."
)


retention_option = click.option(
    "--retention",
    metavar="DURATION",
    help="The retention of vacuum; by default repave.retention of spark-defaults.conf, or 7d.",
)


def version_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command take a version by its number or by a time."""
    by_number = click.option(
        "--version", type=click.IntRange(1), help="A version's number; the newest by default."
    )
    return by_number(as_of_option(command))


def own_conf(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return what `--conf KEY=VALUE` sets.

    Raises:
        UsageError: one of them is not a pair, or spark-submit would drop it.
    """
    return dict(map(_pair, pairs))


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        message = f"--conf {text} is not possible: it takes KEY=VALUE."
        raise UsageError(message)
    refuse_dropped(key)
    return key, value


def refuse_unread_store(table: str, store: Mapping[str, Any]) -> None:
    """Refuse a `--conf` by which the JVM would change a table in another store than boto3 reads.

    Raises:
        UsageError: there is one.
    """
    own = own_conf(store["conf"])
    if own:
        check_endpoint(store["endpoint_url"])
        where = addressing(store["endpoint_url"], store["profile"])
        # The JVM has boto3's credentials in its environment.
        StoreKeys.of(where, signs=True).refuse_unread(Location.of(table).bucket, own)


def open_records(table: str, endpoint_url: str | None, profile: str | None) -> TableRecords:
    """Return the records of a table."""
    return TableRecords(open_objects(endpoint_url, profile), Location.of(table))


def open_objects(endpoint_url: str | None, profile: str | None) -> BucketObjects:
    """Return the objects of a store."""
    return BucketObjects(client(endpoint_url, profile))
