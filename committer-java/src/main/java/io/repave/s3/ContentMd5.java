package io.repave.s3;

import io.repave.core.store.Content;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;

/**
 * The checksum of every write. A bucket with Object Lock refuses objects and parts without one.
 * Every store supports this one, and Complete need not repeat it, so the ledger does not record the
 * checksums of parts.
 */
final class ContentMd5 {
  private ContentMd5() {}

  /** The header's value; empty on a JVM without MD5, such as one restricted to FIPS 140. */
  static Optional<String> of(Content content) {
    try {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      content.pieces().forEach(digest::update);
      return Optional.of(Base64.getEncoder().encodeToString(digest.digest()));
    } catch (NoSuchAlgorithmException e) {
      return Optional.empty();
    }
  }
}
