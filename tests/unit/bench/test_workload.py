from dataclasses import replace

import pytest

from benchmarks.workload import NEW, OLD, load_workload, workload_names


@pytest.mark.parametrize("name", workload_names())
def test_a_shipped_workload_expects_every_row(name: str) -> None:
    workload = load_workload(name)[0].sized(4)
    rows = workload.expected()
    revisions = 2 if workload.write == "append" else 1
    total = (4 + workload.untouched) * workload.rows_a_partition
    assert len(rows) == (1 if workload.flat else (4 + workload.untouched) * revisions)
    assert sum(count for count, _ in rows.values()) == total * revisions
    assert sum(ids for _, ids in rows.values()) == total * (total - 1) // 2 * revisions


def test_untouched_partitions_keep_their_old_rows_unless_the_table_is_replaced() -> None:
    workload = replace(load_workload("nightly-small")[0].sized(4), untouched=4)
    assert dict(workload.expected().keys()) == {
        **dict.fromkeys(range(4), NEW),
        **dict.fromkeys(range(4, 8), OLD),
    }
    whole = replace(workload, write="static-overwrite")
    assert set(whole.expected()) == {(part, NEW) for part in range(4)}


def test_a_scale_multiplies_the_rows_and_not_the_files() -> None:
    (bulk,) = load_workload("bulk")
    larger = bulk.scaled(2)
    assert (larger.files, larger.scale) == (bulk.files, 2)
    assert larger.rows_a_partition == 2 * bulk.rows_a_partition


def test_a_workload_may_come_in_several_sizes() -> None:
    sizes = [one.partitions for one in load_workload("growth-files")]
    assert sizes == [100, 300, 1000, 3000, 10000]


def test_partitions_that_tasks_would_split_are_refused() -> None:
    with pytest.raises(ValueError, match="choose a multiple"):
        load_workload("nightly-small")[0].sized(6)


def test_an_unknown_workload_is_told_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="choose from append, "):
        load_workload("weekly")


def test_writers_share_every_partition_once() -> None:
    (crowd,) = load_workload("crowd")
    conditions: list[str] = []

    class Frame:
        def where(self, condition: str) -> None:
            conditions.append(condition)

    crowd.shares(Frame())  # type: ignore[arg-type]
    assert conditions == [f"part % 16 = {one}" for one in range(16)]
    assert crowd.partitions % crowd.writers == 0
    assert len(replace(crowd, writers=1).shares(Frame())) == 1  # type: ignore[arg-type]
    assert len(conditions) == 16


def test_a_workload_names_its_systems_or_those_that_it_skips() -> None:
    (small,) = load_workload("nightly-small")
    systems = ["magic", "delta", "plain-job", "staging"]
    assert small.left_to(systems) == ["delta", "staging"]
    assert load_workload("crowd")[0].left_to(systems) == ["delta"]
