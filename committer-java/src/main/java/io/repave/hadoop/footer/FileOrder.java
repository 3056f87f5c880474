package io.repave.hadoop.footer;

import io.repave.core.ledger.FileFacts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The order of the rows in each file, as SQL's {@code ORDER BY} writes it: {@code id, ts desc nulls
 * last}. As in Spark, nulls come first in ascending columns and last in descending ones, unless the
 * order says otherwise.
 */
public record FileOrder(List<SortColumn> columns) {
  public static final FileOrder NONE = new FileOrder(List.of());

  private static final int COLUMNS_MAX = 8;
  private static final Pattern COLUMN =
      Pattern.compile(
          "\\s*(?:`([^`]*+(?:``[^`]*+)*+)`|([^\\s,`.]++))"
              + "(?:\\s++(asc|desc))?(?:\\s++nulls\\s++(first|last))?\\s*(,|$)",
          Pattern.CASE_INSENSITIVE);

  public FileOrder {
    columns = List.copyOf(columns);
  }

  /** The order that a text means; empty if it means none, or has too many columns. */
  public static Optional<FileOrder> of(String text) {
    if (text.getBytes(StandardCharsets.UTF_8).length > FileFacts.ORDERED_BYTES_MAX) {
      return Optional.empty();
    }
    List<SortColumn> columns = new ArrayList<>();
    Matcher matcher = COLUMN.matcher(text);
    boolean more = !text.isBlank();
    while (more) {
      if (!matcher.lookingAt()) {
        return Optional.empty();
      }
      SortColumn column = column(matcher);
      if (column.name().isEmpty()
          || columns.stream().anyMatch(it -> it.name().equalsIgnoreCase(column.name()))) {
        return Optional.empty();
      }
      columns.add(column);
      more = matcher.group(5).equals(",");
      matcher.region(matcher.end(), text.length());
    }
    FileOrder order = new FileOrder(columns);
    boolean fits = FileFacts.isOrder(order.text()) || columns.isEmpty();
    return columns.size() <= COLUMNS_MAX && fits ? Optional.of(order) : Optional.empty();
  }

  private static SortColumn column(Matcher matcher) {
    String name = matcher.group(1) == null ? matcher.group(2) : matcher.group(1).replace("``", "`");
    boolean descending = "desc".equals(lower(matcher.group(3)));
    String nulls = lower(matcher.group(4));
    return new SortColumn(name, descending, nulls == null ? descending : nulls.equals("last"));
  }

  private static String lower(String word) {
    return word == null ? null : word.toLowerCase(Locale.ROOT);
  }

  public boolean isEmpty() {
    return columns.isEmpty();
  }

  /** The same order for equal orders: what records hold. */
  public String text() {
    return columns.stream().map(SortColumn::text).collect(Collectors.joining(", "));
  }

  /** The order of the first columns alone. */
  FileOrder first(int count) {
    return new FileOrder(columns.subList(0, count));
  }
}
