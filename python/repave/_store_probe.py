"""Checks a store with the same requests as the jar's CapabilityProbe."""

import base64
import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from typing import Any, Final

from repave._location import Location
from repave._store_errors import ABSENT, error_code, status_code
from repave._temporary import TEMPORARY_CODES, TEMPORARY_STATUSES

# ruff: noqa: ANN401 - boto3 has no types

RACERS: Final = 4
# In UTF-8 order. No key is a folder of another, which MinIO does not support.
NAMES: Final = ("B", "a!", "a-b", "a/b", "a0", "b")
AFTER: Final = "a!"
REFUSED: Final = (409, 412)
# The rules of S3ErrorMapper in the jar for an answer that says: such a request never succeeds.
UNSUPPORTED: Final = (301, 501)
DENIED: Final = (401, 403)
ABSENT_PLACES: Final = ("NoSuchBucket", "NoSuchUpload")


@dataclass
class _Race:
    """What racing writes of one key were answered."""

    etags: list[str] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)

    def winners(self) -> str:
        return f"{len(self.etags)} of {RACERS} writers succeeded."


class StoreProbe:
    """Finds the checks that a store fails. Everything that it writes, it deletes again.

    An answer that no check explains (denied, busy, no such bucket) is raised.
    """

    def __init__(self, s3: Any, at: Location) -> None:
        self._s3 = s3
        self._at = at
        self._failed: dict[str, str] = {}

    @property
    def failed(self) -> Mapping[str, str]:
        """The ids of the failed checks, each with what was seen, which may be empty."""
        return self._failed

    def run(self) -> None:
        """Try the store out."""
        try:
            etag = self._race_creates()
            if etag:
                self._race_swaps(etag)
            # A store that fails these is refused: the jar does not ask for the rest either.
            if not self._failed:
                self._list()
                self._complete_aborted_upload()
        finally:
            self._delete()

    def _race_creates(self) -> str | None:
        """Return the ETag of the one object that the race leaves."""
        race = self._race("create", IfNoneMatch="*")
        if race.unsupported:
            # A store that refuses every write, as with a disabled encryption key, says so here.
            self._s3.put_object(**self._named(), **content(b"plain"))
            self._failed["create-supported"] = race.unsupported[0]
        elif len(race.etags) > 1:
            self._failed["create-race"] = race.winners()
        elif race.etags:
            return race.etags[0]
        else:
            # All were refused: a retry inside boto3 may have met its own first try.
            etag = self._etag()
            if etag is None:
                self._failed["create-absent"] = ""
            return etag
        return None

    def _race_swaps(self, etag: str) -> None:
        race = self._race("swap", IfMatch=etag)
        if race.unsupported:
            self._failed["swap-supported"] = race.unsupported[0]
            return
        if len(race.etags) > 1:
            self._failed["swap-race"] = race.winners()
            return
        late = _Race()
        self._write(late, b"late", IfMatch=etag)
        if late.unsupported:
            self._failed["swap-supported"] = late.unsupported[0]
        elif late.etags:
            self._failed["swap-late"] = ""
        elif not race.etags and self._etag() == etag:
            self._failed["swap-current"] = ""

    def _race(self, name: str, **condition: str) -> _Race:
        race, start = _Race(), Barrier(RACERS)

        def send(racer: int) -> None:
            start.wait()
            self._write(race, f"{name} {racer}".encode(), **condition)

        with ThreadPoolExecutor(RACERS) as pool:
            list(pool.map(send, range(RACERS)))
        return race

    def _write(self, race: _Race, body: bytes, **condition: str) -> None:
        try:
            answer = self._s3.put_object(**self._named(), **content(body), **condition)
            race.etags.append(answer["ETag"])
        except self._s3.exceptions.ClientError as error:
            # No object, no match.
            is_absent = "IfMatch" in condition and error_code(error) == "NoSuchKey"
            if is_absent or status_code(error) in REFUSED:
                return
            if not _is_unsupported(error):
                raise
            race.unsupported.append(_answered(error))

    def _etag(self) -> str | None:
        try:
            etag: str = self._s3.get_object(**self._named())["ETag"]
        except self._s3.exceptions.ClientError as error:
            if error_code(error) in ABSENT:
                return None
            raise
        return etag

    def _list(self) -> None:
        for key in self._keys():
            self._s3.put_object(Bucket=self._at.bucket, Key=key, **content(b"1"))
        try:
            listed = self._keys_after(f"{self._folder}{AFTER}")
        except self._s3.exceptions.ClientError as error:
            if not _is_unsupported(error):
                raise
            self._failed["list-supported"] = _answered(error)
            return
        if listed != self._keys()[NAMES.index(AFTER) + 1 :]:
            self._failed["list-order"] = ""

    def _keys_after(self, after: str) -> list[str]:
        request = {"Bucket": self._at.bucket, "Prefix": self._folder, "StartAfter": after}
        keys: list[str] = []
        while len(keys) < len(NAMES):
            page = self._s3.list_objects_v2(**request)
            found = [item["Key"] for item in page.get("Contents", ())]
            keys += found
            if not page.get("IsTruncated"):
                break
            if found:
                request.pop("ContinuationToken", None)
                request["StartAfter"] = found[-1]
            else:
                request["ContinuationToken"] = page["NextContinuationToken"]
        return keys

    def _complete_aborted_upload(self) -> None:
        named: dict[str, Any] = self._named(self._upload)
        named["UploadId"] = self._s3.create_multipart_upload(**named)["UploadId"]
        self._s3.abort_multipart_upload(**named)
        parts = {"Parts": [{"PartNumber": 1, "ETag": '"0cc175b9c0f1b6a831c399e269772661"'}]}
        try:
            self._s3.complete_multipart_upload(**named, MultipartUpload=parts)
            self._failed["aborted-upload-fails"] = ""
        except self._s3.exceptions.ClientError as error:
            if error_code(error) != "NoSuchUpload":
                self._failed["aborted-upload-told"] = _answered(error)

    def _delete(self) -> None:
        # The last one is there only if the store completed an upload that was aborted.
        keys = [*self._keys(), self._at.key, self._upload]
        try:
            refused = delete(self._s3, self._at.bucket, keys)
        except self._s3.exceptions.ClientError as error:
            self._failed["delete"] = f"It kept {self._at}: {_answered(error)}"
            return
        for one in refused:
            kept = Location(self._at.scheme, self._at.bucket, one.get("Key", self._at.key))
            self._failed["delete"] = f"It kept {kept}: {one.get('Code')}"

    @property
    def _upload(self) -> str:
        return f"{self._at.key}-upload"

    @property
    def _folder(self) -> str:
        return f"{self._at.key}-keys/"

    def _keys(self) -> list[str]:
        return [f"{self._folder}{name}" for name in NAMES]

    def _named(self, key: str | None = None) -> dict[str, str]:
        return {"Bucket": self._at.bucket, "Key": key or self._at.key}


def content(body: bytes) -> dict[str, Any]:
    """Return a body with the checksum that the jar sends with it, and no other."""
    md5 = hashlib.md5(body, usedforsecurity=False).digest()
    return {"Body": body, "ContentMD5": base64.b64encode(md5).decode()}


def delete(s3: Any, bucket: str, keys: list[str]) -> list[Any]:
    """Delete objects as the jar does, and return the keys that the store refuses to delete."""
    named = {"Objects": [{"Key": key} for key in keys]}
    try:
        return list(s3.delete_objects(Bucket=bucket, Delete=named).get("Errors", ()))
    except s3.exceptions.ClientError as error:
        if not _is_unsupported(error):
            raise
    for key in keys:
        try:
            s3.delete_object(Bucket=bucket, Key=key)
        except s3.exceptions.ClientError as error:
            if error_code(error) not in ABSENT:
                raise
    return []


def _is_unsupported(error: Any) -> bool:
    status, code = status_code(error), error_code(error)
    if status in UNSUPPORTED:
        return True
    if status in TEMPORARY_STATUSES or code in TEMPORARY_CODES:
        return False
    if status in (*REFUSED, *DENIED) or code in ABSENT_PLACES:
        return False
    return 400 <= status < 500  # noqa: PLR2004 - the request is to blame


def _answered(error: Any) -> str:
    return f"The store answered {status_code(error)} {error_code(error)}."
