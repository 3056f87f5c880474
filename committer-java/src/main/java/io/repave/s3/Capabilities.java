package io.repave.s3;

import io.repave.s3.StoreCheck.Need;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The outcome of testing a store.
 *
 * @param failed the failed checks, worst first, each with the observation ("" if the check's
 *     sentence is enough)
 */
public record Capabilities(Map<StoreCheck, String> failed) {
  public Capabilities {
    Map<StoreCheck, String> copy = new EnumMap<>(StoreCheck.class);
    copy.putAll(failed);
    failed = Collections.unmodifiableMap(copy);
  }

  /** True if any number of writers may share a table. Other failures cost requests, not rows. */
  public boolean isSafe() {
    return failed.keySet().stream().allMatch(check -> check.need() == Need.NONE);
  }

  /** True if two jobs cannot destroy each other's records. */
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
