package io.repave.hadoop;

import java.util.List;

/**
 * The outcome of testing a store.
 *
 * @param isSafe whether any number of jobs may write to one table
 * @param missing a sentence for each missing ability, worst first
 */
public record StoreFindings(boolean isSafe, List<String> missing) {
  public StoreFindings {
    missing = List.copyOf(missing);
  }
}
