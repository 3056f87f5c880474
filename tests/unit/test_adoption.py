"""A dry run of an adoption: which files it would record, and which it passes over."""

import pytest

from repave import UsageError
from repave._adoption import preview_adoption
from repave._location import Location
from repave._storage import Amount
from unit.record_files import TABLE, active, logged
from unit.test_storage import DEAD, FRESH, IDS, LATEST, ListedObjects, data, snapshot_table


def listing_table() -> ListedObjects:
    pending = [active(FRESH, "pending")]
    objects = ListedObjects(version=1, log=[logged(LATEST, 1)], active=pending)
    objects.commit(LATEST, {data(LATEST): 300, data(LATEST, 1): 400}, {})
    return objects


def test_files_that_no_record_names_would_be_added() -> None:
    objects = listing_table()
    objects.files |= {"dt=1/a.csv": 10, f"dt=2/{data(DEAD)}": 20, "dt=2/b.csv": 3, "c.csv": 5}
    found = preview_adoption(objects, TABLE)
    assert dict(found.added) == {"dt=1": Amount(1, 10), "dt=2": Amount(2, 23), "": Amount(1, 5)}
    assert (found.files, found.bytes, found.gone, found.version) == (4, 38, 0, 1)


def test_recorded_files_that_are_not_there_would_be_removed() -> None:
    objects = listing_table()
    del objects.files[f"dt=1/{data(LATEST)}"]
    found = preview_adoption(objects, TABLE)
    assert (found.files, found.gone) == (0, 1)


def test_hidden_files_and_those_of_other_tables_and_commits_are_passed_over() -> None:
    objects = listing_table()
    objects.files |= {
        "_SUCCESS": 1,
        "dt=1/.a.csv.crc": 1,
        "_temporary/0/part-00000.parquet": 1,
        "dt=3/": 0,
        f"dt=1/{data(FRESH)}": 9,
        "inner/_repave/head.json": 5,
        f"inner/part-00000-{IDS[3]}-7.parquet": 7,
        "_day=1/a.csv": 4,
    }
    assert dict(preview_adoption(objects, TABLE).added) == {"_day=1": Amount(1, 4)}


def test_the_path_of_a_partition_means_its_table() -> None:
    found = preview_adoption(listing_table(), Location.of("s3://lake/sales/dt=1/hour=2"))
    assert found.table == "s3://lake/sales"


def test_a_snapshot_table_and_an_empty_folder_are_refused() -> None:
    with pytest.raises(UsageError, match="other files in its folder cannot be adopted"):
        preview_adoption(snapshot_table(), TABLE)
    nothing = ListedObjects()
    nothing.contents.clear()
    with pytest.raises(UsageError, match="no data file and no Repave table in s3://lake/sales"):
        preview_adoption(nothing, TABLE)
