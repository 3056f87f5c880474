"""What each fault does to the client and to the store, seen through boto3 on MiniStack."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pytest
from botocore.exceptions import ClientError

from lab.calls import error_of, keys_in, open_upload, wait_for
from repave_lab.proxy import Fault, Proxy

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class Effect(NamedTuple):
    """What a fault shows: to the client, in the store, and the two statuses in the journal."""

    do: str
    error: str
    is_there: bool
    status: int | None
    server_status: int | None


EFFECTS = [
    Effect("error", "503 SlowDown", is_there=False, status=503, server_status=None),
    Effect("error_after", "500 InternalError", is_there=True, status=500, server_status=200),
    Effect("reset", "broken", is_there=False, status=None, server_status=None),
    Effect("lost", "broken", is_there=True, status=None, server_status=200),
    Effect("hang", "timed out", is_there=False, status=None, server_status=None),
    Effect("hang_after", "timed out", is_there=True, status=None, server_status=200),
]


@pytest.mark.parametrize("operation", ["PutObject", "CompleteMultipartUpload"])
@pytest.mark.parametrize("effect", EFFECTS, ids=[effect.do for effect in EFFECTS])
def test_a_fault_shows_the_client_one_thing_and_the_store_another(
    proxy: Proxy,
    through: "S3Client",
    impatient: "S3Client",
    direct: "S3Client",
    bucket: str,
    operation: str,
    effect: Effect,
) -> None:
    upload = open_upload(direct, bucket)
    proxy.set_faults([Fault(effect.do, op=operation, nth=1)])

    def call(client: "S3Client") -> str:
        if operation == "PutObject":
            return error_of(partial(client.put_object, Bucket=bucket, Key=upload.key, Body=b"rows"))
        return error_of(lambda: upload.complete(client))

    assert call(impatient if effect.error == "timed out" else through) == effect.error
    wait_for(proxy.counts)
    assert (keys_in(direct, bucket) == [upload.key]) is effect.is_there
    [entry] = proxy.journal()
    assert (entry.op, entry.bucket, entry.key) == (operation, bucket, upload.key)
    assert (entry.fault, entry.status) == (effect.do, effect.status)
    assert entry.server_status == effect.server_status
    # Both calls can be sent again: MiniStack replays a Complete, as S3 does.
    assert call(through) == ""
    assert keys_in(direct, bucket) == [upload.key]
    assert proxy.counts() == {operation: 2}


@pytest.mark.parametrize(("do", "is_there"), [("ok_error", False), ("ok_error_after", True)])
def test_an_error_with_status_200_is_an_error_to_the_sdk(
    proxy: Proxy, through: "S3Client", direct: "S3Client", bucket: str, do: str, *, is_there: bool
) -> None:
    upload = open_upload(direct, bucket)
    proxy.set_faults([{"do": do, "op": "CompleteMultipartUpload", "nth": 1}])
    # botocore knows this answer of S3 and turns its status into 500.
    assert error_of(lambda: upload.complete(through)) == "500 InternalError"
    assert (keys_in(direct, bucket) == [upload.key]) is is_there
    assert proxy.journal()[0].status == 200


def test_an_error_may_quote_a_header_of_its_request(
    proxy: Proxy, through: "S3Client", bucket: str
) -> None:
    proxy.set_faults([Fault("error", status=403, quotes="Authorization")])
    with pytest.raises(ClientError, match="proxy, Authorization: AWS4-HMAC-SHA256 Credential="):
        through.put_object(Bucket=bucket, Key="put", Body=b"rows")
    proxy.set_faults([Fault("error", quotes="X-Absent")])
    with pytest.raises(ClientError, match=r"by the repave fault proxy$"):
        through.put_object(Bucket=bucket, Key="put", Body=b"rows")


def test_half_an_answer_is_no_answer(
    proxy: Proxy, through: "S3Client", direct: "S3Client", bucket: str
) -> None:
    upload = open_upload(direct, bucket)
    proxy.set_faults([Fault("truncate")])
    assert error_of(lambda: upload.complete(through)) == "broken"
    direct.put_object(Bucket=bucket, Key="put", Body=b"rows")
    assert error_of(lambda: through.put_object(Bucket=bucket, Key="put2", Body=b"x")) == "broken"
    with pytest.raises(Exception, match=r"(?i)broken|incomplete|bytes"):
        through.get_object(Bucket=bucket, Key="put")["Body"].read()
    assert keys_in(direct, bucket) == ["put", "put2", upload.key]


def test_a_delayed_request_lands_after_its_client_gave_up(
    proxy: Proxy, impatient: "S3Client", direct: "S3Client", bucket: str
) -> None:
    upload = open_upload(direct, bucket)
    proxy.set_faults([Fault("delay", op="CompleteMultipartUpload", ms=3000)])
    started = time.monotonic()
    assert error_of(lambda: upload.complete(impatient)) == "timed out"
    assert keys_in(direct, bucket) == []
    assert proxy.counts() == {}
    proxy.settle()
    assert keys_in(direct, bucket) == [upload.key]
    assert time.monotonic() - started > 2.9
    [entry] = proxy.journal()
    assert (entry.status, entry.server_status, entry.fault) == (None, 200, "delay")


@pytest.mark.parametrize("do", ["delay", "delay_after"])
def test_a_delayed_request_goes_on_when_it_is_released(
    proxy: Proxy, through: "S3Client", direct: "S3Client", bucket: str, do: str
) -> None:
    proxy.set_faults([Fault(do, op="PutObject", ms=60_000)])
    started = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        put = pool.submit(through.put_object, Bucket=bucket, Key="a", Body=b"x")
        proxy.wait_for_hits()
        time.sleep(0.3)  # the request's body follows its head
        assert keys_in(direct, bucket) == ([] if do == "delay" else ["a"])
        proxy.release()
        put.result()
    assert time.monotonic() - started < 30
    assert keys_in(direct, bucket) == ["a"]


def test_a_late_answer_is_applied_at_once(
    proxy: Proxy, through: "S3Client", direct: "S3Client", bucket: str
) -> None:
    proxy.set_faults([Fault("delay_after", op="PutObject", ms=1500)])
    through.put_object(Bucket=bucket, Key="a", Body=b"x")
    [entry] = proxy.journal()
    assert entry.server_ms is not None
    assert entry.server_ms + 200 < 1500 <= entry.ms
    assert keys_in(direct, bucket) == ["a"]


def test_every_third_put_fails_and_the_counts_are_exact(
    proxy: Proxy, through: "S3Client", bucket: str
) -> None:
    proxy.set_faults([Fault("error", op="PutObject", every=3)])
    errors = [
        error_of(lambda: through.put_object(Bucket=bucket, Key="a", Body=b"x")) for _ in range(9)
    ]
    assert [n for n, error in enumerate(errors, 1) if error == "503 SlowDown"] == [3, 6, 9]
    assert proxy.counts() == {"PutObject": 9}
    [armed] = proxy.status()["faults"]
    assert (armed["matched"], armed["hit"]) == (9, 3)


def test_a_bulk_delete_is_chosen_by_the_keys_that_it_names(
    proxy: Proxy, through: "S3Client", direct: "S3Client", bucket: str
) -> None:
    keys = ["dt=1/a&b", "dt=2/ü c"]
    for key in keys:
        direct.put_object(Bucket=bucket, Key=key, Body=b"x")
    proxy.set_faults([Fault("error_after", op="DeleteObjects", key="^dt=2/ü", times=1)])

    def delete(chosen: list[str]) -> str:
        call = partial(through.delete_objects, Bucket=bucket)
        return error_of(lambda: call(Delete={"Objects": [{"Key": key} for key in chosen]}))

    assert delete(keys[:1]) == ""
    assert delete(keys) == "500 InternalError"
    assert keys_in(direct, bucket) == []
    assert [entry.keys for entry in proxy.journal()] == [keys[:1], keys]


def test_a_hanging_client_can_be_waited_for_and_killed_there(
    proxy: Proxy, direct: "S3Client", bucket: str
) -> None:
    proxy.set_faults([Fault("hang", op="PutObject", nth=3)])
    with subprocess.Popen([sys.executable, "-c", UPLOADER, proxy.endpoint, bucket]) as uploader:
        proxy.wait_for_hits()
        uploader.kill()
    proxy.settle()
    assert proxy.counts() == {"PutObject": 3}
    assert keys_in(direct, bucket) == ["0", "1"]


UPLOADER = """
import http.client, sys
endpoint, bucket = sys.argv[1:]
connection = http.client.HTTPConnection(endpoint.removeprefix("http://"))
for n in range(9):
    connection.request("PUT", f"/{bucket}/{n}", b"x")
    connection.getresponse().read()
"""


def test_waiting_in_vain_ends_with_a_sentence(proxy: Proxy) -> None:
    with pytest.raises(TimeoutError, match="No 1 requests were hit"):
        proxy.wait_for_hits(seconds=0)


def test_reset_ends_the_faults(proxy: Proxy, through: "S3Client", bucket: str) -> None:
    proxy.set_faults([Fault("error")])
    assert error_of(lambda: through.head_bucket(Bucket=bucket)) == "503 503"
    proxy.reset()
    assert error_of(lambda: through.head_bucket(Bucket=bucket)) == ""
    assert proxy.counts() == {"HeadBucket": 1}
