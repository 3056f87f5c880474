"""`repave demo`."""

import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console

from repave.lab.demo.errors import errors_into, failure_into
from repave.lab.demo.lake import BUCKET, Lake, session
from repave.lab.demo.story import Story
from repave.lab.proxy import Proxy
from repave.lab.servers import embedded_s3


@click.command()
@click.option("--server", default="ministack", show_default=True, help="The embedded S3 server.")
@click.option("--keep", is_flag=True, help="Leave the server running until Enter is pressed.")
def demo(server: str, keep: bool) -> None:  # noqa: FBT001 - click passes flags so
    """Kill a driver in the middle of an overwrite on a local S3 server, and recover."""
    console = Console()
    log = Path(tempfile.mkdtemp(prefix="repave-demo-")) / "spark.log"
    console.print("Starting an S3 server on this machine, a latency proxy and Spark …")
    console.print(f"   (what Spark and its drivers say goes to {log})", soft_wrap=True)
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
        console.print("\n[bold]Try it yourself[/bold]")
        for command in ("status", "history", "manifest", "doctor"):
            console.print(
                f"   AWS_ACCESS_KEY_ID={running.access_key}"
                f" AWS_SECRET_ACCESS_KEY={running.secret_key} AWS_REGION={running.region}"
                f" repave {command} s3://{BUCKET}/sales --endpoint-url {running.endpoint}",
                soft_wrap=True,
            )
        if keep and sys.stdin.isatty():
            console.input("The server runs until you press Enter. ")
        elif not keep:
            console.print("   (`make demo ARGS=--keep` keeps the server running for them)")
    if not right:
        console.print("[red]A reader saw what it should not: see the tables above.[/red]")
        sys.exit(1)
