"""A bucket that lists as S3 does: in pages, in UTF-8 order, with delimiters; it counts."""

from bisect import bisect_right
from io import BytesIO
from typing import Any

from unit.fake_s3 import FakeS3
from unit.record_files import MemoryObjects

# ruff: noqa: ANN401, N803 - boto3 has no types, and its arguments are S3's


class PagedS3(FakeS3):
    """Keys are put by `add` and `add_table`; a page holds 1,000 entries."""

    page = 1_000

    def __init__(self) -> None:
        super().__init__()
        self.lists = 0
        self._sorted: list[bytes] = []

    def add(self, *keys: str, content: bytes = b"rows") -> None:
        self.objects.update(dict.fromkeys(keys, content))
        self._sorted = sorted(map(str.encode, self.objects))

    def add_table(self, key: str, head: dict[str, Any]) -> None:
        records = MemoryObjects()
        records.put("head.json", head)
        (content,) = records.contents.values()
        self.add(f"{key}/_repave/head.json" if key else "_repave/head.json", content=content)

    def get_object(self, *, Key: str, **request: Any) -> dict[str, Any]:
        answer = super().get_object(Key=Key, **request)
        return {**answer, "Body": BytesIO(self.objects[Key])}

    def list_objects_v2(
        self,
        *,
        Prefix: str = "",
        StartAfter: str = "",
        Delimiter: str = "",
        **request: Any,
    ) -> dict[str, Any]:
        self._ask("list_objects_v2")
        self.lists += 1
        after = str(request.get("ContinuationToken", StartAfter))
        folders: list[dict[str, str]] = []
        files: list[dict[str, str]] = []
        place = bisect_right(self._sorted, after.encode())
        while place < len(self._sorted) and len(folders) + len(files) < self.page:
            key = self._sorted[place].decode()
            place += 1
            if not key.startswith(Prefix):
                continue
            name, slash, _ = key[len(Prefix) :].partition(Delimiter or "\0")
            if slash:
                folder = f"{Prefix}{name}{Delimiter}"
                folders.append({"Prefix": folder})
                after = f"{folder}\U0010ffff"
                place = bisect_right(self._sorted, after.encode())
            else:
                files.append({"Key": key})
                after = key
        rest = [key for key in self._sorted[place : place + 1] if key.startswith(Prefix.encode())]
        answer: dict[str, Any] = {"CommonPrefixes": folders, "Contents": files}
        answer["IsTruncated"] = bool(rest)
        if rest:
            answer["NextContinuationToken"] = after
        return answer
