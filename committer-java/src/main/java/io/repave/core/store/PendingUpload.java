package io.repave.core.store;

import java.util.List;

/**
 * All that is needed to complete an upload: the part tags in order. Every part holds {@code
 * partBytes} but the last, which holds the rest of {@code bytes}.
 */
public record PendingUpload(
    Location at, String uploadId, long bytes, long partBytes, List<String> etags) {
  public PendingUpload {
    etags = List.copyOf(etags);
  }

  /** The size of part {@code number}, from 1. */
  public long bytesOfPart(int number) {
    return number < etags.size() ? partBytes : bytes - partBytes * (etags.size() - 1L);
  }
}
