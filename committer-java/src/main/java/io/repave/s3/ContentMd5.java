package io.repave.s3;

import io.repave.core.store.Content;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;

/**
 * The checksum that goes with everything that is written. A bucket with Object Lock refuses objects
 * and parts without one. Of those that S3 takes, this is the one that every store knows, and that
 * Complete need not repeat: the ledger has no room for the checksums of parts.
 */
final class ContentMd5 {
  private ContentMd5() {}

  /** As the header has it; empty on a JVM that has no MD5, as where only FIPS 140 is allowed. */
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
