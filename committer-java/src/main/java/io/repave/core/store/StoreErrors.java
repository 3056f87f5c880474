package io.repave.core.store;

import io.repave.core.store.StoreException.Kind;

/** Messages of the failures that the core finds in a store's answers. */
public final class StoreErrors {
  private StoreErrors() {}

  public static StoreException notDeleted(int files, DeleteFailure first) {
    return new StoreException(
        Kind.UNKNOWN,
        files
            + " files could not be deleted, among them "
            + first.at()
            + " ("
            + first.reason()
            + ")");
  }

  public static StoreException unorderedListing(Location folder) {
    return new StoreException(
        Kind.INVALID,
        "The store does not list the keys of "
            + folder
            + " in UTF-8 order, so Repave cannot find all files. Use a store that does, such as a"
            + " general purpose bucket of Amazon S3");
  }

  public static StoreException otherSize(Location at, long bytes, long written) {
    return new StoreException(
        Kind.INVALID,
        at
            + " has "
            + bytes
            + " bytes, but this commit wrote "
            + written
            + " bytes: another process wrote to this key");
  }
}
