package io.repave.hadoop.footer;

import java.util.regex.Pattern;

/** A column of an order. Nulls come first or last, whatever the direction. */
public record SortColumn(String name, boolean descending, boolean nullsLast) {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /** As SQL writes it, without what goes without saying. */
  String text() {
    String quoted = PLAIN.matcher(name).matches() ? name : "`" + name.replace("`", "``") + "`";
    String nulls = descending == nullsLast ? "" : nullsLast ? " nulls last" : " nulls first";
    return quoted + (descending ? " desc" : "") + nulls;
  }
}
