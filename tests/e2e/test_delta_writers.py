"""delta-rs cannot change a followed table: its writers are refused, and its vacuum too."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import expr

from e2e.delta_readers import by_delta_rs, copied, delta_table, expected, plain
from e2e.delta_rows import frame, reading, write
from e2e.lake import TableFolder

deltalake = pytest.importorskip("deltalake", reason="pip install deltalake")

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest


@pytest.fixture(autouse=True)
def _zone(spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with reading(spark, monkeypatch):
        yield


def test_writers_of_delta_tables_are_refused(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    write(frame(spark), table, **{"repave.followers": "delta"})
    place = copied(table, tmp_path)
    rows = delta_table(place).to_pyarrow_table()
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        deltalake.write_deltalake(place.url, rows, mode="append")
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        delta_table(place).delete("id = 1")
    files = sorted(Path(place.url).rglob("*.parquet"))
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        delta_table(place).optimize.compact()
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        delta_table(place).restore(0)
    assert sorted(Path(place.url).rglob("*.parquet")) == files


def test_a_vacuum_of_delta_rs_deletes_nothing_and_its_checkpoint_may_stay(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    options = {"repave.readers": "snapshot", "repave.followers": "delta"}
    write(frame(spark), table, **options)
    write(frame(spark).withColumn("id", expr("-id")), table, **options)
    place = copied(table, tmp_path)
    log = delta_table(place)
    files = sorted(Path(place.url).rglob("part-*"))
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        log.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    assert sorted(Path(place.url).rglob("part-*")) == files
    log.create_checkpoint()
    assert plain(by_delta_rs(place)) == expected(table)
