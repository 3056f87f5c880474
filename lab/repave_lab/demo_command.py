"""`repave demo`."""

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console

from repave._errors import RepaveError
from repave_lab.child import LabError
from repave_lab.demo.errors import errors_into, failure_into
from repave_lab.demo.lake import BUCKET, Lake, session
from repave_lab.demo.story import Story
from repave_lab.proxy import Proxy
from repave_lab.servers import RECIPES, S3Server, embedded_s3


@click.command(short_help="Kill a driver during an overwrite, and recover its commit.")
@click.option(
    "--server",
    type=click.Choice(sorted(RECIPES)),
    default="ministack",
    show_default=True,
    help="The embedded S3 server.",
)
@click.option(
    "--wait/--no-wait",
    default=lambda: sys.stdin.isatty() and sys.stdout.isatty(),
    show_default="on a terminal",
    help="Leave the server running until Enter is pressed.",
)
def demo(server: str, wait: bool) -> None:  # noqa: FBT001 - click passes flags so
    """Kill a driver in the middle of an overwrite on a local S3 server, and recover."""
    try:
        _play(server, wait=wait)
    except LabError as error:
        raise RepaveError(str(error)) from error


def _play(server: str, *, wait: bool) -> None:
    console = Console()
    log = Path(tempfile.mkdtemp(prefix="repave-demo-")) / "spark.log"
    console.print("Starting an S3 server on this machine, a latency proxy and Spark …")
    console.print(f"   (Spark's log is in {log})", soft_wrap=True)
    with embedded_s3(server) as running, Proxy(running.endpoint, model="typical") as proxy:
        client = running.client()
        client.create_bucket(Bucket=BUCKET)
        lake = Lake(running, proxy, client, log)
        with failure_into(log):
            with errors_into(log):
                spark = session(proxy.endpoint)
            try:
                right = Story(spark, lake, console).tell()
            finally:
                spark.stop()
        if wait:
            show_commands(console, running)
            with contextlib.suppress(EOFError):
                console.input("The server runs until you press Enter. ")
    if not right:
        console.print("[red]A reader saw what it should not: see the tables above.[/red]")
        sys.exit(1)


def show_commands(console: Console, server: S3Server) -> None:
    """Print commands that work as they are, in another terminal, while the server runs."""
    console.print("\n[bold]Try it yourself[/bold], in another terminal, while the server runs")
    keys = f"AWS_ACCESS_KEY_ID={server.access_key} AWS_SECRET_ACCESS_KEY={server.secret_key}"
    console.print(f"   export {keys} AWS_DEFAULT_REGION={server.region}", soft_wrap=True)
    for command in ("status", "history", "manifest", "doctor"):
        console.print(
            f"   {program()} {command} s3://{BUCKET}/sales --endpoint-url {server.endpoint}",
            soft_wrap=True,
        )


def program() -> str:
    """Return how a shell finds `repave`: its name, or where it is if that is not on the path."""
    return "repave" if shutil.which("repave") else str(Path(sys.argv[0]).absolute())
