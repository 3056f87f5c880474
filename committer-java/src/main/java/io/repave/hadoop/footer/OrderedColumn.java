package io.repave.hadoop.footer;

import io.repave.core.ledger.FactsReader.FileEnd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A column of an order, and the pages that hold it. */
final class OrderedColumn<T> {
  private final SortColumn sort;
  private final StatisticType<T> type;
  private final int exactBytes;
  private final List<Page<T>> pages = new ArrayList<>();
  private boolean indexed = true;
  private boolean provable = true;

  OrderedColumn(SortColumn sort, StatisticType<T> type, int exactBytes) {
    this.sort = sort;
    this.type = type;
    this.exactBytes = exactBytes;
  }

  /** What is certain of the rows of two pages, of which one is before the other. */
  enum Relation {
    /** Each row of the first sorts before each row of the second. */
    BEFORE,
    /** The same, but rows may be equal. */
    NOT_AFTER,
    UNKNOWN,
    /** A row of the first sorts after a row of the second. */
    VIOLATED
  }

  String name() {
    return sort.name();
  }

  String typeName() {
    return type.name();
  }

  List<Page<T>> pages() {
    return pages;
  }

  /** Whether the pages can show that rows are in order. */
  boolean isProvable() {
    return indexed && provable;
  }

  /** The bounds may leave values out, so they can only show that rows are not in order. */
  void leavesValuesOut() {
    provable = false;
  }

  /** Adds a row group. Without an index, it is one page. */
  void add(FileEnd file, ColumnChunk chunk, int group, long first, long rows) throws IOException {
    Optional<List<PageIndex.Entry>> index = PageIndex.read(file, chunk, rows);
    if (index.isEmpty()) {
      indexed = false;
      pages.add(
          page(
              first,
              first + rows,
              Page.Nulls.of(chunk.values(), chunk.nulls()),
              chunk.min(),
              chunk.max(),
              "row group " + group));
      return;
    }
    int number = 1;
    for (PageIndex.Entry each : index.get()) {
      long values = each.end() - each.first();
      pages.add(
          page(
              first + each.first(),
              first + each.end(),
              each.onlyNulls() ? Page.Nulls.ALL : Page.Nulls.of(values, each.nulls()),
              each.onlyNulls() ? Optional.empty() : Optional.of(each.min()),
              each.onlyNulls() ? Optional.empty() : Optional.of(each.max()),
              "page " + number++ + " of row group " + group));
    }
  }

  private Page<T> page(
      long first,
      long end,
      Page.Nulls nulls,
      Optional<byte[]> min,
      Optional<byte[]> max,
      String place) {
    Optional<T> low = min.flatMap(type::read);
    Optional<T> high = max.flatMap(type::read);
    boolean bounded =
        nulls != Page.Nulls.ALL
            && low.isPresent()
            && high.isPresent()
            && !type.isLess(high.get(), low.get());
    return new Page<>(
        first,
        end,
        nulls,
        bounded ? low : Optional.empty(),
        bounded ? high : Optional.empty(),
        place);
  }

  /** What is certain of two pages by their numbers. */
  Relation relation(int before, int after) {
    return relation(pages.get(before), pages.get(after));
  }

  /** What is certain of the rows from {@code from} to {@code middle} and on to {@code end}. */
  Relation relation(long from, long middle, long end) {
    return relation(between(from, middle), between(middle, end));
  }

  private Relation relation(Page<T> before, Page<T> after) {
    boolean last = sort.nullsLast();
    // The rows of a column are in two classes, nulls and values, one of which comes first.
    boolean beforeMayBeLate = last ? before.mayHaveNulls() : before.mayHaveValues();
    boolean afterMayBeEarly = last ? after.mayHaveValues() : after.mayHaveNulls();
    boolean beforeIsLate = last ? before.hasNulls() : before.hasValues();
    boolean afterIsEarly = last ? after.hasValues() : after.hasNulls();
    if (beforeIsLate && afterIsEarly) {
      return Relation.VIOLATED;
    }
    if (!beforeMayBeLate && !afterMayBeEarly) {
      return Relation.BEFORE;
    }
    if (beforeMayBeLate && afterMayBeEarly) {
      return values(before, after) == Relation.VIOLATED ? Relation.VIOLATED : Relation.UNKNOWN;
    }
    // What is left are rows of one class: the early ones, or the late ones.
    boolean nulls = beforeMayBeLate == last;
    return nulls ? Relation.NOT_AFTER : values(before, after);
  }

  private Relation values(Page<T> before, Page<T> after) {
    if (!before.isBounded() || !after.isBounded()) {
      return Relation.UNKNOWN;
    }
    Page<T> lower = sort.descending() ? after : before;
    Page<T> upper = sort.descending() ? before : after;
    if (type.isLess(lower.high().get(), upper.low().get())) {
      return Relation.BEFORE;
    }
    if (!type.isLess(upper.low().get(), lower.high().get())) {
      return Relation.NOT_AFTER;
    }
    boolean certain =
        type.isLess(upper.high().get(), lower.low().get())
            || TruncatedText.isAbove(lower.high().get(), upper.low().get(), exactBytes)
            || isExact(lower.high().get()) && isExact(upper.low().get());
    return certain ? Relation.VIOLATED : Relation.UNKNOWN;
  }

  /** All pages that overlap these rows as one. */
  private Page<T> between(long from, long end) {
    int at = pageOf(from);
    Page<T> all = pages.get(at);
    for (int next = at + 1; next < pages.size() && pages.get(next).first() < end; next++) {
      all = all.and(pages.get(next), type.order());
    }
    return all;
  }

  /** The number of the page that holds a row. */
  int pageOf(long row) {
    int low = 0;
    int high = pages.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pages.get(middle).end() > row) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Whether all rows of a page have the same value, or null. */
  boolean isConstant(int number) {
    Page<T> page = pages.get(number);
    return page.nulls() == Page.Nulls.ALL
        || page.nulls() == Page.Nulls.NONE
            && provable
            && page.isBounded()
            && isExact(page.low().get())
            && isExact(page.high().get())
            && isSame(page.low().get(), page.high().get());
  }

  /** Whether two constant pages have the same value. */
  boolean isSame(int one, int other) {
    Optional<T> left = pages.get(one).low();
    Optional<T> right = pages.get(other).low();
    return left.isPresent() == right.isPresent()
        && (left.isEmpty() || isSame(left.get(), right.get()));
  }

  private boolean isSame(T left, T right) {
    return !type.isLess(left, right) && !type.isLess(right, left);
  }

  private boolean isExact(T value) {
    return !(value instanceof byte[] text) || text.length <= exactBytes;
  }
}
