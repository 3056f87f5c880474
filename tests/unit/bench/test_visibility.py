from benchmarks.visibility import Visibility, replay
from repave_lab.proxy.journal import Entry

BEFORE = ["sales/part=1/a", "sales/part=2/a", "sales/_SUCCESS", "sales/_repave/head.json"]


def entry(op: str, ends: float, key: str = "", keys: list[str] | None = None) -> Entry:
    """A request that took half a second."""
    return Entry(ts=ends - 0.5, op=op, bucket="lake", key=key, ms=500, server_status=200, keys=keys)


def seen(*entries: Entry, end: float = 20) -> Visibility:
    return replay(entries, BEFORE, "sales", end)


def test_delete_then_copy_leaves_a_hole() -> None:
    found = seen(
        entry("DeleteObject", 2, "sales/part=1/a"),
        entry("CopyObject", 5, "sales/part=1/b"),
        entry("DeleteObjects", 4, keys=["sales/part=2/a"]),
        entry("CopyObject", 9, "sales/part=2/b"),
    )
    assert found == Visibility(
        missing_seconds=7, missing_longest_seconds=5, missing_partitions=2, doubled_seconds=0
    )


def test_complete_then_delete_shows_both() -> None:
    found = seen(
        entry("CompleteMultipartUpload", 3, "sales/part=1/b"),
        entry("DeleteObjects", 7, keys=["sales/part=1/a"]),
    )
    assert (found.missing_seconds, found.doubled_seconds) == (0, 4)


def test_what_is_wrong_at_the_end_counts_until_then() -> None:
    assert seen(entry("DeleteObject", 12, "sales/part=1/a")).missing_seconds == 8


def test_hidden_names_markers_and_failed_requests_change_nothing() -> None:
    failed = entry("DeleteObject", 2, "sales/part=1/a")
    failed.server_status = 503
    found = seen(
        failed,
        entry("PutObject", 2, "sales/part=1/.staging/b"),
        entry("PutObject", 2, "sales/_temporary/part=1/b"),
        entry("PutObject", 2, "sales/part=1/"),
        entry("PutObject", 2, "elsewhere/part=1/b"),
    )
    assert found == Visibility(0, 0, 0, 0)


def test_a_new_partition_is_not_missing_before_its_first_file() -> None:
    found = seen(
        entry("PutObject", 2, "sales/part=3/b"), entry("DeleteObject", 3, "sales/part=3/b")
    )
    assert found.missing_partitions == 0
