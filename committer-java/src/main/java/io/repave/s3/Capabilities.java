package io.repave.s3;

import io.repave.s3.StoreCheck.Need;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a store was seen to do.
 *
 * @param failed the checks that it failed, worst first, each with what was seen ("" when the
 *     check's sentence says it all)
 */
public record Capabilities(Map<StoreCheck, String> failed) {
  public Capabilities {
    Map<StoreCheck, String> copy = new EnumMap<>(StoreCheck.class);
    copy.putAll(failed);
    failed = Collections.unmodifiableMap(copy);
  }

  /** True when any number of writers may share a table; the rest costs requests, not rows. */
  public boolean isSafe() {
    return failed.keySet().stream().allMatch(check -> check.need() == Need.NONE);
  }

  /** True when two jobs cannot destroy each other's records. */
  boolean keepsConditions() {
    return failed.keySet().stream().noneMatch(check -> check.need() == Need.MANY_WRITERS);
  }

  /** A sentence for each failed check, worst first. */
  public List<String> missing() {
    return failed.entrySet().stream()
        .map(each -> (each.getKey().sentence() + " " + each.getValue()).stripTrailing())
        .toList();
  }
}
