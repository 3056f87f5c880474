package io.repave.hadoop.read;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.IOException;

/** A table at one moment, as its records describe it. */
public interface TableState {
  Readers readers();

  /** The version that is published. */
  long version();

  /**
   * For a listing table: true for a file that lies there and does not count, because its commit is
   * not published yet, or because a published one is about to delete it.
   */
  boolean hides(Location file);

  /** For a snapshot table: the files of a version, which may be an earlier one. */
  SnapshotFiles files(long version) throws IOException;
}
