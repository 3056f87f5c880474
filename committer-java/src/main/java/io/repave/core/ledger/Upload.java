package io.repave.core.ledger;

import java.util.List;

/**
 * A file that a task wrote: its partition, its name in the partition, and what completes its
 * upload. A file with an empty {@code uploadId} was put directly (snapshot tables).
 *
 * <p>{@code partition} is a folder relative to the table ("" for the table itself), or the absolute
 * {@code s3://bucket/folder} of a partition outside the table.
 */
public record Upload(
    String partition,
    String name,
    String uploadId,
    long bytes,
    long partBytes,
    List<String> etags,
    FileFacts facts) {
  public Upload {
    etags = List.copyOf(etags);
  }

  /** A file of whose content nothing is known. */
  public Upload(
      String partition,
      String name,
      String uploadId,
      long bytes,
      long partBytes,
      List<String> etags) {
    this(partition, name, uploadId, bytes, partBytes, etags, FileFacts.NONE);
  }

  /** A file that exists, so that nothing is left to complete. */
  public static Upload existing(String partition, String name, long bytes, FileFacts facts) {
    return new Upload(partition, name, "", bytes, bytes, List.of(), facts);
  }

  public boolean direct() {
    return uploadId.isEmpty();
  }

  /** The requests that made the file before the commit. All of them have the price of a PUT. */
  public long requests() {
    if (!direct()) {
      return 1L + etags.size();
    }
    boolean single = partBytes == 0 || bytes <= partBytes;
    return single ? 1 : 2 + (bytes + partBytes - 1) / partBytes;
  }
}
