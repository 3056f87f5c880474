package io.repave.sim;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import io.repave.testing.InterceptingStore;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/**
 * Makes an engine blind to a part of the head, or lets it write another head than it means to. So a
 * mutant breaks one rule and is the real engine in everything else.
 */
final class HeadRewriter extends InterceptingStore {
  private final Location at;
  private final UnaryOperator<Head> read;
  private final BinaryOperator<Head> written;
  private Head last;

  /** {@code written} gets the head that was last read as it is, and the one to write. */
  HeadRewriter(
      ObjectStore store, Location at, UnaryOperator<Head> read, BinaryOperator<Head> written) {
    super(store);
    this.at = at;
    this.read = read;
    this.written = written;
  }

  @Override
  public Optional<StoredObject> read(Location from, long maxBytes) throws StoreException {
    Optional<StoredObject> stored = super.read(from, maxBytes);
    if (!from.equals(at) || stored.isEmpty()) {
      return stored;
    }
    last = parsed(stored.get().content());
    byte[] content = HeadJson.write(read.apply(last));
    return Optional.of(new StoredObject(content, stored.get().etag()));
  }

  @Override
  public String putIfMatch(Location to, ByteBuffer content, String etag) throws StoreException {
    if (!to.equals(at)) {
      return super.putIfMatch(to, content, etag);
    }
    Head meant = parsed(content.array());
    Head next = last == null ? meant : written.apply(last, meant);
    String answer = super.putIfMatch(to, ByteBuffer.wrap(HeadJson.write(next)), etag);
    last = next;
    return answer;
  }

  private static Head parsed(byte[] content) {
    try {
      return HeadJson.read(content, "head");
    } catch (InvalidRecordException e) {
      throw new IllegalStateException(e);
    }
  }
}
