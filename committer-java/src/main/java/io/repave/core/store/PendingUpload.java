package io.repave.core.store;

import java.util.List;

/**
 * Everything that a Complete needs: the etags of the parts in order. Every part has {@code
 * partBytes} except the last one, which has the rest of {@code bytes}.
 */
public record PendingUpload(
    Location at, String uploadId, long bytes, long partBytes, List<String> etags) {
  public PendingUpload {
    etags = List.copyOf(etags);
  }
}
