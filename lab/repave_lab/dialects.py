"""What each embedded server answers where S3 servers differ. `repave_lab.probe` checks it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Dialect:
    """The answers that the committer depends on, as status codes, counts and yes or no."""

    failed_checks: tuple[str, ...] = ()
    """The store checks that it fails, as the jar's probe and `repave doctor` find them."""
    complete_replay: int = 200
    """Status of a CompleteMultipartUpload sent again after it succeeded."""
    complete_after_abort: int = 404
    """Status of a CompleteMultipartUpload after its upload was aborted."""
    complete_unknown_upload: int = 404
    complete_other_key: int = 404
    """Status of a CompleteMultipartUpload with the upload id of another key."""
    upload_part_after_abort: int = 404
    complete_small_part: int = 400
    """Status of a CompleteMultipartUpload with a part below 5 MiB before the last."""
    complete_part_order: int = 400
    """Status of a CompleteMultipartUpload that names its parts in falling order."""
    invisible_until_complete: bool = True
    """An open upload is in no listing, and an object that it will replace can still be read."""
    put_if_none_match: int = 412
    """Status of PUT If-None-Match:* over an existing object."""
    put_if_match_current: int = 200
    put_if_match_stale: int = 412
    put_if_match_absent: int = 404
    complete_if_none_match: int = 412
    """Status of CompleteMultipartUpload If-None-Match:* over an existing object."""
    complete_if_match_stale: int = 412
    create_race_winners: int = 1
    """Most winners in any round of racing PUT If-None-Match:*."""
    swap_race_winners: int = 1
    """Most winners in any round of racing PUT If-Match."""
    uploads_paged: bool = True
    """ListMultipartUploads gives pages no longer than asked for, and each upload once."""
    uploads_sorted: bool = True
    uploads_dated: bool = True
    """ListMultipartUploads gives the time at which an upload was initiated."""
    uploads_delimited: bool = True
    """ListMultipartUploads with a delimiter gives common prefixes."""
    aborted_is_gone: bool = True
    """An aborted upload is in no listing."""
    lists_complete: bool = True
    """ListObjectsV2, followed by token through small pages, gives each key once, in order."""
    lists_beyond_ascii: bool = True
    """A page that ends at a non-ASCII key has the right token for the next."""
    odd_keys: bool = True
    """Keys with spaces, plus, percent, ampersand and non-ASCII characters survive."""
    line_breaks: bool = True
    """A key may hold a line feed."""
    long_key: int = 400
    """Status of a PUT to a key of 1,025 bytes."""
    missing_bucket: int = 404
    """Status of a PUT into a bucket that nobody made."""
    delete_missing_is_deleted: bool = True
    """DeleteObjects answers Deleted for a key that does not exist."""
    delete_quiet: bool = True
    """DeleteObjects in quiet mode names no deleted key."""
    keeps_connections: bool = True


AMAZON: Final = Dialect()

DIALECTS: Final = {
    "moto": Dialect(
        failed_checks=("aborted-upload-told",),
        complete_after_abort=500,
        complete_unknown_upload=500,
        complete_other_key=200,
        complete_part_order=200,
        upload_part_after_abort=500,
        complete_if_match_stale=200,
        uploads_paged=False,
        uploads_sorted=False,
        uploads_dated=False,
        uploads_delimited=False,
        line_breaks=False,
        long_key=200,
        delete_quiet=False,
        keeps_connections=False,
    ),
    "ministack": Dialect(
        complete_small_part=200,
        complete_part_order=200,
        uploads_delimited=False,
        long_key=200,
    ),
    "localstack": Dialect(
        complete_replay=404,
        lists_beyond_ascii=False,
        keeps_connections=False,
    ),
}
