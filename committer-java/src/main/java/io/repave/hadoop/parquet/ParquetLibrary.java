package io.repave.hadoop.parquet;

import io.repave.core.store.RowFileFormat;
import java.io.IOException;

/**
 * parquet-hadoop, which Spark brings and other Hadoop jobs may lack. Its releases differ, so what
 * goes wrong in it is a file that cannot be written, never the failure of a job.
 */
public final class ParquetLibrary {
  private static final String CLASS = "org.apache.parquet.hadoop.ParquetWriter";

  private ParquetLibrary() {}

  /** What writes Parquet files in this process. */
  public static RowFileFormat rows() {
    try {
      Class.forName(CLASS, false, ParquetLibrary.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError absent) {
      return RowFileFormat.ABSENT;
    }
    return (schema, bytesMax) ->
        checked(() -> ParquetRows.begin(schema, Math.min(bytesMax, heapBytes())));
  }

  /** A file is in memory up to three times while it grows; most of the heap is the job's. */
  private static int heapBytes() {
    return (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 16);
  }

  /** Calls the library. */
  interface Call<T> {
    T run() throws IOException;
  }

  static <T> T checked(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      throw new IOException("parquet-hadoop failed: " + e, e);
    }
  }
}
