"""Examines a store and a table's surroundings: does what Repave rests on hold here?"""

import base64
import hashlib
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from repave._bucket import MENDS, BucketObjects, error_code, status_code
from repave._errors import RepaveError
from repave._findings import Finding, ok, problem, warning
from repave._lifecycle import lifecycle_findings
from repave._location import Location
from repave._read import TableRecords
from repave._uploads import is_ours, open_uploads

PRECONDITION_FAILED = 412
# What other writers leave beside the data, and what it means for a table of ours.
STRANGERS = {
    "_delta_log": problem("_delta_log/ is there: this is a Delta table; write it through Delta."),
    "metadata": warning("metadata/ is there: an Iceberg table must be written through Iceberg."),
    ".hoodie": problem(".hoodie/ is there: this is a Hudi table; write it through Hudi."),
    "_spark_metadata": problem(
        "_spark_metadata is there: a stream's log, through which Spark would not see other files.",
        "write to another path, or remove the log if no stream writes here any more",
    ),
    "_temporary": warning("_temporary/ is there: a stock Spark job writes here, or was killed."),
    "__magic": warning("__magic/ is there: a job of S3A's magic committer writes here, or died."),
}
STAGING = ".spark-staging-"


class Doctor:
    """Looks at one table with one client; everything that it writes, it takes away again."""

    def __init__(self, s3: Any, table: Location, now: datetime | None = None) -> None:  # noqa: ANN401
        self._s3 = s3
        self._table = table
        self._now = now or datetime.now(timezone.utc)

    def look(self) -> Iterator[Finding]:
        """Yield what can be seen without writing; a bucket that cannot be listed ends it."""
        try:
            answer = self._s3.list_objects_v2(
                Bucket=self._table.bucket, Prefix=self._folder(), Delimiter="/"
            )
        except self._s3.exceptions.ClientError as error:
            yield self._unlistable(error_code(error))
            return
        yield ok(f"{self._table} can be listed.")
        yield from self._strangers(answer)
        yield from self._head()
        yield from lifecycle_findings(self._s3, self._table)
        yield from self._uploads()

    def try_out(self) -> Iterator[Finding]:
        """Yield what shows only when something is written, under `_repave/`."""
        probe = self._table.under(f"_repave/probe-{uuid.uuid4().hex}")
        keys = {"Bucket": probe.bucket, "Key": probe.key}
        try:
            yield from self._conditional_writes(keys)
            yield from self._multipart(keys)
        except self._s3.exceptions.ClientError as error:
            yield _denied("writing", error, "s3:PutObject and s3:AbortMultipartUpload")
        finally:
            yield self._delete(keys)

    def _conditional_writes(self, keys: dict[str, str]) -> Iterator[Finding]:
        self._s3.put_object(**keys, **_content(b"1"), IfNoneMatch="*")
        broken = []
        if not self._is_refused(keys, IfNoneMatch="*"):
            broken.append("If-None-Match")
        if not self._is_refused(keys, IfMatch='"00000000000000000000000000000000"'):
            broken.append("If-Match")
        etag = self._s3.head_object(**keys)["ETag"]
        if self._is_refused(keys, IfMatch=etag):
            broken.append("a right If-Match")
        if broken:
            yield problem(
                f"The store does not keep conditional writes ({', '.join(broken)}).",
                "use a store that does; with --single-writer no two jobs may write a table at once",
            )
        else:
            yield ok("Conditional writes are kept (If-None-Match, If-Match).")

    def _is_refused(self, keys: dict[str, str], **condition: str) -> bool:
        try:
            self._s3.put_object(**keys, **_content(b"2"), **condition)
        except self._s3.exceptions.ClientError as error:
            if status_code(error) == PRECONDITION_FAILED:
                return True
            raise
        return False

    def _multipart(self, keys: dict[str, str]) -> Iterator[Finding]:
        upload = self._s3.create_multipart_upload(**keys)["UploadId"]
        named = {**keys, "UploadId": upload}
        try:
            part = self._s3.upload_part(**named, **_content(b"3"), PartNumber=1)
            listed = self._s3.list_multipart_uploads(Bucket=keys["Bucket"], Prefix=keys["Key"])
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

    def _delete(self, keys: dict[str, str]) -> Finding:
        try:
            answer = self._s3.delete_objects(
                Bucket=keys["Bucket"], Delete={"Objects": [{"Key": keys["Key"]}]}
            )
        except self._s3.exceptions.ClientError as error:
            return _denied("deleting", error, "s3:DeleteObject")
        if answer.get("Errors"):
            return problem(
                f"Deleting is refused: {answer['Errors'][0].get('Code')}.",
                f"allow s3:DeleteObject; then remove s3://{keys['Bucket']}/{keys['Key']}",
            )
        return ok("Objects can be deleted in pages.")

    def _strangers(self, answer: Any) -> Iterator[Finding]:  # noqa: ANN401
        for prefix in answer.get("CommonPrefixes", ()):
            name = prefix["Prefix"].rstrip("/").rsplit("/", 1)[-1]
            if name in STRANGERS:
                yield STRANGERS[name]
            elif name.startswith(STAGING):
                yield warning(f"{name}/ is there: a stock Spark job writes here, or was killed.")

    def _head(self) -> Iterator[Finding]:
        try:
            status = TableRecords(BucketObjects(self._s3), self._table).status()
        except RepaveError as error:
            yield problem(str(error))
            return
        if not status["table-id"]:
            yield ok("Repave has not committed to this table yet.")
        elif not status["active"]:
            yield ok(f"The table is at version {status['version']}, and no commit is under way.")
        for one in status["active"]:
            yield warning(
                f"Commit {one['commit']} is {one['state']}: its job is at it, or has died.",
                f"repave recover {self._table}",
            )

    def _uploads(self) -> Iterator[Finding]:
        try:
            uploads, complete = open_uploads(self._s3, self._table)
        except self._s3.exceptions.ClientError as error:
            yield _denied("listing uploads", error, "s3:ListBucketMultipartUploads")
            return
        if not uploads:
            yield ok("No upload is open below this path.")
            return
        ours = sum(is_ours(upload) for upload in uploads)
        oldest = min(upload["Initiated"] for upload in uploads)
        days = (self._now - oldest) / timedelta(days=1)
        least = "" if complete else "at least "
        yield warning(
            f"{least}{len(uploads):,} uploads are open below this path, {ours:,} of them Repave's; "
            f"the oldest is {days:.1f} days old.",
            f"repave vacuum --dry-run {self._table} counts those that are orphans",
        )
        others = Counter(_initiator(upload) for upload in uploads if not is_ours(upload))
        for who, count in others.most_common(5):
            yield warning(f"{who} has {count:,} uploads here that are not Repave's.")

    def _unlistable(self, code: str) -> Finding:
        if code == "NoSuchBucket":
            return problem(f"There is no bucket {self._table.bucket}.", MENDS[code])
        if code in ("AccessDenied", "403"):
            return problem(f"Listing {self._table} is denied.", "allow s3:ListBucket")
        return problem(f"Listing {self._table} fails: {code}.", MENDS.get(code, ""))

    def _folder(self) -> str:
        return f"{self._table.key}/" if self._table.key else ""


def _content(body: bytes) -> dict[str, Any]:
    """Return a body with the checksum that the jar sends with it, and no other."""
    md5 = hashlib.md5(body, usedforsecurity=False).digest()
    return {"Body": body, "ContentMD5": base64.b64encode(md5).decode()}


def _initiator(upload: Any) -> str:  # noqa: ANN401
    who = upload.get("Initiator", {})
    return str(who.get("DisplayName") or who.get("ID") or "somebody unknown")


def _denied(what: str, error: Any, right: str) -> Finding:  # noqa: ANN401
    code = error_code(error)
    if code in ("AccessDenied", "403"):
        return problem(f"{what.capitalize()} is denied.", f"allow {right}")
    return problem(f"{what.capitalize()} fails: {code}.")
