"""One S3 client for each store check, which fails that check and no other, and limited stores."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from repave._store_probe import RACERS
from unit.fake_s3 import FakeClientError, FakeS3

# ruff: noqa: ANN401, N803 - boto3 has no types, and its arguments are S3's

NOT_IMPLEMENTED: Final = FakeClientError("NotImplemented", 501)
PRECONDITION_FAILED: Final = FakeClientError("PreconditionFailed", 412)


class ConditionLiar(FakeS3):
    """Raises an error for one condition, or ignores it when there is none."""

    def __init__(self, condition: str, error: FakeClientError | None = None) -> None:
        super().__init__()
        self._condition = condition
        self._error = error

    def put_object(self, **request: Any) -> dict[str, Any]:
        if request.pop(self._condition, None) and self._error:
            raise self._error
        return super().put_object(**request)


class RefusesWrites(FakeS3):
    def put_object(self, **_request: Any) -> dict[str, Any]:
        code = "KMS.DisabledException"
        raise FakeClientError(code, 400)


class LateWriterLiar(FakeS3):
    """Keeps If-Match in a race, and forgets it afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self._swaps = 0

    def put_object(self, **request: Any) -> dict[str, Any]:
        self._swaps += "IfMatch" in request
        if self._swaps > RACERS:
            request.pop("IfMatch", None)
        return super().put_object(**request)


class ListingWithoutStartAfter(FakeS3):
    def list_objects_v2(self, **request: Any) -> dict[str, Any]:
        if request.get("StartAfter"):
            raise NOT_IMPLEMENTED
        return super().list_objects_v2(**request)


class UnorderedListing(FakeS3):
    def list_objects_v2(self, **request: Any) -> dict[str, Any]:
        page = super().list_objects_v2(**request)
        page.get("Contents", []).reverse()
        return page


class CompletesWhatWasAborted(FakeS3):
    def complete_multipart_upload(self, *, UploadId: str, **request: Any) -> None:
        if UploadId in self.uploads:
            super().complete_multipart_upload(UploadId=UploadId, **request)
        else:
            self.objects[request["Key"]] = b"completed"


class ConfusesWhatWasAborted(FakeS3):
    def complete_multipart_upload(self, *, UploadId: str, **request: Any) -> None:
        if UploadId not in self.uploads:
            code = "InternalError"
            raise FakeClientError(code, 500)
        super().complete_multipart_upload(UploadId=UploadId, **request)


class KeepsObjects(FakeS3):
    def delete_objects(self, *, Delete: dict[str, Any], **_request: Any) -> dict[str, Any]:
        kept = [one for one in Delete["Objects"] if one["Key"] in self.objects]
        return {"Errors": [{**one, "Code": "AccessDenied"} for one in kept]}


class WithoutDeleteObjects(FakeS3):
    """As the XML API of Google Cloud Storage."""

    def __init__(self, status: int = 405) -> None:
        super().__init__()
        self._status = status

    def delete_objects(self, **_request: Any) -> dict[str, Any]:
        code = "MethodNotAllowed"
        raise FakeClientError(code, self._status)


class HidesKeysBelowObjects(FakeS3):
    """Does not list `a/b` where `a` is an object, as MinIO."""

    def list_objects_v2(self, **request: Any) -> dict[str, Any]:
        page = super().list_objects_v2(**request)
        listed = page.get("Contents", [])
        page["Contents"] = [one for one in listed if not self._is_below_object(one["Key"])]
        return page

    def _is_below_object(self, key: str) -> bool:
        return any(key.startswith(f"{other}/") for other in self.objects)


class RefusesKeysBelowObjects(HidesKeysBelowObjects):
    """As MinIO until 2022."""

    def put_object(self, *, Key: str, **request: Any) -> dict[str, Any]:
        if self._is_below_object(Key):
            code = "XMinioParentIsObject"
            raise FakeClientError(code, 400)
        return super().put_object(Key=Key, **request)


LIARS: Final[dict[str, Callable[[], FakeS3]]] = {
    "create-supported": lambda: ConditionLiar("IfNoneMatch", NOT_IMPLEMENTED),
    "create-race": lambda: ConditionLiar("IfNoneMatch"),
    "create-absent": lambda: ConditionLiar("IfNoneMatch", PRECONDITION_FAILED),
    "swap-supported": lambda: ConditionLiar("IfMatch", NOT_IMPLEMENTED),
    "swap-race": lambda: ConditionLiar("IfMatch"),
    "swap-late": LateWriterLiar,
    "swap-current": lambda: ConditionLiar("IfMatch", PRECONDITION_FAILED),
    "list-supported": ListingWithoutStartAfter,
    "list-order": UnorderedListing,
    "aborted-upload-fails": CompletesWhatWasAborted,
    "aborted-upload-told": ConfusesWhatWasAborted,
    "delete": KeepsObjects,
}
# Stores that lack something that jobs do not need.
LIMITED: Final[list[Callable[[], FakeS3]]] = [
    HidesKeysBelowObjects,
    RefusesKeysBelowObjects,
    WithoutDeleteObjects,
    partial(WithoutDeleteObjects, 501),
]
