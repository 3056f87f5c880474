"""A table's records as a user without a Spark session reads them."""

import json
from typing import Any

from clients.site import Site
from e2e.lake import TableFolder


def aws(table: TableFolder) -> dict[str, str]:
    """Return the environment in which boto3 finds the table's server."""
    return {
        "AWS_ENDPOINT_URL": table.lake.proxy.endpoint,
        "AWS_ACCESS_KEY_ID": "repave-lab",
        "AWS_SECRET_ACCESS_KEY": "repave-lab-secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }


def history(site: Site, table: TableFolder) -> list[dict[str, Any]]:
    """Return what `repave history --json` prints."""
    words = ("repave", "history", "--json", "--limit", "1000", table.url.replace("s3a:", "s3:"))
    commits: list[dict[str, Any]] = json.loads(site.run(*words, more=aws(table)))
    return commits
