"""A run is repeated by another application, through the table's name in the catalog.

When a static overwrite returns, Spark removes from the catalog the partitions that it did not
write. A repeated overwrite replaces nothing, so those partitions may hold the rows of other writes.

The metastore is on disk, and drivers of their own use it: one JVM at a time can open it.
"""

from pathlib import Path

import pytest

from e2e.lake import TableFolder
from e2e.test_recover_catalog import NAME, create, ran, recovered

STATIC = {"spark.sql.sources.partitionOverwriteMode": "static"}
RUN = {"spark.repave.run": "night 9", **STATIC}
OVERWRITE = f"INSERT OVERWRITE TABLE {NAME} SELECT 1L, 'new', 1"
ONE = f"INSERT OVERWRITE TABLE {NAME} PARTITION (day = 1) SELECT 1L, 'new' WHERE rand() {{}} 1"


@pytest.mark.slow
def test_a_repeated_overwrite_by_name_fails_before_spark_hides_rows_of_others(
    table: TableFolder, tmp_path: Path
) -> None:
    ran(table, tmp_path, conf=RUN, statements=[create(table.url), OVERWRITE])
    empty = f"ALTER TABLE {NAME} ADD PARTITION (day = 3)"
    added = f"INSERT INTO {NAME} SELECT 2L, 'added', 2"
    # The repetition succeeds while no other partition has files; then the next statement adds one.
    ran(table, tmp_path, conf=RUN, statements=[empty, OVERWRITE, added])

    log = ran(table, tmp_path, conf=RUN, statements=[OVERWRITE], code=1)
    place = table.url.replace("s3a:", "s3:")
    assert f"This overwrite repeats one that is done: version 1 of {place} has" in log
    assert f"1 with files, perhaps of other writes, would be among them: {place}/day=2." in log
    shown = recovered(ran(table, tmp_path, recover=table.url, name=NAME))
    assert shown["before"] == [1, 2]
    assert shown["after"] == {"1": "new", "2": "added"}
    assert shown["found"]["catalog"] == []
    assert table.head()["version"] == 2
    table.assert_settled()


@pytest.mark.slow
def test_a_repeated_overwrite_of_one_partition_may_have_no_rows_left(
    table: TableFolder, tmp_path: Path
) -> None:
    ran(table, tmp_path, conf=RUN, statements=[create(table.url), ONE.format("<")])
    ran(table, tmp_path, conf=RUN, statements=[ONE.format(">")])
    shown = recovered(ran(table, tmp_path, recover=table.url, name=NAME))
    assert shown["before"] == [1]
