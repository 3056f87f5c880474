package io.repave.hadoop;

import java.util.List;

/**
 * What a store was seen to do.
 *
 * @param isSafe whether any number of jobs may write to one table
 * @param missing a sentence for each thing that it does not do, worst first
 */
public record StoreFindings(boolean isSafe, List<String> missing) {
  public StoreFindings {
    missing = List.copyOf(missing);
  }
}
