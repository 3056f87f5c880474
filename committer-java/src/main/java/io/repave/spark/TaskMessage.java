package io.repave.spark;

import io.repave.core.error.FormatErrors;
import io.repave.core.ledger.TaskBytes;
import io.repave.core.store.Location;
import io.repave.core.store.Sha256;
import io.repave.hadoop.LedgerObjects;
import io.repave.hadoop.TableAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;

/**
 * What a task sends to the driver: its ledger, or a reference to a large ledger that is stored
 * among the records of the commit. Messages count against {@code spark.driver.maxResultSize}, and
 * the driver holds all of them at once.
 *
 * <p>A ledger begins with its format number, which is never 0. A reference is 0, the SHA-256 of the
 * ledger and the name of its object: others may write there, and the ledger says which folders the
 * commit replaces.
 */
final class TaskMessage {
  private static final byte REFERENCE = 0;
  private static final int HASH_BYTES = 32;
  private static final int NAME_AT = 1 + HASH_BYTES;

  private final LedgerObjects stored;
  private final Location folder;
  private final long inlineBytes;

  /** A ledger of more than {@code inlineBytes} is stored in {@code folder}. */
  TaskMessage(LedgerObjects stored, Location folder, long inlineBytes) {
    this.stored = stored;
    this.folder = folder;
    this.inlineBytes = inlineBytes;
  }

  static TaskMessage of(TableAccess access, Location folder) throws IOException {
    return new TaskMessage(access.ledgerObjects(), folder, access.settings().messageBytes());
  }

  /**
   * The bytes that each of some tasks may send, so that all together take half of what the driver
   * accepts. 0 stands for no limit, as in {@code spark.driver.maxResultSize}.
   */
  static long share(long acceptedBytes, int tasks) {
    return acceptedBytes == 0 ? Long.MAX_VALUE : acceptedBytes / 2 / Math.max(1, tasks);
  }

  /** The same for the driver of this application. */
  static long share(SparkConf conf, int tasks) {
    return share(conf.getSizeAsBytes("spark.driver.maxResultSize", "1g"), tasks);
  }

  /** This message, but with at most {@code bytes} inline. */
  TaskMessage atMost(long bytes) {
    return new TaskMessage(stored, folder, Math.min(inlineBytes, bytes));
  }

  /** Where {@link #encode} stores a ledger; empty for one that the message itself carries. */
  Optional<Location> place(byte[] ledger, String name) {
    return ledger.length <= inlineBytes ? Optional.empty() : Optional.of(folder.resolve(name));
  }

  /** The message for a ledger; {@code name} is unique among the attempts of all tasks. */
  byte[] encode(byte[] ledger, String name) throws IOException {
    Optional<Location> place = place(ledger, name);
    if (place.isEmpty()) {
      return ledger;
    }
    stored.put(place.get(), ledger);
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(NAME_AT + utf8.length)
        .put(REFERENCE)
        .put(hash(ledger))
        .put(utf8)
        .array();
  }

  /** The ledger of a message. A stored one is read each time that it is asked for. */
  TaskBytes decode(byte[] message) {
    if (!isReference(message)) {
      return TaskBytes.inMemory(message);
    }
    Location at = location(message);
    byte[] sent = Arrays.copyOfRange(message, 1, NAME_AT);
    return () -> {
      byte[] ledger = stored.read(at);
      if (!Arrays.equals(hash(ledger), sent)) {
        throw FormatErrors.replacedTaskLedger(at);
      }
      return ledger;
    };
  }

  private static byte[] hash(byte[] ledger) {
    return Sha256.create().digest(ledger);
  }

  /** Deletes the ledgers that these messages refer to, once the commit has recorded them. */
  void forget(List<byte[]> messages) throws IOException {
    stored.delete(messages.stream().filter(TaskMessage::isReference).map(this::location).toList());
  }

  private Location location(byte[] message) {
    String name = new String(message, NAME_AT, message.length - NAME_AT, StandardCharsets.UTF_8);
    return folder.resolve(name);
  }

  private static boolean isReference(byte[] message) {
    return message.length > NAME_AT && message[0] == REFERENCE;
  }
}
