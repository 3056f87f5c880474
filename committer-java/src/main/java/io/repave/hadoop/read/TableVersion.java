package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A version of one table. Its files never change. The fingerprint distinguishes it from the version
 * with the same number of a table that was in the same folder before.
 */
record TableVersion(Location table, String fingerprint, long version) {
  private static final int FINGERPRINT_BYTES = 6;

  /** A version of the table with this id. An id may be any text, so the path has its hash. */
  static TableVersion of(Location table, String tableId, long version) {
    return new TableVersion(table, fingerprint(tableId), version);
  }

  private static String fingerprint(String tableId) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(tableId.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, FINGERPRINT_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
