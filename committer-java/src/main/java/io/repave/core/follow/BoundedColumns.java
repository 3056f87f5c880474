package io.repave.core.follow;

import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.record.FollowerState.Column;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Chooses the columns by which readers of a Delta log skip files. The first version with bounds
 * chooses them, for as long as the log lasts.
 *
 * <p>delta-rs gives pyarrow the bounds of every such column, for each file that has any bounds, and
 * a bound that is missing there as null. Then pyarrow finds no row of that file by this column. So
 * a file has either the bounds of all of these columns or none.
 */
final class BoundedColumns {
  /** Names that every reader takes out of a list as they are. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /** Zero, NaN and the infinities are no bounds, so many files would have none at all. */
  private static final Set<String> RARELY_BOUNDED = Set.of("float", "double");

  private final List<String> before;
  private final Set<Column> somewhere = new LinkedHashSet<>();
  private final Set<Column> everywhere = new LinkedHashSet<>();

  /** {@code before} are those that an earlier version has chosen. */
  BoundedColumns(List<String> before) {
    this.before = before;
  }

  /** Adds a file of the version. One without bounds says nothing: it has none in the log either. */
  void file(FileFacts facts) {
    if (!before.isEmpty()) {
      return;
    }
    Set<Column> bounded =
        facts.columns().stream()
            .filter(it -> PLAIN.matcher(it.column()).matches())
            .filter(it -> !RARELY_BOUNDED.contains(it.type()))
            .filter(BoundedColumns::isBounded)
            .map(it -> new Column(it.column(), it.type()))
            .collect(Collectors.toCollection(LinkedHashSet::new));
    if (bounded.isEmpty()) {
      return;
    }
    Set<Column> whole =
        facts.columns().stream()
            .filter(it -> isWhole(it, facts.rows()))
            .map(it -> new Column(it.column(), it.type()))
            .collect(Collectors.toSet());
    if (somewhere.isEmpty()) {
      everywhere.addAll(whole);
    }
    everywhere.retainAll(whole);
    somewhere.addAll(bounded);
  }

  /** The columns from this version on, in a table whose columns have these types. */
  List<String> of(Map<String, String> types) {
    if (!before.isEmpty()) {
      return before;
    }
    return somewhere.stream()
        .filter(everywhere::contains)
        .filter(it -> it.type().equals(types.get(it.name())))
        .map(Column::name)
        .limit(ColumnBounds.COLUMNS_MAX)
        .toList();
  }

  /** Whether a file has all bounds of the chosen columns. */
  static boolean areWhole(List<String> chosen, List<ColumnBounds> columns, OptionalLong rows) {
    Set<String> whole =
        columns.stream()
            .filter(it -> isWhole(it, rows))
            .map(ColumnBounds::column)
            .collect(Collectors.toSet());
    return !chosen.isEmpty() && whole.containsAll(chosen);
  }

  /** A column of nulls has no bounds, and needs none: readers know it by the number of nulls. */
  private static boolean isWhole(ColumnBounds column, OptionalLong rows) {
    return isBounded(column) || column.nulls().isPresent() && column.nulls().equals(rows);
  }

  private static boolean isBounded(ColumnBounds column) {
    return DeltaBound.low(column).isPresent() && DeltaBound.high(column).isPresent();
  }
}
