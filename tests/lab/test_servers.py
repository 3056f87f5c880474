"""Servers start, say where they are, and leave nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from repave_lab import servers
from repave_lab.child import LabError
from repave_lab.proxy import Proxy
from repave_lab.servers import S3Server, embedded_s3, is_installed

END_SECONDS = 30.0


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def ends(pid: int) -> bool:
    deadline = time.monotonic() + END_SECONDS
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


@pytest.mark.parametrize("name", ["moto", "ministack"])
def test_a_server_serves_and_leaves_nothing(name: str) -> None:
    with embedded_s3(name) as server:
        client = server.client()
        client.create_bucket(Bucket="bkt")
        client.put_object(Bucket="bkt", Key="k", Body=b"rows")
        assert client.get_object(Bucket="bkt", Key="k")["Body"].read() == b"rows"
        assert is_running(server.pid)
        assert server.endpoint.startswith("http://127.0.0.1:")
    assert ends(server.pid)
    assert not server.log.exists()


def test_two_servers_at_a_time_do_not_share(server: S3Server) -> None:
    with embedded_s3("ministack") as other:
        assert other.endpoint != server.endpoint
        assert other.client().list_buckets()["Buckets"] == []


def test_a_server_ends_when_the_block_fails(tmp_path: Path) -> None:
    pids = []

    def fail() -> None:
        with embedded_s3("ministack", tmp_path / "kept.log") as server:
            pids.append(server.pid)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert ends(pids[0])
    assert (tmp_path / "kept.log").exists()  # a log that the caller named stays


def test_a_program_announces_itself_and_ends_when_its_input_closes(server: S3Server) -> None:
    for arguments in (
        ["repave_lab.servers", "ministack"],
        ["repave_lab.proxy", "--upstream", server.endpoint, "--model", "typical"],
    ):
        process = start(*arguments, "--until-stdin-closes")
        to_it, from_it = pipes(process)
        told = json.loads(from_it.readline())
        assert told["endpoint"].startswith("http://127.0.0.1:")
        assert is_running(told["pid"])
        to_it.close()
        assert process.wait(END_SECONDS) == 0
        assert from_it.read() == b""
        from_it.close()
        assert ends(told["pid"])


def test_a_program_ends_on_sigterm(server: S3Server) -> None:
    for arguments in (
        ["repave_lab.servers", "ministack"],
        ["repave_lab.proxy", "--upstream", server.endpoint],
    ):
        process = start(*arguments)
        told = json.loads(pipes(process)[1].readline())
        process.terminate()
        assert process.wait(END_SECONDS) == 0
        assert ends(told["pid"])
        for pipe in pipes(process):
            pipe.close()


OWNER = """
import sys, time
from repave_lab.proxy import Proxy
from repave_lab.servers import embedded_s3
with embedded_s3("ministack") as server, Proxy(server.endpoint) as proxy:
    print(server.pid, proxy.pid, server.log.parent, flush=True)
    time.sleep(60)
"""


def test_server_and_proxy_end_with_a_killed_owner() -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    *words, folder = owner.stdout.readline().decode().split()
    pids = [int(word) for word in words]
    assert Path(folder).is_dir()
    assert all(is_running(pid) for pid in pids)
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait(END_SECONDS)
    owner.stdout.close()
    assert all(ends(pid) for pid in pids)
    assert not Path(folder).exists()


def test_a_missing_package_is_named_with_the_line_that_mends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = replace(servers.RECIPES["moto"], packages=("not_there",))
    monkeypatch.setitem(servers.RECIPES, "moto", gone)
    assert not is_installed("moto")
    with pytest.raises(LabError, match=r"moto is not installed .*'lab\[servers\]'`"):
        embedded_s3("moto").__enter__()


def test_an_unknown_server_is_refused() -> None:
    with pytest.raises(LabError, match="There is no embedded server 'minio': choose one of"):
        embedded_s3("minio").__enter__()


def test_a_server_that_cannot_start_shows_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = replace(
        servers.RECIPES["moto"], module="json.tool", arguments=lambda _: ["--nonsense"]
    )
    monkeypatch.setitem(servers.RECIPES, "moto", broken)
    with pytest.raises(LabError, match=r"moto did not start(.|\n)*unrecognized arguments"):
        embedded_s3("moto").__enter__()


def test_a_proxy_that_cannot_start_shows_why() -> None:
    with pytest.raises(LabError, match=r"--upstream ftp://x: give an http:// address"):
        Proxy("ftp://x")
    with pytest.raises(LabError, match="There is no latency model"):
        Proxy("http://127.0.0.1:1", model="nope")
