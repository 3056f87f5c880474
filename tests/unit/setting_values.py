"""Values of settings that the jar accepts, and values that it refuses."""

EIGHT = ",".join("abcdefgh")

POSSIBLE = [
    ("repave.exclude", ""),
    ("repave.exclude", ","),
    ("repave.exclude", "s3://raw, s3a://lake/tmp/ ,hdfs://name:8020/x"),
    ("repave.exclude", "//raw/folder"),
    ("repave.exclude", "s3://raw//folder with blanks/é%20"),
    ("repave.followers", ""),
    ("repave.followers", " Delta ,symlink,delta"),
    ("repave.locations.allowed", "s3://lake/late"),
    ("repave.only", ""),
    ("repave.only", "dt=2026-11-20"),
    ("repave.only", " dt=2026-11-20/h=3 ,, day=a=b,é é=%2C\n"),
    ("repave.order", ""),
    ("repave.order", "id"),
    ("repave.order", "id, ts DESC nulls  Last,`a, b.c` asc"),
    ("repave.order", "desc desc"),
    ("repave.stats.columns", ""),
    ("repave.stats.columns", f"{EIGHT},a, b"),
]

REFUSED = [
    ("repave.exclude", "raw"),
    ("repave.exclude", "s3://raw,/folder"),
    ("repave.exclude", "s3:raw"),
    ("repave.exclude", "s3:///folder"),
    ("repave.exclude", "raw/s3://bucket"),
    ("repave.followers", "hive"),
    ("repave.followers", "delta,metastore"),
    ("repave.locations.allowed", "late"),
    ("repave.only", "dt"),
    ("repave.only", ","),
    ("repave.only", "=1"),
    ("repave.only", "dt="),
    ("repave.only", "dt=1, dt=2/"),
    ("repave.only", "dt=a,b"),
    ("repave.only", "dt=1/h"),
    ("repave.order", "id descending"),
    ("repave.order", "a.b"),
    ("repave.order", "id,"),
    ("repave.order", "id, ID desc"),
    ("repave.order", f"{EIGHT},i"),
    ("repave.stats.columns", f"{EIGHT},i"),
    ("repave.stats.columns", "id,a.b"),
]
