"""A bucket in another region than the configured one is read where it is."""

import io
from urllib.parse import unquote, urlsplit

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

import repave
from repave._bucket import BucketObjects, client
from repave._location import Location
from repave._snapshot.arrow_access import Access
from repave._snapshot.recent_sessions import RecentSessions
from unit.snapshot_table import MemoryTable

MOVED = "<Error><Code>PermanentRedirect</Code><Message>Elsewhere.</Message></Error>"


class RegionalStore:
    """Amazon's S3 with one bucket, which has a table."""

    def __init__(self, table: MemoryTable, region: str) -> None:
        self.table = table
        self.region = region

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        url = urlsplit(request.url)
        if f".{self.region}." not in url.netloc:
            return answer(request.url, 301, MOVED.encode(), {"x-amz-bucket-region": self.region})
        content = self.table.contents.get(unquote(url.path[1:]))
        return answer(request.url, 404 if content is None else 200, content or b"", {})


def answer(url: str, status: int, content: bytes, headers: dict[str, str]) -> AWSResponse:
    body = io.BytesIO(content)
    body.stream = lambda **_: iter([body.read()])  # type: ignore[attr-defined]
    return AWSResponse(url, status, headers, body)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_DEFAULT_REGION", "eu-west-1"),
    ):
        monkeypatch.setenv(name, value)
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)


def test_an_endpoint_of_another_region_is_named_in_the_error() -> None:
    """boto3 does not leave an endpoint that the user names, whatever region is set."""
    s3 = client("https://s3.us-east-1.amazonaws.com")
    s3.meta.events.register("before-send.s3", RegionalStore(MemoryTable(), "eu-west-1"))
    with pytest.raises(repave.RepaveError, match="an endpoint that --endpoint-url"):
        BucketObjects(s3).read(Location.of("s3://lake/sales/_repave/head.json"), 1)


@pytest.mark.parametrize("region", ["eu-west-1", "eu-west-3"])
def test_pyarrow_reads_in_the_region_in_which_the_store_answered(
    region: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """boto3 follows S3 to another region, pyarrow does not."""
    table = MemoryTable()
    table.commit("append", {"dt=1": ["a.parquet"]})
    s3 = client()
    s3.meta.events.register("before-send.s3", RegionalStore(table, region))
    monkeypatch.setattr("repave._snapshot.recent_sessions.client_of", lambda *_: s3)
    monkeypatch.setattr("repave._snapshot.opening.RECENT_SESSIONS", RecentSessions())
    monkeypatch.setattr("pyarrow.fs.S3FileSystem", dict)
    for _ in range(2):  # The second time boto3 knows the region, and the store does not tell it.
        snap = repave.snapshot("s3://lake/sales")
        assert snap.access.filesystem("arrow")["region"] == region


def test_pyarrow_takes_no_region_that_boto3_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """boto3 asks in us-east-1 if it has no region, and S3 names none where the bucket is there."""
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setattr("repave._snapshot.arrow_access.RECENT_SESSIONS", RecentSessions())
    assert Access(None, None, "").filesystem("arrow").region == "us-east-1"
