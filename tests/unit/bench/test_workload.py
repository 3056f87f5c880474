import pytest

from benchmarks.workload import load_workload, workload_names


@pytest.mark.parametrize("name", workload_names())
def test_a_shipped_workload_expects_every_row(name: str) -> None:
    workload = load_workload(name).scaled(4)
    rows = workload.expected()
    revisions = 2 if workload.write == "append" else 1
    total = 4 * workload.rows_a_partition
    assert len(rows) == 4 * revisions
    assert sum(count for count, _ in rows.values()) == total * revisions
    assert sum(ids for _, ids in rows.values()) == sum(range(total)) * revisions


def test_partitions_that_tasks_would_split_are_refused() -> None:
    with pytest.raises(ValueError, match="choose a multiple"):
        load_workload("nightly-small").scaled(6)


def test_an_unknown_workload_is_told_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="choose from append, "):
        load_workload("weekly")
