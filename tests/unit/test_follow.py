"""Followers that Python helps to begin."""

import pytest

from repave._errors import UsageError
from repave._follow import FOLDERS, newest_in, require_catalog
from repave._records import DataFile

COMMIT = "00000000-0000-4000-8000-00000000000"


@pytest.mark.parametrize("follower", FOLDERS)
def test_only_a_catalogs_table_can_be_built_again(follower: str) -> None:
    with pytest.raises(UsageError, match=f"call table.unfollow\\('{follower}'\\)"):
        require_catalog("metastore", follower, rebuild=True)
    assert require_catalog("metastore", follower, rebuild=False) == "metastore"


def test_the_history_tells_the_newest_file() -> None:
    files = tuple(
        DataFile("", f"part-00000-{COMMIT}{at}-7.orc", 1, schema=f"{at}") for at in (1, 2)
    )
    history = [{"commit": f"20261121T031500.123Z-{COMMIT}{at}", "version": at} for at in (2, 1)]
    assert newest_in({"history": history}.__getitem__, files) == files[1]
