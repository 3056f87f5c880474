package io.repave.spark.plan;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.datasources.PartitionPath;
import org.apache.spark.sql.execution.datasources.PartitionSpec;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType$;
import org.apache.spark.sql.types.IntegerType$;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The partitions of folders whose values leave no doubt: short numbers, dates, and texts that begin
 * with a letter. Spark's own inference finds the same, and takes ten times as long, because it
 * tries seven types for each value and parses each folder's path.
 */
final class PlainPartitions {
  private static final String NULL = ExternalCatalogUtils.DEFAULT_PARTITION_NAME();

  /** The kinds of values. Every value of a column must be of one kind, or null. */
  private enum Kind {
    NUMBER("-?[0-9]{1,9}", IntegerType$.MODULE$),
    DATE("(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}", DateType$.MODULE$),
    // Java reads NaN and Infinity as numbers.
    TEXT("(?!NaN|Infinity)[A-Za-z][^%]*", StringType$.MODULE$);

    private final Pattern form;
    private final DataType type;

    Kind(String form, DataType type) {
      this.form = Pattern.compile(form, Pattern.DOTALL);
      this.type = type;
    }

    static Optional<Kind> of(String value) {
      for (Kind kind : values()) {
        if (kind.form.matcher(value).matches()) {
          return Optional.of(kind);
        }
      }
      return Optional.empty();
    }

    Object parsed(String value) {
      return switch (this) {
        case NUMBER -> Integer.valueOf(value);
        case DATE -> (int) LocalDate.parse(value).toEpochDay();
        case TEXT -> UTF8String.fromString(value);
      };
    }
  }

  private final List<String> names = new ArrayList<>();
  private final List<Optional<Kind>> kinds = new ArrayList<>();
  private final List<PartitionPath> found = new ArrayList<>();
  private final String prefix;

  private PlainPartitions(Path root) {
    this.prefix = root.toUri().getPath() + "/";
  }

  /**
   * Empty if a folder has no partition, or a name or a value that Spark has to look at.
   *
   * @param asked the path that was read, with which most folders begin
   * @param version the version's own path, with which the others begin
   */
  static Optional<PartitionSpec> of(Path asked, Path version, Map<Path, FileStatus[]> folders) {
    return of(asked, folders).or(() -> of(version, folders));
  }

  private static Optional<PartitionSpec> of(Path root, Map<Path, FileStatus[]> folders) {
    PlainPartitions plain = new PlainPartitions(root);
    return folders.keysIterator().forall(plain::add) ? plain.spec() : Optional.empty();
  }

  /** Whether the folder agrees with those before it. */
  private boolean add(Path folder) {
    String key = folder.toUri().getPath();
    if (!key.startsWith(prefix)) {
      return false;
    }
    String[] segments = key.substring(prefix.length()).split("/", -1);
    if (names.isEmpty() && !begin(segments) || segments.length != names.size()) {
      return false;
    }
    Object[] values = new Object[segments.length];
    for (int at = 0; at < segments.length; at++) {
      String name = names.get(at);
      if (!segments[at].startsWith(name) || segments[at].length() == name.length()) {
        return false;
      }
      String value = segments[at].substring(name.length());
      if (!value.equals(NULL)) {
        Optional<Kind> kind = kinds.get(at).or(() -> Kind.of(value));
        if (kind.isEmpty() || !kind.get().form.matcher(value).matches()) {
          return false;
        }
        kinds.set(at, kind);
        try {
          values[at] = kind.get().parsed(value);
        } catch (DateTimeException noDate) {
          return false;
        }
      }
    }
    found.add(new PartitionPath(new GenericInternalRow(values), folder));
    return true;
  }

  /** Takes the columns from the first folder. A name ends with its equals sign. */
  private boolean begin(String[] segments) {
    Set<String> distinct = new HashSet<>();
    for (String segment : segments) {
      int equals = segment.indexOf('=');
      String name = segment.substring(0, equals + 1);
      if (equals < 1 || name.indexOf('%') >= 0 || !distinct.add(name.toLowerCase(Locale.ROOT))) {
        return false;
      }
      names.add(name);
      kinds.add(Optional.empty());
    }
    return true;
  }

  private Optional<PartitionSpec> spec() {
    StructType columns = new StructType();
    for (int at = 0; at < names.size(); at++) {
      if (kinds.get(at).isEmpty()) {
        return Optional.empty();
      }
      String name = names.get(at);
      columns = columns.add(name.substring(0, name.length() - 1), kinds.get(at).get().type, true);
    }
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(new PartitionSpec(columns, CollectionConverters.asScala(found).toSeq()));
  }
}
