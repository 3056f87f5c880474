package io.repave.spark.write;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.footer.FileOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The errors of a declared order of rows. Each names the problem, its cause and what to do. */
final class OrderErrors {
  private static final int COLUMNS_SHOWN = 50;

  private OrderErrors() {}

  /** {@code delivered} is the order in which the plan delivers the rows. */
  static InvalidConfigException orderNotDelivered(
      Location table, FileOrder order, String delivered, List<String> partitions) {
    List<String> sorted = new ArrayList<>(partitions);
    sorted.add(order.text());
    String sort = String.join(", ", sorted);
    return new InvalidConfigException(
        "repave.order is '"
            + order.text()
            + "', but Spark's plan delivers the rows to the files of "
            + table
            + " in the order "
            + delivered
            + ", and they need "
            + (partitions.isEmpty() ? "" : "the partition columns first, so ")
            + "["
            + sort
            + "]. Nothing was written. In Python, write repave.ordered(df, "
            + (partitions.isEmpty() ? "" : "partition_by=" + quoted(partitions) + ", ")
            + "order_by="
            + quoted(List.of(order.text().split(", ")))
            + "). In SQL, end the query with "
            + (partitions.isEmpty() ? "" : "DISTRIBUTE BY " + String.join(", ", partitions) + " ")
            + "SORT BY "
            + sort
            + ".");
  }

  static InvalidConfigException orderOfBuckets(Location table, FileOrder order, String delivered) {
    return new InvalidConfigException(
        "repave.order is '"
            + order.text()
            + "', but Spark sorts the rows for the bucketed table "
            + table
            + " in the order "
            + delivered
            + ", of which the first expression is the bucket. Nothing was written. Create the table"
            + " with sortBy for these columns, in ascending order, next to bucketBy.");
  }

  private static String quoted(List<String> names) {
    return names.stream().map(it -> '"' + it + '"').collect(Collectors.joining(", ", "[", "]"));
  }

  static InvalidConfigException orderOfPartitionColumn(String column) {
    return new InvalidConfigException(
        "repave.order names the partition column "
            + column
            + ", which no file holds. Nothing was written. Name only columns inside the files.");
  }

  static InvalidConfigException orderOfUnknownColumn(String column, List<?> known) {
    return new InvalidConfigException(
        "repave.order names "
            + column
            + ", which is not a column of the rows. Nothing was written. There are: "
            + known.stream()
                .limit(COLUMNS_SHOWN)
                .map(String::valueOf)
                .collect(Collectors.joining(", ")));
  }

  static InvalidConfigException orderWithConcurrentWriters(String key, String value) {
    return new InvalidConfigException(
        "repave.order cannot be kept while "
            + key
            + " is "
            + value
            + ", because a task that writes to many partitions at once sorts its rows again."
            + " Nothing was written. Set it to 0.");
  }
}
