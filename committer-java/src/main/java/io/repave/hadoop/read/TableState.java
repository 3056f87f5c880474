package io.repave.hadoop.read;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;

/** A table at one moment, as its records describe it. */
public interface TableState {
  /** Of a folder without records: everything that lies there counts. */
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
        public SnapshotFiles files(long version) throws IOException {
          throw new FileNotFoundException("There is no version " + version + " without records.");
        }
      };

  /** Tells tables apart that come and go in one folder. */
  String tableId();

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
