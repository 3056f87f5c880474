"""Checks that a store and a table meet Repave's requirements."""

import contextlib
import json
import re
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from itertools import chain
from typing import Any

from repave._bucket import BucketObjects
from repave._errors import RepaveError
from repave._findings import Finding, ok, problem, warning
from repave._follow import FOLDERS, advice
from repave._lifecycle import lifecycle_findings
from repave._location import RECORDS, Location, is_partition_folder
from repave._read import TableRecords
from repave._store_checks import DIRECTORY_BUCKET, store_checks
from repave._store_errors import FIXES, error_code
from repave._store_probe import StoreProbe, content, delete
from repave._table_formats import TABLE_FORMATS
from repave._uploads import is_ours, open_uploads
from repave._walk import head_is_missing

# What a request needs, by its name in boto3.
RIGHTS = {
    "AbortMultipartUpload": "s3:AbortMultipartUpload",
    "CompleteMultipartUpload": "s3:PutObject",
    "CreateMultipartUpload": "s3:PutObject",
    "DeleteObjects": "s3:DeleteObject",
    "GetObject": "s3:GetObject, and s3:ListBucket without which an absent object is denied too",
    "HeadObject": "s3:GetObject, and s3:ListBucket without which an absent object is denied too",
    "ListMultipartUploads": "s3:ListBucketMultipartUploads",
    "ListObjectsV2": "s3:ListBucket",
    "PutObject": "s3:PutObject",
    "UploadPart": "s3:PutObject",
}
OTHER_JOB = "a Spark job without Repave writes here, or was killed."
# What other writers leave next to the data, and what it means for a Repave table.
OTHER_WRITERS = {
    "_symlink_format_manifest": warning(
        "_symlink_format_manifest/ is there, but Repave does not write it: readers see old files.",
        "delete the folder, then run: repave follow <table> --symlink",
    ),
    "_spark_metadata": problem(
        "_spark_metadata is there: a stream's log, through which Spark would not see other files.",
        "write to another path, or remove the log if no stream writes here any more",
    ),
    "_temporary": warning(f"_temporary/ is there: {OTHER_JOB}"),
    "__magic": warning("__magic/ is there: a job of S3A's magic committer writes here, or died."),
}
STAGING = ".spark-staging-"
LEFT_LOG = warning(
    "_delta_log/ was written by a follower of Repave, and no follower of this table writes it: "
    "its readers see old files.",
    "delete the folder; to have a log, then run: repave follow <table> --delta",
)
# The first line of a Delta log's version tells who wrote it. The jar reads as much.
BYTES_OF_A_WRITER = 64 * 1024
# By the folder of their metadata.
FORMATS = {folder: (label, metadata) for label, folder, metadata in TABLE_FORMATS}


class Doctor:
    """Examines one table with one client, and deletes everything that it writes."""

    def __init__(self, s3: Any, table: Location, now: datetime | None = None) -> None:  # noqa: ANN401
        self._s3 = s3
        self._table = table
        self._now = now or datetime.now(timezone.utc)

    def look(self) -> Iterator[Finding]:
        """Yield what can be seen without writing. It ends if the bucket cannot be listed."""
        if self._table.bucket.endswith(DIRECTORY_BUCKET):
            yield problem(store_checks()["general-purpose-bucket"].sentence)
            return
        try:
            folders = self._folders()
        except self._s3.exceptions.ClientError as error:
            yield self._unlistable(error_code(error))
            return
        yield ok(f"{self._table} can be listed.")
        followers: list[str] = []
        head = list(self._head(folders, followers))
        yield from self._other_writers(folders, followers)
        yield from head
        yield from lifecycle_findings(self._s3, self._table)
        yield from self._uploads()

    def try_out(self) -> Iterator[Finding]:
        """Yield what can be seen only by writing, under `_repave/`."""
        at = self._table.under(f"{RECORDS}/probe-{uuid.uuid4().hex}")
        probe = StoreProbe(self._s3, at)
        try:
            probe.run()
            yield from _passed(probe.failed)
            yield from self._rights({"Bucket": at.bucket, "Key": f"{at.key}-rights"})
        except self._s3.exceptions.ClientError as error:
            yield _denied(error)
        for check, seen in probe.failed.items():
            yield _failed(check, seen, at)

    def _rights(self, keys: dict[str, str]) -> Iterator[Finding]:
        """Try the requests of a job and of its readers that the probe does not send."""
        try:
            yield from self._multipart(keys)
            self._s3.head_object(**keys)
            yield ok("Objects can be read.")
        finally:
            # If this cannot work, the probe's delete has already reported it.
            with contextlib.suppress(self._s3.exceptions.ClientError):
                delete(self._s3, keys["Bucket"], [keys["Key"]])

    def _multipart(self, keys: dict[str, str]) -> Iterator[Finding]:
        upload = self._s3.create_multipart_upload(**keys)["UploadId"]
        named = {**keys, "UploadId": upload}
        try:
            part = self._s3.upload_part(**named, **content(b"3"), PartNumber=1)
            # By the folder, as vacuum does. Some stores list an upload only by its whole key.
            folder = keys["Key"].rpartition("/")[0] + "/"
            listed = self._s3.list_multipart_uploads(Bucket=keys["Bucket"], Prefix=folder)
            if not any(one["UploadId"] == upload for one in listed.get("Uploads", ())):
                yield warning("An open upload is not listed: vacuum will not find orphans here.")
            parts = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
            self._s3.complete_multipart_upload(**named, MultipartUpload=parts)
        except self._s3.exceptions.ClientError:
            self._s3.abort_multipart_upload(**named)
            raise
        second = self._s3.create_multipart_upload(**keys)["UploadId"]
        self._s3.abort_multipart_upload(**keys, UploadId=second)
        yield ok("Multipart uploads can be made, listed, completed and aborted.")

    def _folders(self) -> list[str]:
        """Return the table's folders by name; if there are many, the first ones and known names."""
        first, complete = self._folders_like("")
        if complete:
            return first
        # Thousands of partitions may come before them. Each takes one request.
        known = [
            self._folders_like(name)[0] for name in (*FORMATS, *OTHER_WRITERS, STAGING, RECORDS)
        ]
        return list(dict.fromkeys(chain(first, *known)))

    def _folders_like(self, begin: str) -> tuple[list[str], bool]:
        """Return the first folders whose names begin so, and whether these are all."""
        page = self._s3.list_objects_v2(
            Bucket=self._table.bucket, Prefix=f"{self._folder()}{begin}", Delimiter="/"
        )
        prefixes = [one["Prefix"] for one in page.get("CommonPrefixes", ())]
        names = [prefix.rstrip("/").rsplit("/", 1)[-1] for prefix in prefixes]
        return names, not page.get("IsTruncated")

    def _other_writers(self, folders: list[str], followers: list[str]) -> Iterator[Finding]:
        own = [FOLDERS[one] for one in followers if one in FOLDERS]
        for name in folders:
            if name in own:
                continue
            if name in OTHER_WRITERS:
                yield OTHER_WRITERS[name]
            elif name in FORMATS:
                yield from self._metadata(name)
            elif name.startswith(STAGING):
                yield warning(f"{name}/ is there: {OTHER_JOB}")

    def _metadata(self, name: str) -> Iterator[Finding]:
        """Tell of a table of another format in a folder with the format's name."""
        label, metadata = FORMATS[name]
        folder = f"{self._folder()}{name}/"
        page = self._s3.list_objects_v2(Bucket=self._table.bucket, Prefix=folder)
        keys = (one["Key"] for one in page.get("Contents", ()))
        # Others may have a folder of that name.
        found = (key for key in keys if re.fullmatch(metadata, key.removeprefix(folder)))
        key = next(found, None)
        if key is None:
            return
        if name == FOLDERS["delta"] and self._is_of_repave(key):
            yield LEFT_LOG
        else:
            yield problem(f"{name}/ has metadata of {label}: write the table through {label}.")

    def _is_of_repave(self, version: str) -> bool:
        """Tell whether a follower of Repave, of any table, wrote a version of a Delta log."""
        try:
            answer = self._s3.get_object(
                Bucket=self._table.bucket, Key=version, Range=f"bytes=0-{BYTES_OF_A_WRITER - 1}"
            )
        except self._s3.exceptions.ClientError:
            return False  # it is empty, say
        with answer["Body"] as body:
            line = body.read(BYTES_OF_A_WRITER).split(b"\n")[0]
        try:
            info = json.loads(line)["commitInfo"]["repave"]
        except (ValueError, LookupError, TypeError, RecursionError):
            return False
        return isinstance(info, dict)

    def _head(self, folders: list[str], followers: list[str]) -> Iterator[Finding]:
        """Yield what the head says; add to `followers` those that it names."""
        records = TableRecords(BucketObjects(self._s3), self._table)
        try:
            status = records.status()
            above = None if status["table-id"] else records.enclosing()
        except RepaveError as error:
            # It may name any of them.
            followers.extend(FOLDERS)
            yield problem(str(error))
            return
        if above is not None:
            yield warning(
                f"{self._table} is inside the table {above}, which Repave writes.",
                f"repave doctor {above}",
            )
        elif not status["table-id"] and RECORDS in folders:
            followers.extend(FOLDERS)
            yield problem(str(head_is_missing()))
        elif not status["table-id"]:
            yield self._unwritten(folders)
        elif not status["active"]:
            yield ok(f"The table is at version {status['version']}, and no commit is unfinished.")
        for one in status.get("followers", ()):
            followers.append(one["follower"])
            yield self._followed(one, status["version"])
        for one in status["active"]:
            yield warning(
                f"Commit {one['commit']} is {one['state']}: its job is still running, or has died.",
                f"repave recover {self._table}",
            )

    def _unwritten(self, folders: list[str]) -> Finding:
        partition = next((name for name in folders if is_partition_folder(name)), None)
        if partition is None:
            return ok("Repave has not committed to this table yet.")
        return ok(
            "Repave has not committed to this table yet, and its folder has partitions such as "
            f"{partition}/. To see what an adoption would record: "
            f"repave adopt --dry-run {self._table}"
        )

    def _followed(self, one: dict[str, Any], version: int) -> Finding:
        if one["follower"] not in FOLDERS:
            return _in_catalog(one, version, f"repave sync {self._table}")
        name = FOLDERS[one["follower"]]
        if not one["behind"]:
            return ok(f"{name}/ is Repave's own, and at the table's version.")
        return warning(
            f"{name}/ is Repave's own, and at version {one['version']} of {version}.",
            f"repave sync {self._table}",
        )

    def _uploads(self) -> Iterator[Finding]:
        try:
            uploads, complete = open_uploads(self._s3, self._table)
        except self._s3.exceptions.ClientError as error:
            yield _denied(error)
            return
        if not uploads:
            yield ok("No upload is open below this path.")
            return
        ours = sum(is_ours(upload) for upload in uploads)
        oldest = min(upload["Initiated"] for upload in uploads)
        days = (self._now - oldest) / timedelta(days=1)
        least = "" if complete else "at least "
        yield warning(
            f"Uploads open below this path: {least}{len(uploads):,}, by Repave: {ours:,}. "
            f"The oldest has been open for {days:.1f} days.",
            f"repave vacuum --dry-run {self._table} counts those that are orphans",
        )
        others = Counter(_initiator(upload) for upload in uploads if not is_ours(upload))
        for who, count in others.most_common(5):
            yield warning(f"Uploads of {who} here, which Repave did not make: {count:,}.")

    def _unlistable(self, code: str) -> Finding:
        if code == "NoSuchBucket":
            return problem(f"There is no bucket {self._table.bucket}.", FIXES[code])
        if code in ("AccessDenied", "403"):
            return problem(f"Listing {self._table} is denied.", "allow s3:ListBucket")
        return problem(f"Listing {self._table} fails: {code}.", FIXES.get(code, ""))

    def _folder(self) -> str:
        return self._table.prefix


def _passed(failed: Mapping[str, str]) -> Iterator[Finding]:
    needs = {store_checks()[check].need for check in failed}
    if "many-writers" in needs:
        return  # The probe ended there.
    yield ok("Conditional writes are kept (If-None-Match, If-Match).")
    if "every-writer" not in needs:
        yield ok("Keys are listed in order, from any key on.")
    if "delete" not in failed:
        yield ok("Objects can be deleted.")


def _failed(check: str, seen: str, at: Location) -> Finding:
    text = f"{store_checks()[check].sentence} {seen}".rstrip()
    if check == "delete":
        # Jobs begin without it. They fail when they may not remove old files.
        return problem(text, f"allow s3:DeleteObject; then remove the objects {at}*")
    need = store_checks()[check].need
    if need == "none":
        return warning(text)
    if need == "every-writer":
        return problem(text, "use a store that does")
    return problem(
        text,
        "use a store that does; or set repave.single.writer=true for the jobs, and never let two "
        "of them write to one table at once",
    )


def _in_catalog(one: dict[str, Any], version: int, sync: str) -> Finding:
    catalog = f"The {one['follower']} table {one['name']}"
    if not one["behind"]:
        return ok(f"{catalog} is at the table's version.")
    fix = advice(one["follower"], sync)
    return warning(f"{catalog} is at version {one['version']} of {version}.", fix)


def _initiator(upload: Any) -> str:  # noqa: ANN401
    who = upload.get("Initiator", {})
    return str(who.get("DisplayName") or who.get("ID") or "somebody unknown")


def _denied(error: Any) -> Finding:  # noqa: ANN401
    code, request = error_code(error), error.operation_name
    if code in ("AccessDenied", "403"):
        return problem(f"{request} is denied.", f"allow {RIGHTS.get(request, request)}")
    return problem(f"{request} fails: {code}.", FIXES.get(code, ""))
