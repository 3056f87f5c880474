"""moto's Glue Data Catalog, seen through a client that counts, loses and changes its calls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

import boto3
from moto.server import ThreadedMotoServer

# ruff: noqa: ANN401 - boto3 has no types

Partitions = dict[tuple[str, ...], Any]


class ProcessDiedError(Exception):
    """The process ends before a call."""


@contextmanager
def serving() -> Iterator[str]:
    """Yield the endpoint of a catalog on a loopback address."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    url = f"http://127.0.0.1:{port}"
    # All of moto's servers in a process share their catalogs.
    urlopen(Request(f"{url}/moto-api/reset", method="POST")).close()  # noqa: S310 - loopback
    yield url
    server.stop()


class Catalog:
    """One database, and a client of it."""

    def __init__(self, url: str, database: str) -> None:
        self.glue = boto3.client(
            "glue",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )
        self.database = database
        self.glue.create_database(DatabaseInput={"Name": database})
        # What the class that reads rows is told of a table that somebody else creates.
        self.serde: dict[str, str] = {}
        # The type of the partition columns of such a table.
        self.key_type = "string"
        self.calls: list[str] = []
        self.sent: list[dict[str, Any]] = []
        self._calls_left: int | None = None
        self._token = "0"
        events = self.glue.meta.events
        events.register("before-parameter-build.glue", self._sent)
        events.register("before-call.glue", self._called)

    @property
    def name(self) -> str:
        return f"{self.database}.sales"

    def existing(
        self, location: str, *keys: str, kind: str = "EXTERNAL_TABLE", **parameters: str
    ) -> None:
        """Create the table as somebody else would."""
        self.glue.create_table(
            DatabaseName=self.database,
            TableInput={
                "Name": "sales",
                "TableType": kind,
                "PartitionKeys": [{"Name": key, "Type": self.key_type} for key in keys],
                "Parameters": parameters,
                "StorageDescriptor": {
                    "Location": location,
                    "Columns": [],
                    "SerdeInfo": {"Parameters": self.serde},
                },
            },
        )

    def reset(self) -> None:
        self.calls.clear()
        self.sent.clear()

    def writes(self) -> list[str]:
        return [call for call in self.calls if not call.startswith("Get")]

    def die_before(self, call: int | None) -> None:
        """Let the process die before its call of this number, counted from 0."""
        self._calls_left = call

    def answer(self, call: str, change: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Change the answers of a kind of call; return what ends that."""

        def changed(parsed: dict[str, Any], **_: Any) -> None:
            change(parsed)

        event = f"after-call.glue.{call}"
        self.glue.meta.events.register(event, changed)
        return lambda: self.glue.meta.events.unregister(event, changed)

    def paged(self, size: int) -> None:
        """Answer `get_partitions` in pages, which moto does not."""

        def page(parsed: dict[str, Any]) -> None:
            start = int(self._token)
            if len(parsed["Partitions"]) > start + size:
                parsed["NextToken"] = str(start + size)
            parsed["Partitions"] = parsed["Partitions"][start : start + size]

        self.answer("GetPartitions", page)

    def table(self) -> dict[str, Any]:
        found: dict[str, Any] = self.glue.get_table(DatabaseName=self.database, Name="sales")
        table: dict[str, Any] = found["Table"]
        return table

    def partitions(self) -> Partitions:
        pages = self.glue.get_paginator("get_partitions").paginate(
            DatabaseName=self.database, TableName="sales"
        )
        return {tuple(one["Values"]): one for page in pages for one in page["Partitions"]}

    def locations(self) -> dict[str, str]:
        """Return the location of each partition, by its values."""
        return {
            "/".join(values): one["StorageDescriptor"]["Location"]
            for values, one in self.partitions().items()
        }

    def _sent(self, params: dict[str, Any], **_: Any) -> None:
        self.sent.append(params)
        self._token = params.get("NextToken", "0")

    def _called(self, model: Any, **_: Any) -> None:
        if self._calls_left is not None:
            self._calls_left -= 1
            if self._calls_left < 0:
                self._calls_left = None
                raise ProcessDiedError
        self.calls.append(model.name)
