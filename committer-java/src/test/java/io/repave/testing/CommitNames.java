package io.repave.testing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/** Short words as commit ids and back: an id is a UUID, whose bytes are those of the word. */
public final class CommitNames {
  private static final int BYTES = 16;

  private CommitNames() {}

  /** The id that a word of at most 16 bytes stands for. */
  public static String id(String word) {
    byte[] bytes = word.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length > BYTES) {
      throw new IllegalArgumentException("too long for an id: " + word);
    }
    ByteBuffer padded = ByteBuffer.wrap(Arrays.copyOf(bytes, BYTES));
    return new UUID(padded.getLong(), padded.getLong()).toString();
  }

  /** The word of an id. */
  public static String word(String id) {
    UUID uuid = UUID.fromString(id);
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
    return new String(bytes.array(), StandardCharsets.US_ASCII).replace("\0", "");
  }
}
