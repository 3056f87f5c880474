package io.repave.hadoop.read;

import io.repave.core.store.Location;
import io.repave.core.store.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * A version of one table. Its files never change. The fingerprint distinguishes it from the version
 * with the same number of a table that was in the same folder before.
 */
record TableVersion(Location table, String fingerprint, long version) {
  private static final int FINGERPRINT_BYTES = 6;
  private static final int FINGERPRINT_CHARACTERS = 2 * FINGERPRINT_BYTES;

  /** A version of the table with this id. An id may be any text, so the path has its hash. */
  static TableVersion of(Location table, String tableId, long version) {
    return new TableVersion(table, fingerprint(tableId), version);
  }

  /** The version in an exact path. */
  static TableVersion of(StorePath exact) {
    String fingerprint = exact.fingerprint().substring(0, FINGERPRINT_CHARACTERS);
    return new TableVersion(exact.table(), fingerprint, exact.version());
  }

  /** The name of the version in a path. */
  String pin() {
    return "v" + version + (fingerprint.isEmpty() ? "" : "-" + fingerprint);
  }

  /** The same version with a pin of at least so many characters: zeros follow the fingerprint. */
  TableVersion withPinOf(int charactersMin) {
    String zeros = "0".repeat(Math.max(0, charactersMin - pin().length()));
    return new TableVersion(table, fingerprint + zeros, version);
  }

  private static String fingerprint(String tableId) {
    byte[] hash = Sha256.create().digest(tableId.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(hash, 0, FINGERPRINT_BYTES);
  }
}
