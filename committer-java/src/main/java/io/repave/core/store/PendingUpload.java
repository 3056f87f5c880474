package io.repave.core.store;

import java.util.List;

/**
 * Everything that a Complete needs: the etags of the parts in order, and the size of the object.
 */
public record PendingUpload(Location at, String uploadId, long bytes, List<String> etags) {
  public PendingUpload {
    etags = List.copyOf(etags);
  }
}
