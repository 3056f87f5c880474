import pytest

from benchmarks.prices import dollars


def test_reads_are_cheaper_than_writes_and_deletes_are_free() -> None:
    assert dollars({"HeadObject": 10_000}) == pytest.approx(0.004)
    assert dollars({"ListObjectsV2": 1000, "UploadPart": 1000}) == pytest.approx(0.01)
    assert dollars({"DeleteObjects": 5, "DeleteObject": 5, "AbortMultipartUpload": 5}) == 0


def test_an_unknown_request_counts_as_a_write() -> None:
    assert dollars({"Other": 1000}) == dollars({"PutObject": 1000})
