"""What the doctor finds wrong with a store and a table's surroundings."""

from datetime import timedelta
from typing import Any

import pytest

from repave._doctor import Doctor
from repave._findings import Finding
from unit.fake_s3 import OLD, FakeS3
from unit.record_files import TABLE

ABORT = {"Status": "Enabled", "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}}


def examine(s3: FakeS3) -> list[Finding]:
    doctor = Doctor(s3, TABLE, OLD + timedelta(days=3))
    return [*doctor.look(), *doctor.try_out()]


def complaints(s3: FakeS3) -> list[str]:
    return [finding.text for finding in examine(s3) if finding.level != "ok"]


@pytest.fixture
def s3() -> FakeS3:
    """A store with which nothing is wrong."""
    s3 = FakeS3()
    s3.rules = [{**ABORT, "Filter": {"Prefix": ""}}]
    return s3


def test_a_right_store_is_found_right_and_left_clean(s3: FakeS3) -> None:
    assert complaints(s3) == []
    assert (s3.objects, s3.uploads) == ({}, {})


def test_a_store_that_ignores_conditions_is_a_problem(s3: FakeS3) -> None:
    s3.conditional = False
    findings = [finding for finding in examine(s3) if finding.level == "problem"]
    assert [finding.text for finding in findings] == [
        "The store does not keep conditional writes (If-None-Match, If-Match)."
    ]
    assert s3.objects == {}


@pytest.mark.parametrize(
    ("operation", "right"),
    [
        ("list_objects_v2", "s3:ListBucket"),
        ("put_object", "s3:PutObject"),
        ("create_multipart_upload", "s3:PutObject"),
        ("delete_objects", "s3:DeleteObject"),
        ("list_multipart_uploads", "s3:ListBucketMultipartUploads"),
        ("get_bucket_lifecycle_configuration", "s3:GetLifecycleConfiguration"),
    ],
)
def test_a_missing_right_is_named(s3: FakeS3, operation: str, right: str) -> None:
    s3.refused[operation] = "AccessDenied"
    mends = [finding.mend for finding in examine(s3) if finding.level != "ok"]
    assert any(right in mend for mend in mends), mends


def test_a_refused_probe_leaves_no_upload(s3: FakeS3) -> None:
    s3.refused["upload_part"] = "AccessDenied"
    assert complaints(s3) == ["Writing is denied."]
    assert (s3.objects, s3.uploads) == ({}, {})


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        (None, "No lifecycle rule aborts"),
        ([], "No lifecycle rule aborts"),
        ([{**ABORT, "Filter": {"Prefix": "other/"}}], "No lifecycle rule aborts"),
        ([{**ABORT, "Status": "Disabled", "Filter": {"Prefix": ""}}], "No lifecycle rule aborts"),
        (
            [{**ABORT, "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}}],
            "aborts uploads after 1 day",
        ),
        (
            [ABORT, {"ID": "old", "Status": "Enabled", "Expiration": {"Days": 30}}],
            "The lifecycle rule old deletes objects of this table",
        ),
        (
            [
                ABORT,
                {
                    "ID": "records",
                    "Status": "Enabled",
                    "Filter": {"Prefix": "sales/_repave/"},
                    "Expiration": {"Days": 30},
                },
            ],
            "The lifecycle rule records deletes objects of this table",
        ),
    ],
)
def test_a_wrong_lifecycle_is_told(
    s3: FakeS3, rules: list[dict[str, Any]] | None, complaint: str
) -> None:
    s3.rules = rules
    found = complaints(s3)
    assert len(found) == 1
    assert complaint in found[0]


def test_a_rule_for_a_table_of_a_longer_name_is_not_ours(s3: FakeS3) -> None:
    expires = {"Status": "Enabled", "Expiration": {"Days": 1}}
    s3.rules = [ABORT, {**expires, "Filter": {"Prefix": "sales2/"}}]
    assert complaints(s3) == []


def test_versions_without_end_are_told(s3: FakeS3) -> None:
    s3.versioning = "Enabled"
    assert "paid for, without end" in complaints(s3)[0]
    assert s3.rules is not None
    s3.rules.append({"Status": "Enabled", "NoncurrentVersionExpiration": {"NoncurrentDays": 3}})
    assert complaints(s3) == []


def test_open_uploads_are_told_with_their_owners_and_age(s3: FakeS3) -> None:
    s3.open("sales/dt=1/part-00000-0f8fad5b7c3a-17.c000.snappy.parquet", "spark")
    s3.open("sales/dt=1/part-00000-0f8fad5b-d9cb-469f-a165-70867728950e-c000.parquet", "intruder")
    s3.open("sales/report.csv", "intruder")
    s3.open("sales2/report.csv", "neighbour")
    assert complaints(s3) == [
        "3 uploads are open below this path, 1 of them Repave's; the oldest is 3.0 days old.",
        "intruder has 2 uploads here that are not Repave's.",
    ]


@pytest.mark.parametrize(
    ("folder", "level"),
    [
        ("_delta_log", "problem"),
        ("_spark_metadata", "problem"),
        ("metadata", "warning"),
        ("_temporary", "warning"),
        (".spark-staging-1f", "warning"),
    ],
)
def test_another_writers_leavings_are_told(s3: FakeS3, folder: str, level: str) -> None:
    s3.folders = [f"sales/{folder}/", "sales/dt=1/", "sales/_repave/"]
    findings = [finding for finding in examine(s3) if finding.level != "ok"]
    assert [finding.level for finding in findings] == [level]
    assert folder.rstrip("0123456789f") in findings[0].text
