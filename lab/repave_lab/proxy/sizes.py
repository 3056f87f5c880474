"""Sizes of objects, learned from the requests that pass: a copy does not say how much it moves."""

import re

from repave_lab.proxy.framing import Head
from repave_lab.proxy.operations import Operation

RANGE = re.compile(rb"bytes=(\d+)-(\d+)$")


class ObjectSizes:
    """What was last written or seen at each `bucket/key`."""

    def __init__(self) -> None:
        self._objects: dict[str, int] = {}
        self._parts: dict[str, dict[str, int]] = {}

    def copied_by(self, head: Head, source: str) -> int | None:
        """Return how many bytes this copy moves, if the source is known."""
        span = RANGE.match(head.header(b"x-amz-copy-source-range") or b"")
        if span:
            return int(span[2]) - int(span[1]) + 1
        return self._objects.get(source)

    def note(self, operation: Operation, size: int | None) -> None:
        """Take note of a successful request and of the bytes that it stored, copied or showed."""
        place = f"{operation.bucket}/{operation.key}"
        upload = operation.query.get("uploadId", "")
        if operation.name == "CompleteMultipartUpload":
            parts = self._parts.pop(upload, None)
            if parts is not None:
                self._objects[place] = sum(parts.values())
        elif operation.name == "AbortMultipartUpload":
            self._parts.pop(upload, None)
        elif operation.name == "DeleteObject":
            self._objects.pop(place, None)
        elif size is None:
            return
        elif operation.name in ("UploadPart", "UploadPartCopy"):
            self._parts.setdefault(upload, {})[operation.query.get("partNumber", "")] = size
        elif operation.name in ("PutObject", "CopyObject", "HeadObject"):
            self._objects[place] = size


def payload_size(head: Head) -> int | None:
    """Return the bytes that a request stores, without the framing of a chunk-signed body."""
    size = head.header(b"x-amz-decoded-content-length") or head.header(b"content-length")
    return int(size) if size else None
