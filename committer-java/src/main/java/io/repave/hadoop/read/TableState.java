package io.repave.hadoop.read;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/** A table at one moment, as its records describe it. */
public interface TableState {
  /** The state of a folder without records: all its files are visible. */
  TableState UNRECORDED =
      new TableState() {
        @Override
        public String tableId() {
          return "";
        }

        @Override
        public Readers readers() {
          return Readers.LISTING;
        }

        @Override
        public long version() {
          return 0;
        }

        @Override
        public boolean hides(Location file) {
          return false;
        }

        @Override
        public void requireKept(long version) throws IOException {
          throw ReadErrors.noRecords();
        }

        @Override
        public long versionAt(Instant moment) throws IOException {
          throw ReadErrors.noRecords();
        }

        @Override
        public Optional<SnapshotFiles> files(
            long version, Collection<String> folders, long bytesMax) throws IOException {
          throw ReadErrors.noRecords();
        }
      };

  /** Distinguishes tables that were created in the same folder one after another. */
  String tableId();

  Readers readers();

  /** The published version. */
  long version();

  /**
   * For a listing table: true for a file in the store whose commit is not published yet, for one
   * that a published commit is about to delete, and for what Repave keeps in the table's folder.
   */
  boolean hides(Location file);

  /** Refuses a version that does not exist, or that vacuum has removed. */
  void requireKept(long version) throws IOException;

  /** The newest version that was published at or before a moment. */
  long versionAt(Instant moment) throws IOException;

  /**
   * For a snapshot table: the files of this version or an earlier one in some folders and below
   * them; "" means the whole table. Empty if they take more than {@code bytesMax} of memory.
   */
  Optional<SnapshotFiles> files(long version, Collection<String> folders, long bytesMax)
      throws IOException;
}
