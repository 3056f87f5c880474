package io.repave.core.store;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 hashes. */
public final class Sha256 {
  private Sha256() {}

  /** A new hash of no bytes. */
  public static MessageDigest create() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** The hash of the bytes so far, as 64 characters. */
  public static String hex(MessageDigest hash) {
    return HexFormat.of().formatHex(hash.digest());
  }
}
