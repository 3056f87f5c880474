package io.repave.core.store;

import java.util.List;

/** A page of open uploads; {@code next} is empty at the end, otherwise opaque. */
public record UploadPage(List<OpenUpload> uploads, String next) {
  public UploadPage {
    uploads = List.copyOf(uploads);
  }
}
