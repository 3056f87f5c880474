package io.repave.testing;

import io.repave.core.store.Clock;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A backend as the contract meets it. {@code folders} gives a folder that no other test has used,
 * in a bucket that exists; {@code clock} is the one that the store's dates follow.
 */
public record StoreUnderTest(
    ObjectStore store,
    Supplier<Location> folders,
    Set<Capability> capabilities,
    Dialect.Replay replay,
    Clock clock) {

  /** Features that some servers lack. A test that needs one is skipped on such a server. */
  public enum Capability {
    CONDITIONAL_WRITES,
    /** Of racing conditional writes one wins. A server without a lock lets two in now and then. */
    ATOMIC_CONDITIONS,
    /** A key of more than 1,024 bytes is refused. */
    KEY_LIMIT,
    /** Listings name keys of any characters, and go on behind them. */
    ANY_CHARACTERS,
    /** A key may hold a line feed. */
    LINE_BREAKS,
    /** Parts below 5 MiB are allowed before the last. */
    SMALL_PARTS,
    /** Of Completes of one upload at the same time, all make the same object. */
    RACING_COMPLETES,
    /** Open uploads are listed by prefix and in pages. */
    UPLOAD_PAGES,
    /** Open uploads carry the date of their start. */
    UPLOAD_DATES,
    /** An upload id is only good for the key that it was made for. */
    UPLOADS_OF_ONE_KEY,
    /** A missing bucket is reported as missing. */
    MISSING_BUCKETS,
    /** There is a second bucket, named as the first with "-other" after it. */
    TWO_BUCKETS
  }

  boolean can(Capability capability) {
    return capabilities.contains(capability);
  }
}
