package io.repave.s3;

import java.io.IOException;

/** The store reported success, but its response lacks a member that S3 always sends. */
final class InvalidResponseException extends IOException {
  private static final long serialVersionUID = 1L;

  InvalidResponseException(String missing) {
    super("the store returned 200 without " + missing + ", so the effect is not known");
  }

  /** The value, if it exists. S3 always sends it. */
  static <T> T require(T value, String what) throws InvalidResponseException {
    if (value == null) {
      throw new InvalidResponseException(what);
    }
    return value;
  }

  /** A tag without the quotes, which only some responses have. */
  static String tag(String etag) throws InvalidResponseException {
    String tag = require(etag, "an entity tag");
    return tag.length() > 1 && tag.startsWith("\"") && tag.endsWith("\"")
        ? tag.substring(1, tag.length() - 1)
        : tag;
  }
}
