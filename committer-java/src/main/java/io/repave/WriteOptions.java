package io.repave;

import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.OptionBlock;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Options for the writes of this thread until {@link #close}. They reach every kind of write: to a
 * path, {@code insertInto}, {@code saveAsTable} and SQL, where Spark passes no options of a writer.
 * Threads that are started inside the block have them too.
 *
 * <pre>{@code
 * try (WriteOptions options = WriteOptions.open(spark, Map.of("repave.token", token))) {
 *   spark.sql("INSERT INTO lake.sales SELECT * FROM loaded");
 * }
 * }</pre>
 *
 * <p>A {@code repave.token} names one write, so a second write to the same table in the block is
 * refused before its tasks. The first one may be tried again.
 */
public final class WriteOptions implements AutoCloseable {
  /** The local property of Spark's threads with the id of the innermost block. */
  public static final String PROPERTY = "repave.write.options";

  private final SparkContext context;
  private final OptionBlock block;

  private WriteOptions(SparkContext context, OptionBlock block) {
    this.context = context;
    this.block = block;
  }

  /**
   * Opens a block. Inside another block it adds options to it.
   *
   * @param options values by the names of docs/configuration.md, such as {@code repave.only}
   * @throws InvalidConfigException for an unknown option or a wrong value, or if the outer block
   *     gives another value
   */
  public static WriteOptions open(SparkSession session, Map<String, String> options)
      throws InvalidConfigException {
    SparkContext context = session.sparkContext();
    OptionBlock block = OptionBlock.open(options, context.getLocalProperty(PROPERTY));
    context.setLocalProperty(PROPERTY, block.id());
    return new WriteOptions(context, block);
  }

  /** Ends the block. Call it in the thread that opened it. */
  @Override
  public void close() {
    String outer = block.close().orElse(null);
    if (block.id().equals(context.getLocalProperty(PROPERTY))) {
      context.setLocalProperty(PROPERTY, outer);
    }
  }
}
