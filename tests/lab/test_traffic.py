"""Requests and answers pass unchanged, and the journal tells of each."""

import base64
import hashlib
import http.client
import json
import os
import socket
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.cpu import cpu_seconds
from lab.calls import FIVE_MIB, error_of, open_upload, wait_for
from repave_lab.child import free_port
from repave_lab.proxy import Proxy
from repave_lab.servers import S3Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CREDENTIAL = "AWS4-HMAC-SHA256 Credential=k/20261121/us-east-1/s3/aws4_request"
AUTHORIZATION = {
    "authorization": f"{CREDENTIAL}, SignedHeaders=host;x-amz-date, Signature={64 * '0'}",
    "x-amz-date": "20261121T000000Z",
}


def address(proxy: Proxy) -> tuple[str, int]:
    host, _, port = proxy.endpoint.removeprefix("http://").partition(":")
    return host, int(port)


def connect(proxy: Proxy) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(*address(proxy), timeout=30)
    connection.connect()
    return connection


def test_a_connection_is_kept_and_serves_many_requests(
    proxy: Proxy, direct: "S3Client", bucket: str
) -> None:
    connection = connect(proxy)
    first = connection.sock
    for n in range(20):
        body = b"x" * n
        connection.request("PUT", f"/{bucket}/k{n}", body, AUTHORIZATION)
        assert connection.getresponse().read() == b""
        connection.request("GET", f"/{bucket}/k{n}", headers=AUTHORIZATION)
        assert connection.getresponse().read() == body
    assert connection.sock is first
    connection.close()
    assert direct.head_object(Bucket=bucket, Key="k19")["ContentLength"] == 19
    assert proxy.counts() == {"PutObject": 20, "GetObject": 20}


def test_an_error_to_head_has_no_body(proxy: Proxy, bucket: str) -> None:
    proxy.set_faults([{"do": "error", "op": "HeadObject"}])
    with socket.create_connection(address(proxy), timeout=30) as client:
        client.sendall(f"HEAD /{bucket}/k HTTP/1.1\r\n\r\n".encode())
        wait_for(proxy.counts)
        client.sendall(f"HEAD /{bucket} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n".encode())
        with client.makefile("rb") as answers:
            error, _, next_answer = answers.read().partition(b"\r\n\r\n")
    assert error.startswith(b"HTTP/1.1 503")
    assert next_answer.startswith(b"HTTP/1.1 200")


def test_five_mib_pass_both_ways(
    proxy: Proxy, through: "S3Client", direct: "S3Client", bucket: str
) -> None:
    body = os.urandom(FIVE_MIB)
    through.put_object(Bucket=bucket, Key="big", Body=body)
    assert direct.get_object(Bucket=bucket, Key="big")["Body"].read() == body
    assert through.get_object(Bucket=bucket, Key="big")["Body"].read() == body
    put, get = proxy.journal()
    assert (put.stored, get.bytes_out) == (FIVE_MIB, FIVE_MIB)
    assert put.bytes_in >= FIVE_MIB


def sdk_v2_chunks(body: bytes, *, is_signed: bool) -> tuple[dict[str, str], bytes]:
    """Frame a body as the AWS SDK for Java does: chunks of 128 KiB and a checksum trailer."""
    crc = base64.b64encode(zlib.crc32(body).to_bytes(4, "big")).decode()
    signature = f";chunk-signature={64 * '1'}" if is_signed else ""
    step = 128 * 1024
    framed = b""
    for at in [*range(0, len(body), step), len(body)]:
        piece = body[at : at + step]
        framed += f"{len(piece):x}{signature}\r\n".encode() + piece + (b"\r\n" if piece else b"")
    framed += f"x-amz-checksum-crc32:{crc}\r\n".encode()
    framed += f"x-amz-trailer-signature:{64 * '1'}\r\n\r\n".encode() if is_signed else b"\r\n"
    kind = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" if is_signed else "STREAMING-UNSIGNED-PAYLOAD"
    headers = {
        "content-encoding": "aws-chunked",
        "x-amz-content-sha256": f"{kind}-TRAILER",
        "x-amz-decoded-content-length": str(len(body)),
        "x-amz-trailer": "x-amz-checksum-crc32",
    }
    return headers, framed


@pytest.mark.parametrize("is_signed", [True, False])
def test_chunk_signed_bodies_pass_untouched(
    proxy: Proxy, direct: "S3Client", bucket: str, *, is_signed: bool
) -> None:
    body = os.urandom(300_000)
    headers, framed = sdk_v2_chunks(body, is_signed=is_signed)
    connection = connect(proxy)
    connection.request("PUT", f"/{bucket}/k", framed, {**AUTHORIZATION, **headers})
    assert connection.getresponse().status == 200
    connection.close()
    assert direct.get_object(Bucket=bucket, Key="k")["Body"].read() == body
    [entry] = proxy.journal()
    assert (entry.bytes_in, entry.stored) == (len(framed), len(body))


def test_a_body_in_http_chunks_passes(proxy: Proxy, direct: "S3Client", bucket: str) -> None:
    connection = connect(proxy)
    pieces = (b"ab" * 5000, b"", b"c")
    headers = {**AUTHORIZATION, "transfer-encoding": "chunked"}
    connection.request("PUT", f"/{bucket}/k", iter(pieces), headers, encode_chunked=True)
    assert connection.getresponse().status == 200
    connection.close()
    assert direct.get_object(Bucket=bucket, Key="k")["Body"].read() == b"".join(pieces)


def test_a_client_that_asks_may_continue_at_once(
    proxy: Proxy, direct: "S3Client", bucket: str
) -> None:
    headers = {
        **AUTHORIZATION,
        "host": "127.0.0.1",
        "content-length": "4",
        "expect": "100-continue",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with socket.create_connection(address(proxy), timeout=30) as client:
        client.sendall(f"PUT /{bucket}/k HTTP/1.1\r\n{lines}\r\n".encode())
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"rows")
        # One 100 and no more: the server's own is not passed on.
        assert client.recv(2000).startswith(b"HTTP/1.1 200")
    assert direct.get_object(Bucket=bucket, Key="k")["Body"].read() == b"rows"


def test_the_journal_knows_uploads_copies_and_their_bytes(
    proxy: Proxy, through: "S3Client", bucket: str
) -> None:
    upload = open_upload(through, bucket, "src key")
    upload.complete(through)
    source = f"{bucket}/src key"  # boto3 encodes it
    through.copy_object(Bucket=bucket, Key="dst", CopySource=source)
    through.copy_object(Bucket=bucket, Key="dst2", CopySource=f"{bucket}/dst")
    create, part, complete, copy, copy_of_copy = proxy.journal()
    assert create.op == "CreateMultipartUpload"
    assert (part.upload, part.stored) == (upload.upload, 4)
    assert complete.upload == upload.upload
    assert (copy.source, copy.copied, copy.key) == (f"{bucket}/src key", 4, "dst")
    assert (copy_of_copy.source, copy_of_copy.copied) == (f"{bucket}/dst", 4)
    assert part.ts < complete.ts < copy.ts


def test_a_copy_of_what_was_only_seen_has_a_size_too(
    proxy: Proxy, through: "S3Client", direct: "S3Client", bucket: str
) -> None:
    direct.put_object(Bucket=bucket, Key="a", Body=b"12345")
    source = f"{bucket}/a"
    through.copy_object(Bucket=bucket, Key="b", CopySource=source)
    through.head_object(Bucket=bucket, Key="a")
    through.copy_object(Bucket=bucket, Key="b", CopySource=source)
    assert [entry.copied for entry in proxy.journal() if entry.op == "CopyObject"] == [None, 5]


def test_errors_of_the_server_pass_and_are_counted(
    proxy: Proxy, through: "S3Client", bucket: str
) -> None:
    missing = error_of(lambda: through.get_object(Bucket=bucket, Key="none"))
    exists = error_of(lambda: through.put_object(Bucket=bucket, Key="a", IfNoneMatch="*"))
    again = error_of(lambda: through.put_object(Bucket=bucket, Key="a", IfNoneMatch="*"))
    assert (missing, exists, again) == ("404 NoSuchKey", "", "412 PreconditionFailed")
    assert [(entry.op, entry.status) for entry in proxy.journal()] == [
        ("GetObject", 404),
        ("PutObject", 200),
        ("PutObject", 412),
    ]
    assert [entry.op for entry in proxy.journal(since=2)] == ["PutObject"]


def test_a_client_that_leaves_in_its_request_leaves_no_object(
    proxy: Proxy, direct: "S3Client", bucket: str
) -> None:
    with socket.create_connection(address(proxy), timeout=30) as client:
        client.sendall(f"PUT /{bucket}/k HTTP/1.1\r\ncontent-length: 10\r\n\r\nhalf".encode())
    wait_for(proxy.counts)
    [entry] = proxy.journal()
    assert (entry.fault, entry.status, entry.bytes_in) == ("client left", None, 4)
    assert direct.list_objects_v2(Bucket=bucket)["KeyCount"] == 0


def test_a_server_that_is_gone_is_named_in_the_journal(server: S3Server) -> None:
    with Proxy(f"http://127.0.0.1:{free_port()}") as proxy:
        client = server.client(proxy.endpoint)
        assert error_of(lambda: client.put_object(Bucket="bkt", Key="k", Body=b"x")) == "broken"
        [entry] = proxy.journal()
    assert (entry.fault, entry.status, entry.server_status) == ("server left", None, None)


def test_a_request_costs_the_proxy_about_as_much_time_as_its_client(
    proxy: Proxy, direct: "S3Client", bucket: str
) -> None:
    direct.put_object(Bucket=bucket, Key="k", Body=bytes(1000))
    connection = connect(proxy)
    stat = Path(f"/proc/{proxy.pid}/stat")
    own, before = time.process_time(), cpu_seconds(stat)
    for _ in range(1000):
        connection.request("GET", f"/{bucket}/k", headers=AUTHORIZATION)
        connection.getresponse().read()
    connection.close()
    ratio = (cpu_seconds(stat) - before) / (time.process_time() - own)
    print(f"{ratio:.2f} of the client's processor time")
    assert ratio < 3


def test_a_reset_is_a_reset_and_not_an_end(proxy: Proxy, bucket: str) -> None:
    proxy.set_faults([{"do": "reset", "nth": 1}, {"do": "lost", "nth": 2}])
    for _ in range(2):
        with socket.create_connection(address(proxy), timeout=30) as client:
            client.sendall(f"PUT /{bucket}/k HTTP/1.1\r\ncontent-length: 4\r\n\r\nrows".encode())
            with pytest.raises(ConnectionResetError):
                client.recv(1000)


def test_what_is_not_http_is_refused(proxy: Proxy) -> None:
    with socket.create_connection(address(proxy), timeout=30) as client:
        client.sendall(b"hello\r\n\r\n")
        answer = client.recv(1000)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"This is not HTTP/1.1" in answer


def test_control_says_what_it_does_not_understand(proxy: Proxy) -> None:
    with pytest.raises(ValueError, match="There is no fault 'nope'"):
        proxy.set_faults([{"do": "nope"}])
    with pytest.raises(ValueError, match="There is no latency model"):
        proxy.set_model("nope")
    with pytest.raises(ValueError, match="has no place for 'PutObjekt'"):
        proxy.set_model({"calls": {"PutObjekt": {"median_ms": 1, "p99_ms": 2}}})
    connection = connect(proxy)
    connection.request("GET", "/_repave-lab/nothing")
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())) == (
        404,
        {"error": "The proxy's control has no GET nothing."},
    )
    connection.close()


def test_bytes_and_their_hash_survive_every_path(through: "S3Client", bucket: str) -> None:
    keys = ["odd/part=1/a b+c%20d.txt", "odd/ü€/x", "odd/a//b", "odd/x&y<z>.txt", "odd/dir/"]
    for key in keys:
        tag = through.put_object(Bucket=bucket, Key=key, Body=key.encode())["ETag"]
        assert tag.strip('"') == hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()
        assert through.get_object(Bucket=bucket, Key=key)["Body"].read() == key.encode()
