package io.repave.spark;

import io.repave.core.ledger.TaskBytes;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.upload.Retry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * What a task tells the driver: its ledger or, when that is large, where in the records of the
 * commit it lies. Messages count against {@code spark.driver.maxResultSize}, and the driver holds
 * all of them at once.
 *
 * <p>A ledger begins with the number of its format, which is never 0; a reference begins with 0.
 */
final class TaskMessage {
  private static final int SPILLED_BYTES_MAX = 1 << 30;
  private static final byte REFERENCE = 0;

  private final ObjectStore store;
  private final Retry retry;
  private final Location folder;
  private final long inlineBytes;

  /** {@code folder} holds the records of the commit; a larger ledger is put there. */
  TaskMessage(ObjectStore store, Retry retry, Location folder, long inlineBytes) {
    this.store = store;
    this.retry = retry;
    this.folder = folder;
    this.inlineBytes = inlineBytes;
  }

  static TaskMessage of(TableAccess access, Location folder) throws IOException {
    RepaveSettings settings = access.settings();
    Retry retry = new Retry(settings.retryPolicy());
    return new TaskMessage(access.store(), retry, folder, settings.messageBytes());
  }

  /** The message for a ledger; {@code name} is unique among the attempts of all tasks. */
  byte[] encode(byte[] ledger, String name) throws IOException {
    if (ledger.length <= inlineBytes) {
      return ledger;
    }
    Location at = folder.resolve(name);
    send(() -> store.put(at, ByteBuffer.wrap(ledger)));
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + utf8.length).put(REFERENCE).put(utf8).array();
  }

  /** The ledger of a message, read from the store each time when it lies there. */
  TaskBytes decode(byte[] message) {
    if (!isReference(message)) {
      return () -> message;
    }
    Location at = place(message);
    return () ->
        send(() -> store.read(at, SPILLED_BYTES_MAX))
            .orElseThrow(() -> new IOException("The ledger of a task is missing: " + at))
            .content();
  }

  /** Deletes the ledgers that these messages refer to; the commit has recorded what they say. */
  void forget(List<byte[]> messages) throws IOException {
    List<Location> spilled =
        messages.stream().filter(TaskMessage::isReference).map(this::place).toList();
    for (int from = 0; from < spilled.size(); from += ObjectStore.DELETE_PAGE) {
      int to = Math.min(spilled.size(), from + ObjectStore.DELETE_PAGE);
      List<Location> page = spilled.subList(from, to);
      send(() -> store.delete(page));
    }
  }

  private Location place(byte[] message) {
    String name = new String(message, 1, message.length - 1, StandardCharsets.UTF_8);
    return folder.resolve(name);
  }

  private static boolean isReference(byte[] message) {
    return message.length > 0 && message[0] == REFERENCE;
  }

  private <T> T send(Retry.Request<T> request) throws IOException {
    return retry.send(request, new CountDownLatch(1));
  }
}
