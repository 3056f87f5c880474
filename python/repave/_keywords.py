"""The options as keywords. Written by scripts/generate.py from the jar's table."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """The committer's options; docs/configuration.md says what each does."""

    schemes: Sequence[str] | str
    enabled: bool | str
    exclude: Sequence[str] | str
    fallback_protocol: str
    readers: Literal["listing", "snapshot"]
    followers: Sequence[str] | str
    conflict: Literal["fail", "last-writer"]
    only: Sequence[str] | str
    shrink: float | str
    run: str
    token: str
    part_size: int | str
    upload_memory: int | str
    upload_threads: int | str
    upload_spill: str
    message_size: int | str
    stats_columns: Sequence[str] | str
    order: Sequence[str] | str
    commit_threads: int | str
    heartbeat: timedelta | str
    lease: timedelta | str
    drain: timedelta | str
    retry_budget: timedelta | str
    checkpoint_every: int | str
    delta_checkpoint_every: int | str
    retention: timedelta | str
    history_retention: timedelta | str
    locations_allowed: Sequence[str] | str
    single_writer: bool | str
    success_marker: bool | str
    plan_from_records: bool | str
    store_scheme: str
