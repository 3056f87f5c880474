package io.repave.core.record;

/** The numbers and sizes of the files that a commit wrote, removed and adopted. */
public record FileTotals(long filesIn, long bytesIn, long filesOut, long bytesOut, long adopted) {
  public static final FileTotals NONE = new FileTotals(0, 0, 0, 0, 0);

  public FileTotals plus(PartitionEntry entry) {
    return new FileTotals(
        filesIn + entry.in().size(),
        bytesIn + bytes(entry.in()),
        filesOut + entry.out().size(),
        bytesOut + bytes(entry.out()),
        adopted + entry.adopted().size());
  }

  private static long bytes(Iterable<FileEntry> files) {
    long sum = 0;
    for (FileEntry file : files) {
      sum += file.bytes();
    }
    return sum;
  }
}
