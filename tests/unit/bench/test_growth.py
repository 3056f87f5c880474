from benchmarks.report.growth import growths
from benchmarks.report.page import images
from benchmarks.summary import rows
from benchmarks.systems import SYSTEMS
from unit.bench.samples import result


def test_growth_is_drawn_from_two_sizes_on() -> None:
    runs = [
        result("delta", 1.0, workload="growth-files", partitions=100),
        result("delta", 9.0, workload="growth-files", partitions=1000),
        result("iceberg", 9.0, workload="growth-files", partitions=1000),
        result("delta", 1.0, workload="growth-table-0"),
        result("delta", 1.5, workload="growth-table-1000"),
        result("delta", 2.0, workload="growth-life-0"),
        result("delta", 9.0, workload="growth-life-100"),
    ]
    tables = rows(runs, SYSTEMS)
    files, table, life = growths(tables)
    assert life.lines == {"delta": [(0, 2.0), (100, 9.0)]}
    assert files.lines == {"delta": [(100, 1.0), (1000, 9.0)]}
    assert table.lines == {"delta": [(0, 1.0), (1000, 1.5)]}
    named = dict(images(tables))
    assert {"growth-files-abc.png", "growth-table-abc.png"} <= set(named)
    assert all(image.startswith(b"\x89PNG") for image in named.values())
    assert growths(rows(runs[2:4], SYSTEMS)) == []


def test_the_nightly_job_is_one_series_over_three_workloads() -> None:
    sizes = {"many-files": 1000, "very-many-files": 10000, "hundred-thousand": 100000}
    runs = [
        result("repave-listing", partitions / 250, workload=name, partitions=partitions)
        for name, partitions in sizes.items()
    ]
    (found,) = growths(rows(runs, SYSTEMS))
    assert found.lines == {"repave-listing": [(1000, 4.0), (10000, 40.0), (100000, 400.0)]}
    (axes,) = found.figure().axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_a_size_of_nothing_has_its_place_on_a_logarithmic_axis() -> None:
    runs = [
        result("delta", 1.0, workload="growth-table-0"),
        result("delta", 1.5, workload="growth-table-1000"),
    ]
    (found,) = growths(rows(runs, SYSTEMS))
    (axes,) = found.figure().axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("symlog", "log")
