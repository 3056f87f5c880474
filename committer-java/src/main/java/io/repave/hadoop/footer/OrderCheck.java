package io.repave.hadoop.footer;

import io.repave.hadoop.footer.OrderedColumn.Relation;
import java.util.List;
import java.util.Optional;

/**
 * Compares the pages of a file's order columns. It sees no single row, so it can show that rows are
 * not in order, or that each page sorts after the one before it.
 *
 * <p>The pages of two columns need not begin at the same rows. A later column of the order matters
 * only among rows that have the same value in all earlier ones.
 */
final class OrderCheck {
  private final List<OrderedColumn<?>> columns;
  private final long rows;

  OrderCheck(List<OrderedColumn<?>> columns, long rows) {
    this.columns = columns;
    this.rows = rows;
  }

  /** A place where the rows are not in order, if the pages show one. */
  Optional<Disorder> disorder() {
    return columns.isEmpty() || rows == 0 ? Optional.empty() : disorder(0, 0, rows);
  }

  /** Looks at rows that have the same value in all columns before {@code depth}. */
  private Optional<Disorder> disorder(int depth, long from, long end) {
    OrderedColumn<?> column = columns.get(depth);
    List<? extends Page<?>> pages = column.pages();
    int before = -1;
    int same = -1;
    for (int page = column.pageOf(from); page < pages.size(); page++) {
      if (pages.get(page).end() > end) {
        break;
      }
      if (pages.get(page).first() < from) {
        continue;
      }
      if (before >= 0 && column.relation(before, page) == Relation.VIOLATED) {
        return Optional.of(
            new Disorder(column.name(), pages.get(before).place(), pages.get(page).place()));
      }
      boolean isLastOfRun =
          page + 1 == pages.size()
              || pages.get(page + 1).end() > end
              || !column.isConstant(page + 1)
              || !column.isSame(page, page + 1);
      if (column.isConstant(page) && depth + 1 < columns.size()) {
        same = same < 0 ? page : same;
        Optional<Disorder> inside =
            isLastOfRun
                ? disorder(depth + 1, pages.get(same).first(), pages.get(page).end())
                : Optional.empty();
        if (inside.isPresent()) {
          return inside;
        }
      }
      same = isLastOfRun ? -1 : same;
      // A page of which nothing is known stands for no row.
      before = isKnown(pages.get(page)) || before < 0 ? page : before;
    }
    return Optional.empty();
  }

  private static boolean isKnown(Page<?> page) {
    return page.isBounded() || page.nulls() == Page.Nulls.ALL;
  }

  /** The number of columns of the order in which each page sorts after the one before it. */
  int proven() {
    if (columns.isEmpty() || !columns.get(0).isProvable()) {
      return 0;
    }
    List<? extends Page<?>> pages = columns.get(0).pages();
    if (pages.size() < 2) {
      // One page says nothing of its rows.
      return rows < 2 ? columns.size() : 0;
    }
    int proven = columns.size();
    for (int page = 1; page < pages.size() && proven > 0; page++) {
      Relation relation = columns.get(0).relation(page - 1, page);
      if (relation == Relation.NOT_AFTER) {
        long from = pages.get(page - 1).first();
        proven = Math.min(proven, 1 + ties(from, pages.get(page).first(), pages.get(page).end()));
      } else if (relation != Relation.BEFORE) {
        proven = 0;
      }
    }
    return proven;
  }

  /** The number of further columns that order the rows which are equal in the first one. */
  private int ties(long from, long middle, long end) {
    for (int depth = 1; depth < columns.size(); depth++) {
      OrderedColumn<?> column = columns.get(depth);
      Relation relation =
          column.isProvable() ? column.relation(from, middle, end) : Relation.UNKNOWN;
      if (relation == Relation.BEFORE) {
        return columns.size() - 1;
      }
      if (relation != Relation.NOT_AFTER) {
        return depth - 1;
      }
    }
    return columns.size() - 1;
  }
}
