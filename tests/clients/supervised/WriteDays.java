import org.apache.spark.sql.SparkSession;

/** Writes to a table, once for each `append:1,2:note` or `overwrite:1,2:note` that it is given. */
public final class WriteDays {
  public static void main(String[] arguments) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    for (int n = 1; n < arguments.length; n++) {
      System.out.println("begin " + n);
      String[] write = arguments[n].split(":");
      String days = "explode(array(" + write[1] + ")) AS day";
      spark
          .sql("SELECT id, '" + write[2] + "' AS note, " + days + " FROM range(0, 2, 1, 2)")
          .write()
          .mode(write[0])
          .option("partitionOverwriteMode", "dynamic")
          .partitionBy("day")
          .parquet(arguments[0]);
      System.out.println("done " + n);
    }
    spark.stop();
  }
}
