"""An S3 client whose answers, and faults, a test chooses."""

from datetime import datetime, timezone
from io import BytesIO
from threading import Lock
from types import SimpleNamespace
from typing import Any

# ruff: noqa: ANN401, N803 - boto3 has no types, and its arguments are S3's

OLD = datetime(2026, 11, 11, tzinfo=timezone.utc)


class FakeClientError(Exception):
    def __init__(self, code: str, status: int = 400, operation: str = "") -> None:
        super().__init__(code)
        self.operation_name = "".join(word.capitalize() for word in operation.split("_"))
        self.response = {
            "Error": {"Code": code},
            "ResponseMetadata": {"HTTPStatusCode": status},
        }


class FakeS3:
    """Keeps objects and uploads; `refused` maps an operation to the code that it answers."""

    exceptions = SimpleNamespace(ClientError=FakeClientError)

    def __init__(self, *, conditional: bool = True) -> None:
        self.objects: dict[str, bytes] = {}
        self.uploads: dict[str, dict[str, Any]] = {}
        self.refused: dict[str, str] = {}
        self.rules: list[dict[str, Any]] | None = None
        self.versioning: str | None = None
        self.folders: list[str] = []
        self.conditional = conditional
        self.lists_whole_keys = False
        self._number = 0
        self._lock = Lock()

    def list_objects_v2(
        self, *, Prefix: str = "", StartAfter: str = "", Delimiter: str = "", **_request: Any
    ) -> dict[str, Any]:
        self._ask("list_objects_v2")
        if Delimiter:
            return {"CommonPrefixes": [{"Prefix": folder} for folder in self.folders]}
        keys = [key for key in self.objects if key.startswith(Prefix) and key > StartAfter]
        return {"Contents": [{"Key": key} for key in sorted(keys)], "IsTruncated": False}

    def get_object(self, *, Key: str, **_request: Any) -> dict[str, Any]:
        self._ask("get_object")
        if Key not in self.objects:
            code = "NoSuchKey"
            raise FakeClientError(code, 404)
        return {"ETag": self._etag(Key), "Body": BytesIO(self.objects[Key])}

    def put_object(
        self, *, Key: str, Body: bytes, IfNoneMatch: str = "", IfMatch: str = "", **_request: Any
    ) -> dict[str, Any]:
        self._ask("put_object")
        with self._lock:
            there = self.objects.get(Key)
            if self.conditional and (
                (IfNoneMatch and there is not None) or (IfMatch and IfMatch != self._etag(Key))
            ):
                code = "PreconditionFailed"
                raise FakeClientError(code, 412)
            self.objects[Key] = Body
            return {"ETag": self._etag(Key)}

    def head_object(self, *, Key: str, **_request: Any) -> dict[str, Any]:
        self._ask("head_object")
        return {"ETag": self._etag(Key)}

    def delete_objects(self, *, Delete: dict[str, Any], **_request: Any) -> dict[str, Any]:
        self._ask("delete_objects")
        for one in Delete["Objects"]:
            self.objects.pop(one["Key"], None)
        return {}

    def delete_object(self, *, Key: str, **_request: Any) -> dict[str, Any]:
        self._ask("delete_object")
        if self.objects.pop(Key, None) is None:
            # As the XML API of Google Cloud Storage; Amazon S3 does not tell.
            code = "NoSuchKey"
            raise FakeClientError(code, 404)
        return {}

    def create_multipart_upload(self, *, Key: str, **_request: Any) -> dict[str, Any]:
        self._ask("create_multipart_upload")
        self._number += 1
        upload = f"u{self._number}"
        self.uploads[upload] = {"Key": Key, "UploadId": upload, "Initiated": OLD}
        return {"UploadId": upload}

    def upload_part(self, **_request: Any) -> dict[str, Any]:
        self._ask("upload_part")
        return {"ETag": '"p"'}

    def list_multipart_uploads(self, *, Prefix: str, **_request: Any) -> dict[str, Any]:
        self._ask("list_multipart_uploads")
        found = [
            one
            for one in self.uploads.values()
            if (one["Key"] == Prefix if self.lists_whole_keys else one["Key"].startswith(Prefix))
        ]
        return {"Uploads": found, "IsTruncated": False}

    def complete_multipart_upload(self, *, Key: str, UploadId: str, **_request: Any) -> None:
        self._ask("complete_multipart_upload")
        if UploadId not in self.uploads:
            code = "NoSuchUpload"
            raise FakeClientError(code, 404)
        del self.uploads[UploadId]
        self.objects[Key] = b"3"

    def abort_multipart_upload(self, *, UploadId: str, **_request: Any) -> None:
        self._ask("abort_multipart_upload")
        del self.uploads[UploadId]

    def get_bucket_lifecycle_configuration(self, **_request: Any) -> dict[str, Any]:
        self._ask("get_bucket_lifecycle_configuration")
        if self.rules is None:
            code = "NoSuchLifecycleConfiguration"
            raise FakeClientError(code, 404)
        return {"Rules": self.rules}

    def get_bucket_versioning(self, **_request: Any) -> dict[str, Any]:
        self._ask("get_bucket_versioning")
        return {"Status": self.versioning} if self.versioning else {}

    def open(self, key: str, who: str = "etl") -> None:
        """Leave an upload open."""
        upload = self.create_multipart_upload(Key=key)["UploadId"]
        self.uploads[upload]["Initiator"] = {"DisplayName": who}

    def _etag(self, key: str) -> str:
        return f'"{hash(self.objects.get(key))}"'

    def _ask(self, operation: str) -> None:
        if operation in self.refused:
            raise FakeClientError(self.refused[operation], 403, operation)
