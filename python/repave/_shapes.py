"""The members that a record must have, and of what kind; records are hostile input."""

from typing import Any, Final

from repave._errors import RecordRefusedError

# A type, a list of one shape, or an object's members; a name that ends in `?` may be absent.
Shape = type | list[Any] | dict[str, Any]

COMMIT: Final[dict[str, Shape]] = {
    "commit": str,
    "kind": str,
    "version": int,
    "token": str,
    "touched?": [str],
}
ACTIVE: Final = {**COMMIT, "state": str, "base": int, "reserved-millis": int}
HEAD: Final = {
    "table-id": str,
    "version": int,
    "oldest-version": int,
    "history-from?": int,
    "readers": str,
    "checkpoint-version": int,
    "checkpoint": str,
    "active": [ACTIVE],
    "log": [COMMIT],
}
FILES: Final = [{"name": str, "bytes": int}]
PARTITIONS: Final = [{"partition": str, "in?": FILES, "out?": FILES, "adopted?": FILES}]
MANIFEST: Final = {
    "commit": str,
    "kind": str,
    "files-in": int,
    "bytes-in": int,
    "files-out": int,
    "bytes-out": int,
    "files-adopted": int,
    "scope": [str],
    "touched": [str],
    "shards": [str],
    "partitions": PARTITIONS,
    "contents?": [{"first": str, "last": str, "added": int, "removed": int}],
}
MANIFEST_SHARD: Final = {"commit": str, "partitions": PARTITIONS}
CHECKPOINT: Final = {
    "version": int,
    "previous": str,
    "previous-version": int,
    "files-checkpoint?": str,
    "files-version?": int,
    "shards": [{"name": str, "first": str, "last": str, "files": int, "sorted?": bool}],
    "commits": [COMMIT],
}
CHECKPOINT_SHARD: Final = {"partitions": [{"partition": str, "files?": FILES}]}
SHAPES: Final[dict[str, Shape]] = {
    "head": HEAD,
    "manifest": MANIFEST,
    "manifest-shard": MANIFEST_SHARD,
    "checkpoint": CHECKPOINT,
    "checkpoint-shard": CHECKPOINT_SHARD,
}


def check_shape(value: Any, shape: Shape, where: str, name: str = "record") -> None:  # noqa: ANN401
    """Refuse a value that has not the shape; numbers are integers and not negative."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise _wrong(where, name)
        for member, inner in shape.items():
            plain = member.removesuffix("?")
            if plain in value or plain == member:
                check_shape(value.get(plain), inner, where, plain)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise _wrong(where, name)
        for item in value:
            check_shape(item, shape[0], where, name)
    elif type(value) is not shape or (isinstance(value, int) and value < 0):
        raise _wrong(where, name)


def _wrong(where: str, name: str) -> RecordRefusedError:
    message = (
        f"The record {where} has no usable '{name}': it was not written by Repave, or is damaged. "
        "Nothing was changed."
    )
    return RecordRefusedError(message)
