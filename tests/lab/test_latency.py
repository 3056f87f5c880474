"""Calls take the time that the model draws, the server's own included."""

import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from lab.calls import error_of
from repave_lab.proxy import Proxy, load_model
from repave_lab.proxy.journal import Journal
from repave_lab.proxy.latency import CallTime, Latency, LatencyModel, model_from
from repave_lab.proxy.limits import RateLimits, TokenBuckets
from repave_lab.proxy.operations import NAMES
from repave_lab.proxy.stage import Stage
from repave_lab.servers import S3Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

SHIPPED = ["typical", "bad-day"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_model_names_its_median_and_p99(name: str) -> None:
    model = load_model(name)
    assert model.name == name
    for operation, call in model.calls.items():
        latency = Latency(model, seed=1)
        drawn = sorted(1000 * latency.draw(operation) for _ in range(20_000))
        assert drawn[10_000] == pytest.approx(call.median_ms, rel=0.05), operation
        assert drawn[19_800] == pytest.approx(call.p99_ms, rel=0.15), operation


def test_the_instant_model_adds_no_time() -> None:
    latency = Latency(load_model("instant"), seed=1)
    assert latency.model.name == "instant"
    assert [latency.draw(operation, keys=1000) for operation in NAMES] == [0.0] * len(NAMES)


def test_the_nth_call_of_an_operation_takes_the_same_time_whatever_runs_beside_it() -> None:
    model = load_model("typical")
    alone, beside = Latency(model, seed=3), Latency(model, seed=3)
    first = [alone.draw("PutObject") for _ in range(50)]
    second = []
    for _ in range(50):
        beside.draw("GetObject")
        second.append(beside.draw("PutObject"))
    assert first == second
    other_seed = Latency(model, seed=4)
    assert first != [other_seed.draw("PutObject") for _ in range(50)]


def test_two_operations_do_not_take_the_same_times() -> None:
    call = CallTime(median_ms=30, p99_ms=90)
    latency = Latency(LatencyModel(calls={"PutObject": call, "GetObject": call}), seed=3)
    puts = [latency.draw("PutObject") for _ in range(50)]
    assert puts != [latency.draw("GetObject") for _ in range(50)]


def test_a_reset_starts_the_times_again() -> None:
    stage = Stage("127.0.0.1", 1, Journal())
    stage.set_model(load_model("typical"))
    first = [stage.latency.draw("PutObject") for _ in range(20)]
    stage.reset(seed=0)
    assert [stage.latency.draw("PutObject") for _ in range(20)] == first
    stage.reset(seed=1)
    assert [stage.latency.draw("PutObject") for _ in range(20)] != first


def test_bytes_and_keys_add_their_time() -> None:
    call = CallTime(median_ms=20, p99_ms=80, mb_per_second=50, ms_per_key=0.28)
    assert call.seconds(0.0, keys=0) == pytest.approx(0.020)
    assert call.seconds(0.0, keys=1000) == pytest.approx(0.300)
    assert call.stream_seconds(5_000_000) == pytest.approx(0.1)
    flat = CallTime(median_ms=0, p99_ms=0)
    assert flat.seconds(3.0, keys=9) == flat.stream_seconds(10**9) == 0


def test_a_distribution_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="median_ms 9 must lie between 0 and p99_ms 5"):
        CallTime(median_ms=9, p99_ms=5)
    with pytest.raises(ValueError, match="no place for 'limit'"):
        model_from({"limit": {}})


def test_no_call_is_faster_than_its_draw(proxy: Proxy, through: "S3Client", bucket: str) -> None:
    model = LatencyModel(calls={"PutObject": CallTime(median_ms=30, p99_ms=90)})
    proxy.set_model(model)
    expected = Latency(model, seed=0)
    drawn = sorted(1000 * expected.draw("PutObject") for _ in range(120))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: through.put_object(Bucket=bucket, Key=f"{n}"), range(120)))
    taken = sorted(entry.ms for entry in proxy.journal())
    assert all(wanted - 1 <= ms for wanted, ms in zip(drawn, taken, strict=True))


def test_the_time_drawn_includes_the_servers_own(server: S3Server, bucket: str) -> None:
    def flat(ms: float) -> LatencyModel:
        return LatencyModel(calls={"PutObject": CallTime(median_ms=ms, p99_ms=ms)})

    with Proxy(server.endpoint) as slow_server, Proxy(slow_server.endpoint) as proxy:
        slow_server.set_model(flat(500))
        proxy.set_model(flat(600))
        server.client(proxy.endpoint).put_object(Bucket=bucket, Key="a", Body=b"x")
        [entry] = proxy.journal()
    assert entry.server_ms is not None
    assert entry.server_ms >= 500
    assert 600 <= entry.ms < 1100


def test_streams_are_no_faster_than_the_model_says(
    proxy: Proxy, through: "S3Client", bucket: str
) -> None:
    call = {"median_ms": 10, "p99_ms": 10, "mb_per_second": 8}
    proxy.set_model({"calls": dict.fromkeys(("PutObject", "GetObject", "CopyObject"), call)})
    body = bytes(4_000_000)
    through.put_object(Bucket=bucket, Key="a", Body=body)
    through.get_object(Bucket=bucket, Key="a")["Body"].read()
    through.copy_object(Bucket=bucket, Key="b", CopySource=f"{bucket}/a")
    for entry in proxy.journal():
        assert 509 <= entry.ms < 1000, entry


def test_a_body_comes_in_a_stream_not_in_one_go(
    proxy: Proxy, through: "S3Client", direct: "S3Client", bucket: str
) -> None:
    direct.put_object(Bucket=bucket, Key="a", Body=bytes(4_000_000))
    call = {"median_ms": 10, "p99_ms": 10, "mb_per_second": 5}
    proxy.set_model({"calls": {"GetObject": call}})
    started = time.monotonic()
    stream = through.get_object(Bucket=bucket, Key="a")["Body"]
    stream.read(400_000)
    first = time.monotonic() - started
    stream.read()
    whole = time.monotonic() - started
    assert first < 0.7 * whole
    assert whole > 0.8


def test_a_prefix_above_its_rate_is_told_to_slow_down(
    proxy: Proxy, through: "S3Client", bucket: str
) -> None:
    limits = {"writes_per_second": 1, "reads_per_second": 1000, "burst_seconds": 10}
    proxy.set_model({"limits": limits})

    def put(key: str) -> str:
        return error_of(lambda: through.put_object(Bucket=bucket, Key=key, Body=b"x"))

    table = [put(f"table/{n}") for n in range(20)]
    assert table[:10] == [""] * 10
    assert "503 SlowDown" in table[10:]
    assert put("other/1") == ""
    assert error_of(lambda: through.list_objects_v2(Bucket=bucket, Prefix="table/")) == ""
    assert "limit" in {entry.fault for entry in proxy.journal()}


def test_buckets_fill_with_time_and_a_bulk_delete_takes_a_token_a_key() -> None:
    buckets = TokenBuckets(RateLimits(writes_per_second=10, burst_seconds=1, prefix_depth=2))
    deleted = [f"a/b/{n}" for n in range(8)]
    assert buckets.admit("DeleteObjects", "bkt", deleted, now=0.0)
    assert not buckets.admit("DeleteObjects", "bkt", deleted, now=0.1)
    assert buckets.admit("PutObject", "bkt", ["a/b/x"], now=0.1)
    assert buckets.admit("PutObject", "bkt", ["a/c/x"], now=0.1)
    assert buckets.admit("DeleteObjects", "bkt", deleted, now=1.0)
    huge = [f"a/d/{n}" for n in range(1000)]
    assert buckets.admit("DeleteObjects", "bkt", huge, now=1.0)
    assert not buckets.admit("PutObject", "bkt", ["a/d/x"], now=1.0)


def test_sigma_is_the_one_of_the_99th_percentile() -> None:
    call = CallTime(median_ms=100, p99_ms=400)
    assert 1000 * call.seconds(2.326, keys=0) == pytest.approx(400)
    assert 1000 * call.seconds(-2.326, keys=0) == pytest.approx(25)
    assert math.isclose(1000 * call.seconds(0.0, keys=0), 100)
