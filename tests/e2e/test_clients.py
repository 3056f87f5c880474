"""Libraries that write through Spark by themselves: pandas API on Spark and MLlib."""

from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

import repave
from e2e.frames import rows
from e2e.lake import Lake, TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PANDAS_MAX = 2  # the newest major version that Spark 4.3's pandas API imports with
SPARK_3, NUMPY_MAX = 3, 1
LOSES_INDEX = "ignore:If `index_col` is not specified"


def major(module: ModuleType) -> int:
    return int(module.__version__.split(".")[0])


@pytest.fixture
def ps(spark: "SparkSession") -> Iterator[ModuleType]:
    """What pandas users call `ps`; its import configures the running session."""
    pandas = pytest.importorskip("pandas")
    if major(pandas) > PANDAS_MAX:
        pytest.skip("pyspark.pandas does not import with pandas 3; `make matrix` has pandas 2")
    if major(pyspark) == SPARK_3 and major(pytest.importorskip("numpy")) > NUMPY_MAX:
        pytest.skip("Spark 3.5's pyspark.pandas does not import with numpy 2, which pyarrow needs")
    module: ModuleType = pytest.importorskip("pyspark.pandas")
    ansi = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", "false")  # Spark 4.0 refuses pandas with it
    yield module
    spark.conf.set("spark.sql.ansi.enabled", str(ansi))


@pytest.mark.filterwarnings(LOSES_INDEX)
class TestPandas:
    def test_an_overwrite_replaces_the_table(
        self, spark: "SparkSession", table: TableFolder, ps: ModuleType
    ) -> None:
        for note in ("old", "new"):
            frame = ps.DataFrame({"id": [1, 2, 3], "note": note, "day": [1, 1, 2]})
            frame.to_parquet(table.url, mode="overwrite", partition_cols=["day"])
        assert rows(spark.read.parquet(table.url)) == [(1, "new", 1), (2, "new", 1), (3, "new", 2)]
        newest, first = repave.RepaveTable.for_path(spark, table.url).history()
        assert (first.files_out, newest.kind) == (0, "static")
        assert newest.files_out == first.files_in
        table.assert_settled()

    def test_an_option_keeps_the_other_partitions(
        self, spark: "SparkSession", table: TableFolder, ps: ModuleType
    ) -> None:
        for note, days in (("old", [1, 2]), ("new", [2, 2])):
            frame = ps.DataFrame({"id": [1, 2], "note": note, "day": days})
            options = {"partitionOverwriteMode": "dynamic"}
            frame.to_parquet(table.url, mode="overwrite", partition_cols=["day"], **options)
        assert rows(spark.read.parquet(table.url)) == [(1, "new", 2), (1, "old", 1), (2, "new", 2)]
        assert repave.RepaveTable.for_path(spark, table.url).history()[0].kind == "dynamic"
        table.assert_settled()


def fitted(spark: "SparkSession", slope: float) -> Any:  # noqa: ANN401 - a LinearRegressionModel
    ml = pytest.importorskip("pyspark.ml.regression")
    linalg = pytest.importorskip("pyspark.ml.linalg")
    points = [(linalg.Vectors.dense([float(x)]), slope * x) for x in range(10)]
    return ml.LinearRegression().fit(spark.createDataFrame(points, ["features", "label"]))


@pytest.mark.slow
class TestMllib:
    def test_a_saved_model_is_loaded_and_its_data_are_committed(
        self, spark: "SparkSession", lake: Lake
    ) -> None:
        regression = pytest.importorskip("pyspark.ml.regression")
        # Not `table`, which allows no copies: Spark 3.5 saves a model's metadata as an RDD.
        table = lake.table("saved-model")
        for slope in (2.0, 5.0):
            fitted(spark, slope).write().overwrite().save(table.url)
            loaded = regression.LinearRegressionModel.load(table.url)
            assert loaded.coefficients[0] == pytest.approx(slope)
        # Each folder of a model is a table of its own, and overwrite() deletes all of them first.
        assert not table.has_head()
        data = repave.RepaveTable.for_path(spark, f"{table.url}/data").status()
        assert (data.known, data.version, data.active) == (True, 1, ())
        lake.table(f"{table.name}/data").assert_settled()
