package io.repave.hadoop.footer;

import java.util.List;

/** The columns whose bounds are recorded for each file, by their names at the top of the schema. */
public record StatsColumns(List<String> names) {
  public static final StatsColumns NONE = new StatsColumns(List.of());

  public StatsColumns {
    names = List.copyOf(names);
  }
}
