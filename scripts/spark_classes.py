"""A short session of Spark, whose classes scripts/matrix.py archives for the tests' JVMs."""

import sys

from pyspark.sql import SparkSession

FOLDER = sys.argv[1]


def main() -> None:
    builder = SparkSession.builder.config("spark.sql.warehouse.dir", f"{FOLDER}/warehouse")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    spark = builder.enableHiveSupport().getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sql(
        "CREATE TABLE numbers (id BIGINT, note STRING, p INT) USING parquet PARTITIONED BY (p)"
    )
    spark.sql("INSERT INTO numbers SELECT id, CAST(id AS STRING), id % 2 FROM range(10)")
    spark.sql("INSERT OVERWRITE numbers PARTITION (p=1) VALUES (1, 'one')")
    spark.sql("SELECT p, count(*) AS n FROM numbers GROUP BY p ORDER BY p").collect()
    spark.sql("SELECT a.id FROM numbers a JOIN numbers b USING (id) WHERE a.p = 1").collect()
    for number, kind in enumerate(("parquet", "orc", "json", "csv")):
        frame = spark.createDataFrame([(1, "a"), (2, "b")], "id BIGINT, p STRING")
        frame.write.mode("overwrite").partitionBy("p").format(kind).save(f"{FOLDER}/{number}")
        spark.read.schema(frame.schema).format(kind).load(f"{FOLDER}/{number}").collect()
    spark.sparkContext.parallelize(["a"], 1).saveAsTextFile(f"{FOLDER}/text")
    stream = spark.readStream.schema("id BIGINT, p STRING").parquet(f"{FOLDER}/0").writeStream
    query = stream.trigger(availableNow=True).option("checkpointLocation", f"{FOLDER}/checkpoint")
    query.format("parquet").option("path", f"{FOLDER}/stream").start().awaitTermination()
    spark.stop()


main()
