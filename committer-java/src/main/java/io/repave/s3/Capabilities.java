package io.repave.s3;

import java.util.ArrayList;
import java.util.List;

/**
 * What a store was seen to do.
 *
 * @param hasAtomicCreates of racing writes that may only create, one wins
 * @param hasAtomicSwaps of racing writes that may only replace what was read, one wins, and a late
 *     one is refused
 * @param listsInOrder keys are listed in UTF-8 order, from any key on
 * @param tellsAbsentUploads an upload that is gone is answered as such, not as an error
 * @param missing a sentence for each thing that it does not do, worst first
 */
public record Capabilities(
    boolean hasAtomicCreates,
    boolean hasAtomicSwaps,
    boolean listsInOrder,
    boolean tellsAbsentUploads,
    List<String> missing) {
  public Capabilities {
    missing = List.copyOf(missing);
  }

  /** True when any number of writers may share a table; the rest costs requests, not rows. */
  public boolean isSafe() {
    return keepsConditions() && listsInOrder;
  }

  /** True when two jobs cannot destroy each other's records. */
  boolean keepsConditions() {
    return hasAtomicCreates && hasAtomicSwaps;
  }

  /** Collects what a probe finds. */
  static final class Findings {
    private final List<String> missing = new ArrayList<>();
    private boolean hasAtomicCreates = true;
    private boolean hasAtomicSwaps = true;
    private boolean listsInOrder = true;
    private boolean tellsAbsentUploads = true;

    void createsFail(String sentence) {
      hasAtomicCreates = false;
      missing.add(sentence);
    }

    void swapsFail(String sentence) {
      hasAtomicSwaps = false;
      missing.add(sentence);
    }

    void listingFails(String sentence) {
      listsInOrder = false;
      missing.add(sentence);
    }

    void uploadsFail(String sentence) {
      tellsAbsentUploads = false;
      missing.add(sentence);
    }

    void lacks(String sentence) {
      missing.add(sentence);
    }

    Capabilities all() {
      return new Capabilities(
          hasAtomicCreates, hasAtomicSwaps, listsInOrder, tellsAbsentUploads, missing);
    }
  }
}
