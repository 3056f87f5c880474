package io.repave.core.store;

import io.repave.core.store.StoreException.Kind;
import java.util.List;

/** Messages of the failures that the core finds in a store's answers. */
public final class StoreErrors {
  private StoreErrors() {}

  /** DENIED when the permission to delete is missing: then another try does not help. */
  public static StoreException notDeleted(List<DeleteFailure> failures) {
    DeleteFailure first = failures.get(0);
    boolean denied = failures.stream().allMatch(each -> each.reason().startsWith("AccessDenied"));
    return new StoreException(
        denied ? Kind.DENIED : Kind.UNKNOWN,
        failures.size()
            + " files could not be deleted, among them "
            + first.at()
            + " ("
            + first.reason()
            + ")"
            + (denied ? ". `repave doctor` tests which permissions are missing" : ""));
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
            + " bytes: another process wrote to this key. Restore the version of this object that"
            + " the commit wrote, or move the object away, and run `repave recover`");
  }
}
