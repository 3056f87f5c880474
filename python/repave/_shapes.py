"""What the records that Python reads hold.

Written by scripts/generate.py from contract/records.
"""

import re
from typing import Any, Final

# A type, a list of one shape, an object's members, one of some texts, or a text of a form. A member
# whose name ends in `?` may be absent; `*` stands for members of any name.
Shape = type | list[Any] | dict[str, Any] | tuple[str, ...] | re.Pattern[str]

COMMIT: Final = re.compile(r"^[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[A-Za-z0-9][A-Za-z0-9_-]{7,63}$")
KIND: Final = ("append", "dynamic", "static", "rollback", "adopt")
NAME: Final = re.compile(r"^(?!(?:\.|\.\.|_repave)(?![\s\S]))[^/\u0000]+$")
OWN_FILE: Final = re.compile(
    r"^(?:@[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/)?(?!(?:\.|\.\.|_repave)(?![\s\S]))[^/\u0000]+$"
)
NAME_OR_NONE: Final = re.compile(r"^(?!(?:\.|\.\.|_repave)(?![\s\S]))[^/\u0000]*$")
PATH: Final = re.compile(r"^(?!(?:[\s\S]*/)?(?:|\.|\.\.|_repave)(?:/|(?![\s\S])))[^\u0000]+$")
PARTITION: Final = re.compile(
    r"^(?:|(?:s3://[^/]+/)?(?!(?:[\s\S]*/)?(?:|\.|\.\.|_repave)(?:/|(?![\s\S])))[^\u0000]+)$"
)
LOGGED: Final = {
    "commit": COMMIT,
    "kind": KIND,
    "version": int,
    "token": str,
    "touched?": [PARTITION],
    "published-millis?": int,
}
COLUMN: Final = {
    "name": str,
    "type": str,
    "low?": str,
    "high?": str,
    "nulls?": int,
}
FILE: Final = {
    "name": PATH,
    "bytes": int,
    "rows?": int,
    "schema?": int,
    "columns?": [COLUMN],
    "ordered?": str,
}
CHANGE: Final = {
    "partition": PARTITION,
    "in?": [FILE],
    "out?": [FILE],
    "adopted?": [FILE],
}
UPLOAD: Final = {
    "partition": int,
    "name": OWN_FILE,
    "bytes": int,
    "part-bytes": int,
    "upload": str,
    "etags": [str],
    "rows?": int,
    "schema?": int,
    "columns?": [COLUMN],
    "ordered?": str,
}
SCHEMA: Final = {
    "json?": [str],
    "ddl?": [str],
}
HEAD: Final = {
    "table-id": str,
    "nonce": str,
    "fence?": str,
    "version": int,
    "oldest-version": int,
    "history-from?": int,
    "vacuumed-version?": int,
    "readers": ("listing", "snapshot"),
    "checkpoint-version": int,
    "checkpoint": NAME_OR_NONE,
    "active": [
        {
            "commit": COMMIT,
            "kind": KIND,
            "state": ("pending", "cleaning", "reverting"),
            "base": int,
            "version": int,
            "token": str,
            "reserved-millis": int,
            "heartbeat-millis?": int,
            "touched?": [PARTITION],
        }
    ],
    "log": [LOGGED],
    "waiting?": {
        "commit": COMMIT,
        "touched?": [PARTITION],
    },
    "followers?": [
        {
            "kind": ("delta", "symlink", "metastore", "glue"),
            "name?": str,
            "id": NAME,
            "from": int,
            "next": int,
            "state?": int,
            "ending?": bool,
        }
    ],
}
MANIFEST: Final = {
    "commit": COMMIT,
    "kind": KIND,
    "files-in": int,
    "bytes-in": int,
    "files-out": int,
    "bytes-out": int,
    "files-adopted": int,
    "rows-in?": int,
    "rows-out?": int,
    "application?": str,
    "marker?": re.compile(
        r"^(?:|(?:(?!(?:[\s\S]*/)?(?:|\.|\.\.|_repave)(?:/|(?![\s\S])))[^\u0000]+/)?_SUCCESS)$"
    ),
    "scope": [PARTITION],
    "touched": [PARTITION],
    "shards": [NAME],
    "contents?": [
        {
            "first": PARTITION,
            "last": PARTITION,
            "added": int,
            "removed": int,
        }
    ],
    "partitions": [CHANGE],
    "schemas?": [SCHEMA],
}
MANIFEST_SHARD: Final = {
    "commit": COMMIT,
    "partitions": [CHANGE],
    "schemas?": [SCHEMA],
}
CHECKPOINT: Final = {
    "version": int,
    "previous": NAME_OR_NONE,
    "previous-version": int,
    "files-checkpoint?": NAME_OR_NONE,
    "files-version?": int,
    "shards": [
        {
            "name": NAME,
            "first": PARTITION,
            "last": PARTITION,
            "files": int,
            "sorted?": bool,
        }
    ],
    "commits": [LOGGED],
}
CHECKPOINT_SHARD: Final = {
    "partitions": [
        {
            "partition": PARTITION,
            "files?": [FILE],
        }
    ],
    "schemas?": [SCHEMA],
}
UPLOADS: Final = {
    "commit": COMMIT,
    "kind": KIND,
    "token": str,
    "application?": str,
    "marker": re.compile(
        r"^(?:|(?:(?!(?:[\s\S]*/)?(?:|\.|\.\.|_repave)(?:/|(?![\s\S])))[^\u0000]+/)?_SUCCESS)$"
    ),
    "files": int,
    "bytes": int,
    "target": int,
    "shards": int,
    "scope": [PARTITION],
    "touched": [PARTITION],
    "uploads": [UPLOAD],
    "partitions": [PARTITION],
    "schemas?": [SCHEMA],
}
UPLOADS_SHARD: Final = {
    "commit": COMMIT,
    "uploads": [UPLOAD],
    "partitions": [PARTITION],
    "schemas?": [SCHEMA],
}
REPORT: Final = {
    "commit": COMMIT,
    "kind": KIND,
    "version": int,
    "files-in": int,
    "bytes-in": int,
    "files-out": int,
    "bytes-out": int,
    "rows-in?": int,
    "rows-out?": int,
    "requests": {"*": int},
    "millis": {"*": int},
}
SHAPES: Final[dict[str, Shape]] = {
    "head": HEAD,
    "manifest": MANIFEST,
    "manifest-shard": MANIFEST_SHARD,
    "checkpoint": CHECKPOINT,
    "checkpoint-shard": CHECKPOINT_SHARD,
    "uploads": UPLOADS,
    "uploads-shard": UPLOADS_SHARD,
    "report": REPORT,
}
# A member, and those that must not be absent then.
NEEDS: Final = {"files-version": ["files-checkpoint"]}
