package io.repave.core.record;

import io.repave.core.ledger.FileFacts;

/**
 * A file in a record: its path inside its partition, its size, and what is known of its content.
 */
public record FileEntry(String name, long bytes, FileFacts facts) {
  /** A file of whose content nothing is known. */
  public FileEntry(String name, long bytes) {
    this(name, bytes, FileFacts.NONE);
  }
}
