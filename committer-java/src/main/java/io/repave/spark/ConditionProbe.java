package io.repave.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/**
 * Tries whether a store keeps the two promises that commits rest on: a write that may only create,
 * and one that may only replace what was read. A store that ignores the conditions accepts all.
 */
final class ConditionProbe {
  private final ObjectStore store;
  private final Location at;

  ConditionProbe(ObjectStore store, Location records) {
    this.store = store;
    at = records.resolve("probe-" + UUID.randomUUID());
  }

  JsonNode run() throws StoreException {
    try {
      String etag = store.putIfAbsent(at, content("one"));
      if (!isRefused(() -> store.putIfAbsent(at, content("two")))) {
        return answer(false, "it replaced an object by a write that may only create one");
      }
      store.putIfMatch(at, content("three"), etag);
      if (!isRefused(() -> store.putIfMatch(at, content("four"), etag))) {
        return answer(false, "it replaced an object that had changed since it was read");
      }
      return answer(true, "");
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.INVALID) {
        return answer(false, "it answered: " + e.getMessage());
      }
      throw e;
    } finally {
      store.delete(List.of(at));
    }
  }

  private interface Write {
    void run() throws StoreException;
  }

  private static boolean isRefused(Write write) throws StoreException {
    try {
      write.run();
      return false;
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.REFUSED) {
        return true;
      }
      throw e;
    }
  }

  private static JsonNode answer(boolean keeps, String reason) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("conditional-writes", keeps)
        .put("reason", reason);
  }

  private static ByteBuffer content(String text) {
    return ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }
}
