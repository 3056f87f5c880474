package io.repave.core.record;

import io.repave.core.ledger.FileFacts;
import java.util.List;
import java.util.OptionalLong;

/**
 * The numbers, sizes and rows of the files that a commit wrote and removed, and the number of those
 * that it adopted. The rows are unknown unless they are known of every file; no files have no rows.
 */
public record FileTotals(
    long filesIn,
    long bytesIn,
    OptionalLong rowsIn,
    long filesOut,
    long bytesOut,
    OptionalLong rowsOut,
    long adopted) {
  public static final FileTotals NONE = new FileTotals(0, 0, 0, 0, 0);

  public FileTotals {
    rowsIn = filesIn == 0 ? OptionalLong.of(0) : rowsIn;
    rowsOut = filesOut == 0 ? OptionalLong.of(0) : rowsOut;
  }

  /** Totals of files whose rows are unknown. */
  public FileTotals(long filesIn, long bytesIn, long filesOut, long bytesOut, long adopted) {
    this(filesIn, bytesIn, OptionalLong.empty(), filesOut, bytesOut, OptionalLong.empty(), adopted);
  }

  public FileTotals plus(PartitionEntry entry) {
    return new FileTotals(
        filesIn + entry.in().size(),
        bytes(bytesIn, entry.in()),
        rows(rowsIn, entry.in()),
        filesOut + entry.out().size(),
        bytes(bytesOut, entry.out()),
        rows(rowsOut, entry.out()),
        adopted + entry.adopted().size());
  }

  private static long bytes(long before, List<FileEntry> files) {
    long sum = before;
    for (FileEntry file : files) {
      // A record with a larger number would be refused.
      sum = Math.min(FileFacts.NUMBER_MAX, sum + file.bytes());
    }
    return sum;
  }

  private static OptionalLong rows(OptionalLong before, List<FileEntry> files) {
    OptionalLong sum = before;
    for (FileEntry file : files) {
      sum = FileFacts.sum(sum, file.facts().rows());
    }
    return sum;
  }
}
