"""What the doctor finds wrong with a store and a table's surroundings."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from repave._doctor import Doctor
from repave._findings import Finding
from repave._lifecycle import lifecycle_findings
from repave._location import Location
from repave._store_checks import store_checks
from repave._store_probe import StoreProbe
from unit.fake_s3 import OLD, FakeS3
from unit.lying_s3 import LIARS, LIMITED, RefusesWrites, WithoutDeleteObjects
from unit.paged_s3 import PagedS3
from unit.record_files import TABLE, head, sealed

ABORT = {"Status": "Enabled", "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}}


def archiving(prefix: str, storage_class: str) -> dict[str, Any]:
    moves = [{"Days": 30, "StorageClass": storage_class}]
    return {"ID": "cold", "Status": "Enabled", "Filter": {"Prefix": prefix}, "Transitions": moves}


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


@pytest.mark.parametrize("check", LIARS.keys() - {"delete"})
def test_a_store_that_fails_a_check_is_left_clean(check: str) -> None:
    s3 = LIARS[check]()
    list(Doctor(s3, TABLE, OLD + timedelta(days=3)).try_out())
    assert (s3.objects, s3.uploads) == ({}, {})


def test_the_object_that_a_store_kept_is_named() -> None:
    s3 = LIARS["delete"]()
    (kept,) = [one for one in complaints(s3) if "It kept" in one]
    assert kept.partition("It kept s3://lake/")[2].partition(":")[0] in s3.objects


def test_a_partition_is_not_taken_for_a_table_without_commits(s3: FakeS3) -> None:
    s3.objects[f"{TABLE.key}/_repave/head.json"] = sealed(head(version=1))
    found = [one for one in Doctor(s3, TABLE.under("dt=1")).look() if one.level != "ok"]
    assert [(one.text, one.fix) for one in found] == [
        (
            f"{TABLE}/dt=1 is inside the table {TABLE}, which Repave writes.",
            f"repave doctor {TABLE}",
        )
    ]


def test_a_store_that_ignores_conditions_is_a_problem(s3: FakeS3) -> None:
    s3.conditional = False
    (finding,) = [finding for finding in examine(s3) if finding.level == "problem"]
    assert finding.text.startswith("The store let several writers create the same object")
    assert finding.text.endswith("4 of 4 writers succeeded.")
    assert "repave.single.writer=true" in finding.fix
    assert s3.objects == {}


def test_each_store_check_finds_the_store_that_fails_it() -> None:
    """The jar's list decides: a check that it gains has to find a liar here too."""
    assert set(LIARS) == set(store_checks()) - {"general-purpose-bucket"}
    for check, liar in LIARS.items():
        s3 = liar()
        probe = StoreProbe(s3, TABLE.under("_repave/probe-1"))
        probe.run()
        assert set(probe.failed) == {check}
        assert s3.objects == {} or check == "delete"


@pytest.mark.parametrize("store", LIMITED)
def test_a_store_that_lacks_what_jobs_do_not_need_is_found_right(
    store: Callable[[], FakeS3],
) -> None:
    s3 = store()
    s3.rules = [{**ABORT, "Filter": {"Prefix": ""}}]
    assert complaints(s3) == []
    assert s3.objects == {}


def test_a_denied_delete_is_a_problem_where_the_store_has_no_delete_objects() -> None:
    s3 = WithoutDeleteObjects()
    s3.refused["delete_object"] = "AccessDenied"
    (finding,) = [one for one in examine(s3) if one.level == "problem"]
    assert finding.fix.startswith("allow s3:DeleteObject;")


def test_a_store_that_refuses_every_write_says_why_itself() -> None:
    """As with an encryption key that is disabled: nothing is known of conditions then."""
    (finding,) = [one for one in examine(RefusesWrites()) if one.level == "problem"]
    assert "KMS.DisabledException" in finding.text
    assert not finding.text.startswith(store_checks()["create-supported"].sentence)


def test_what_the_jar_refuses_is_a_problem_and_the_rest_a_warning() -> None:
    for check, liar in LIARS.items():
        (found,) = [
            finding
            for finding in Doctor(liar(), TABLE).try_out()
            if finding.text.startswith(store_checks()[check].sentence)
        ]
        is_problem = store_checks()[check].need != "none" or check == "delete"
        assert found.level == ("problem" if is_problem else "warning")


def test_a_directory_bucket_is_refused_by_its_name_before_any_request() -> None:
    table = Location.of("s3://lake--use1-az4--x-s3/sales")
    (finding,) = Doctor(None, table).look()
    assert finding.level == "problem"
    assert "directory bucket" in finding.text


def test_the_right_of_the_request_that_was_denied_is_named(s3: FakeS3) -> None:
    s3.refused["head_object"] = "403"  # a HEAD has no body, so no code
    assert [(one.text, one.fix) for one in examine(s3) if one.level != "ok"] == [
        (
            "HeadObject is denied.",
            "allow s3:GetObject, and s3:ListBucket without which an absent object is denied too",
        )
    ]
    s3.refused = {"list_multipart_uploads": "AccessDenied"}
    told = {(one.text, one.fix) for one in examine(s3) if one.level != "ok"}
    assert told == {("ListMultipartUploads is denied.", "allow s3:ListBucketMultipartUploads")}
    assert (s3.objects, s3.uploads) == ({}, {})


@pytest.mark.parametrize(
    ("operation", "right"),
    [
        ("list_objects_v2", "s3:ListBucket"),
        ("put_object", "s3:PutObject"),
        ("create_multipart_upload", "s3:PutObject"),
        ("complete_multipart_upload", "s3:PutObject"),
        ("abort_multipart_upload", "s3:AbortMultipartUpload"),
        ("delete_objects", "s3:DeleteObject"),
        ("list_multipart_uploads", "s3:ListBucketMultipartUploads"),
        ("get_bucket_lifecycle_configuration", "s3:GetLifecycleConfiguration"),
    ],
)
def test_a_missing_right_is_named(s3: FakeS3, operation: str, right: str) -> None:
    s3.refused[operation] = "AccessDenied"
    fixes = [finding.fix for finding in examine(s3) if finding.level != "ok"]
    assert any(right in fix for fix in fixes), fixes


def test_a_store_that_lists_no_uploads_by_their_folder_is_named(s3: FakeS3) -> None:
    s3.lists_whole_keys = True
    assert complaints(s3) == ["An open upload is not listed: vacuum will not find orphans here."]
    assert (s3.objects, s3.uploads) == ({}, {})


def test_a_refused_probe_leaves_no_upload(s3: FakeS3) -> None:
    s3.refused["upload_part"] = "AccessDenied"
    assert complaints(s3) == ["UploadPart is denied."]
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
        ([ABORT, archiving("", "GLACIER")], "rule cold moves objects of this table to GLACIER,"),
        (
            [ABORT, archiving("sales/_repave/", "DEEP_ARCHIVE")],
            "table to DEEP_ARCHIVE, its records",
        ),
        ([ABORT, archiving("sales/dt=2025", "GLACIER")], "What it has moved cannot be read."),
    ],
)
def test_a_wrong_lifecycle_is_told(
    s3: FakeS3, rules: list[dict[str, Any]] | None, complaint: str
) -> None:
    s3.rules = rules
    found = complaints(s3)
    assert len(found) == 1
    assert complaint in found[0]


@pytest.mark.parametrize("table", ["s3://lake", "s3://lake/sales"])
def test_a_rule_for_a_part_of_the_table_is_told(s3: FakeS3, table: str) -> None:
    place = Location.of(table)
    part = {"Status": "Enabled", "Filter": {"Prefix": place.under("dt=2025").key}}
    aborts = {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}}
    s3.rules = [ABORT, {**part, "Expiration": {"Days": 30}}, {**part, **aborts}]
    found = [one.text for one in lifecycle_findings(s3, place) if one.level == "problem"]
    assert [one.partition(":")[0] for one in found] == [
        "A lifecycle rule aborts uploads after 1 day",
        "The lifecycle rule (unnamed) deletes objects of this table by age, its records included.",
    ]


RAW = {"Key": "class", "Value": "raw"}


@pytest.mark.parametrize(
    ("picks", "does", "tags"),
    [
        ({"Tag": RAW}, {"Expiration": {"Days": 30}}, "deletes objects with the tags class=raw."),
        (
            {"And": {"Prefix": "sales/dt=2025", "Tags": [RAW, {"Key": "team", "Value": ""}]}},
            {"Transitions": [{"Days": 1, "StorageClass": "GLACIER"}]},
            "moves to GLACIER objects with the tags class=raw, team=.",
        ),
        ({"And": {"Prefix": "sales2/", "Tags": [RAW]}}, {"Expiration": {"Days": 30}}, ""),
        ({"Tag": RAW}, {"NoncurrentVersionExpiration": {"NoncurrentDays": 3}}, ""),
    ],
)
def test_a_rule_for_tagged_objects_is_told(
    s3: FakeS3, picks: dict[str, Any], does: dict[str, Any], tags: str
) -> None:
    s3.rules = [ABORT, {"ID": "tagged", "Status": "Enabled", "Filter": picks, **does}]
    found = [one for one in examine(s3) if one.level != "ok"]
    assert [one.level for one in found] == (["warning"] if tags else [])
    assert all(f"The lifecycle rule tagged {tags}" in one.text for one in found)
    assert all("fs.s3a.object.tags" in one.text for one in found)


def test_a_class_that_can_be_read_at_once_is_well(s3: FakeS3) -> None:
    s3.rules = [ABORT, archiving("", "GLACIER_IR"), archiving("other/", "GLACIER")]
    assert complaints(s3) == []


def test_a_rule_for_a_table_of_a_longer_name_is_not_ours(s3: FakeS3) -> None:
    expires = {"Status": "Enabled", "Expiration": {"Days": 1}}
    s3.rules = [ABORT, {**expires, "Filter": {"Prefix": "sales2/"}}]
    assert complaints(s3) == []


def test_versions_without_end_are_told(s3: FakeS3) -> None:
    s3.versioning = "Enabled"
    assert "stay forever" in complaints(s3)[0]
    assert s3.rules is not None
    s3.rules.append({"Status": "Enabled", "NoncurrentVersionExpiration": {"NoncurrentDays": 3}})
    assert complaints(s3) == []


def test_open_uploads_are_told_with_their_owners_and_age(s3: FakeS3) -> None:
    s3.open("sales/dt=1/part-00000-0f8fad5b7c3a-17.c000.snappy.parquet", "spark")
    s3.open("sales/dt=1/part-00000-0f8fad5b-d9cb-469f-a165-70867728950e-c000.parquet", "intruder")
    s3.open("sales/report.csv", "intruder")
    s3.open("sales2/report.csv", "neighbour")
    assert complaints(s3) == [
        "Uploads open below this path: 3, by Repave: 1. The oldest has been open for 3.0 days.",
        "Uploads of intruder here, which Repave did not make: 2.",
    ]


@pytest.mark.parametrize(("next_version", "found"), [(4, "ok"), (3, "warning")])
def test_a_log_that_repave_keeps_is_not_another_writers(
    s3: FakeS3, next_version: int, found: str
) -> None:
    follower = {"kind": "delta", "id": "f" * 32, "from": 0, "next": next_version, "state": 1}
    members = head(format=2, version=3, followers=[follower])
    s3.objects["sales/_repave/head.json"] = sealed(members)
    s3.folders = ["sales/_delta_log/", "sales/dt=1/", "sales/_repave/"]
    (finding,) = [one for one in examine(s3) if "_delta_log" in one.text]
    assert finding.level == found
    assert "Repave's own" in finding.text


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("glue", "repave sync s3://lake/sales"),
        ("metastore", "call table.sync() in a session of this catalog"),
    ],
)
def test_a_catalog_that_is_behind_is_told_with_what_moves_it(
    s3: FakeS3, kind: str, fix: str
) -> None:
    follower = {"kind": kind, "name": "db.sales", "id": "f" * 32, "from": 1, "next": 3}
    s3.objects["sales/_repave/head.json"] = sealed(head(format=2, version=3, followers=[follower]))
    (finding,) = [one for one in examine(s3) if "db.sales" in one.text]
    assert finding.level == "warning"
    assert finding.text == f"The {kind} table db.sales is at version 2 of 3."
    assert finding.fix == fix


@pytest.mark.parametrize(
    "key", [f"_delta_log/{0:020}.json", ".hoodie/x", "_temporary/x", ".spark-staging-1f/x"]
)
def test_another_writers_leavings_are_told_after_thousands_of_partitions(key: str) -> None:
    s3 = PagedS3()
    s3.add(*(f"sales/-DT={day:05}/f.parquet" for day in range(3_500)), f"sales/{key}")
    folder = key.partition("/")[0]
    findings = [one.text for one in Doctor(s3, TABLE).look()]
    assert len([text for text in findings if f"{folder}/ " in text]) == 1
    assert s3.lists < 20


@pytest.mark.parametrize(
    ("folder", "level"),
    [
        ("_spark_metadata", "problem"),
        ("_temporary", "warning"),
        (".spark-staging-1f", "warning"),
    ],
)
def test_another_writers_leavings_are_told(s3: FakeS3, folder: str, level: str) -> None:
    s3.folders = [f"sales/{folder}/", "sales/dt=1/"]
    findings = [finding for finding in examine(s3) if finding.level != "ok"]
    assert [finding.level for finding in findings] == [level]
    assert folder.rstrip("0123456789f") in findings[0].text


@pytest.mark.parametrize(
    ("folder", "file", "label"),
    [
        ("metadata", "v1.metadata.json", "Iceberg"),
        ("_delta_log", f"{0:020}.json", "Delta"),
        (".hoodie", "hoodie.properties", "Hudi"),
    ],
)
def test_a_table_of_another_format_is_a_problem_and_a_folder_of_that_name_is_not(
    s3: FakeS3, folder: str, file: str, label: str
) -> None:
    s3.folders = [f"sales/{folder}/"]
    s3.objects[f"sales/{folder}/notes/"] = b""
    assert complaints(s3) == []
    s3.objects[f"sales/{folder}/{file}"] = b"{}"
    (finding,) = [finding for finding in examine(s3) if finding.level == "problem"]
    assert finding.text == f"{folder}/ has metadata of {label}: write the table through {label}."


@pytest.mark.parametrize(
    "manifest", ["{:08x}-5a0e-41c5-9a1e-0d4e2f6b7c88-m0.avro", "snap-{:019}-1-b2.avro"]
)
def test_a_table_of_iceberg_is_found_by_a_page_of_its_manifests(manifest: str) -> None:
    """In Iceberg's Hadoop catalog, manifests sort before `v1.metadata.json`."""
    s3 = PagedS3()
    s3.add(*(f"sales/metadata/{manifest.format(file)}" for file in range(1_001)))
    s3.add("sales/metadata/v1.metadata.json")
    (found,) = [one for one in Doctor(s3, TABLE).look() if "Iceberg" in one.text]
    assert found.level == "problem"


def test_partitions_that_no_record_names_lead_to_the_preview_of_an_adoption(s3: FakeS3) -> None:
    s3.folders = ["sales/_day=1/", "sales/dt=1/"]
    (found,) = [one.text for one in examine(s3) if "adopt" in one.text]
    assert found == (
        "Repave has not committed to this table yet, and its folder has partitions such as "
        f"_day=1/. To see what an adoption would record: repave adopt --dry-run {TABLE}"
    )
    s3.objects["sales/_repave/head.json"] = sealed(head(version=1))
    assert not [one for one in examine(s3) if "adopt" in one.text]
